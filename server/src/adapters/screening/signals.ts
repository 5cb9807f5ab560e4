import { signalKeys } from '@bursar/contract'

export type SignalKey = (typeof signalKeys)[number]
export type Signals = Record<SignalKey, number>

const KNOWN: ReadonlySet<string> = new Set(signalKeys)

export const noSignals = (): Signals => Object.fromEntries(signalKeys.map((key) => [key, 0])) as Signals

/**
 * Converts a fraction from 0 to 1 to whole percents; a half is rounded up. The decimal point is moved in the text,
 * because 0.285 * 100 is less than 28.5 in floating point. Throws a RangeError for any other value.
 */
export const percentOf = (fraction: unknown): number => {
  if (typeof fraction !== 'number' || !(fraction >= 0 && fraction <= 1))
    throw new RangeError(`${JSON.stringify(fraction)} is no fraction from 0 to 1`)
  const text = String(fraction)
  return text.includes('e') ? 0 : Math.round(Number(`${text}e2`))
}

/**
 * Converts fractions by name to signals. Names that the contract lacks count as `other`, so that none is lost. Throws a
 * RangeError.
 */
export const signalsOf = (fractions: Readonly<Record<string, unknown>>): Signals => {
  const signals = noSignals()
  for (const [name, fraction] of Object.entries(fractions)) {
    const key = KNOWN.has(name) ? (name as SignalKey) : 'other'
    signals[key] = Math.min(100, signals[key] + percentOf(fraction))
  }
  return signals
}
