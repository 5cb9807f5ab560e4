import { sql } from 'kysely'
import { changesOfBalances } from '../../ledger/postings/index.ts'
import { newestSequence } from '../../merchants/webhooks/index.ts'
import { newestCryptoInvoice, newestUndecided } from '../../pay-in/crypto-invoices/index.ts'
import { newestFiatInvoice } from '../../pay-in/fiat-invoices/index.ts'
import { newestStates } from '../../pay-out/requests/index.ts'
import { newestAction } from '../../people/access/index.ts'
import type { Db } from '../../platform/db/index.ts'

/**
 * The versions of merchants: texts that are different after a notification, a change of a balance, a new invoice, a new
 * claim, a changed request of a payout, or an action of a member. One statement, which reads a bounded number of rows
 * of each merchant.
 * @returns the version by the id of the merchant
 */
export const versionsOf = async (db: Db, merchantIds: readonly string[]): Promise<Map<string, string>> => {
  const merchant = sql<string>`m.id`
  const { rows } = await sql<{ id: string; version: string }>`select m.id, md5(concat_ws('/',
      coalesce(${newestSequence(merchant)}, 0), coalesce(${changesOfBalances(merchant)}, 0),
      coalesce(${newestCryptoInvoice(merchant)}::text, ''), coalesce(${newestFiatInvoice(merchant)}::text, ''),
      coalesce(${newestUndecided(merchant)}::text, ''), coalesce(${newestStates(merchant)}, ''),
      coalesce(${newestAction(merchant)}::text, ''))) as version
    from unnest(${merchantIds}::uuid[]) m(id)`.execute(db)
  return new Map(rows.map(({ id, version }) => [id, version]))
}
