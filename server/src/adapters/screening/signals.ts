import { dangerSignalKeys, signalKeys } from '@bursar/contract'

export type SignalKey = (typeof signalKeys)[number]
export type Signals = Record<SignalKey, number>

const KNOWN: ReadonlySet<string> = new Set(signalKeys)

export const noSignals = (): Signals => Object.fromEntries(signalKeys.map((key) => [key, 0])) as Signals

const DANGEROUS: ReadonlySet<string> = new Set(dangerSignalKeys)
/** Fractions are counted in units of 1e-30; a smaller rest is dropped. */
const DECIMALS = 30
const PERCENT = 10n ** BigInt(DECIMALS - 2)

/**
 * Converts fractions by name to signals in whole percents, which add up to the sum of the fractions, rounded: the
 * largest remainders are rounded up. A dangerous signal is 0 exactly if it is less than half a percent, independently
 * of the others, because a merchant is warned of one above 0. Names that the contract lacks count as `other`, so that
 * none is lost. Throws a RangeError if a value is no number from 0 to 1.
 */
export const signalsOf = (fractions: Readonly<Record<string, unknown>>): Signals => {
  const exact = new Map<SignalKey, bigint>()
  for (const [name, fraction] of Object.entries(fractions)) {
    const key = KNOWN.has(name) ? (name as SignalKey) : 'other'
    exact.set(key, (exact.get(key) ?? 0n) + exactly(fraction))
  }
  return wholePercents(exact)
}

/** The digits of the number's text are counted: 0.285 * 100 is less than 28.5 in floating point. */
const exactly = (fraction: unknown): bigint => {
  if (typeof fraction !== 'number' || !(fraction >= 0 && fraction <= 1))
    throw new RangeError(`${JSON.stringify(fraction)} is no fraction from 0 to 1`)
  const [digits = '', exponent = '0'] = String(fraction).split('e-')
  const [whole = '', part = ''] = digits.split('.')
  const decimals = part.length + Number(exponent)
  return decimals > DECIMALS ? 0n : BigInt(whole + part) * 10n ** BigInt(DECIMALS - decimals)
}

const wholePercents = (exact: ReadonlyMap<SignalKey, bigint>): Signals => {
  // In the order of the contract, so that equal remainders are rounded alike in every answer.
  const shares = signalKeys.map((key) => {
    const share = exact.get(key) ?? 0n
    return { key, least: share / PERCENT, rest: share % PERCENT, isDanger: DANGEROUS.has(key) }
  })
  const sum = shares.reduce((before, { least, rest }) => before + least * PERCENT + rest, 0n)
  const isHalf = (rest: bigint): boolean => rest * 2n >= PERCENT
  const isSmallDanger = ({ isDanger, least }: (typeof shares)[number]): boolean => isDanger && least === 0n
  const raised = new Set(shares.filter((share) => isSmallDanger(share) && isHalf(share.rest)))
  const spare =
    (sum * 2n + PERCENT) / (PERCENT * 2n) - shares.reduce((before, { least }) => before + least, BigInt(raised.size))
  const others = shares
    .filter((share) => share.rest > 0n && !isSmallDanger(share))
    .sort((a, b) => Number(b.rest > a.rest) - Number(b.rest < a.rest) || Number(b.isDanger) - Number(a.isDanger))
  for (const share of others.slice(0, Math.max(0, Number(spare)))) raised.add(share)
  const percents = shares.map((share) => [share.key, Math.min(100, Number(share.least) + Number(raised.has(share)))])
  return Object.fromEntries(percents) as Signals
}
