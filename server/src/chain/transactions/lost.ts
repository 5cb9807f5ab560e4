import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'

/** A final transaction of ours whose block was lost. */
export interface Lost {
  id: string
  hash: string
  /** hex */
  raw: string
}

/** A transaction as a block contains it. */
interface Mined {
  hash: string
  height: number
  block: string
  succeeded: boolean
}

/**
 * Records final transactions whose blocks are lost, and raises an alert. Their postings stay, because they are
 * broadcast again.
 */
export const noteLost = async (tx: Tx, network: Network, fromHeight: number, moment: Moment): Promise<void> => {
  const { rows } = await sql`update outgoing set lost_at = ${moment.at}
    where network = ${network} and mined_height >= ${fromHeight} and state in ('final', 'failed') and lost_at is null returning id`.execute(
    tx,
  )
  if (rows.length > 0) await alertLost(tx, network, moment)
}

/**
 * Records that a lost transaction, or another attempt of it, is in a block again. Raises an alert when its outcome
 * there differs.
 */
export const noteFound = async (tx: Tx, network: Network, id: string, mined: Mined, moment: Moment): Promise<void> => {
  const { rows } = await sql<{
    was: boolean | null
  }>`with lost as (select id, succeeded from outgoing where id = ${id} and lost_at is not null for update)
    update outgoing o set lost_at = null, mined_hash = ${mined.hash}, mined_height = ${mined.height}, mined_block = ${mined.block}
    from lost where o.id = lost.id returning lost.succeeded as was`.execute(tx)
  if (rows.length === 0) return
  if (rows[0]!.was !== mined.succeeded) {
    const [before, now] = rows[0]!.was ? ['had effect', 'has none'] : ['had no effect', 'has one']
    const text =
      `Our transaction ${mined.hash} on ${network} ${before} when it was final, and ${now} in block ${mined.height}, which replaced the final one. ` +
      `The notifications of its withdrawals say otherwise: correct them by hand`
    await raiseOrRenewAlert(tx, { kind: 'final-transaction-changed', subject: id, text }, moment)
  }
  await alertLost(tx, network, moment)
}

const alertLost = async (tx: Tx, network: Network, moment: Moment): Promise<void> => {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from outgoing where network = ${network} and lost_at is not null`.execute(tx)
  const count = rows[0]!.count
  if (count === 0) return resolveAlert(tx, 'final-transaction-lost', network, moment.at)
  const text =
    `${count} transaction(s) of ours on ${network} were final and are in no block any more. Those that had effect are broadcast again as they were ` +
    `signed, until they are mined. See docs/operating/chain-trouble.md`
  await raiseOrRenewAlert(tx, { kind: 'final-transaction-lost', subject: network, text }, moment)
}

/**
 * Returns the senders of final transactions of ours whose blocks were lost, also of those that are in a block above the
 * given height again: below that height, the chain does not show all that the books contain.
 */
export const lostSenders = async (tx: Tx, network: Network, height: number): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{
    sender: string
  }>`select distinct unnest(senders) as sender from outgoing where network = ${network}
    and (lost_at is not null or (state in ('final', 'failed') and mined_height > ${height}))`.execute(tx)
  return new Set(rows.map(({ sender }) => sender))
}

/** Returns lost transactions to broadcast again, the oldest nonce first, without those that had no effect. */
export const lostOn = async (db: Db, network: Network, most: number): Promise<Lost[]> => {
  const { rows } = await sql<Lost>`select o.id, a.hash, a.raw from outgoing o
    join outgoing_attempts a on a.outgoing_id = o.id and a.network = o.network and a.hash = o.mined_hash
    where o.network = ${network} and o.lost_at is not null and o.state = 'final' and a.raw is not null
    order by o.nonce nulls first, o.mined_height, o.id limit ${most}`.execute(db)
  return rows
}
