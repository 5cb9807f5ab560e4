/** The bank's accounts and terms, as data: permitted accounts, limits and prices. */

export const currencies = ['UAH', 'KZT'] as const
export type Currency = (typeof currencies)[number]

export interface Account {
  readonly name: string
  /** signs requests and callbacks, HMAC-SHA256 */
  readonly secret: string
}

/** Minimum and maximum in minor units, both included. */
export interface Limits {
  readonly least: bigint
  readonly most: bigint
}

/** A share in hundredths of a percent, rounded up to a minor unit, and a fixed part in minor units. */
export interface Fee {
  readonly basisPoints: bigint
  readonly fixed: bigint
}

interface Terms {
  readonly limits: Limits
  readonly fee: Fee
}

/**
 * For one payment and one payout. A payment's fee is deducted from the paid amount; a payout's is charged in addition.
 */
export type PriceList = Readonly<Record<'payIn' | 'payout', Readonly<Record<Currency, Terms>>>>

export const priceList: PriceList = {
  payIn: {
    UAH: { limits: { least: 25_00n, most: 29_999_00n }, fee: { basisPoints: 150n, fixed: 0n } },
    KZT: { limits: { least: 12_000_00n, most: 300_000_00n }, fee: { basisPoints: 200n, fixed: 0n } },
  },
  payout: {
    UAH: { limits: { least: 1_00n, most: 14_500_00n }, fee: { basisPoints: 50n, fixed: 5_00n } },
    KZT: { limits: { least: 1_00n, most: 299_000_00n }, fee: { basisPoints: 50n, fixed: 20_00n } },
  },
}

export function feeOf({ basisPoints, fixed }: Fee, units: bigint): bigint {
  return (units * basisPoints + 9_999n) / 10_000n + fixed
}

export function isWithin({ least, most }: Limits, units: bigint): boolean {
  return units >= least && units <= most
}

/** `1250` as `12.50`. */
export function amountOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(3, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Minor units of `12.50`; undefined for anything but digits with two decimals. */
export function unitsOfAmount(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !/^\d{1,12}\.\d{2}$/.test(text)) return undefined
  return BigInt(text.replace('.', ''))
}
