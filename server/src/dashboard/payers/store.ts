import { wasMailedPageLately } from '../../merchants/mail/index.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** A request to erase an address at one merchant. */
export interface Erasure {
  /** of the form */
  id: string
  merchantId: string
  /** the forms of the address (`addressForms`) */
  emails: string[]
}

/** Stores a request. Returns false if its form was sent before. */
export const insertErasure = async (tx: Tx, { id, merchantId, emails }: Erasure, at: Date): Promise<boolean> => {
  const { rows } = await sql`insert into payer_erasures(id, merchant_id, emails, asked_at)
    values (${id}, ${merchantId}, ${emails}::text[], ${at}) on conflict (id) do nothing returning 1`.execute(tx)
  return rows.length > 0
}

/**
 * Requests that are to be carried out, oldest first. One waits while the limits of mailed payment pages count
 * a mail to its address: erasing would reset them.
 * @param at business clock
 */
export const openErasures = async (db: Db, at: Date, most: number): Promise<Erasure[]> =>
  (
    await sql<Erasure>`select id, merchant_id as "merchantId", emails from payer_erasures e where ended_at is null
      and not ${wasMailedPageLately(sql`e.merchant_id`, sql`e.emails`, at)} order by asked_at, id limit ${most}`.execute(
      db,
    )
  ).rows

/** Ends a request, and forgets its address. Returns false if another worker has ended it. */
export const endErasure = async (tx: Tx, id: string, at: Date): Promise<boolean> => {
  const { rows } = await sql`update payer_erasures set emails = '{}', ended_at = ${at}
    where id = ${id} and ended_at is null returning 1`.execute(tx)
  return rows.length > 0
}
