import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { REQUESTS_COUNTED_MS } from './limits.ts'

/**
 * Deletes the mails to a payer, of one merchant or of all, whether they were sent or not. A mail that is being sent now
 * still reaches the payer.
 * @param emails the forms of the address (`addressForms`)
 * @returns how many
 */
export const deletePayerMails = async (tx: Tx, emails: readonly string[], merchantId: string | null): Promise<number> =>
  Number(
    (
      await sql`delete from mails where audience = 'payer' and lower(recipient) in (select lower(one) from unnest(${[...emails]}::text[]) one)
        and (${merchantId}::uuid is null or merchant_id = ${merchantId})`.execute(tx)
    ).numAffectedRows ?? 0n,
  )

/**
 * Whether a merchant has mailed a payment page to one of these addresses lately: the limits of such mails still count
 * it.
 * @param at business clock
 */
export const wasMailedPageLately = (
  merchantId: RawBuilder<unknown>,
  emails: RawBuilder<unknown>,
  at: Date,
): RawBuilder<boolean> => sql<boolean>`exists (select 1 from mails m where m.merchant_id = ${merchantId}
  and m.kind = 'payment-request' and m.created_at > ${new Date(at.getTime() - REQUESTS_COUNTED_MS)}
  and lower(m.recipient) in (select lower(one) from unnest(${emails}) one))`
