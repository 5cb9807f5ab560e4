import { settingsOf } from '../../merchants/accounts/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Registered } from './invoice.ts'
import type { Totals } from './matching.ts'
import type { InvoiceSettings } from './settings.ts'

const E18 = 10n ** 18n

/**
 * Whether so little is missing that the merchant accepts the credited amount as sufficient: many exchanges take their
 * fee out of the amount that a payer types. The merchant's settings `shortfallPercent` and `shortfallUsd` both limit
 * the missing amount. Nothing may be missing while another payment is under way, because that may bring the rest, or
 * while there is no fresh price of the asset in USD.
 */
export const isShortfallAccepted = async (
  tx: Tx,
  { merchantId, ticker, units, paid, refunded }: Registered,
  { waiting, unvalued }: Pick<Totals, 'waiting' | 'unvalued'>,
  scale: number,
  { prices }: Pick<InvoiceSettings, 'prices'>,
): Promise<boolean> => {
  const missing = units - paid
  if (missing <= 0n || paid === 0n || waiting > 0n || unvalued || refunded) return false
  const { shortfallPercent, shortfallUsd } = await settingsOf(tx, merchantId)
  if (missing * 100n > units * BigInt(shortfallPercent)) return false
  const priceE18 = (await prices(tx, [ticker])).get(ticker)
  return priceE18 !== undefined && missing * priceE18 <= BigInt(shortfallUsd) * E18 * 10n ** BigInt(scale)
}
