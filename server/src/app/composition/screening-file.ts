import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { createAmlbot, type AmlbotSettings } from '../../adapters/screening/amlbot.ts'
import { createIssuerFreezes } from '../../adapters/screening/issuer-freezes.ts'
import { createLocalLists, type ListAnswer } from '../../adapters/screening/local-lists.ts'
import type { Screener } from '../../adapters/screening/port.ts'
import type { ScreeningRules } from '../../risk/screening/index.ts'

type ProviderSettings = { kind: 'local-lists' } | { kind: 'issuer-freezes' } | ({ kind: 'amlbot' } & AmlbotSettings)

/** `BURSAR_SCREENING_FILE`: who judges money, and what follows. */
export interface ScreeningFile {
  providers: readonly ProviderSettings[]
  rules: ScreeningRules
}

const KEYS = ['providers', 'riskyFrom', 'lateAfterMinutes', 'whenUnanswered', 'deciders', 'rescreenDays']
const MOST_DECIDERS = 5
const MOST_DAYS = 3_650
const DAY_MS = 86_400_000
const AMLBOT_KEYS = ['kind', 'url', 'accessId', 'accessKeyFile', 'locale', 'flow', 'assets', 'timeoutMs']
const STANDARD = { riskyFrom: 0.5, lateAfterMinutes: 30, whenUnanswered: 'hold', deciders: 1, rescreenDays: 90 }
const FLOWS = ['fast', 'advanced']

/** Throws an Error that names what is wrong. */
export const readScreeningFile = (json: unknown): ScreeningFile => {
  const given = objectOf(json, 'screening', KEYS)
  const { riskyFrom, lateAfterMinutes, whenUnanswered, deciders, rescreenDays } = { ...STANDARD, ...given }
  if (typeof riskyFrom !== 'number' || !(riskyFrom > 0 && riskyFrom <= 1))
    throw new Error('screening: riskyFrom is a number above 0, at most 1')
  if (!Number.isInteger(lateAfterMinutes) || (lateAfterMinutes as number) < 1)
    throw new Error('screening: lateAfterMinutes is a whole number above 0')
  if (whenUnanswered !== 'hold' && whenUnanswered !== 'flag')
    throw new Error('screening: whenUnanswered is hold or flag')
  if (!Number.isInteger(deciders) || (deciders as number) < 1 || (deciders as number) > MOST_DECIDERS)
    throw new Error(`screening: deciders is a whole number from 1 to ${MOST_DECIDERS}`)
  if (!Number.isInteger(rescreenDays) || (rescreenDays as number) < 1 || (rescreenDays as number) > MOST_DAYS)
    throw new Error(`screening: rescreenDays is a whole number from 1 to ${MOST_DAYS}`)
  if (!Array.isArray(given.providers) || given.providers.length === 0)
    throw new Error('screening: providers is a list of at least one')
  const providers = given.providers.map((one: unknown, i) => readProvider(one, `screening: providers[${i}]`))
  const kinds = providers.map(({ kind }) => kind)
  if (new Set(kinds).size < kinds.length) throw new Error('screening: each kind of provider is there once')
  return {
    providers,
    rules: {
      riskyFrom,
      lateAfterMs: (lateAfterMinutes as number) * 60_000,
      whenUnanswered,
      deciders: deciders as number,
      rescreenMs: (rescreenDays as number) * DAY_MS,
    },
  }
}

const readProvider = (one: unknown, where: string): ProviderSettings => {
  const { kind } = objectOf(one, where)
  if (kind === 'local-lists' || kind === 'issuer-freezes') {
    objectOf(one, where, ['kind'])
    return { kind }
  }
  if (kind !== 'amlbot') throw new Error(`${where}.kind is local-lists, issuer-freezes or amlbot`)
  const { url, accessId, accessKeyFile, locale, flow, assets, timeoutMs } = objectOf(one, where, AMLBOT_KEYS)
  const text = (value: unknown, name: string): string => {
    if (typeof value !== 'string' || value === '') throw new Error(`${where}.${name} is missing`)
    return value
  }
  const place = text(url, 'url')
  if (!URL.canParse(place) || !/^https?:$/.test(new URL(place).protocol))
    throw new Error(`${where}.url is an address such as https://provider.example`)
  if (flow !== undefined && !FLOWS.includes(flow as string)) throw new Error(`${where}.flow is ${FLOWS.join(' or ')}`)
  if (
    timeoutMs !== undefined &&
    !(Number.isInteger(timeoutMs) && (timeoutMs as number) >= 1_000 && (timeoutMs as number) <= 60_000)
  )
    throw new Error(`${where}.timeoutMs is from 1000 to 60000`)
  const names = assets === undefined ? {} : objectOf(assets, `${where}.assets`)
  for (const [name, value] of Object.entries(names)) text(value, `assets.${name}`)
  return {
    kind,
    url: place.replace(/\/+$/, ''),
    accessId: text(accessId, 'accessId'),
    accessKey: secretIn(text(accessKeyFile, 'accessKeyFile'), `${where}.accessKeyFile`),
    assets: names as Record<string, string>,
    ...(locale === undefined ? {} : { locale: text(locale, 'locale') }),
    ...(flow === undefined ? {} : { flow: flow as string }),
    ...(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs as number }),
  }
}

const objectOf = (value: unknown, where: string, keys?: readonly string[]): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} is a JSON object`)
  const unknown = Object.keys(value).filter((key) => keys !== undefined && !keys.includes(key))
  if (unknown.length > 0) throw new Error(`${where}: unknown ${unknown.join(', ')}; there are ${keys!.join(', ')}`)
  return value as Record<string, unknown>
}

const secretIn = (path: string, where: string): string => {
  if (!isAbsolute(path)) throw new Error(`${where} is an absolute path`)
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret !== '') return secret
  } catch (error) {
    throw new Error(`${where}: ${path} can't be read (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
  throw new Error(`${where}: ${path} is empty`)
}

/** The providers of a file, in its order. */
export const createScreeners = (
  { providers }: ScreeningFile,
  {
    lookUp,
    frozenBy,
    now,
  }: {
    lookUp: (addresses: readonly string[]) => Promise<ListAnswer>
    frozenBy: Parameters<typeof createIssuerFreezes>[0]
    now: () => number
  },
): Screener[] =>
  providers.map((provider) => {
    if (provider.kind === 'local-lists') return createLocalLists(lookUp, now)
    return provider.kind === 'issuer-freezes' ? createIssuerFreezes(frozenBy, now) : createAmlbot(provider, now)
  })
