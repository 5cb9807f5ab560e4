import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import { makesWork, type Db, type Tx } from '../../platform/db/index.ts'
import { carryOut, joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { knowChange, type ChangeKey } from './change.ts'
import { freeCoins, reserveCoins, type OwnCoin } from './coins.ts'
import { outgoingMoves, type OutgoingEvent } from './machine.ts'
import { freeNonce } from './nonces.ts'
import { countPlanned } from './planned.ts'
import { classOf, TRANSACTION_ALERTS } from './refusals.ts'
import { move } from './store.ts'
import {
  type Attempt,
  type Outgoing,
  type OutgoingChange,
  type OutgoingSubscriber,
  type Purpose,
} from './transaction.ts'

export interface NewOutgoing {
  id: string
  network: Network
  purpose: Purpose
  senders: readonly string[]
  nonce: number | null
  keys: readonly string[]
  unsigned: string
  signingKeys: Attempt['keys']
  feeRate: unknown
  networkFee: bigint
  /** TRON: no node accepts the transaction after this */
  expiresAt?: Date
  /** Bitcoin: the unconfirmed transaction that it pays for */
  paysFor?: string
}

/** The fields of one attempt. */
export type AttemptFields = Pick<NewOutgoing, 'unsigned' | 'signingKeys' | 'feeRate' | 'networkFee' | 'expiresAt'>

/** Stores a transaction and its first attempt, before anything is signed. */
export const insertPlanned = (tx: Tx, planned: NewOutgoing, moment: Moment): Promise<void> =>
  insertOutgoing(tx, planned, 'planned', moment)

export const insertOutgoing = async (
  tx: Tx,
  planned: NewOutgoing,
  state: 'planned' | 'offered' | 'signed',
  { at }: Moment,
): Promise<void> => {
  await sql`insert into outgoing(id, network, purpose, state, senders, nonce, keys, pays_for, attempt, next_step_at, created_at, updated_at)
    values (${planned.id}, ${planned.network}, ${planned.purpose}, ${state}, ${[...planned.senders]}, ${planned.nonce},
      ${[...planned.keys]}, ${planned.paysFor ?? null}, 1, ${at}, ${at}, ${at})`.execute(tx)
  makesWork(tx)
  await insertAttempt(tx, planned.id, planned.network, 1, planned, at)
  // An offer spends nothing until it is imported.
  if (state !== 'offered') await countPlanned(tx, planned.network, planned.senders)
}

/** Stores one more attempt of a transaction, unsigned. */
export const insertAttempt = async (
  tx: Tx,
  id: string,
  network: Network,
  attempt: number,
  { unsigned, signingKeys, feeRate, networkFee, expiresAt }: AttemptFields,
  at: Date,
): Promise<void> => {
  await sql`insert into outgoing_attempts(outgoing_id, attempt, network, unsigned, signing_keys, fee_rate, network_fee, expires_at, created_at)
    values (${id}, ${attempt}, ${network}, ${unsigned}, ${JSON.stringify(signingKeys)}, ${textOf(feeRate)}, ${networkFee}, ${expiresAt ?? null}, ${at})`.execute(
    tx,
  )
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? field.toString() : field))

/**
 * Stores signed bytes. Call it before any node gets them. The claim is locked first: if another worker took it between
 * the bytes and the state, the transaction would have bytes but stay planned, and no block could move it.
 * @returns false, with nothing stored, when the claim is no longer ours
 */
export const recordSigned = async (
  tx: Tx,
  outgoing: Outgoing,
  attempt: number,
  signed: { raw: string; hash: string },
  { at }: Moment,
): Promise<boolean> => {
  const { rows } =
    await sql`with held as (select id from outgoing where id = ${outgoing.id} and epoch = ${outgoing.epoch} for update)
    update outgoing_attempts a set raw = ${signed.raw}, hash = ${signed.hash}, signed_at = ${at}
    from held where a.outgoing_id = held.id and a.attempt = ${attempt} and a.raw is null returning a.attempt`.execute(
      tx,
    )
  if (rows.length === 0) return false
  if (outgoing.state === 'planned') await move(tx, outgoing.id, 'signed', at, { epoch: outgoing.epoch })
  return true
}

/**
 * Stores a replacement with a higher fee as the current attempt. Earlier attempts stay stored: any of them may still be
 * mined.
 * @param more coins it spends in addition, and a new change address. Throws when another transaction has taken a coin.
 */
export const recordBump = async (
  tx: Tx,
  outgoing: Outgoing,
  bump: AttemptFields,
  { at }: Moment,
  more: { coins?: readonly OwnCoin[]; change?: ChangeKey } = {},
): Promise<boolean> => {
  const { rows } =
    await sql`update outgoing set attempt = attempt + 1, next_step_at = ${at}, updated_at = ${at}, refused_since = null
    where id = ${outgoing.id} and epoch = ${outgoing.epoch} and attempt = ${outgoing.attempt} and state in ('signed', 'broadcast')
    returning id`.execute(tx)
  if (rows.length === 0) return false
  await insertAttempt(tx, outgoing.id, outgoing.network, outgoing.attempt + 1, bump, at)
  if (more.change) await knowChange(tx, more.change, at)
  if (more.coins && more.coins.length > 0) await addCoins(tx, outgoing, more.coins)
  return true
}

const addCoins = async (tx: Tx, { id, network }: Outgoing, coins: readonly OwnCoin[]): Promise<void> => {
  if (!(await reserveCoins(tx, network, coins, id))) throw new Error(`a coin that a bump of ${id} would add was taken`)
  const keys = coins.map(({ transaction, vout }) => `${transaction}:${vout}`)
  await sql`update outgoing set keys = keys || ${keys}::text[],
    senders = array(select distinct unnest(senders || ${coins.map(({ address }) => address)}::text[])) where id = ${id}`.execute(
    tx,
  )
}

/** Returns to the previous attempt after the signer refused the current one, and releases coins only it spends. */
export const dropUnsignedBump = async (
  tx: Tx,
  outgoing: Outgoing,
  next: Date,
  added: readonly string[] = [],
): Promise<void> => {
  const { rows } = await sql`update outgoing set attempt = attempt - 1, next_step_at = ${next}
    where id = ${outgoing.id} and epoch = ${outgoing.epoch} and attempt = ${outgoing.attempt} and attempt > 1 returning id`.execute(
    tx,
  )
  if (rows.length === 0) return
  await sql`delete from outgoing_attempts where outgoing_id = ${outgoing.id} and attempt = ${outgoing.attempt} and raw is null`.execute(
    tx,
  )
  if (added.length === 0) return
  await freeCoins(tx, outgoing.id, added)
  await sql`update outgoing set keys = array(select k from unnest(keys) k where k <> all(${[...added]}::text[])) where id = ${outgoing.id}`.execute(
    tx,
  )
}

/**
 * Records that a node accepted the current attempt: calls subscribers the first time, and sets when to process it next.
 */
export const recordAccepted = async (
  tx: Tx,
  outgoing: Outgoing,
  hash: string,
  next: Date,
  subscribers: readonly OutgoingSubscriber[],
  moment: Moment,
): Promise<void> => {
  const { rows } = await sql`update outgoing set first_broadcast_at = coalesce(first_broadcast_at, ${moment.at}),
      last_broadcast_at = ${moment.at}, next_step_at = ${next}, refused_since = null
    where id = ${outgoing.id} and epoch = ${outgoing.epoch} returning id`.execute(tx)
  if (rows.length === 0) return
  const effects = await moveAndNotify(tx, outgoing.id, 'accepted', hash, subscribers, moment)
  await carryOut(tx, effects, moment)
}

/** Records that a node refuses the current attempt as invalid. */
export const recordInvalid = async (db: Db | Tx, { id, epoch }: Outgoing, at: Date): Promise<void> => {
  await sql`update outgoing set refused_since = coalesce(refused_since, ${at}) where id = ${id} and epoch = ${epoch}`.execute(
    db,
  )
}

/**
 * Records that a stop or the signer refused the first attempt, so that it does not exist: releases its coins and its
 * nonce, and calls the subscribers of its payments.
 */
export const recordRefused = async (
  tx: Tx,
  outgoing: Outgoing,
  subscribers: readonly OutgoingSubscriber[],
  moment: Moment,
  why: Pick<OutgoingChange, 'withheld' | 'refusal'>,
): Promise<void> => {
  const moved = await move(tx, outgoing.id, 'refused', moment.at, { epoch: outgoing.epoch })
  if (!moved) return
  if (moveOf(outgoingMoves, 'planned', 'refused')!.effects.includes('freeCoins')) await freeCoins(tx, outgoing.id)
  const isContested = why.refusal !== undefined && classOf(why.refusal) === 'nonce'
  if (isContested) await sql`update outgoing set contested = true where id = ${outgoing.id}`.execute(tx)
  await freeNonce(tx, moved, isContested, moment.at)
  await carryOut(
    tx,
    await notifySubscribers(tx, { event: 'refused', outgoing: moved, hash: null, ...why }, subscribers, moment),
    moment,
  )
}

/** Changes a transaction's state and returns the effects of subscribers; none if the table forbids the event. */
export const moveAndNotify = async (
  tx: Tx,
  id: string,
  event: Exclude<OutgoingEvent, 'signed' | 'refused' | 'imported' | 'withdrawn' | 'superseded'>,
  hash: string,
  subscribers: readonly OutgoingSubscriber[],
  moment: Moment,
  mined?: { hash: string; height: number; block: string; fee: bigint | null; succeeded: boolean },
): Promise<Effects> => {
  const outgoing = await move(tx, id, event, moment.at, mined ? { mined } : {})
  // A final transaction has spent the coins of its mined attempt; coins that only another attempt would have spent are
  // free.
  if (outgoing && frees(event)) await freeCoins(tx, id)
  return outgoing ? notifySubscribers(tx, { event, outgoing, hash }, subscribers, moment) : noEffects
}

const frees = (event: OutgoingEvent): boolean =>
  moveOf(outgoingMoves, statesTaking(outgoingMoves, event)[0]!, event)!.effects.includes('freeCoins')

/**
 * Gives up a child that no node is known to have, whose parent was mined without it. It is not broadcast again, and
 * others may spend its coins. It may still be mined; it ends when final blocks show which of them was.
 */
export const recordDropped = async (tx: Tx, { id, epoch }: Outgoing, { at }: Pick<Moment, 'at'>): Promise<void> => {
  const { rows } = await sql`update outgoing set dropped_at = ${at}, updated_at = ${at}
    where id = ${id} and epoch = ${epoch} and state = 'signed' and dropped_at is null returning id`.execute(tx)
  if (rows.length > 0) await freeCoins(tx, id)
}

/**
 * Ends a transaction that can never be mined, because its coin was never made or another transaction spends it in a
 * final block, and the alerts about it. Only for transactions without merchants' money.
 */
export const recordSuperseded = async (
  tx: Tx,
  id: string,
  { at }: Pick<Moment, 'at'>,
): Promise<Outgoing | undefined> => {
  const moved = await move(tx, id, 'superseded', at)
  if (!moved) return undefined
  await freeCoins(tx, id)
  await resolveAlertsOf(tx, TRANSACTION_ALERTS, [id], at)
  return moved
}

/**
 * Ends a transaction that can never be mined, because a conflict in a final block used its coin or nonce, and the
 * alerts about it. Calls the subscribers whose money it carries, and releases its other coins.
 * @param paid intents that the conflicting transaction pays
 */
export const endSuperseded = async (
  tx: Tx,
  id: string,
  subscribers: readonly OutgoingSubscriber[],
  moment: Moment,
  paid: ReadonlySet<string>,
): Promise<boolean> => {
  const moved = await recordSuperseded(tx, id, moment)
  if (!moved) return false
  await carryOut(
    tx,
    await notifySubscribers(
      tx,
      { event: 'refused', outgoing: moved, hash: null, superseded: { paid } },
      subscribers,
      moment,
    ),
    moment,
  )
  return true
}

/**
 * Ends an expired transaction that is proven never to be mined, when its planner is to plan again instead of renewing
 * it (TRON).
 */
export const recordLapsed = async (
  tx: Tx,
  id: string,
  subscribers: readonly OutgoingSubscriber[],
  moment: Moment,
): Promise<void> => {
  const moved = await move(tx, id, 'superseded', moment.at)
  if (moved)
    await carryOut(
      tx,
      await notifySubscribers(tx, { event: 'refused', outgoing: moved, hash: null }, subscribers, moment),
      moment,
    )
}

/** Calls all subscribers with a change and returns their effects. */
export const notifySubscribers = async (
  tx: Tx,
  change: OutgoingChange,
  subscribers: readonly OutgoingSubscriber[],
  moment: Moment,
): Promise<Effects> => {
  const all: Effects[] = []
  for (const subscriber of subscribers) all.push(await subscriber(tx, change, moment))
  return joinEffects(all)
}
