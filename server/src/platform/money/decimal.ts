/** What a client may send as an amount: `contract.md` section 18, row 11. */
const DECIMAL = /^\d{1,30}(\.\d{1,18})?$/

export type DecimalRefusal = 'grammar' | 'precision'

/**
 * Reads a decimal string into integer units of `scale` decimals. Nothing is rounded: digits finer than the scale are
 * refused, unless they are zeros.
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

/** Reads a decimal string of our own (configuration, a price source). Throws on anything `parseUnits` refuses. */
export const unitsOf = (text: string, scale: number): bigint => {
  const parsed = parseUnits(text, scale)
  if (!parsed.ok) throw new RangeError(`not a decimal of at most ${scale} decimals: ${JSON.stringify(text)}`)
  return parsed.units
}

/**
 * Writes units as a decimal string: no exponent, no trailing zeros, no dot for an integer (`contract.md` 18, row 10).
 */
export const formatUnits = (units: bigint, scale: number): string => {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
