import { sql } from 'kysely'
import { isUuid } from '../../platform/base/id.ts'
import type { Db } from '../../platform/db/index.ts'

/** An object that a merchant's request created, and the API key that signed the request. */
export interface Signed {
  kind: 'withdrawal' | 'card payout' | 'exchange' | 'crypto invoice' | 'fiat invoice'
  id: string
  createdAt: Date
  /** null: created by a target, a refund or a form, not by a signed request; or older than these records */
  keyId: string | null
  /** of the key; null when there is none */
  keyCreatedAt: Date | null
  keyEndsAt: Date | null
}

/** Finds a merchant's object by its id or localId, with the key that signed for it; undefined when there is none. */
export const findSigned = async (db: Db, merchantId: string, idOrLocalId: string): Promise<Signed | undefined> => {
  const { rows } = await sql<Signed>`with wanted as (
      select object_id as id from local_ids where merchant_id = ${merchantId} and local_id = ${idOrLocalId}
      union all select ${isUuid(idOrLocalId) ? idOrLocalId : null}::uuid),
    made as (
      select 'withdrawal' as kind, o.* from (select merchant_id, id, created_at, api_key_id from withdrawals) o
      union all select 'card payout', o.* from (select merchant_id, id, created_at, api_key_id from card_payouts) o
      union all select 'exchange', o.* from (select merchant_id, id, created_at, api_key_id from exchanges) o
      union all select 'crypto invoice', o.* from (select merchant_id, id, created_at, api_key_id from crypto_invoices) o
      union all select 'fiat invoice', o.* from (select merchant_id, id, created_at, api_key_id from fiat_invoices) o)
    select m.kind, m.id, m.created_at as "createdAt", m.api_key_id as "keyId", k.created_at as "keyCreatedAt", k.expires_at as "keyEndsAt"
    from wanted w join made m on m.merchant_id = ${merchantId} and m.id = w.id
    left join (select merchant_id, id, created_at, expires_at from merchant_keys
      union all select merchant_id, id, created_at, expires_at from api_keys) k on k.merchant_id = m.merchant_id and k.id = m.api_key_id limit 1`.execute(
    db,
  )
  return rows[0]
}
