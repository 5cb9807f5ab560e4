import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { holdStops, isCovered } from '../../ledger/stops/index.ts'
import type { Attempt, Outgoing } from './transaction.ts'

/**
 * What keeps a withdrawal `w` from being sent: a stop in force that covers it, that it is to be judged again, or that
 * the signer has signed for it already.
 */
export const stopsWithdrawal = sql`(w.halted or w.barred is not null or ${isCovered({ asset: sql`w.ticker`, merchantId: sql`w.merchant_id`, network: sql`w.blockchain` })})`

/** A stop in force of a whole network, or of all. */
export const stopsNetwork = (network: Network) => isCovered({ network: sql`${network}` })

/**
 * Notes that the signer is now asked for an attempt. False when a stop forbids it: then it never was asked, so nothing
 * of it exists. What it was asked for before may be signed already and is carried on; so is what takes the place of
 * something signed, and what only uses up a nonce that others wait behind.
 */
export const mayAsk = async (
  tx: Tx,
  { id, network, purpose }: Outgoing,
  { attempt }: Attempt,
  at: Date,
): Promise<boolean> => {
  await holdStops(tx)
  const { rows } = await sql<{ asked: boolean; stopped: boolean }>`select asked_at is not null as asked,
      exists (select from withdrawals w where w.outgoing_id = ${id} and ${stopsWithdrawal})
      or ${stopsNetwork(network)} as stopped
    from outgoing_attempts where outgoing_id = ${id} and attempt = ${attempt}`.execute(tx)
  const { asked, stopped } = rows[0] ?? { asked: false, stopped: true }
  if (stopped && !asked && attempt === 1 && purpose !== 'filler') return false
  await sql`update outgoing_attempts set asked_at = ${at} where outgoing_id = ${id} and attempt = ${attempt} and asked_at is null`.execute(
    tx,
  )
  return true
}
