import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseOrRenewAlert } from '../../platform/runtime/alerts.ts'
import { openRangeNear, resolveRanges } from '../../platform/runtime/range-alerts.ts'
import type { ChainSubscriber } from './subscriber.ts'

const KIND = 'untraced-block'
/**
 * Blocks within this distance extend a range: reading the blocks between again costs little, and an alert for each
 * block would be useless.
 */
const NEAR = 5_000

const nothing = async (): Promise<Effects> => noEffects

/**
 * Requests a comparison of all balances once an untraced block is final, and raises an alert that names the blocks
 * without inner calls: a rescan on another node finds each transfer in them. One alert for a range, which grows.
 */
export const createUntracedAlarm = (): ChainSubscriber => ({
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    if (block.untraced !== true) return noEffects
    const { height } = block
    await wantComparison(tx, network, height)
    const open = await openRangeNear(tx, KIND, network, { from: height - NEAR, to: height + NEAR })
    if (open && open.from <= height && height <= open.to) return noEffects
    const from = Math.min(height, open?.from ?? height)
    const to = Math.max(height, open?.to ?? height)
    const which = from === to ? `block ${from}` : `blocks between ${from} and ${to}`
    const text =
      `The node of ${network} could not trace ${which}. Native coin that contracts sent there is credited without a hash, once the balances of all addresses have been compared with the books; ` +
      `then this alert ends. To see each transfer, point the settings at a node that keeps the state and run \`bursar rescan ${network} ${from} ${to}\``
    await raiseOrRenewAlert(
      tx,
      // The subject stays that of the first block, though the range grows.
      { kind: KIND, subject: open?.subject ?? `${network}/${height}`, text, detail: { from, to } },
      moment,
    )
    return noEffects
  },
  orphaned: nothing,
  settled: nothing,
  mempool: nothing,
})

/** Resolves the alerts about blocks of a range, all of which have been traced now. */
export const endUntracedAlerts = async (
  db: Db,
  network: Network,
  from: number,
  to: number,
  at: Date,
): Promise<void> => {
  await resolveRanges(db, KIND, network, { from, to }, at)
}

/**
 * Requests a comparison that covers a block. One under way that should have covered it was started on another branch,
 * so it starts again.
 */
export const wantComparison = async (tx: Tx, network: Network, height: number): Promise<void> => {
  await sql`insert into untraced_blocks as u (network, first_height, last_height) values (${network}, ${height}, ${height})
    on conflict (network) do update set
      first_height = least(u.first_height, excluded.first_height), last_height = greatest(u.last_height, excluded.last_height),
      covers = case when u.covers >= ${height} then null else u.covers end,
      compared_to = case when u.covers >= ${height} then '' else u.compared_to end`.execute(tx)
}

/**
 * Requests a comparison up to the final block for a node that never traces, unless one was requested since a time; one
 * that is requested already serves.
 */
export const wantDailyComparison = async (
  tx: Tx,
  network: Network,
  finalHeight: number,
  { since, at }: { since: Date; at: Date },
): Promise<void> => {
  const { rows } = await sql`insert into untraced_blocks as u (network, daily_at) values (${network}, ${at})
    on conflict (network) do update set daily_at = excluded.daily_at where u.daily_at is null or u.daily_at <= ${since}
    returning 1`.execute(tx)
  if (rows.length > 0 && (await wantedComparison(tx, network, finalHeight)) === undefined)
    await wantComparison(tx, network, finalHeight)
}

/** A comparison that was requested for untraced blocks of a network. */
export interface WantedComparison {
  /** untraced blocks up to this height are covered by the comparison under way; null: none is */
  covers: number | null
  /** the last address that it has compared, or '' */
  comparedTo: string
}

/** Returns the requested comparison; undefined while no untraced block is final that no comparison has covered. */
export const wantedComparison = async (
  db: Db | Tx,
  network: Network,
  finalHeight: number,
): Promise<WantedComparison | undefined> => {
  const { rows } = await sql<WantedComparison>`select covers, compared_to as "comparedTo" from untraced_blocks
    where network = ${network} and first_height <= ${finalHeight}`.execute(db)
  return rows[0]
}

/**
 * Stores how far a comparison has come, unless it was started again, or another worker has come further, meanwhile.
 * @param covers the final height when it began
 */
export const notePage = async (
  tx: Tx,
  network: Network,
  was: WantedComparison,
  covers: number,
  last: string,
): Promise<void> => {
  await sql`update untraced_blocks set covers = ${covers}, compared_to = ${last}
    where network = ${network} and covers is not distinct from ${was.covers} and compared_to = ${was.comparedTo}`.execute(
    tx,
  )
}

/** Ends a comparison of all addresses, and resolves the alerts about blocks that it covers. */
export const endComparison = async (
  tx: Tx,
  network: Network,
  was: WantedComparison,
  covers: number,
  at: Date,
): Promise<void> => {
  const { rows } = await sql`update untraced_blocks set covers = null, compared_to = '',
      first_height = case when last_height > ${covers} then ${covers}::bigint + 1 end, last_height = case when last_height > ${covers} then last_height end
    where network = ${network} and covers is not distinct from ${was.covers} and compared_to = ${was.comparedTo} returning 1`.execute(
    tx,
  )
  if (rows.length === 0) return
  await resolveRanges(tx, KIND, network, { to: covers }, at)
}
