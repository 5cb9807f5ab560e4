import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { RowTable, Scalar } from '../../ledger/postings/index.ts'
import { stopsWithdrawal } from './stopping.ts'
import { withdrawalMoves, type WithdrawalEvent, type WithdrawalState } from './machine.ts'
import type { Withdrawal } from './withdrawal.ts'

export const COLUMNS =
  sql.raw(`w.merchant_id as "merchantId", w.id, coalesce(w.intent_id, w.id) as "intentId", w.ticker, w.blockchain, w.to_address as "to", w.to_as_sent as "toAsSent", w.units,
  w.fee_units as fee, w.local_id as "localId", w.meta, w.state, w.fail_reason as "failReason", w.internal,
  w.hold_id as "holdId", w.outgoing_id as "outgoingId", w.done_sent as "doneSent", w.told_as as "notifiedAs", w.created_at as "createdAt"`)

/** How a new withdrawal is stored, in the statement that holds its money. */
export const withdrawalRows: RowTable = {
  name: 'withdrawals',
  columns: [
    { name: 'merchant_id', type: 'uuid' },
    { name: 'id', type: 'uuid' },
    { name: 'intent_id', type: 'uuid' },
    { name: 'ticker', type: 'text' },
    { name: 'blockchain', type: 'text' },
    { name: 'to_address', type: 'text' },
    { name: 'to_as_sent', type: 'text' },
    { name: 'units', type: 'numeric' },
    { name: 'fee_units', type: 'numeric' },
    { name: 'local_id', type: 'text' },
    { name: 'meta', type: 'text' },
    { name: 'state', type: 'text' },
    { name: 'internal', type: 'boolean' },
    { name: 'hold_id', type: 'uuid' },
    { name: 'told_as', type: 'jsonb' },
    { name: 'api_key_id', type: 'uuid' },
    { name: 'not_before', type: 'timestamptz' },
    { name: 'created_at', type: 'timestamptz' },
    { name: 'updated_at', type: 'timestamptz' },
  ],
}

/** @param keyId of the API key that signed the request, or null */
export const rowOf = (w: Withdrawal, keyId: string | null): Scalar[] => {
  const at = w.createdAt.toISOString()
  return [
    w.merchantId,
    w.id,
    w.intentId,
    w.ticker,
    w.blockchain,
    w.to,
    w.toAsSent ?? null,
    w.units.toString(),
    w.fee.toString(),
    w.localId,
    w.meta,
    w.state,
    w.internal,
    w.holdId,
    w.notifiedAs && JSON.stringify(w.notifiedAs),
    keyId,
    at,
    at,
    at,
  ]
}

/**
 * Moves a withdrawal by its state machine, with compare-and-set. Returns undefined if its state does not allow the
 * event. `doneSent` of the result says whether Done had been sent before this move.
 */
export const move = async (
  tx: Tx,
  key: { merchantId: string; id: string },
  event: WithdrawalEvent,
  at: Date,
  more: {
    outgoingId?: string | null
    notBefore?: Date
    alone?: boolean
    intentId?: string
    failReason?: string
    sendsDone?: boolean
  } = {},
): Promise<Withdrawal | undefined> => {
  const from = statesTaking(withdrawalMoves, event)
  const target = moveOf(withdrawalMoves, from[0]!, event)!.to
  const { rows } = await sql<
    Withdrawal & { doneSentBefore: boolean }
  >`update withdrawals w set state = ${target}, updated_at = ${at},
      outgoing_id = ${more.outgoingId === undefined ? sql`w.outgoing_id` : more.outgoingId},
      not_before = ${more.notBefore ?? sql`w.not_before`},
      barred = case when ${target} = 'requested' then w.barred end,
      reverting_since = null,
      intent_id = coalesce(${more.intentId ?? null}::uuid, w.intent_id),
      alone = w.alone or ${more.alone ?? false},
      fail_reason = ${more.failReason ?? sql`w.fail_reason`},
      done_sent = w.done_sent or ${more.sendsDone ?? false}
    from withdrawals before
    where w.merchant_id = ${key.merchantId} and w.id = ${key.id} and w.state = any(${from})
      and before.merchant_id = w.merchant_id and before.id = w.id
    returning ${COLUMNS}, before.done_sent as "doneSentBefore"`.execute(tx)
  if (rows[0] === undefined) return undefined
  const { doneSentBefore, ...moved } = rows[0]
  return { ...moved, doneSent: doneSentBefore }
}

export const carriedBy = async (db: Db | Tx, outgoingId: string): Promise<Withdrawal[]> => {
  const { rows } = await sql<Withdrawal>`select ${COLUMNS} from withdrawals w where w.outgoing_id = ${outgoingId}
    order by w.created_at, w.id`.execute(db)
  return rows
}

export const findById = async (db: Db | Tx, merchantId: string, id: string): Promise<Withdrawal | undefined> => {
  const { rows } = await sql<Withdrawal>`select ${COLUMNS} from withdrawals w
    where w.merchant_id = ${merchantId} and w.id = ${id}`.execute(db)
  return rows[0]
}

/** Returns the tickers of all waiting withdrawals of a network, including postponed ones. */
export const tickersWaiting = async (db: Db, network: Network): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ ticker: string }>`select distinct ticker from withdrawals
    where blockchain = ${network} and state = 'requested' and not internal`.execute(db)
  return new Set(rows.map(({ ticker }) => ticker))
}

/** Ends the bar of a withdrawal by the signer: it would sign for it. The bar of a repeated lost payment stays. */
export const unbar = async (tx: Tx, { merchantId, id }: { merchantId: string; id: string }): Promise<void> => {
  await sql`update withdrawals set barred = null where merchant_id = ${merchantId} and id = ${id} and state = 'requested' and barred <> 'repeat'`.execute(
    tx,
  )
}

/** Returns the waiting withdrawals of a network that have one of these intents. */
export const waitingByIntent = async (
  tx: Tx,
  blockchain: Network,
  intentIds: readonly string[],
): Promise<Withdrawal[]> => {
  const { rows } =
    await sql<Withdrawal>`select ${COLUMNS} from withdrawals w where w.blockchain = ${blockchain} and w.state = 'requested'
    and coalesce(w.intent_id, w.id) = any(${[...intentIds]}::uuid[]) order by w.created_at, w.id for update`.execute(tx)
  return rows
}

/** Whether any withdrawal of a transaction must not be sent (`stopsWithdrawal`). */
export const isStopped = async (tx: Tx, outgoingId: string): Promise<boolean> => {
  const { rows } =
    await sql`select from withdrawals w where w.outgoing_id = ${outgoingId} and ${stopsWithdrawal} limit 1`.execute(tx)
  return rows.length > 0
}

/** Whether a withdrawal must not be sent (`stopsWithdrawal`). */
export const isHeldBack = async (
  tx: Tx,
  { merchantId, id }: Pick<Withdrawal, 'merchantId' | 'id'>,
): Promise<boolean> => {
  const { rows } =
    await sql`select from withdrawals w where w.merchant_id = ${merchantId} and w.id = ${id} and ${stopsWithdrawal}`.execute(
      tx,
    )
  return rows.length > 0
}

/** A withdrawal that can be planned now. `alone`: in a transaction that pays nothing else. */
export interface Waiting extends Withdrawal {
  alone: boolean
}

/**
 * Returns withdrawals that can be planned now, oldest first: due, and not stopped.
 * @param after the last withdrawal of the previous page
 */
export const nextWaiting = async (
  db: Db,
  blockchain: Network,
  kind: 'internal' | 'onChain',
  at: Date,
  most: number,
  after?: Withdrawal,
): Promise<Waiting[]> => {
  const behind = after ? sql`and (w.created_at, w.id) > (${after.createdAt}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<Waiting>`select ${COLUMNS}, w.alone from withdrawals w
    where w.blockchain = ${blockchain} and w.state = 'requested' and w.internal = ${kind === 'internal'} and w.not_before <= ${at} ${behind}
      and not ${stopsWithdrawal}
    order by w.created_at, w.id limit ${most}`.execute(db)
  return rows
}

/** Returns halted withdrawals that wait and have no transaction. */
export const haltedOf = async (db: Db, most: number): Promise<{ merchantId: string; id: string }[]> => {
  const { rows } = await sql<{ merchantId: string; id: string }>`select merchant_id as "merchantId", id from withdrawals
    where halted and state = 'requested' order by merchant_id, id limit ${most}`.execute(db)
  return rows
}

/**
 * Sums of pending withdrawals that are not mined yet, by `SENDER/TICKER`: the chain still shows this money, but it is
 * reserved.
 */
export const unminedBySender = async (db: Db, blockchain: Network): Promise<ReadonlyMap<string, bigint>> => {
  const states: WithdrawalState[] = ['planned', 'sent']
  const { rows } = await sql<{
    sender: string
    ticker: string
    units: bigint
  }>`select o.senders[1] as sender, w.ticker, sum(w.units) as units
    from withdrawals w join outgoing o on o.id = w.outgoing_id
    where w.blockchain = ${blockchain} and w.state = any(${states}) and o.senders[1] is not null group by 1, 2`.execute(
    db,
  )
  return new Map(rows.map(({ sender, ticker, units }) => [`${sender}/${ticker}`, units]))
}

/** Returns the waiting withdrawals that have one of these intents. */
export const findWaitingByIntents = async (db: Db, intentIds: readonly string[]): Promise<Withdrawal[]> => {
  const { rows } = await sql<Withdrawal>`select ${COLUMNS} from withdrawals w
    where w.state = 'requested' and coalesce(w.intent_id, w.id) = any(${[...intentIds]}::uuid[])
    order by w.created_at, w.id`.execute(db)
  return rows
}

/** An approver's signature on a withdrawal, in the form in which the signer is given it. */
interface StoredApproval {
  keyId: string
  /** ms since the epoch */
  expiresAt: number
  signature: string
}

/** The newest approval of each approver for each withdrawal. An approval without an end does not count. */
export const approvalsOf = async (db: Db, withdrawals: readonly Withdrawal[]): Promise<StoredApproval[]> => {
  const { rows } = await sql<{ keyId: string; expiresAt: Date; signature: string }>`
    select distinct on (withdrawal_id, key_id) key_id as "keyId", expires_at as "expiresAt", signature from withdrawal_approvals
    where withdrawal_id = any(${withdrawals.map((w) => w.id)}::uuid[])
      and merchant_id = any(${withdrawals.map((w) => w.merchantId)}::uuid[]) and expires_at is not null
    order by withdrawal_id, key_id, created_at desc`.execute(db)
  return rows.map((row) => ({ ...row, expiresAt: row.expiresAt.getTime() }))
}

/**
 * Returns the intent of an internal withdrawal, by its id alone, because a deposit stores the id; the id itself
 * if it has no other intent.
 */
export const senderIntentOf = async (tx: Tx, withdrawalId: string): Promise<string> => {
  const { rows } = await sql<{
    intentId: string
  }>`select coalesce(intent_id, id) as "intentId" from withdrawals where id = ${withdrawalId} and internal`.execute(tx)
  return rows[0]?.intentId ?? withdrawalId
}
