import { settingsOf } from '../../merchants/accounts/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Registered } from './invoice.ts'
import type { InvoiceSettings } from './settings.ts'

const E18 = 10n ** 18n

/** `unpriced`: the percentage is accepted, and the worth is unknown, because the asset has no fresh price in USD. */
export type Shortfall = 'accepted' | 'refused' | 'unpriced'

/**
 * Whether so little is missing that the merchant accepts the received amount as sufficient: many exchanges take their
 * fee out of the amount that a payer types. The merchant's settings `shortfallPercent` and `shortfallUsd` both limit
 * the missing amount. @param received in ledger units
 */
export const shortfallOf = async (
  tx: Tx,
  { merchantId, ticker, units, refunded }: Registered,
  received: bigint,
  scale: number,
  { prices }: Pick<InvoiceSettings, 'prices'>,
): Promise<Shortfall> => {
  const missing = units - received
  if (missing <= 0n || received === 0n || refunded) return 'refused'
  const { shortfallPercent, shortfallUsd } = await settingsOf(tx, merchantId)
  if (missing * 100n > units * BigInt(shortfallPercent)) return 'refused'
  const priceE18 = (await prices(tx, [ticker])).get(ticker)
  if (priceE18 === undefined) return 'unpriced'
  return missing * priceE18 <= BigInt(shortfallUsd) * E18 * 10n ** BigInt(scale) ? 'accepted' : 'refused'
}
