import type { Catalogue } from '../../market/assets/index.ts'
import { parseUnits } from '../../platform/money/index.ts'
import { pairOf } from './pair.ts'

/** What may be done with one asset; ledger units of it. */
export interface AssetRules {
  ticker: string
  scale: number
  /** amounts are multiples of it */
  step: bigint
  /** of what is spent in one exchange */
  min: bigint
  max: bigint
  /** the platform doesn't come to hold more of it; null: no bound */
  most: bigint | null
  /**
   * how much more of it the platform may have bought by exchanges than it has sold and hedged, and the other way round;
   * null: no bound
   */
  long: bigint | null
  short: bigint | null
}

/** What may be exchanged and what it costs. An asset without rules is in no pair. */
export interface ExchangePolicy {
  assets: ReadonlyMap<string, AssetRules>
  /** `FIRST/SECOND` of a pair: what differs from the standard; basis points */
  pairs: ReadonlyMap<string, { spreadBps?: bigint; feeBps?: bigint; closed?: boolean }>
  spreadBps: bigint
  feeBps: bigint
  /** how long an estimate's price is honoured, ms (`contract.md` 18 #8) */
  quoteMs: number
}

/** The file's shape: decimal strings in whole units, basis points as numbers. */
export interface ExchangeSettings {
  assets?: Record<string, { step?: string; min?: string; max?: string; most?: string; long?: string; short?: string }>
  pairs?: Record<string, { spreadBps?: number; feeBps?: number; closed?: boolean }>
  spreadBps?: number
  feeBps?: number
  quoteMs?: number
}

/** Amounts finer than this are not exchanged, whatever an asset's own decimals. */
const MOST_DECIMALS = 8

const STANDARD: Record<string, { min: string; max: string }> = {
  BTC: { min: '0.00005', max: '2' },
  ETH: { min: '0.001', max: '50' },
  BNB: { min: '0.005', max: '200' },
  TRX: { min: '10', max: '400000' },
  USDT: { min: '1', max: '100000' },
  USDC: { min: '1', max: '100000' },
  UAH: { min: '50', max: '4000000' },
  KZT: { min: '500', max: '50000000' },
}
const MOST_BPS = 5_000
const PAIR_EXAMPLE = 'such as BTC/USDT, the one first that comes first of BTC, ETH, BNB, TRX, USDT, USDC, UAH, KZT'

/** Reads what the operator allows over the standard. Throws with the place named when it makes no sense. */
export const readExchangePolicy = (
  catalogue: Pick<Catalogue, 'crypto' | 'fiat'>,
  given: ExchangeSettings = {},
): ExchangePolicy => {
  const known = [...catalogue.crypto, ...catalogue.fiat]
  for (const ticker of Object.keys(given.assets ?? {})) {
    if (!known.some((asset) => asset.ticker === ticker))
      throw new Error(`exchange: ${ticker} is no asset of this installation`)
  }
  const assets = known.flatMap(({ ticker, scale }): AssetRules[] => {
    const rules = { ...STANDARD[ticker], ...given.assets?.[ticker] }
    if (rules.min === undefined || rules.max === undefined) return []
    const decimals = Math.min(scale, MOST_DECIMALS)
    const units = (name: string, text: string): bigint => unitsIn(text, scale, `${ticker}.${name}`)
    const read = {
      ticker,
      scale,
      step: rules.step === undefined ? 10n ** BigInt(scale - decimals) : units('step', rules.step),
      min: units('min', rules.min),
      max: units('max', rules.max),
      most: rules.most === undefined ? null : units('most', rules.most),
      long: rules.long === undefined ? null : units('long', rules.long),
      short: rules.short === undefined ? null : units('short', rules.short),
    }
    if (read.min % read.step !== 0n || read.max % read.step !== 0n)
      throw new Error(`exchange: ${ticker}: min and max are multiples of the step`)
    if (read.max < read.min) throw new Error(`exchange: ${ticker}: max is below min`)
    return [read]
  })
  const isPair = (text: string): boolean => {
    const [first = '', second = '', ...more] = text.split('/')
    const isKnown = [first, second].every((one) => known.some(({ ticker }) => ticker === one))
    return more.length === 0 && isKnown && first !== second && pairOf(first, second).first === first
  }
  const strange = Object.keys(given.pairs ?? {}).filter((pair) => !isPair(pair))
  if (strange.length > 0)
    throw new Error(`exchange: ${strange.join(', ')} is no pair of this installation: write ${PAIR_EXAMPLE}`)
  const pairs = Object.entries(given.pairs ?? {}).map(
    ([pair, { spreadBps, feeBps, closed }]) =>
      [
        pair,
        {
          ...(spreadBps === undefined ? {} : { spreadBps: bps(spreadBps, pair) }),
          ...(feeBps === undefined ? {} : { feeBps: bps(feeBps, pair) }),
          ...(closed && { closed }),
        },
      ] as const,
  )
  return {
    assets: new Map(assets.map((asset) => [asset.ticker, asset])),
    pairs: new Map(pairs),
    spreadBps: bps(given.spreadBps ?? 40, 'spreadBps'),
    feeBps: bps(given.feeBps ?? 50, 'feeBps'),
    quoteMs: given.quoteMs ?? 10_000,
  }
}

/**
 * Throws with every asset that is exchanged without a limit of the platform's position: prices may be wrong, and losses
 * must end somewhere.
 */
export const requirePositionLimits = (
  { assets }: Pick<ExchangePolicy, 'assets'>,
  exchanged: ReadonlySet<string>,
): void => {
  const missing = [...assets.values()]
    .filter(({ ticker }) => exchanged.has(ticker))
    .flatMap(({ ticker, long, short }) => [
      ...(long === null ? [`assets.${ticker}.long`] : []),
      ...(short === null ? [`assets.${ticker}.short`] : []),
    ])
  if (missing.length > 0) {
    throw new Error(
      `exchange: ${missing.join(', ')} missing: how much more of an asset exchanges may have bought than sold (long), and sold than bought (short), in whole units. Close the pairs of what you don't exchange`,
    )
  }
}

const unitsIn = (text: string, scale: number, where: string): bigint => {
  const parsed = parseUnits(text, scale)
  if (!parsed.ok || parsed.units === 0n)
    throw new Error(`exchange: ${where} is a decimal above zero of at most ${scale} digits; got ${text}`)
  return parsed.units
}

const bps = (value: number, where: string): bigint => {
  if (!Number.isInteger(value) || value < 0 || value > MOST_BPS)
    throw new Error(`exchange: ${where} is whole basis points from 0 to ${MOST_BPS}`)
  return BigInt(value)
}
