import { sql, type RawBuilder } from 'kysely'
import { isCovered } from '../../ledger/stops/index.ts'

/**
 * A condition that excludes a withdrawal `w` from being sent: it is halted or barred (see the glossary), or a stop in
 * force covers it.
 */
export const stopsWithdrawal = sql`(w.halted or w.barred is not null or ${isCovered({ asset: sql`w.ticker`, merchantId: sql`w.merchant_id`, network: sql`w.blockchain` })})`

/** True if any withdrawal of a transaction must not be sent. @param outgoingId SQL expression */
export const carriesStopped = (outgoingId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from withdrawals w where w.outgoing_id = ${outgoingId} and ${stopsWithdrawal})`

/** SQL: how many withdrawals of a merchant are stopped one by one, at most `most`. */
export const countStopped = (merchantId: string, most: number): RawBuilder<number> =>
  sql`(select count(*) from (select from withdrawals where merchant_id = ${merchantId}
    and (halted or barred is not null) and state = 'requested' limit ${most}) w)`
