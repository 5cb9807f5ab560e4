import Type, { type Static } from 'typebox'
import type { Catalogue } from '../../market/assets/index.ts'
import { amount, byTicker, count, flag } from '../../platform/config/fields.ts'
import { ShapeError } from '../../platform/config/shape.ts'
import { parseUnits } from '../../platform/money/index.ts'
import { pairOf } from './pair.ts'

/** Exchange rules of one asset; amounts in its ledger units. */
export interface AssetRules {
  ticker: string
  scale: number
  /** amounts are multiples of it */
  step: bigint
  /** the minimum spent in one exchange */
  min: bigint
  max: bigint
  /** the most that the platform may hold by buying it; null: no bound */
  most: bigint | null
  /**
   * by how much the amount bought by exchanges may exceed the amount sold and hedged, and the reverse; null: no bound
   */
  long: bigint | null
  short: bigint | null
}

/** The assets and pairs that can be exchanged, and their costs. An asset without rules is in no pair. */
export interface ExchangePolicy {
  assets: ReadonlyMap<string, AssetRules>
  /** overrides by `FIRST/SECOND` of a pair, in basis points */
  pairs: ReadonlyMap<string, { spreadBps?: bigint; feeBps?: bigint; closed?: boolean }>
  spreadBps: bigint
  feeBps: bigint
  /** how long an estimate's price is valid, ms (`contract.md` 18 #8) */
  quoteMs: number
}

/** The most decimals of an amount exchanged, even if the asset has more. */
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
const SPREAD_BPS = 40
const FEE_BPS = 50
const QUOTE_MS = 10_000
const WHOLE_UNITS = 'whole units of the asset'
const BPS = 'hundredths of a percent'
const PAIR_EXAMPLE =
  'a pair such as BTC/USDT, the one first that comes first of BTC, ETH, BNB, TRX, USDT, USDC, UAH, KZT'

const standardInWords = (end: 'min' | 'max'): string =>
  Object.entries(STANDARD)
    .map(([ticker, limits]) => `${ticker} ${limits[end]}`)
    .join(', ')

const units = (description: string, absent: string) => Type.Optional(amount(description, { absent, unit: WHOLE_UNITS }))
const bps = (description: string, standard?: number) =>
  Type.Optional(
    count(description, {
      least: 0,
      most: MOST_BPS,
      unit: BPS,
      ...(standard === undefined ? { absent: 'as for all pairs' } : { standard }),
    }),
  )

/** `exchange` in `BURSAR_EXCHANGE_FILE`: the assets and pairs that can be exchanged, and their costs. */
export const EXCHANGE_SHAPE = Type.Object(
  {
    assets: Type.Optional(
      byTicker(
        Type.Object({
          step: units('amounts are multiples of it', `the asset's own decimals, at most ${MOST_DECIMALS}`),
          min: units('minimum amount spent in one exchange, fee included', standardInWords('min')),
          max: units('maximum amount spent in one exchange, fee included', standardInWords('max')),
          most: units('maximum amount of the asset that the platform may hold after an exchange', 'not bounded'),
          long: units(
            'maximum excess of bought over sold amounts, including hedges; required for every asset of a pair that is not closed',
            '',
          ),
          short: units(
            'maximum excess of sold over bought amounts, including hedges; required for every asset of a pair that is not closed',
            '',
          ),
        }),
        'limits of each asset. An asset without default limits can be exchanged once it has `min` and `max`',
      ),
    ),
    pairs: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[^/]+/[^/]+$' }),
        Type.Object({
          spreadBps: bps('spread of the price of this pair'),
          feeBps: bps('the fee of this pair'),
          closed: Type.Optional(flag('`true`: the pair is not exchanged', { standard: false })),
        }),
        { description: 'settings of single pairs', key: 'PAIR', keySays: PAIR_EXAMPLE },
      ),
    ),
    spreadBps: bps('spread of prices', SPREAD_BPS),
    feeBps: bps('the fee, as a part of the spent amount', FEE_BPS),
    quoteMs: Type.Optional(
      count('how long the price of an estimate is valid', { least: 0, standard: QUOTE_MS, unit: 'ms' }),
    ),
  },
  { description: 'the assets that may be exchanged, and the price' },
)

export type ExchangeSettings = Static<typeof EXCHANGE_SHAPE>

/**
 * Reads the operator's exchange settings over the defaults. Throws a ShapeError that lists everything that does not fit
 * the assets of this installation, by its place in `BURSAR_EXCHANGE_FILE`.
 */
export const readExchangePolicy = (
  catalogue: Pick<Catalogue, 'crypto' | 'fiat'>,
  given: ExchangeSettings = {},
): ExchangePolicy => {
  const known = [...catalogue.crypto, ...catalogue.fiat]
  const problems = [
    ...Object.keys(given.assets ?? {})
      .filter((ticker) => !known.some((asset) => asset.ticker === ticker))
      .map((ticker) => `exchange.assets.${ticker}: there is no such asset in BURSAR_ASSETS_FILE`),
    ...Object.keys(given.pairs ?? {})
      .filter((pair) => !isPair(pair, known))
      .map((pair) => `exchange.pairs.${pair}: write ${PAIR_EXAMPLE}`),
  ]
  const assets = known.flatMap((asset) => rulesOf(asset, given.assets?.[asset.ticker], problems))
  if (problems.length > 0) throw new ShapeError(problems)
  const pairs = Object.entries(given.pairs ?? {}).map(
    ([pair, { spreadBps, feeBps, closed }]) =>
      [
        pair,
        {
          ...(spreadBps === undefined ? {} : { spreadBps: BigInt(spreadBps) }),
          ...(feeBps === undefined ? {} : { feeBps: BigInt(feeBps) }),
          ...(closed && { closed }),
        },
      ] as const,
  )
  return {
    assets: new Map(assets.map((asset) => [asset.ticker, asset])),
    pairs: new Map(pairs),
    spreadBps: BigInt(given.spreadBps ?? SPREAD_BPS),
    feeBps: BigInt(given.feeBps ?? FEE_BPS),
    quoteMs: given.quoteMs ?? QUOTE_MS,
  }
}

type Known = Pick<AssetRules, 'ticker' | 'scale'>

const isPair = (text: string, known: readonly Known[]): boolean => {
  const [first = '', second = '', ...more] = text.split('/')
  const isKnown = [first, second].every((one) => known.some(({ ticker }) => ticker === one))
  return more.length === 0 && isKnown && first !== second && pairOf(first, second).first === first
}

/** Returns undefined for an asset without limits, which is not exchanged. */
const rulesOf = (
  { ticker, scale }: Known,
  given: NonNullable<ExchangeSettings['assets']>[string] = {},
  problems: string[],
): AssetRules[] => {
  const rules = { ...STANDARD[ticker], ...given }
  if (rules.min === undefined || rules.max === undefined) return []
  const place = `exchange.assets.${ticker}`
  const unitsIn = (name: keyof typeof rules): bigint => {
    const parsed = parseUnits(rules[name] ?? '0', scale)
    if (parsed.ok && (rules[name] === undefined || parsed.units > 0n)) return parsed.units
    problems.push(`${place}.${name}: write an amount above 0 of at most ${scale} decimals`)
    return 0n
  }
  const bound = (name: 'most' | 'long' | 'short'): bigint | null => (rules[name] === undefined ? null : unitsIn(name))
  const finest = 10n ** BigInt(Math.max(0, scale - MOST_DECIMALS))
  const step = rules.step === undefined ? finest : unitsIn('step')
  const read = {
    ticker,
    scale,
    step,
    min: unitsIn('min'),
    max: unitsIn('max'),
    most: bound('most'),
    long: bound('long'),
    short: bound('short'),
  }
  if (step > 0n && (read.min % step !== 0n || read.max % step !== 0n))
    problems.push(`${place}: write multiples of the step as min and max`)
  if (read.max > 0n && read.max < read.min) problems.push(`${place}: max is below min`)
  return [read]
}

/**
 * Throws a ShapeError with every exchanged asset that has no limit of the platform's position. The limit bounds the
 * loss from wrong prices.
 */
export const requirePositionLimits = (
  { assets }: Pick<ExchangePolicy, 'assets'>,
  exchanged: ReadonlySet<string>,
): void => {
  const missing = (ticker: string, name: string, what: string): string =>
    `exchange.assets.${ticker}.${name} is missing: write how much more of it exchanges may have ${what}, in whole units, or close its pairs`
  const problems = [...assets.values()]
    .filter(({ ticker }) => exchanged.has(ticker))
    .flatMap(({ ticker, long, short }) => [
      ...(long === null ? [missing(ticker, 'long', 'bought than sold')] : []),
      ...(short === null ? [missing(ticker, 'short', 'sold than bought')] : []),
    ])
  if (problems.length > 0) throw new ShapeError(problems)
}
