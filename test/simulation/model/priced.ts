/**
 * An invoice with a price in a national currency: the amount that it asks for, and whether a payment is enough
 * (docs/integrating/crypto-invoices.md).
 */

export interface PricedInvoice {
  /** ledger units that it asked for */
  asked: bigint
  /** of the invoice, in 1e-18 of its currency */
  worth: bigint
  /** of one whole unit of the asset, in the same */
  price: bigint
  /** decimals of a ledger unit */
  scale: number
  /** ledger units of its one payment */
  paid: bigint
  isCredited: boolean
  isPaid: boolean
}

/** The worth of an amount, rounded down. */
export const pricedWorth = (units: bigint, price: bigint, scale: number): bigint =>
  (units * price) / 10n ** BigInt(scale)

/** An amount that a person can write is at most a cent, or a part of ten thousand, above the price. */
const WRITTEN = 10_000n
const CENTS = 100n

/**
 * A payment's worth is rounded down by less than one, so that a payer may leave out that much.
 * @returns the differences, one in each line
 */
export const judgePriced = (
  what: string,
  { asked, worth, price, scale, paid, isCredited, isPaid }: PricedInvoice,
): string[] => {
  const [whole, got] = [pricedWorth(asked, price, scale), pricedWorth(paid, price, scale)]
  const problems: string[] = []
  if (whole < worth) problems.push(`${what}: asks for ${asked}, which is worth ${whole}`)
  if (whole > worth + worth / WRITTEN + price / CENTS) problems.push(`${what}: asks for ${asked}, worth ${whole}`)
  if (isPaid && got + 1n < worth) problems.push(`${what}: is PAID with ${paid}, which is worth ${got}`)
  if (!isPaid && isCredited && paid >= asked) problems.push(`${what}: is not PAID with ${paid}, and asked for ${asked}`)
  return problems
}
