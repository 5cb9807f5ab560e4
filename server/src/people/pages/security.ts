import { foreign, html, type Markup } from '@bursar/checkout/html'
import { showTime } from '../../merchants/documents/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import {
  addPasskey,
  addPurpose,
  browserOf,
  countRecoveryCodes,
  creationOptions,
  endOneSession,
  endOtherSessions,
  hasPassword,
  listPasskeys,
  listPersonActions,
  listSessions,
  ProofNeeded,
  proveByPasskey,
  proveByPassword,
  removePasskey,
  renewRecoveryCodes,
  setPassword,
  type Passkey,
  type Session,
  type SessionLine,
} from '../access/index.ts'
import { hidden, input, pageOf, passkeyForm, redirect, section } from './frame.ts'
import { codesPage } from './join.ts'
import { draftIn, draftOf, draftQuery, type Draft } from './drafts.ts'
import { openSeed, passwordSetUp } from './password-set-up.ts'
import { provePanel, saidBy } from './proving.ts'
import { askToSignIn, proofIn, returnOf } from './sign-in.ts'
import {
  cookieOf,
  linkTo,
  NO_COOKIE,
  passkeyNameOf,
  readFields,
  SECURITY_PATH,
  visitOf,
  type DashboardDeps,
  type Fields,
  type Signed,
  type Visit,
} from './visit.ts'

const SHOWN_ACTIONS = 20

interface Shown {
  /** typed fields: the name of a passkey, and those of the page `next` */
  draft: Draft
  /** the page to which the browser returns after a proof */
  next?: string
  /** the secret of one-time codes that the person may have stored in the app already */
  seed?: Buffer
  said?: { isProblem: boolean; text: string }
  status?: number
}

export const showSecurity = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  if (!visit.session) return askToSignIn(deps, visit)
  const said = saidBy(visit as Signed, request)
  const draft = draftOf(deps, visit.session, request)
  return securityPage(deps, visit as Signed, { draft, ...(said && { said }) })
}

const securityPage = async (deps: DashboardDeps, visit: Signed, shown: Shown): Promise<PageAnswer> => {
  const { words, session, now } = visit
  const { db } = deps
  const personId = session.person.id
  const [passkeys, isPassword, codes, sessions, actions] = [
    await listPasskeys(db, personId),
    await hasPassword(db, personId),
    await countRecoveryCodes(db, personId),
    await listSessions(db, personId, now.real),
    await listPersonActions(db, personId, SHOWN_ACTIONS),
  ]
  return pageOf(visit, {
    title: words.security,
    ...(shown.status !== undefined && { status: shown.status }),
    said: shown.said,
    sections: [
      await provePanel(deps, visit, { next: shown.next ?? SECURITY_PATH, draft: shown.draft }),
      section(words.passkeysTitle, passkeyList(visit, passkeys), addForm(deps, visit, passkeys, shown.draft['name'])),
      passwordPanel(deps, visit, isPassword, shown.seed),
      isPassword && recoveryPanel(visit, codes),
      sessionsPanel(visit, sessions),
      section(
        words.activityTitle,
        html`<ul class="rows">${actions.map(({ at, action }) => html`<li class="line">${words.actions[action] ?? action} <span class="soft">${showTime(at.getTime())}</span></li>`)}</ul>`,
      ),
    ],
  })
}

/** Ties the secret of one-time codes, which the page sends back, to its session. */
const seedOwner = ({ id }: Session): string => `one-time-code set-up|${id}`

/** The form that sets a first password, or replaces the present one. Its fields need a proof. */
const passwordPanel = (deps: DashboardDeps, visit: Signed, isPassword: boolean, seed: Buffer | undefined): Markup => {
  const { words, session } = visit
  const title = isPassword ? words.changePassword : words.setPassword
  if (!session.isProved) return section(title, html`<p class="soft">${words.proveFirst}</p>`)
  const setUp = { owner: seedOwner(session), email: session.person.email, seed }
  return html`<section class="panel"><details${seed && html` open`}><summary>${title}</summary><p>${words.passwordEnds}</p>
<form method="post" action="${linkTo(visit, SECURITY_PATH)}">${hidden('do', 'set-password')}${passwordSetUp(deps, visit, setUp)}
<button class="second">${title}</button></form></details></section>`
}

const passkeyList = (visit: Signed, passkeys: readonly Passkey[]): Markup => {
  const { words } = visit
  if (passkeys.length === 0) return html`<p class="soft">${words.noneYet}</p>`
  return html`<ul class="rows">${passkeys.map(
    ({ id, name, createdAt, usedAt }) =>
      html`<li><div class="line"><div>${foreign(name)}<br><span class="soft">${words.added(showTime(createdAt.getTime()))}, ${
        usedAt ? words.lastUsed(showTime(usedAt.getTime())) : words.neverUsed
      }</span></div>${button(visit, 'remove-passkey', id, words.removeShort, words.remove(name))}</div></li>`,
  )}</ul>`
}

/** A form of one button about one object. */
const button = (visit: Visit, does: string, id: string, text: string, label: string): Markup =>
  html`<form method="post" action="${linkTo(visit, SECURITY_PATH)}">${hidden('do', does)}${hidden('id', id)}<button class="second" aria-label="${label}">${text}</button></form>`

const addForm = (
  { party, challenges }: DashboardDeps,
  visit: Signed,
  passkeys: readonly Passkey[],
  name: string | undefined,
): Markup | undefined => {
  const { words, session, now } = visit
  if (party === undefined) return undefined
  return html`<p class="soft" data-without-passkeys="">${words.noPasskeys}</p>${passkeyForm({
    verb: 'make',
    action: linkTo(visit, SECURITY_PATH),
    does: 'add-passkey',
    options: creationOptions(party, session.person, challenges.make(addPurpose(session.id), now.real), passkeys),
    button: words.addPasskey,
    failed: words.passkeyNotMade,
    isSecond: true,
    fields: input({
      name: 'name',
      label: words.passkeyName,
      hint: words.passkeyNameHint,
      value: name ?? passkeyNameOf('', visit.agent),
    }),
  })}`
}

const recoveryPanel = (visit: Signed, codes: number): Markup =>
  section(
    visit.words.recoveryTitle,
    html`<p>${visit.words.recoveryLeft(codes)}</p>${button(visit, 'renew-codes', '', visit.words.renewCodes, visit.words.renewCodes)}`,
  )

const sessionsPanel = (visit: Signed, sessions: readonly SessionLine[]): Markup => {
  const { words, session } = visit
  const line = ({ id, agent, method, createdAt }: SessionLine): Markup => {
    const browser = browserOf(agent)
    const isThis = id === session.id
    return html`<li><div class="line"><div>${foreign(browser)}${isThis && html` (${words.thisSession})`}<br><span class="soft">${words.since(showTime(createdAt.getTime()))}, ${words.methods[method]}</span></div>${
      !isThis && button(visit, 'end-session', id, words.endShort, words.end(browser))
    }</div></li>`
  }
  return section(
    words.sessionsTitle,
    html`<ul class="rows">${sessions.map(line)}</ul>`,
    sessions.length > 1 && button(visit, 'end-others', '', words.endOthers, words.endOthers),
  )
}

export const changeSecurity = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  const fields = readFields(request, deps)
  if (!visit.session) return askToSignIn(deps, visit, fields)
  const signed = visit as Signed
  try {
    return await act(deps, signed, fields)
  } catch (error) {
    if (!(error instanceof ProofNeeded)) throw error
    const said = { isProblem: true, text: visit.words.proveNeeded }
    return securityPage(deps, signed, { said, status: 403, draft: draftIn(fields) })
  }
}

const act = async (deps: DashboardDeps, visit: Signed, fields: Fields): Promise<PageAnswer> => {
  const { session, now, words } = visit
  const draft = draftIn(fields)
  const next = fields('next') === '' ? SECURITY_PATH : returnOf(fields('next'))
  const done = (): PageAnswer =>
    redirect(linkTo(visit, SECURITY_PATH, { done: '1', ...draftQuery(deps, session, { next: SECURITY_PATH, draft }) }))
  const proved = (token: string): PageAnswer =>
    redirect(linkTo(visit, next, { proved: '1', ...draftQuery(deps, session, { next, draft }) }), cookieOf(token))
  const failed = (text: string, seed?: Buffer): Promise<PageAnswer> =>
    securityPage(deps, visit, {
      said: { isProblem: true, text },
      status: 400,
      draft,
      next,
      ...(seed && { seed }),
    })
  const id = isUuid(fields('id')) ? fields('id') : session.id
  switch (fields('do')) {
    case 'prove-passkey': {
      const token = await proveByPasskey(deps, session, { answer: fields('answer'), agent: visit.agent }, now)
      return token === undefined ? failed(words.passkeyFailed) : proved(token)
    }
    case 'prove-password': {
      const token = await proveByPassword(deps, session, proofIn(visit, fields), now)
      return token === undefined ? failed(words.refused) : proved(token)
    }
    case 'add-passkey': {
      const passkey = { answer: fields('answer'), name: passkeyNameOf(fields('name'), visit.agent) }
      const isAdded = await addPasskey(deps, session, passkey, now)
      return isAdded ? redirect(linkTo(visit, SECURITY_PATH, { done: '1' })) : failed(words.passkeyNotMade)
    }
    case 'remove-passkey': {
      const removal = await removePasskey(deps, session, id, now)
      return removal === 'removed' ? done() : failed(removal === 'last' ? words.lastPasskey : words.notDone)
    }
    case 'set-password': {
      const seed = openSeed(deps, seedOwner(session), fields('seed'))
      if (!seed) return failed(words.notDone)
      const typed = { password: fields('password'), seed, code: fields('code') }
      const set = await setPassword(deps, session, typed, now)
      if ('recoveryCodes' in set) return codesPage(visit, set.recoveryCodes)
      return failed(set.problem === 'password-weak' ? words.passwordWeak : words.codeWrong, seed)
    }
    case 'renew-codes': {
      const codes = await renewRecoveryCodes(deps, session, now)
      return codes ? codesPage(visit, codes) : failed(words.notDone)
    }
    case 'end-session': {
      const isEnded = await endOneSession(deps, session, id, now)
      if (!isEnded) return failed(words.notDone)
      return id === session.id ? redirect(linkTo(visit, '/app/sign-in'), NO_COOKIE) : done()
    }
    case 'end-others':
      await endOtherSessions(deps, session, now)
      return done()
    default:
      return failed(words.notDone)
  }
}
