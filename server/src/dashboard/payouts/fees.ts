/** The fees that a page of a checked payout or file has shown. Its form is refused once they have risen. */
import type { Priced } from '../../pay-out/withdrawals/index.ts'

/** The field of the form. */
export const FEES = 'fees'

/** The highest fee of each asset on each network, in ledger units. */
const highest = (priced: readonly Priced[]): Map<string, bigint> => {
  const fees = new Map<string, bigint>()
  for (const { place, fee } of priced) {
    const key = `${place.where.asset.ticker}/${place.where.on.network}`
    if (fee >= (fees.get(key) ?? 0n)) fees.set(key, fee)
  }
  return fees
}

/** The value of the field. */
export const shownFees = (priced: readonly Priced[]): string =>
  [...highest(priced)].map(([key, fee]) => `${key}=${fee}`).join(' ')

/** Whether a fee is higher than the one in the field, or is not there. */
export const hasRisen = (priced: readonly Priced[], shown: string): boolean => {
  const before = new Map(shown.split(' ').map((one) => one.split('=', 2) as [string, string | undefined]))
  return [...highest(priced)].some(([key, fee]) => {
    const text = before.get(key) ?? ''
    return !/^\d{1,78}$/.test(text) || fee > BigInt(text)
  })
}
