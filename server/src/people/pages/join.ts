import { html, type Markup } from '@bursar/checkout/html'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import {
  acceptByPasskey,
  acceptByPassword,
  acceptSignedIn,
  creationOptions,
  endOneSession,
  findInvitation,
  joiningPersonId,
  joinPurpose,
  type Joined,
  type JoinProblem,
  type OpenInvitation,
} from '../access/index.ts'
import { hidden, input, pageOf, passkeyForm, redirect, section } from './frame.ts'
import { openSeed, passwordSetUp } from './password-set-up.ts'
import {
  cookieOf,
  isToken,
  linkTo,
  passkeyNameOf,
  readFields,
  visitOf,
  type DashboardDeps,
  type Fields,
  type Visit,
} from './visit.ts'

/** Ties the secret of one-time codes, which the page sends back, to its invitation. */
const seedOwner = ({ id }: OpenInvitation): string => `one-time-code set-up|${id}`

const openInvitation = async (
  { db }: DashboardDeps,
  { params }: PageRequest,
  { now }: Visit,
): Promise<OpenInvitation | undefined> => {
  const token = params['token'] ?? ''
  return isToken(token) ? findInvitation(db, token, now.real) : undefined
}

export const showInvitation = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  const invitation = await openInvitation(deps, request, visit)
  return invitation ? invitationPage(deps, visit, invitation) : gonePage(visit)
}

const gonePage = (visit: Visit): PageAnswer => {
  const { words } = visit
  return pageOf(visit, {
    title: words.goneTitle,
    status: 404,
    sections: [
      html`<section class="panel"><p>${words.gone}</p><a href="${linkTo(visit, '/app/sign-in')}">${words.signIn}</a></section>`,
    ],
  })
}

interface Typed {
  problem?: JoinProblem
  name?: string
  seed?: Buffer
}

const invitationPage = (
  deps: DashboardDeps,
  visit: Visit,
  invitation: OpenInvitation,
  typed: Typed = {},
): PageAnswer => {
  const { words } = visit
  const { kind, merchant, email, role, personId } = invitation
  const isExisting = kind === 'join' && personId !== null
  const intro = html`<section class="panel"><p>${words.joinAs(email)}${kind === 'join' && html` ${words.joinText(words.roles[role])}`}</p>${
    isExisting && existing(visit, invitation)
  }</section>`
  return pageOf(visit, {
    title: kind === 'join' ? words.joinTitle(merchant) : words.resetTitle,
    status: typed.problem === undefined ? 200 : 400,
    said: typed.problem && { isProblem: true, text: textOf(typed.problem, visit) },
    sections: isExisting
      ? [intro]
      : [intro, makePasskey(deps, visit, invitation, typed), usePassword(deps, visit, invitation, typed)],
  })
}

const existing = (visit: Visit, { personId }: OpenInvitation): Markup => {
  const { words, session, path } = visit
  if (session?.person.id === personId)
    return html`<form method="post" action="${linkTo(visit, path)}">${hidden('do', 'accept')}<button>${words.accept}</button></form>`
  return html`<p>${words.existing}</p><a class="button" href="${linkTo(visit, '/app/sign-in', { next: path })}">${words.signIn}</a>`
}

const makePasskey = (
  { party, challenges }: DashboardDeps,
  visit: Visit,
  invitation: OpenInvitation,
  { name }: Typed,
): Markup | undefined => {
  const { words, now, path } = visit
  if (party === undefined) return undefined
  const challenge = challenges.make(joinPurpose(invitation.id), now.real)
  const person = { id: joiningPersonId(invitation), email: invitation.email }
  return section(
    words.makePasskey,
    html`<p>${words.makePasskeyText}</p><p class="soft" data-without-passkeys="">${words.noPasskeys}</p>`,
    passkeyForm({
      verb: 'make',
      action: linkTo(visit, path),
      does: 'passkey',
      options: creationOptions(party, person, challenge, []),
      button: words.makePasskey,
      failed: words.passkeyNotMade,
      fields: input({
        name: 'name',
        label: words.passkeyName,
        hint: words.passkeyNameHint,
        value: name ?? passkeyNameOf('', visit.agent),
      }),
    }),
  )
}

const usePassword = (deps: DashboardDeps, visit: Visit, invitation: OpenInvitation, typed: Typed): Markup => {
  const { words, path } = visit
  const isOpen = typed.problem === 'password-weak' || typed.problem === 'code-wrong' || deps.party === undefined
  const setUp = { owner: seedOwner(invitation), email: invitation.email, seed: typed.seed }
  const title = deps.party === undefined ? words.setPassword : words.usePassword
  return html`<section class="panel"><details${isOpen && html` open`}><summary>${title}</summary>
<form method="post" action="${linkTo(visit, path)}">${hidden('do', 'password')}${passwordSetUp(deps, visit, setUp)}
<button class="second">${title}</button></form></details></section>`
}

const textOf = (problem: JoinProblem, { words }: Visit): string =>
  ({
    gone: words.gone,
    'password-weak': words.passwordWeak,
    'code-wrong': words.codeWrong,
    'passkey-failed': words.passkeyNotMade,
  })[problem]

export const acceptInvitation = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  const fields = readFields(request, deps)
  const invitation = await openInvitation(deps, request, visit)
  if (!invitation) return gonePage(visit)
  if (fields('do') === 'accept') return acceptAsMember(deps, visit, invitation)
  // An existing person keeps their own ways to sign in: a link alone adds none.
  if (invitation.kind === 'join' && invitation.personId !== null) return invitationPage(deps, visit, invitation)
  const seed = fields('do') === 'password' ? openSeed(deps, seedOwner(invitation), fields('seed')) : undefined
  const joined = await acceptBy(deps, visit, invitation, fields, seed)
  if ('problem' in joined) {
    if (joined.problem === 'gone') return gonePage(visit)
    const typed = { problem: joined.problem, name: fields('name'), ...(seed && { seed }) }
    return invitationPage(deps, visit, invitation, typed)
  }
  // The browser may have had a session of another person: nothing of it stays behind the new cookie.
  if (visit.session) await endOneSession(deps, visit.session, visit.session.id, visit.now)
  if (joined.recoveryCodes.length === 0) return redirect(linkTo(visit, '/app'), cookieOf(joined.token))
  return codesPage(visit, joined.recoveryCodes, cookieOf(joined.token))
}

const acceptAsMember = async (deps: DashboardDeps, visit: Visit, invitation: OpenInvitation): Promise<PageAnswer> => {
  if (visit.session?.person.id !== invitation.personId) return invitationPage(deps, visit, invitation)
  const isAccepted = await acceptSignedIn(deps, invitation, visit.session!, visit.now)
  return isAccepted ? redirect(linkTo(visit, '/app')) : gonePage(visit)
}

const acceptBy = (
  deps: DashboardDeps,
  visit: Visit,
  invitation: OpenInvitation,
  fields: Fields,
  seed: Buffer | undefined,
): Promise<Joined> => {
  const joining = { language: visit.language, agent: visit.agent }
  if (seed)
    return acceptByPassword(
      deps,
      invitation,
      { password: fields('password'), seed, code: fields('code') },
      joining,
      visit.now,
    )
  const passkey = { answer: fields('answer'), name: passkeyNameOf(fields('name'), visit.agent) }
  return acceptByPasskey(deps, invitation, passkey, joining, visit.now)
}

/** Shows recovery codes, which the database does not have. */
export const codesPage = (visit: Visit, codes: readonly string[], cookie?: string): PageAnswer => {
  const { words } = visit
  return pageOf(visit, {
    title: words.codesTitle,
    ...(cookie !== undefined && { cookie }),
    sections: [
      html`<section class="panel"><p>${words.codesText}</p><ul class="codes-list">${codes.map((code) => html`<li class="address">${code}</li>`)}</ul>
<a class="button" href="${linkTo(visit, '/app')}">${words.goOn}</a></section>`,
    ],
  })
}
