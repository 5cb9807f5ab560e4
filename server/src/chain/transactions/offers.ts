import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { freeCoins } from './coins.ts'
import { insertOutgoing, type NewOutgoing } from './commands.ts'
import { passTaken } from './nonces.ts'
import { countPlanned } from './planned.ts'
import { attemptsOf, move, OUTGOING_COLUMNS } from './store.ts'
import type { Attempt, Outgoing } from './transaction.ts'

/**
 * Stores a transaction to be signed elsewhere. Until its signed bytes are imported it delays nothing: any other
 * transaction may take its coins and its nonce.
 * @param hash where a signature does not change it (Bitcoin, TRON), so that it is known even when a node gets it from
 *   another party
 */
export const insertOffered = async (
  tx: Tx,
  offered: NewOutgoing & { hash: string | null },
  moment: Moment,
): Promise<void> => {
  await insertOutgoing(tx, offered, 'offered', moment)
  if (offered.hash === null) return
  await sql`update outgoing_attempts set hash = ${offered.hash} where outgoing_id = ${offered.id} and attempt = 1`.execute(
    tx,
  )
}

/** Stores bytes signed elsewhere; the transaction is then processed like any other. False when the offer has ended. */
export const recordImported = async (
  tx: Tx,
  outgoing: Outgoing,
  signed: { raw: string; hash: string },
  { at }: Moment,
): Promise<boolean> => {
  // Lock the row that allocates nonces first, as all code that takes a nonce does.
  if (outgoing.nonce !== null)
    await sql`select from hot_wallets where network = ${outgoing.network} and address = ${outgoing.senders[0]} for update`.execute(
      tx,
    )
  if (!(await move(tx, outgoing.id, 'imported', at))) return false
  await sql`update outgoing_attempts set raw = ${signed.raw}, hash = ${signed.hash}, signed_at = ${at}
    where outgoing_id = ${outgoing.id} and attempt = 1`.execute(tx)
  await sql`update outgoing set next_step_at = ${at} where id = ${outgoing.id}`.execute(tx)
  if (outgoing.nonce !== null) await passTaken(tx, outgoing.network, outgoing.senders[0]!)
  await countPlanned(tx, outgoing.network, outgoing.senders)
  return true
}

/** Withdraws an offer without imported bytes, and releases its reservations. False when it has ended. */
export const withdrawOffer = async (tx: Tx, id: string, { at }: Pick<Moment, 'at'>): Promise<boolean> => {
  if (!(await move(tx, id, 'withdrawn', at))) return false
  await freeCoins(tx, id)
  return true
}

/** Withdraws every offer of a network, because a payout needs its coins. @returns how many there were */
export const yieldCoins = async (tx: Tx, network: Network, moment: Pick<Moment, 'at'>): Promise<number> => {
  const { rows } = await sql<{
    id: string
  }>`select id from outgoing where network = ${network} and state = 'offered' order by id`.execute(tx)
  let freed = 0
  for (const { id } of rows) if (await withdrawOffer(tx, id, moment)) freed += 1
  return freed
}

/** A transaction of ours with its first attempt, which is what was offered. */
export const readOffered = async (
  db: Db | Tx,
  id: string,
): Promise<{ outgoing: Outgoing; attempt: Attempt } | undefined> => {
  const { rows } = await sql<Outgoing>`select ${OUTGOING_COLUMNS} from outgoing o where o.id = ${id}`.execute(db)
  const [attempt] = await attemptsOf(db, id)
  return rows[0] && attempt ? { outgoing: rows[0], attempt } : undefined
}
