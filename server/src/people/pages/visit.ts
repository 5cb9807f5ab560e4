import { generalErrors } from '@bursar/contract'
import { languageOf } from '@bursar/checkout'
import type { PageRequest } from '../../platform/api/page.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { Language } from '../../platform/base/language.ts'
import { isLanguage } from '../../platform/base/language.ts'
import { browserOf, findSession, nowOf, type Now, type Session, type SignInDeps } from '../access/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { WORDS, type Words } from './words/index.ts'

export interface DashboardDeps extends SignInDeps {
  runtime: Runtime
  publicUrl: string
}

/** A request of a browser to the dashboard. */
export interface Visit {
  language: Language
  words: Words
  /** the language as chosen by a link, which links of the page keep */
  chosen: Language | undefined
  /** undefined: the person has to sign in */
  session: Session | undefined
  /** the browser's name for itself */
  agent: string
  /** the path without the query */
  path: string
  now: Now
}

/**
 * The browser sends the cookie only to this host, over TLS (or to this machine), and hides it from scripts. `Lax` keeps
 * it when a person follows a link in a mail; forms of other sites are refused by their origin.
 */
const COOKIE = '__Host-bursar'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'
export const cookieOf = (token: string): string => `${COOKIE}=${token}; ${ATTRIBUTES}`
export const NO_COOKIE = `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`

/** 32 bytes in base64url: no other token was ever given. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/
export const isToken = (text: string): boolean => TOKEN.test(text)

const tokenOf = ({ headers }: PageRequest): string | undefined => {
  const found = (headers['cookie'] ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${COOKIE}=`))
  const token = found?.slice(COOKIE.length + 1)
  return token !== undefined && isToken(token) ? token : undefined
}

export const visitOf = async (deps: DashboardDeps, request: PageRequest): Promise<Visit> => {
  const now = nowOf(deps.runtime)
  const token = tokenOf(request)
  const session = token === undefined ? undefined : await findSession(deps.db, token, now.real)
  const chosen = isLanguage(request.query['lang']) ? request.query['lang'] : undefined
  const language = chosen ?? session?.person.language ?? languageOf(undefined, request.headers['accept-language'])
  return {
    language,
    words: WORDS[language],
    chosen,
    session,
    agent: request.headers['user-agent'] ?? '',
    path: request.url.split('?')[0]!,
    now,
  }
}

/** A link to a page of the dashboard that keeps the chosen language. */
export const linkTo = ({ chosen }: Visit, path: string, query: Readonly<Record<string, string>> = {}): string => {
  const all = new URLSearchParams({ ...query, ...(chosen && { lang: chosen }) }).toString()
  return all === '' ? path : `${path}?${all}`
}

/** Longer than any valid value but the answer of a passkey. */
const LONGEST = 1_000
const ANSWER = 'answer'

/** The fields of a submitted form. A field that is too long, or has a zero byte, is empty. */
export type Fields = (name: string) => string

/**
 * Reads a form of our own pages. Throws a refusal unless it was submitted from a page of our origin: every browser
 * sends `Origin` with a form (Fetch, "append a request Origin header"), so that no token in the form is needed.
 */
export const readFields = ({ headers, body }: PageRequest, { publicUrl }: DashboardDeps): Fields => {
  const { origin } = new URL(publicUrl)
  if (headers['origin'] !== origin)
    throw new ApiRefusal(400, generalErrors.invalidRequest.code, `the dashboard is at ${origin}/app: open it there`)
  const fields = new URLSearchParams(body.toString('utf8'))
  return (name) => {
    const value = fields.get(name) ?? ''
    return value.includes('\0') || (name !== ANSWER && value.length > LONGEST) ? '' : value
  }
}

const LONGEST_NAME = 60

/** The name of a passkey as typed, in one line; without one, the browser's. It is cut between characters. */
export const passkeyNameOf = (typed: string, agent: string): string =>
  [...typed.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trim()].slice(0, LONGEST_NAME).join('') ||
  browserOf(agent).slice(0, LONGEST_NAME)
