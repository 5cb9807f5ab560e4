import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Seeds } from '../../chain/addresses/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import {
  attemptsOf,
  insertPlanned,
  knowChange,
  outpointsOf,
  reserveCoins,
  reserveUnconfirmed,
  type ChangeKey,
  type ConsolidationPlan,
  type OwnCoin,
  largestReserved,
  wasRefusedSince,
} from '../../chain/transactions/index.ts'
import { isCovered } from '../../ledger/stops/index.ts'

/** A transaction of ours that joins coins, to be stored. */
export interface Joining {
  id: string
  plan: ConsolidationPlan
  coins: readonly OwnCoin[]
  change: ChangeKey
  /** the node's estimate */
  feeRate: unknown
  /** the unconfirmed transaction that made its coins and that it pays for; null when its coins are confirmed */
  paysFor: string | null
}

/** Stores it and reserves its coins. Throws `CoinTaken` when another transaction has one of them. */
export const insertJoining = async (
  tx: Tx,
  { id, plan, coins, change, feeRate, paysFor }: Joining,
  moment: Moment,
): Promise<void> => {
  await knowChange(tx, change, moment.at)
  const { unsigned, networkFee, signingKeys, keys, senders } = plan
  const planned = {
    id,
    network: 'BITCOIN' as const,
    purpose: 'consolidation' as const,
    nonce: null,
    feeRate,
    ...(paysFor !== null && { paysFor }),
  }
  await insertPlanned(tx, { ...planned, unsigned, networkFee, signingKeys, keys, senders }, moment)
  const reserve = paysFor === null ? reserveCoins : reserveUnconfirmed
  if (!(await reserve(tx, 'BITCOIN', coins, id))) throw new CoinTaken()
}

export class CoinTaken extends Error {
  override name = 'CoinTaken'
}

/** Pause after the signer refused one: an alert is raised, and the signer's policy may be changed. */
const REFUSED_PAUSE_MS = 3_600_000
/** The signer refuses those that were planned before a second seed was active; they must not hold up the others. */
const REFUSED_PAUSE_AFTER_ROTATION_MS = 60_000

/** Whether a consolidation may be planned: no stop covers it, and the signer has not refused one within the pause. */
export const mayPlan = async (db: Db, at: Date, { next }: Seeds): Promise<boolean> => {
  const pauseMs = next === undefined ? REFUSED_PAUSE_MS : REFUSED_PAUSE_AFTER_ROTATION_MS
  const since = new Date(at.getTime() - pauseMs)
  const { rows } = await sql<{ may: boolean }>`select not ${isCovered({ asset: sql`'BTC'`, network: sql`'BITCOIN'` })}
    and not ${wasRefusedSince('BITCOIN', 'consolidation', since)} as may`.execute(db)
  return rows[0]!.may
}

/** An output of an unconfirmed deposit. */
export interface StuckOutput {
  transaction: string
  vout: number
  address: string
  index: number
  /** ledger units */
  units: bigint
}

/**
 * Returns outputs to us that have been unconfirmed since before a moment and that none of our transactions spends yet;
 * those of the transactions that bring most come first.
 */
export const stuckDeposits = async (db: Db, since: Date, most: number): Promise<StuckOutput[]> => {
  const { rows } =
    await sql<StuckOutput>`select d.transaction, substring(d.index from 3)::int as vout, d.address, a.derivation_index as index, d.units
    from deposits d join addresses a on a.family = 'BITCOIN' and a.address = d.address
    where d.network = 'BITCOIN' and d.state = 'pending' and d.block_height is null and not d.internal and d.index like 'o:%'
      and d.gone_at is null and d.conflict_transaction is null and d.created_at <= ${since}
      and not exists (select from utxos x where x.network = d.network and x.transaction = d.transaction and x.reserved_by is not null)
    order by sum(d.units) over (partition by d.transaction) desc, d.transaction, 2 limit ${most}`.execute(db)
  return rows
}

/**
 * Returns transactions that join coins and can never be mined: another transaction spends one of their coins in a final
 * block, or the coin was made by a transaction that is proven never to be mined.
 */
export const supersededJoinings = async (tx: Tx, finalHeight: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select o.id from outgoing o
    where o.network = 'BITCOIN' and o.purpose = 'consolidation' and o.state in ('signed', 'broadcast') and (exists (
      select from unnest(o.keys) k join utxos x on x.network = o.network and x.transaction = split_part(k, ':', 1) and x.vout = split_part(k, ':', 2)::int
      where x.spent_height <= ${finalHeight}
        and not exists (select from outgoing_attempts a where a.outgoing_id = o.id and a.hash = x.spent_by)) or exists (
      select from utxos x where x.network = o.network and x.reserved_by = o.id and (
        (x.spent_height <= ${finalHeight} and not exists (select from outgoing_attempts a where a.outgoing_id = o.id and a.hash = x.spent_by))
        or x.block_height is null and exists (select from outgoing_attempts a join outgoing p on p.id = a.outgoing_id
          where a.network = o.network and a.hash = x.transaction and p.state = 'final' and p.mined_hash <> a.hash)
        or x.block_height is null and exists (select from deposits d
          where d.network = o.network and d.transaction = x.transaction and d.conflict_height <= ${finalHeight}))))
    order by o.id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Returns the largest coin that every attempt of a payout spends: the largest of the first attempt. */
export const coinOf = async (db: Db, payout: string): Promise<OwnCoin | undefined> => {
  const first = (await attemptsOf(db, payout))[0]
  if (!first) return undefined
  return largestReserved(db, payout, outpointsOf(first))
}
