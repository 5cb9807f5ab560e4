const DECIMALS = 8
/** Maximum supply: 21 million bitcoin, in satoshi. */
export const MAX_SATOSHI = 2_100_000_000_000_000n
const DECIMAL = /^([0-9]{1,20})(?:\.([0-9]{1,20}))?(?:[eE]([+-]?[0-9]{1,2}))?$/

/**
 * Converts a BTC amount, written as a decimal as Bitcoin Core prints it, to satoshi. Exact: no floating-point number is
 * involved. Exponents are accepted too (`1e-8`), since a JSON writer between us and the node may use them. Throws a
 * RangeError for anything else, for fractions of a satoshi, and above 21 million.
 */
export function satoshiOf(btc: string): bigint {
  const match = DECIMAL.exec(btc)
  if (!match) throw new RangeError(`Not an amount of bitcoin: ${JSON.stringify(btc)}`)
  const [, whole, fraction = '', exponent = '0'] = match
  const shift = DECIMALS + Number(exponent) - fraction.length
  const digits = `${whole}${fraction}`
  if (shift < 0 && !/^0*$/.test(digits.slice(shift))) throw new RangeError(`${btc} BTC has parts of a satoshi`)
  const satoshi = shift < 0 ? BigInt(digits.slice(0, shift)) : BigInt(digits) * 10n ** BigInt(shift)
  if (satoshi > MAX_SATOSHI) throw new RangeError(`${btc} BTC is more than will ever exist`)
  return satoshi
}

/** The amount in BTC with all eight decimals, as Bitcoin Core prints and accepts it. */
export function btcText(satoshi: bigint): string {
  if (satoshi < 0n) throw new RangeError('An amount of satoshi is not negative')
  const digits = satoshi.toString().padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}

/**
 * Parses a node's JSON. Every number with a fraction or exponent stays text, digit by digit, for `satoshiOf`. Whole
 * numbers become numbers when they are safe integers, and text otherwise.
 */
export function parseRpcJson(text: string): unknown {
  const keepLexeme = (_key: string, value: unknown, context: { source?: string }): unknown =>
    typeof value === 'number' && !(Number.isSafeInteger(value) && /^-?[0-9]+$/.test(context.source ?? ''))
      ? context.source
      : value
  return JSON.parse(text, keepLexeme as (key: string, value: unknown) => unknown)
}
