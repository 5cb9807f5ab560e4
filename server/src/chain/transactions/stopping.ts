import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { holdStops, isCovered } from '../../ledger/stops/index.ts'
import type { SendingDeps } from './sending.ts'
import type { Attempt, Outgoing } from './transaction.ts'

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
  carriesStopped: SendingDeps['carriesStopped'],
  at: Date,
): Promise<boolean> => {
  await holdStops(tx)
  const { rows } = await sql<{ asked: boolean; stopped: boolean }>`select asked_at is not null as asked,
      ${carriesStopped(sql`${id}`)}
      or ${stopsNetwork(network)} as stopped
    from outgoing_attempts where outgoing_id = ${id} and attempt = ${attempt}`.execute(tx)
  const { asked, stopped } = rows[0] ?? { asked: false, stopped: true }
  if (stopped && !asked && attempt === 1 && purpose !== 'filler') return false
  await sql`update outgoing_attempts set asked_at = ${at} where outgoing_id = ${id} and attempt = ${attempt} and asked_at is null`.execute(
    tx,
  )
  return true
}
