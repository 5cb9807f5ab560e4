import { sql, type RawBuilder } from 'kysely'
import { isAtStolenSeed } from '../../chain/addresses/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { consequencesOf } from './consequences.ts'
import type { Deposit } from './deposit.ts'
import type { DepositSettings } from './settings.ts'
import { DEPOSIT_COLUMNS, moveWhere } from './store.ts'

/*
 * Deposits on EVM chains at addresses of a first seed that another party may have (docs/decisions/0210). That party can
 * take the money before it reaches the second seed, so an operator decides about each of them. A reorganisation that
 * takes the deposit's block away also takes the decision to credit away. A refused deposit stays refused, because its
 * merchant was notified of Failed.
 */

/** Whether a row `d` of deposits waits for an operator's decision. */
export const isUndecided = (d: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${d}.first_seed_decided is null and not ${d}.internal and ${isAtStolenSeed(sql`${d}.address`)})`

const waits = sql`d.network in ('ETHEREUM', 'BINANCE_SMART_CHAIN') and d.state in ('pending', 'held')
  and (d.fail_reason is null or d.fail_reason = 'AML_REJECTED') and ${isUndecided(sql`d`)}
  and d.block_height <= (select c.final_height from watch_cursors c where c.network = d.network)`

/** A deposit that waits for a decision, with the hash of its final block. */
export interface UndecidedDeposit extends Deposit {
  blockHash: string
}

/**
 * Returns the deposits in final blocks that wait for a decision, the oldest first.
 * @param only those with these ids, or of one asset on one network
 */
export const undecidedDeposits = async (
  db: Db | Tx,
  most: number,
  { ids, network, asset }: { ids?: readonly string[]; network?: string; asset?: string } = {},
): Promise<UndecidedDeposit[]> => {
  const { rows } =
    await sql<UndecidedDeposit>`select ${DEPOSIT_COLUMNS}, d.block_hash as "blockHash" from deposits d where ${waits}
    and ${ids ? sql`d.id = any(${[...ids]}::uuid[])` : sql`true`}
    and ${network === undefined ? sql`true` : sql`d.network = ${network}`} and ${asset === undefined ? sql`true` : sql`d.asset = ${asset}`}
    order by d.created_at, d.id limit ${most}`.execute(db)
  return rows
}

/** Returns the number and the sum of the deposits that wait for a decision, by `NETWORK/ASSET`, in ledger units. */
export const undecidedSums = async (db: Db | Tx): Promise<ReadonlyMap<string, { count: number; units: bigint }>> => {
  const { rows } = await sql<{ asset: string; count: number; units: bigint }>`
    select d.network || '/' || d.asset as asset, count(*)::int as count, sum(d.units) as units from deposits d
    where ${waits} group by 1`.execute(db)
  return new Map(rows.map(({ asset, ...sum }) => [asset, sum]))
}

/** Returns the sums of the deposits that operators have decided to credit, by `NETWORK/ASSET`, in ledger units. */
export const decidedSums = async (db: Db | Tx): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<{ asset: string; units: bigint }>`
    select d.network || '/' || d.asset as asset, sum(d.units) as units from deposits d
    where d.first_seed_decided and (d.fail_reason is null or d.fail_reason = 'AML_REJECTED') group by 1`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

/**
 * Sums the deposits that are credited, or that operators have decided to credit, at each of these addresses, in ledger
 * units. Addresses without any are absent.
 */
export const creditedAt = async <Place extends Pick<Deposit, 'network' | 'asset' | 'address'>>(
  db: Db | Tx,
  places: readonly Place[],
  keyOf: (place: Pick<Deposit, 'network' | 'asset' | 'address'>) => string,
): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<Pick<Deposit, 'network' | 'asset' | 'address' | 'units'>>`
    select d.network, d.asset, d.address, sum(d.units) as units
    from (select distinct * from unnest(${places.map((one) => one.network)}::text[], ${places.map((one) => one.asset)}::text[],
      ${places.map((one) => one.address)}::text[]) u(network, asset, address)) p
    join deposits d on d.network = p.network and d.asset = p.asset and d.address = p.address
    where not d.internal and (d.state = 'credited' or d.first_seed_decided)
      and (d.fail_reason is null or d.fail_reason = 'AML_REJECTED')
    group by 1, 2, 3`.execute(db)
  return new Map(rows.map((row) => [keyOf(row), row.units]))
}

/**
 * Decides about deposits that wait. One that is credited goes on as any deposit that is deep enough: it is credited at
 * once, or after screening. One that is refused fails, and its money goes to suspense, or stays in quarantine.
 * @returns undefined, without any change, unless each of them waits
 */
export const decideAtStolenSeed = async (
  tx: Tx,
  { ids, isCredited }: { ids: readonly string[]; isCredited: boolean },
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects | undefined> => {
  const { rows } = await sql<{ id: string }>`select d.id from deposits d
    where d.id = any(${[...ids]}::uuid[]) and ${waits} order by d.merchant_id, d.id for update`.execute(tx)
  if (rows.length !== new Set(ids).size) return undefined
  const these = sql`d.id = any(${[...ids]}::uuid[])`
  const decide = (failReason: RawBuilder<unknown>) =>
    sql`update deposits d set first_seed_decided = true, updated_at = ${moment.at}, fail_reason = ${failReason} where ${these}`.execute(
      tx,
    )
  if (isCredited) {
    // A deposit that screening has found clean meanwhile leaves quarantine now.
    const isClean = sql`(d.compliance->>'risky') = 'false'`
    const cleared = await moveWhere(tx, 'cleared', sql`${these} and ${isClean}`, sql`told = 'Verified'`, moment.at)
    await decide(sql`d.fail_reason`)
    return consequencesOf(tx, 'cleared', cleared, settings, moment)
  }
  const failed = sql`told = 'Failed', fail_reason = 'ERRROR_CODE_GENERIC'`
  const rejected = await moveWhere(tx, 'rejected', these, failed, moment.at)
  // The money of a sum of small deposits is in suspense already, and stays there.
  const sums = await moveWhere(tx, 'replaced', sql`${these} and d.index like 's:%'`, failed, moment.at)
  await decide(sql`'ERRROR_CODE_GENERIC'`)
  return joinEffects([
    await consequencesOf(tx, 'rejected', rejected, settings, moment),
    await consequencesOf(tx, 'replaced', sums, settings, moment),
  ])
}

/** Throws an Error when the deposit waits for a decision about the stolen seed, which screening can't take. */
export const requireDecided = async (tx: Tx, { merchantId, id }: Pick<Deposit, 'merchantId' | 'id'>): Promise<void> => {
  const { rows } = await sql`select from deposits d where d.merchant_id = ${merchantId} and d.id = ${id}
    and d.state = 'held' and ${isUndecided(sql`d`)}`.execute(tx)
  if (rows.length > 0)
    throw new Error('the deposit is at a stolen seed: decide about that first, by bursar first-seed text')
}
