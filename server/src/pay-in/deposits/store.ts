import type { Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import type { Deposit, WireStatus } from './deposit.ts'
import { pathOf, type DepositEvent, type DepositState } from './machine.ts'

export const DEPOSIT_COLUMNS = sql.raw(`d.merchant_id as "merchantId", d.id, d.network, d.asset, d.transaction, d.index,
  d.address, d.address_id as "addressId", d.senders, d.senders_omitted as "sendersOmitted", d.units, d.fee_units as fee, d.state, d.told as notified,
  d.fail_reason as "failReason", d.block_height as "blockHeight", d.internal, d.late, d.meta, d.compliance,
  d.created_at as "createdAt"`)

/** A new deposit, with the data that only this table needs. */
export interface NewDeposit extends Deposit {
  blockHash: string | null
  creditHeight: number | null
  keys: readonly string[]
}

/** A moved deposit, and its values before, which determine notifications and postings. */
export interface Moved {
  deposit: Deposit
  before: { state: DepositState; notified: WireStatus }
}

/**
 * Stores deposits, once each by (network, transaction, index). Skips a deposit that a balance check has counted
 * already, which happens when its block is read again; sums of small deposits are never skipped. Returns the ids of the
 * stored ones.
 */
export const insertDeposits = async (tx: Tx, deposits: readonly NewDeposit[]): Promise<Set<string>> => {
  if (deposits.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, senders_omitted, units,
      fee_units, state, told, fail_reason, block_height, block_hash, credit_height, keys, internal, late, meta,
      created_at, updated_at)
    select r."merchantId", r.id, r.network, r.asset, r.transaction, r.index, r.address, r."addressId", r.senders, coalesce(r."sendersOmitted", false),
      r.units, r.fee, r.state, r.notified, r."failReason", r."blockHeight", r."blockHash", r."creditHeight", r.keys,
      r.internal, r.late, r.meta, r."createdAt", r."createdAt"
    from jsonb_to_recordset(${json(deposits)}::jsonb)
      r("merchantId" uuid, id uuid, network text, asset text, transaction text, index text, address text,
        "addressId" uuid, senders text[], "sendersOmitted" boolean, units numeric, fee numeric, state text, notified text, "failReason" text,
        "blockHeight" bigint, "blockHash" text, "creditHeight" bigint, keys text[], internal boolean, late boolean,
        meta text, "createdAt" timestamptz)
    where r.index like 's:%' or not exists (
      select from deposits b where b.index = 'b:' || b.address and b.network = r.network and b.address = r.address
        and b.block_height >= r."blockHeight" and b.asset = r.asset and b.index <> r.index)
    on conflict (network, transaction, index) do nothing returning id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? field.toString() : field))

/** Returns the deposits of these transactions, locked in key order. */
export const lockByTransaction = async (tx: Tx, network: Network, hashes: readonly string[]): Promise<Deposit[]> => {
  if (hashes.length === 0) return []
  const { rows } = await sql<Deposit>`select ${DEPOSIT_COLUMNS} from deposits d
    where d.network = ${network} and d.transaction = any(${[...hashes]}::text[])
    order by d.merchant_id, d.id for update`.execute(tx)
  return rows
}

/**
 * Moves the deposits that `where` selects, by the state machine. A deposit whose state does not allow the event does
 * not change.
 */
export const moveWhere = async (
  tx: Tx,
  event: DepositEvent,
  where: RawBuilder<unknown>,
  set: RawBuilder<unknown>,
  at: Date,
): Promise<Moved[]> => {
  const { from, target } = pathOf(event)
  const { rows } = await sql<Deposit & { stateBefore: DepositState; notifiedBefore: WireStatus }>`
    with due as (
      select d.merchant_id, d.id, d.state, d.told from deposits d
      where d.state = any(${from}::text[]) and ${where} order by d.merchant_id, d.id for update),
    moved as (
      update deposits d set state = ${target}, updated_at = ${at}, ${set}
      from due where d.merchant_id = due.merchant_id and d.id = due.id
      returning ${DEPOSIT_COLUMNS}, due.state as "stateBefore", due.told as "notifiedBefore")
    select * from moved order by "createdAt", id`.execute(tx)
  return rows.map(({ stateBefore: state, notifiedBefore: notified, ...deposit }) => ({
    deposit,
    before: { state, notified },
  }))
}

/** The new place of a deposit, for `moveMined`. */
export interface MinedAt {
  merchantId: string
  id: string
  index: string
  creditHeight: number | null
  senders: readonly string[]
  sendersOmitted?: boolean
}

/**
 * Moves deposits into a block of the best chain, with the senders that the block names; the pool may have shown only
 * some. Skips a deposit that a balance check at this block or above has counted already. Returns the ids of the moved
 * ones.
 */
export const moveMined = async (
  tx: Tx,
  mined: readonly MinedAt[],
  block: { height: number; hash: string },
  at: Date,
): Promise<Set<string>> => {
  if (mined.length === 0) return new Set()
  const { from, target } = pathOf('mined')
  const { rows } = await sql<{
    id: string
  }>`update deposits d set state = ${target}, updated_at = ${at}, index = r.index,
      senders = r.senders, senders_omitted = coalesce(r."sendersOmitted", false), block_height = ${block.height}, block_hash = ${block.hash}, credit_height = r."creditHeight",
      gone_at = null, conflict_transaction = null, conflict_height = null
    from jsonb_to_recordset(${json(mined)}::jsonb) r("merchantId" uuid, id uuid, index text, "creditHeight" bigint, senders text[], "sendersOmitted" boolean)
    where d.merchant_id = r."merchantId" and d.id = r.id and d.state = any(${from}::text[])
      and d.block_height is null and (d.index like any('{s:%,b:%}') or not exists (
        select from deposits b where b.index = 'b:' || b.address and b.network = d.network and b.address = d.address
          and b.block_height >= ${block.height} and b.asset = d.asset))
    returning d.id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Frees the indexes of deposits in their transactions, for the deposits that are there now. */
export const displace = async (tx: Tx, deposits: readonly Deposit[]): Promise<void> => {
  if (deposits.length === 0) return
  await sql`update deposits d set index = d.index || '~' || d.id
    from unnest(${deposits.map((d) => d.merchantId)}::uuid[], ${deposits.map((d) => d.id)}::uuid[]) u(m, i)
    where d.merchant_id = u.m and d.id = u.i and d.block_height is null`.execute(tx)
}
