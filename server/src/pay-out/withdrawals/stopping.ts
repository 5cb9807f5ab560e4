import { sql, type RawBuilder } from 'kysely'
import { isCovered } from '../../ledger/stops/index.ts'

/**
 * What keeps a withdrawal `w` from being sent: a stop in force that covers it, that it is to be judged again, or that
 * the signer has signed for it already.
 */
export const stopsWithdrawal = sql`(w.halted or w.barred is not null or ${isCovered({ asset: sql`w.ticker`, merchantId: sql`w.merchant_id`, network: sql`w.blockchain` })})`

/** True where any withdrawal that a transaction carries is kept from being sent. @param outgoingId as SQL */
export const carriesStopped = (outgoingId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from withdrawals w where w.outgoing_id = ${outgoingId} and ${stopsWithdrawal})`
