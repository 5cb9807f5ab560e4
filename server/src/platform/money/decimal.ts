/** The syntax of an amount in a request (`contract.md` section 18, row 11). */
const DECIMAL = /^\d{1,30}(\.\d{1,18})?$/

export type DecimalRefusal = 'grammar' | 'precision'

/**
 * Parses a decimal string as integer units of `scale` decimals, without rounding: further digits are refused unless
 * they are zeros.
 */
export const parseUnits = (
  text: string,
  scale: number,
): { ok: true; units: bigint } | { ok: false; refusal: DecimalRefusal } => {
  if (!DECIMAL.test(text)) return { ok: false, refusal: 'grammar' }
  const [whole = '', fraction = ''] = text.split('.')
  if (/[1-9]/.test(fraction.slice(scale))) return { ok: false, refusal: 'precision' }
  return { ok: true, units: BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0')) }
}

/** Parses a decimal string of a trusted source (configuration, a price source). Throws where `parseUnits` refuses. */
export const unitsOf = (text: string, scale: number): bigint => {
  const parsed = parseUnits(text, scale)
  if (!parsed.ok) throw new RangeError(`not a decimal of at most ${scale} decimals: ${JSON.stringify(text)}`)
  return parsed.units
}

/**
 * Formats units as a decimal string: no exponent, no trailing zeros, no dot for an integer (`contract.md` 18, row 10).
 */
export const formatUnits = (units: bigint, scale: number): string => {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

/**
 * Converts units from one number of decimals to another. Exact: throws for a value that the smaller scale can't
 * represent. USDT has 6 decimals on Ethereum and 18 on BSC; the ledger uses 18.
 */
export const rescale = (units: bigint, from: number, to: number): bigint => {
  if (from === to) return units
  if (to > from) return units * 10n ** BigInt(to - from)
  const factor = 10n ** BigInt(from - to)
  if (units % factor !== 0n) throw new RangeError(`${units} units of ${from} decimals do not fit ${to} decimals`)
  return units / factor
}
