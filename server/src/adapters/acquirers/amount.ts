import { parseUnits } from '../../platform/money/index.ts'

/** Hryvnia and tenge have kopiyka and tiyn, 1/100. */
export const SCALE = 2

/** `1250` as `12.50`: all acquirers accept two decimals. */
export const decimalOf = (units: bigint): string => {
  if (units < 0n) throw new RangeError('an amount sent to an acquirer is not negative')
  const digits = units.toString().padStart(SCALE + 1, '0')
  return `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`
}

/** Minor units of `12.5`, `12.50` or `12`; undefined for anything else, such as three decimals. */
export const minorUnitsOf = (text: unknown): bigint | undefined => {
  if (typeof text !== 'string') return undefined
  const parsed = parseUnits(text, SCALE)
  return parsed.ok ? parsed.units : undefined
}
