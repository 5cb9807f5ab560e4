import { generalErrors } from '@bursar/contract'
import { languageOf } from '@bursar/checkout'
import { COOKIE_ATTRIBUTES, cookieIn } from '../../platform/api/cookies.ts'
import type { PageRequest } from '../../platform/api/page.ts'
import { ApiRefusal, refusal } from '../../platform/api/route.ts'
import type { Language } from '../../platform/base/language.ts'
import { isLanguage } from '../../platform/base/language.ts'
import {
  addressOf,
  browserOf,
  findSession,
  nowOf,
  shownAgent,
  type Now,
  type Session,
  type SignInDeps,
} from '../access/index.ts'
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
  /** the cookie of a browser in which a person has signed in before */
  device: string | undefined
  /** the cookie to be set in a browser that has none for the session's person */
  newDevice: string | undefined
  /** the path without the query */
  path: string
  /** path and query as requested */
  url: string
  now: Now
}

/** A request of a person who is signed in. */
export type Signed = Visit & { session: Session }

/** It is sent when a person follows a link in a mail; forms of other sites are refused by their origin. */
const COOKIE = '__Host-bursar'
export const cookieOf = (token: string): string => `${COOKIE}=${token}; ${COOKIE_ATTRIBUTES}`
export const NO_COOKIE = `${COOKIE}=; ${COOKIE_ATTRIBUTES}; Max-Age=0`

/** Stays in the browser for as long as browsers allow (RFC 6265bis, 5.5), also after the person has signed out. */
const DEVICE_COOKIE = '__Host-bursar-device'
const DEVICE_SECONDS = 400 * 24 * 3_600

/** 32 bytes in base64url: no other token was ever given. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/
export const isToken = (text: string): boolean => TOKEN.test(text)

const newDeviceFor = (
  { devices }: Pick<DashboardDeps, 'devices'>,
  session: Session | undefined,
  device: string | undefined,
): string | undefined => {
  const address = session && addressOf(session.person.email)
  if (address === undefined || devices.bucketOf(device, address) !== undefined) return undefined
  return `${DEVICE_COOKIE}=${devices.make(address, session!.id, device)}; ${COOKIE_ATTRIBUTES}; Max-Age=${DEVICE_SECONDS}`
}

/** @param isUse a person asks, not a script: the idle time of the session begins again */
export const visitOf = async (
  deps: Pick<DashboardDeps, 'db' | 'runtime' | 'devices'>,
  request: PageRequest,
  isUse = true,
): Promise<Visit> => {
  const now = nowOf(deps.runtime)
  const token = cookieIn(request, COOKIE)
  const session = token !== undefined && isToken(token) ? await findSession(deps.db, token, now.real, isUse) : undefined
  const device = cookieIn(request, DEVICE_COOKIE)
  const chosen = isLanguage(request.query['lang']) ? request.query['lang'] : undefined
  const language = chosen ?? session?.person.language ?? languageOf(undefined, request.headers['accept-language'])
  return {
    language,
    words: WORDS[language],
    chosen,
    session,
    agent: shownAgent(request.headers['user-agent'] ?? ''),
    device,
    newDevice: newDeviceFor(deps, session, device),
    path: request.url.split('?')[0]!,
    url: request.url,
    now,
  }
}

export const SECURITY_PATH = '/app/security'

/** The path of a page about a merchant, such as `payments`. */
export const merchantPath = (merchantId: string, page: string): string => `/app/merchants/${merchantId}/${page}`
export const teamPath = (merchantId: string): string => merchantPath(merchantId, 'team')
export const auditPath = (merchantId: string): string => merchantPath(merchantId, 'audit')

/** A link to a page of the dashboard that keeps the chosen language. */
export const linkTo = (
  { chosen }: Pick<Visit, 'chosen'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string => {
  const [plain = '', given] = path.split('?')
  const all = new URLSearchParams(given)
  for (const [name, value] of Object.entries({ ...query, ...(chosen && { lang: chosen }) })) all.set(name, value)
  return all.size === 0 ? plain : `${plain}?${all.toString()}`
}

/** The most characters of a field, unless its reader asks for the whole; the answer of a passkey has no limit. */
const LONGEST = 1_000
const ANSWER = 'answer'
/** The path to which a form returns: a longer one is not followed. */
const NEXT = 'next'

/**
 * The fields of a submitted form; a field with a zero byte is empty. Throws a refusal for a field that is too long: an
 * empty value in its place could erase a stored one. `whole` reads every length: the form itself is bounded.
 */
export interface Fields {
  (name: string, length?: 'whole'): string
  /** of all submitted fields */
  readonly names: readonly string[]
}

/**
 * Reads a form of our own pages. Throws a refusal unless it was submitted from a page of our origin: every browser
 * sends `Origin` with a form (Fetch, "append a request Origin header"), so that no token in the form is needed.
 */
export const readFields = ({ headers, body }: PageRequest, { publicUrl }: DashboardDeps): Fields => {
  const { origin } = new URL(publicUrl)
  if (headers['origin'] !== origin)
    throw new ApiRefusal(400, generalErrors.invalidRequest.code, `the dashboard is at ${origin}/app: open it there`)
  const fields = new URLSearchParams(body.toString('utf8'))
  const read = (name: string, length?: 'whole'): string => {
    const value = fields.get(name) ?? ''
    if (value.includes('\0')) return ''
    if (name === ANSWER || length === 'whole' || value.length <= LONGEST) return value
    if (name === NEXT) return ''
    throw refusal(
      generalErrors.invalidRequest,
      `a field has more than ${LONGEST} characters: write less, and submit again`,
    )
  }
  return Object.assign(read, { names: [...new Set(fields.keys())] })
}

const LONGEST_NAME = 60

/** The name of a passkey as typed, in one line; without one, the browser's. It is cut between characters. */
export const passkeyNameOf = (typed: string, agent: string): string =>
  [...typed.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trim()].slice(0, LONGEST_NAME).join('') ||
  browserOf(agent).slice(0, LONGEST_NAME)
