/** A person of the demo's merchant: accepts an invitation, signs in and fills in forms, as a browser does. */
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, stepOf } from '../../server/src/people/access/index.ts'
import { SandboxError } from '../try/running.ts'

/** The means of a person to sign in, stored in the sandbox's folder. */
export interface Credentials {
  readonly email: string
  readonly password: string
  /** of one-time codes, in base32 */
  readonly seed: string
  /** the step of the last code that was used */
  lastStep: number
}

export interface Member {
  /** the cookie of the session */
  readonly cookie: string
  get(path: string): Promise<string>
  /** Submits a form that is answered with a page. */
  check(path: string, fields: Readonly<Record<string, string>>): Promise<string>
  /** Submits a form. @returns the path to which the answer leads */
  submit(path: string, fields: Readonly<Record<string, string>>): Promise<string>
}

const COOKIE = /^__Host-bursar=([^;]+)/
const PASSWORD = 'harbour violet teaspoon'
const STEP_MS = 30_000

interface Reply {
  readonly status: number
  readonly text: string
  readonly location: string
  readonly cookie: string | undefined
}

const send = async (
  url: string,
  cookie: string | undefined,
  fields?: Readonly<Record<string, string>>,
): Promise<Reply> => {
  const headers: Record<string, string> = { accept: 'text/html', origin: new URL(url).origin, 'accept-language': 'en' }
  if (cookie !== undefined) headers['cookie'] = `__Host-bursar=${cookie}`
  const answer = await fetch(url, {
    method: fields === undefined ? 'GET' : 'POST',
    headers,
    redirect: 'manual',
    ...(fields && { body: new URLSearchParams(fields) }),
  })
  const set = answer.headers.getSetCookie().map((line) => COOKIE.exec(line)?.[1])
  return {
    status: answer.status,
    text: await answer.text(),
    location: answer.headers.get('location') ?? '',
    cookie: set.find((value) => value !== undefined),
  }
}

/** The value of a hidden field of a page. */
export const fieldOf = (page: string, name: string): string => {
  const found = new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1]
  if (found === undefined) throw new SandboxError(`a page of the dashboard has no field ${name}`)
  return found.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const bytesOf = (base32: string): Buffer => {
  const bits = [...base32].map((sign) => ALPHABET.indexOf(sign).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

const memberOf = (api: string, cookie: string): Member => ({
  cookie,
  get: async (path) => {
    const { status, text } = await send(api + path, cookie)
    if (status !== 200) throw new SandboxError(`${path} of the dashboard answered ${status}`)
    return text
  },
  check: async (path, fields) => {
    const { status, text } = await send(api + path, cookie, fields)
    if (status !== 200) throw new SandboxError(`a form of ${path} answered ${status}`)
    return text
  },
  submit: async (path, fields) => {
    const { status, location, text } = await send(api + path, cookie, fields)
    if (status === 303) return location
    const why = /role="alert"[^>]*>(?:<[^>]*>)*([^<]*)/.exec(text)?.[1] ?? ''
    throw new SandboxError(`a form of ${path} answered ${status} ${why}`)
  },
})

/** Accepts an invitation with a password and one-time codes. @param link from the mail */
export const join = async (
  api: string,
  link: string,
  email: string,
): Promise<{ member: Member; credentials: Credentials }> => {
  const page = (await send(link, undefined)).text
  const seed = /<span class="address"><bdi>([A-Z2-7 ]+)<\/bdi>/.exec(page)?.[1]?.replaceAll(' ', '')
  if (seed === undefined) throw new SandboxError('the page of the invitation shows no key of one-time codes')
  const lastStep = stepOf(new Date())
  const code = codeOf(bytesOf(seed), lastStep)
  const form = { do: 'password', password: PASSWORD, seed: fieldOf(page, 'seed'), code }
  const { status, cookie } = await send(link, undefined, form)
  if (cookie === undefined) throw new SandboxError(`the invitation was not accepted: the page answered ${status}`)
  return { member: memberOf(api, cookie), credentials: { email, password: PASSWORD, seed, lastStep } }
}

/** Signs in. A code works once: the next one may have to be awaited for half a minute. */
export const signIn = async (api: string, credentials: Credentials): Promise<Member> => {
  const step = Math.max(stepOf(new Date()), credentials.lastStep + 1)
  // The server takes the code of the next step already.
  while (step > stepOf(new Date()) + 1) await sleep(STEP_MS / 30)
  credentials.lastStep = step
  const { email, password, seed } = credentials
  const { status, cookie } = await send(`${api}/app/sign-in`, undefined, {
    do: 'password',
    email,
    password,
    code: codeOf(bytesOf(seed), step),
  })
  if (cookie === undefined) throw new SandboxError(`${email} could not sign in: the page answered ${status}`)
  return memberOf(api, cookie)
}
