import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { holdStops, isCovered } from '../../ledger/stops/index.ts'
import type { SendingDeps } from './sending.ts'
import type { Attempt, Outgoing } from './transaction.ts'

/** SQL that is true while a stop of the whole network, or of everything, is in force. */
export const stopsNetwork = (network: Network) => isCovered({ network: sql`${network}` })

/**
 * Records that a signature of an attempt is requested now. Returns false when a stop forbids the first request, so that
 * nothing of the transaction exists, or when the claim is no longer ours: another worker may have given the payment
 * back. Attempts requested before are allowed, because they may be signed already; so are replacements of signed
 * attempts, and fillers of nonces that others wait for.
 */
export const mayAsk = async (
  tx: Tx,
  { id, network, purpose, epoch }: Outgoing,
  { attempt }: Attempt,
  carriesStopped: SendingDeps['carriesStopped'],
  at: Date,
): Promise<boolean> => {
  await holdStops(tx)
  const { rows } = await sql<{ asked: boolean; stopped: boolean }>`select a.asked_at is not null as asked,
      ${carriesStopped(sql`${id}`)}
      or ${stopsNetwork(network)} as stopped
    from outgoing_attempts a join outgoing o on o.id = a.outgoing_id and o.epoch = ${epoch}
    where a.outgoing_id = ${id} and a.attempt = ${attempt}`.execute(tx)
  if (!rows[0]) return false
  const { asked, stopped } = rows[0]
  if (stopped && !asked && attempt === 1 && purpose !== 'filler') return false
  await sql`update outgoing_attempts set asked_at = ${at} where outgoing_id = ${id} and attempt = ${attempt} and asked_at is null`.execute(
    tx,
  )
  return true
}
