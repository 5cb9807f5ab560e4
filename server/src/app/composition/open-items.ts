import { sql } from 'kysely'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { settingsOf } from '../../merchants/accounts/index.ts'
import { accountsOf } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'

const TO_DELIVER = 'objects with notifications to deliver'

/** What a merchant has open, by kind, with the number of them. */
const countOpen = async (db: Db | Tx, merchantId: string, at: Date): Promise<{ kind: string; count: number }[]> => {
  const { rows } = await sql<{ kind: string; count: number }>`select kind, count(*) as count from (
      select 'open crypto invoices' as kind from crypto_invoices
        where merchant_id = ${merchantId} and state in ('created', 'registered', 'pending')
      union all select 'open card invoices' from fiat_invoices
        where merchant_id = ${merchantId} and state in ('created', 'pending', 'paid')
      union all select 'deposits that are not confirmed, or are being screened' from deposits
        where merchant_id = ${merchantId} and state in ('pending', 'held')
      union all select 'withdrawals that are not final' from withdrawals
        where merchant_id = ${merchantId} and state in ('requested', 'planned', 'sent', 'mined')
      union all select 'card payouts that have not ended' from card_payouts
        where merchant_id = ${merchantId} and open_parts > 0
      union all select 'automatic exchanges that wait' from conversions
        where merchant_id = ${merchantId} and state = 'waiting'
      union all select 'card refunds that have not ended' from payment_refunds
        where merchant_id = ${merchantId} and state in ('requested', 'asked')
      union all select 'refund claims to decide' from refund_claims
        where merchant_id = ${merchantId} and state in ('requested', 'approved', 'failed')
      union all select 'requests of payouts that wait or are being placed' from payout_requests
        where merchant_id = ${merchantId} and (state = 'placing' or (state = 'waiting' and expires_at > ${at}))
      union all select ${TO_DELIVER}::text from event_streams
        where merchant_id = ${merchantId}) o
    group by kind order by kind`.execute(db)
  return rows
}

/**
 * Objects of a merchant without a URL that have notifications: nothing delivers these, and the merchant may end with
 * them. They can be read by `GET /merchants/events`.
 */
export const countUndeliverable = async (db: Db, merchantId: string): Promise<number> =>
  (await settingsOf(db, merchantId)).notificationsUrl === null
    ? (
        await sql<{ count: number }>`select count(*) as count from event_streams
          where merchant_id = ${merchantId}`.execute(db)
      ).rows[0]!.count
    : 0

const ACCOUNTS = {
  merchant: 'on the balance',
  quarantine: 'in quarantine',
  suspense: 'in suspense',
  receivable: 'owed',
} as const

/**
 * Everything that a merchant must not have when it ends, one sentence each: open orders and invoices, notifications
 * that its URL has not received yet, and money. Units of an asset that the installation does not serve are stated as
 * units.
 * @param at of the real clock: requests of payouts expire by it
 */
export const openItems = async (db: Db, merchantId: string, catalogue: Catalogue, at: Date): Promise<string[]> => {
  const isDelivered = (await settingsOf(db, merchantId)).notificationsUrl !== null
  const orders = (await countOpen(db, merchantId, at)).filter(({ kind }) => isDelivered || kind !== TO_DELIVER)
  const accounts = await accountsOf(db, merchantId, Object.keys(ACCOUNTS) as (keyof typeof ACCOUNTS)[])
  return [
    ...orders.map(({ kind, count }) => `${count} ${kind}`),
    ...accounts.flatMap(({ asset, kind, posted, held }) => {
      if (posted === 0n && held === 0n) return []
      const scale = catalogue.find(asset)?.scale
      const shown = scale === undefined ? `${posted} units of` : formatUnits(posted < 0n ? -posted : posted, scale)
      return [`${shown} ${asset} ${ACCOUNTS[kind as keyof typeof ACCOUNTS]}`]
    }),
  ]
}
