import { readFileSync } from 'node:fs'
import { minorUnitsOf } from './amount.ts'
import { createAcquirerHttp, type AcquirerHttp } from './http.ts'
import type { AcquirerCapabilities, AmountLimits, CardTicker } from './port.ts'

/**
 * Reads one account of `BURSAR_ACQUIRERS_FILE`. Every problem is noted with the member's name, never its value, and
 * reading goes on with something harmless, so that all of them are reported at once.
 */
export interface AccountReader {
  readonly name: string
  /** an http(s) address; http only on this machine. `otherwise` when absent, where there is one */
  url(key: string, otherwise?: string): string
  text(key: string): string
  /** `otherwise` when absent */
  optional(key: string, otherwise: string): string
  flag(key: string, otherwise: boolean): boolean
  /** one of these; a number may be written as a text too */
  choice<const Choice extends string | number>(key: string, choices: readonly Choice[], otherwise: Choice): Choice
  wholeNumber(key: string, bounds: { least: number; most: number }, otherwise: number): number
  /** what stands in the file named by `KEYFile`, without blanks around it */
  secret(key: string): string
  /**
   * `payIn` and `payout` as agreed with the acquirer; `otherwise` when absent. At least one direction of one of its
   * currencies
   */
  limits(otherwise?: Limits, tickers?: readonly CardTicker[]): Limits
  /** with `timeoutMs` of the account */
  http(): AcquirerHttp
}

export type Limits = Pick<AcquirerCapabilities, 'payIn' | 'payout'>
export type Given = Readonly<Record<string, unknown>>

const TICKERS: readonly CardTicker[] = ['UAH', 'KZT']
/** What every account has, besides the members of its kind. */
const COMMON = ['name', 'kind', 'timeoutMs']
const TIMEOUT_MS = { least: 100, most: 120_000, standard: 20_000 }

export const isGiven = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param problems is added to; `unread` adds members that are not known, once the kind has read its own */
export const createAccountReader = (given: Given, problems: string[]): AccountReader & { unread(): void } => {
  const read = new Set<string>(COMMON)
  const name = String(given['name'])
  const at = (key: string): unknown => {
    read.add(key)
    return given[key]
  }
  const wrong = <Value>(key: string, say: string, instead: Value): Value => {
    problems.push(`${name}.${key} is ${say}`)
    return instead
  }
  const reader: AccountReader = {
    name,
    text: (key) => {
      const value = at(key)
      return typeof value === 'string' && value.trim() !== '' ? value : wrong(key, 'a text', '')
    },
    optional: (key, otherwise) => (at(key) === undefined ? otherwise : reader.text(key)),
    url: (key, otherwise) => {
      const value = at(key) ?? otherwise
      return typeof value === 'string' && isSafeUrl(value)
        ? value
        : wrong(key, 'an https address; http only on this machine', 'https://invalid.invalid')
    },
    flag: (key, otherwise) => {
      const value = at(key) ?? otherwise
      return typeof value === 'boolean' ? value : wrong(key, 'true or false', otherwise)
    },
    choice: (key, choices, otherwise) => {
      const value = at(key) ?? otherwise
      return (
        choices.find((one) => one === value || (typeof one === 'number' && String(one) === value)) ??
        wrong(key, `one of ${choices.join(', ')}`, otherwise)
      )
    },
    wholeNumber: (key, { least, most }, otherwise) => {
      const value = at(key) ?? otherwise
      const fits = Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      return fits ? (value as number) : wrong(key, `a whole number from ${least} to ${most}`, otherwise)
    },
    secret: (key) => secretOf(at(`${key}File`), (say) => wrong(`${key}File`, say, '')),
    limits: (otherwise, tickers = TICKERS) => {
      const found = {
        payIn: limitsOf(at('payIn'), tickers, otherwise?.payIn),
        payout: limitsOf(at('payout'), tickers, otherwise?.payout),
      }
      for (const direction of ['payIn', 'payout'] as const)
        for (const problem of found[direction].problems) wrong(direction, problem, undefined)
      const limits = { payIn: found.payIn.limits, payout: found.payout.limits }
      const offers = Object.keys(limits.payIn).length + Object.keys(limits.payout).length
      return offers > 0
        ? limits
        : wrong('payIn', 'missing, and so is payout: {"UAH": {"least": "25", "most": "29999"}}', limits)
    },
    http: () =>
      createAcquirerHttp({
        account: name,
        timeoutMs: reader.wholeNumber('timeoutMs', TIMEOUT_MS, TIMEOUT_MS.standard),
      }),
  }
  const unread = (): void => {
    const left = Object.keys(given).filter((key) => !read.has(key))
    if (left.length > 0)
      problems.push(`${name}: ${left.join(', ')}: unknown to this kind; there are ${[...read].join(', ')}`)
  }
  return { ...reader, unread }
}

/** Keys and card numbers travel there: the connection must be encrypted. */
const isSafeUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username + password + search + hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}

const secretOf = (path: unknown, wrong: (say: string) => string): string => {
  if (typeof path !== 'string' || path === '') return wrong('the path of a file that holds it')
  try {
    const secret = readFileSync(path, 'utf8').trim()
    return secret === '' ? wrong('an empty file') : secret
  } catch (error) {
    return wrong(`a file that can't be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

type OneDirection = Limits['payIn']

const limitsOf = (
  value: unknown,
  tickers: readonly CardTicker[],
  otherwise: OneDirection = {},
): { limits: OneDirection; problems: string[] } => {
  if (value === undefined) return { limits: otherwise, problems: [] }
  if (!isGiven(value)) return { limits: {}, problems: ['an object of currencies'] }
  const unknown = Object.keys(value).filter((ticker) => !tickers.includes(ticker as CardTicker))
  const problems = unknown.map((ticker) => `of ${tickers.join(', ')}, not of ${ticker}`)
  const limits: OneDirection = {}
  for (const ticker of tickers) {
    if (value[ticker] === undefined) continue
    const found = amountLimitsOf(value[ticker])
    if (found) limits[ticker] = found
    else problems.push(`of ${ticker} something else than {"least": "25", "most": "29999"}, both above 0`)
  }
  return { limits, problems }
}

/** `{"least": "25", "most": "29999"}` in minor units, or undefined. */
export const amountLimitsOf = (value: unknown): AmountLimits | undefined => {
  if (!isGiven(value)) return undefined
  const [least, most] = [minorUnitsOf(value['least']), minorUnitsOf(value['most'])]
  const fits = least !== undefined && most !== undefined && least > 0n && least <= most
  return fits && Object.keys(value).length === 2 ? { least, most } : undefined
}
