import { createHash } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import Type from 'typebox'
import { choice, count, httpUrl, secretFile, text } from '../../platform/config/fields.ts'
import { postForm } from './post-form.ts'
import { ScreeningUnavailable, type Report, type Screened, type Screener, type Subject } from './port.ts'
import { signalsOf } from './signals.ts'

export interface AmlbotSettings {
  /**
   * `https://extrnlapiendpoint.silencatech.com`, or the reserve `https://reserveapi.silencatech.com`; no trailing slash
   */
  url: string
  accessId: string
  accessKey: string
  /** language of the provider's own report */
  locale?: string
  /** `fast` (the default) or `advanced` */
  flow?: string
  /** the provider's name of an asset where it is not the network's coin, by `NETWORK/TICKER` */
  assets?: Readonly<Record<string, string>>
  /** ms; 15,000 when absent */
  timeoutMs?: number
}

/** Tokens are checked as their network's coin, unless the settings name another asset. */
const COINS: Readonly<Partial<Record<Network, string>>> = {
  BITCOIN: 'BTC',
  ETHEREUM: 'ETH',
  BINANCE_SMART_CHAIN: 'BSC',
  TRON: 'TRX',
}
const TIMEOUT_MS = 15_000
const LOCALE = 'en_US'
const FLOW = 'fast'

/** A provider of kind `amlbot` in `BURSAR_SCREENING_FILE`. */
export const AMLBOT_SHAPE = Type.Object({
  kind: Type.Literal('amlbot', { description: 'AMLBot, which judges transactions and addresses' }),
  url: httpUrl('`https://extrnlapiendpoint.silencatech.com`, or the reserve `https://reserveapi.silencatech.com`'),
  accessId: text('the account with AMLBot'),
  accessKeyFile: secretFile('the file of its key', { absolute: true }),
  locale: Type.Optional(text("the language of the provider's own report", { standard: LOCALE })),
  flow: Type.Optional(choice('how thoroughly AMLBot checks', ['fast', 'advanced'], { standard: FLOW })),
  assets: Type.Optional(
    Type.Record(Type.String({ pattern: '^.+$' }), text("AMLBot's name of the asset"), {
      description: "AMLBot's name of an asset where that is not the network's coin",
      key: 'NETWORK/TICKER',
      keySays: 'NETWORK/TICKER, such as ETHEREUM/USDT',
    }),
  ),
  timeoutMs: Type.Optional(
    count('timeout of a request', { least: 1_000, most: 60_000, standard: TIMEOUT_MS, unit: 'ms' }),
  ),
})

/**
 * AMLBot's API (`ecosystem.md` 4.2): a form signed with md5("what:accessKey:accessId"). Deposits are checked by
 * transaction and our address in it, withdrawals by their single destination.
 */
export const createAmlbot = (settings: AmlbotSettings, now: () => number): Screener => {
  const { url, accessId, accessKey, locale = LOCALE, flow = FLOW, timeoutMs = TIMEOUT_MS } = settings
  const ask = async (path: string, signed: string, fields: Record<string, string>): Promise<Screened> => {
    const token = createHash('md5').update(`${signed}:${accessKey}:${accessId}`).digest('hex')
    const answer = await postForm(
      `${url}${path}`,
      { accessId, locale, token, ...fields },
      { name: 'amlbot', timeoutMs },
    )
    return read(answer, now())
  }
  const assetOf = ({ network, asset }: Subject): string => {
    const named = settings.assets?.[`${network}/${asset}`] ?? COINS[network]
    if (named === undefined) throw new ScreeningUnavailable(`amlbot: no asset is set for ${network}/${asset}`)
    return named
  }
  return {
    name: 'amlbot',
    screen: (subject) => {
      const asset = assetOf(subject)
      const { transaction, own, others, direction } = subject
      if (transaction !== null && own !== null)
        return ask('/', transaction, { hash: transaction, asset, flow, address: own, direction })
      const [other] = others
      return other === undefined ? Promise.resolve({ kind: 'nothing' }) : ask('/', other, { hash: other, asset, flow })
    },
    recheck: (_subject, ref) => ask('/recheck', ref, { uid: ref }),
  }
}

const unbelievable = (why: string): ScreeningUnavailable => new ScreeningUnavailable(`amlbot: ${why}`)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const read = (answer: unknown, now: number): Screened => {
  if (!isRecord(answer)) throw unbelievable('it answered no object')
  const { result, data, description } = answer
  if (result !== true && result !== 1)
    throw unbelievable(`it refused: ${typeof description === 'string' ? description.slice(0, 200) : 'no reason given'}`)
  if (!isRecord(data)) throw unbelievable('its answer has no data')
  if (data.status === 'pending') {
    if (typeof data.uid !== 'string' || data.uid === '') throw unbelievable('a pending answer has no uid')
    return { kind: 'pending', ref: data.uid }
  }
  return { kind: 'report', report: reportOf(data, now, answer) }
}

const reportOf = (data: Record<string, unknown>, now: number, raw: unknown): Report => {
  const { signals, hasBlackListFlag, blackListsConnections } = data
  const riskScore = numberOf(data.riskscore)
  if (typeof riskScore !== 'number' || !(riskScore >= 0 && riskScore <= 1))
    throw unbelievable('riskscore is no number from 0 to 1')
  const flags = [
    ...(isSet(hasBlackListFlag, 'hasBlackListFlag') ? ['AMLBot has it on a black list'] : []),
    ...(isSet(blackListsConnections, 'blackListsConnections') ? ['AMLBot sees connections of it to a black list'] : []),
  ]
  const fractions = Object.fromEntries(
    Object.entries(mapOf(signals)).map(([name, fraction]) => [name, numberOf(fraction)]),
  )
  try {
    return { riskScore, signals: signalsOf(fractions), flags, madeAt: timeOf(data, now), raw }
  } catch (error) {
    throw unbelievable(`signals: ${(error as Error).message}`)
  }
}

/** Reads a map. The service is written in PHP, which prints an empty map as an empty list. */
const mapOf = (signals: unknown): Record<string, unknown> => {
  if (isRecord(signals)) return signals
  if (Array.isArray(signals) && signals.length === 0) return {}
  throw unbelievable('its answer has no signals')
}

/** Reads a number, also from text, as other clients of the service do. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,3}(\.\d{1,20})?$/.test(value) ? Number(value) : value

const SET: readonly unknown[] = [true, 1, '1', 'true']
const NOT_SET: readonly unknown[] = [undefined, null, false, 0, '', '0', 'false']

/**
 * Reads a flag. An unknown value invalidates the whole answer, so that a blacklist entry is never missed. A list is
 * true unless it is empty.
 */
const isSet = (flag: unknown, name: string): boolean => {
  if (Array.isArray(flag) || isRecord(flag)) return Object.keys(flag).length > 0
  if (SET.includes(flag) || NOT_SET.includes(flag)) return SET.includes(flag)
  throw unbelievable(`${name} is no flag`)
}

/** Reads `updated_at`, which is in seconds. A value that is not in the past is ignored. */
const timeOf = ({ updated_at: at }: Record<string, unknown>, now: number): number =>
  typeof at === 'number' && Number.isInteger(at) && at > 0 && at * 1_000 <= now ? at * 1_000 : now
