import { html, type Markup } from '@bursar/checkout/html'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import {
  endOneSession,
  findSession,
  membershipsOf,
  requestOptions,
  SIGN_IN,
  signInByPasskey,
  signInByPassword,
  type Session,
  type TypedProof,
} from '../access/index.ts'
import { hidden, input, pageOf, passkeyForm, redirect, section } from './frame.ts'
import { carriedIn, draftInputs, draftIn, draftQuery, type Draft } from './drafts.ts'
import {
  cookieOf,
  linkTo,
  merchantPath,
  NO_COOKIE,
  readFields,
  visitOf,
  type DashboardDeps,
  type Fields,
  type Visit,
} from './visit.ts'

/** Pages to which a person returns after signing in. */
const RETURNS =
  /^\/app(\/security|\/join\/[A-Za-z0-9_-]{43}|\/merchants\/[0-9a-f-]{36}\/[\w/-]{1,100}(\?[\w=&%.+:@*-]*)?)?$/
const LONGEST_RETURN = 900
const HOME = '/app'

interface SignInForm {
  next: string
  draft: Draft
  email?: string
  said?: string
  status?: number
}

const signInPage = (deps: DashboardDeps, visit: Visit, form: SignInForm): PageAnswer => {
  const { words } = visit
  const again = html`${hidden('next', form.next)}${draftInputs(form.draft)}`
  const action = linkTo(visit, '/app/sign-in')
  return pageOf(visit, {
    title: words.signInTitle,
    status: form.status ?? 200,
    said: form.said === undefined ? undefined : { isProblem: true, text: form.said },
    sections: [
      deps.party !== undefined &&
        passkeyForm({
          verb: 'use',
          action,
          does: 'passkey',
          options: requestOptions(deps.party, deps.challenges.make(SIGN_IN, visit.now.real)),
          button: words.withPasskey,
          failed: words.passkeyFailed,
          fields: again,
        }),
      deps.party !== undefined && html`<p class="soft" data-without-passkeys="">${words.noPasskeys}</p>`,
      section(
        words.withPassword,
        html`<form method="post" action="${action}">${hidden('do', 'password')}${again}${passwordFields(visit, form.email)}<button class="second fallback">${words.signIn}</button></form>`,
      ),
    ],
  })
}

const passwordFields = ({ words }: Visit, email: string | undefined): Markup =>
  html`${input({ name: 'email', label: words.email, type: 'email', autocomplete: 'username', ...(email !== undefined && { value: email }) })}${proofFields(words)}`

/** A typed password and code, with the browser that sent them. */
export const proofIn = ({ agent, device }: Visit, fields: Fields): TypedProof => ({
  password: fields('password'),
  code: fields('code'),
  agent,
  device,
})

/** The fields of a password and a code. */
export const proofFields = (words: Visit['words']): Markup =>
  html`${input({ name: 'password', label: words.password, type: 'password', autocomplete: 'current-password' })}${input({ name: 'code', label: words.code, hint: words.codeHint, autocomplete: 'one-time-code' })}`

const isReturn = (text: string): boolean => text.length <= LONGEST_RETURN && RETURNS.test(text)
export const returnOf = (text: string | undefined): string => (text !== undefined && isReturn(text) ? text : HOME)

/** Sends the browser to the page where a person signs in, and from there back to the page of the request. */
export const toSignIn = (visit: Visit): PageAnswer =>
  redirect(linkTo(visit, '/app/sign-in', { next: isReturn(visit.url) ? visit.url : returnOf(visit.path) }))

/** The page where a person signs in, for a request that needs a session. The form keeps their input. */
export const askToSignIn = (deps: DashboardDeps, visit: Visit, fields?: Fields): PageAnswer => {
  if (!fields) return toSignIn(visit)
  const next = returnOf(visit.path)
  return signInPage(deps, visit, { next, draft: draftIn(fields), said: visit.words.signInAgain, status: 401 })
}

export const showSignIn = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  const next = returnOf(request.query['next'])
  return visit.session ? redirect(linkTo(visit, next)) : signInPage(deps, visit, { next, draft: {} })
}

export const signIn = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  const fields = readFields(request, deps)
  const [next, draft, email] = [returnOf(fields('next')), carriedIn(fields), fields('email')]
  const isPasskey = fields('do') === 'passkey'
  const token = isPasskey
    ? await signInByPasskey(deps, fields('answer'), visit.agent, visit.now)
    : await signInByPassword(deps, { email, ...proofIn(visit, fields) }, visit.now)
  if (token === undefined) {
    const said = isPasskey ? visit.words.passkeyFailed : visit.words.refused
    return signInPage(deps, visit, { next, draft, said, status: 400, ...(!isPasskey && { email }) })
  }
  // The token is new: one that the browser had before, from this or another site, is never taken over.
  if (visit.session) await endOneSession(deps, visit.session, visit.session.id, visit.now)
  const session = await findSession(deps.db, token, visit.now.real)
  const arrival = next === HOME && session ? await firstPageOf(deps, session) : next
  return redirect(linkTo(visit, arrival, draftQuery(deps, session, { next: arrival, draft })), cookieOf(token))
}

/** The page of a person's only merchant, or the list of merchants. */
const firstPageOf = async ({ db }: DashboardDeps, { person }: Session): Promise<string> => {
  const [only, ...others] = await membershipsOf(db, person.id)
  return only !== undefined && others.length === 0 ? merchantPath(only.merchantId, 'home') : HOME
}

export const signOut = async (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> => {
  const visit = await visitOf(deps, request)
  readFields(request, deps)
  if (visit.session) await endOneSession(deps, visit.session, visit.session.id, visit.now)
  return redirect(linkTo(visit, '/app/sign-in'), NO_COOKIE)
}
