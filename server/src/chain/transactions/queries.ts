import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Outgoing } from './transaction.ts'

/** What a sender has on its way that no block shows yet. */
export interface Load {
  transactions: number
  /** native units its transactions may cost */
  fees: bigint
}

export const loadOf = async (db: Db | Tx, network: Network, sender: string): Promise<Load> => {
  const { rows } =
    await sql<Load>`select count(*) as transactions, coalesce(sum(a.network_fee), 0) as fees from outgoing o
    join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.network = ${network} and o.senders[1] = ${sender} and o.state in ('planned', 'signed', 'broadcast')`.execute(
      db,
    )
  return rows[0]!
}

/** The same of several senders at once; a sender that has nothing on its way is not listed. */
export const loadsOf = async (
  db: Db | Tx,
  network: Network,
  senders: readonly string[],
): Promise<ReadonlyMap<string, Load>> => {
  const { rows } = await sql<
    Load & { sender: string }
  >`select o.senders[1] as sender, count(*) as transactions, coalesce(sum(a.network_fee), 0) as fees
    from outgoing o join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.network = ${network} and o.senders[1] = any(${[...senders]}::text[]) and o.state in ('planned', 'signed', 'broadcast') group by 1`.execute(
    db,
  )
  return new Map(rows.map(({ sender, ...load }) => [sender, load]))
}

/** Whether payments of the same sender wait behind the nonce of this transaction. */
export const isWaitedFor = async (db: Db | Tx, { network, senders, nonce }: Outgoing): Promise<boolean> => {
  const { rows } =
    await sql`select from outgoing where network = ${network} and senders[1] = ${senders[0]} and nonce > ${nonce}
    and purpose in ('payout', 'cold') and state in ('planned', 'signed', 'broadcast') limit 1`.execute(db)
  return rows.length > 0
}

/** Which of these addresses have a transaction of their own that no block shows yet: they send one at a time. */
export const sendingAmong = async (
  db: Db | Tx,
  network: Network,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ sender: string }>`select senders[1] as sender from outgoing
    where network = ${network} and senders[1] = any(${[...addresses]}::text[]) and state in ('planned', 'signed', 'broadcast')`.execute(
    db,
  )
  return new Set(rows.map(({ sender }) => sender))
}
