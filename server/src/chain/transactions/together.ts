import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { carryOut, joinEffects } from '../../ledger/effects/index.ts'
import { notifySubscribers } from './commands.ts'
import { outgoingMoves, type OutgoingEvent } from './machine.ts'
import { holdStops } from '../../ledger/stops/index.ts'
import type { SendingDeps } from './sending.ts'
import { stopsNetwork } from './stopping.ts'
import { OUTGOING_COLUMNS } from './store.ts'
import type { Attempt, Outgoing, OutgoingSubscriber } from './transaction.ts'

/** Batch versions of the commands for first attempts: the same guards, in a few statements for all. */

/** A transaction with its first and only attempt, unsigned. */
export interface Fresh {
  outgoing: Outgoing
  attempt: Attempt
}

/** Returns those of these transactions that are unsigned and have no replacement. */
export const freshAmong = async (db: Db, all: readonly Outgoing[]): Promise<ReadonlyMap<string, Fresh>> => {
  const { rows } = await sql<
    Attempt & { id: string }
  >`select outgoing_id as id, attempt, unsigned, signing_keys as keys, network_fee as "networkFee", hash, raw,
    expires_at as "expiresAt", created_at as "createdAt" from outgoing_attempts
    where outgoing_id = any(${idsOf(all.filter(({ attempt }) => attempt === 1))}::uuid[]) and attempt = 1 and raw is null`.execute(
    db,
  )
  const byId = new Map(rows.map(({ id, ...attempt }) => [id, attempt]))
  return new Map(
    all.flatMap((outgoing) => {
      const attempt = byId.get(outgoing.id)
      return attempt ? [[outgoing.id, { outgoing, attempt }] as const] : []
    }),
  )
}

/**
 * Records that signatures are requested now, as `mayAsk` does. @returns the ids of the transactions in `fresh` that no
 * stop forbids and whose claim is still valid
 */
export const mayAskAll = async (
  tx: Tx,
  network: Network,
  fresh: readonly Fresh[],
  carriesStopped: SendingDeps['carriesStopped'],
  at: Date,
): Promise<ReadonlySet<string>> => {
  await holdStops(tx)
  const all = fresh.map(({ outgoing }) => outgoing)
  const { rows } = await sql<{
    id: string
  }>`update outgoing_attempts a set asked_at = coalesce(a.asked_at, ${at})
    from unnest(${idsOf(all)}::uuid[], ${all.map(({ epoch }) => epoch)}::bigint[]) e(id, epoch) join outgoing o on o.id = e.id and o.epoch = e.epoch
    where a.outgoing_id = o.id and a.attempt = 1
      and (a.asked_at is not null or o.purpose = 'filler'
        or not (${carriesStopped(sql`o.id`)} or ${stopsNetwork(network)}))
    returning a.outgoing_id as id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

export interface Signed extends Fresh {
  raw: string
  hash: string
}

/** Stores signed bytes, as `recordSigned` does. @returns ids of those whose claim still holds */
export const recordSignedAll = async (
  tx: Tx,
  signed: readonly Signed[],
  { at }: Moment,
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{
    id: string
  }>`with held as (
      select o.id, e.raw, e.hash from unnest(${idsOf(signed.map(({ outgoing }) => outgoing))}::uuid[],
        ${signed.map(({ outgoing }) => outgoing.epoch)}::bigint[], ${signed.map(({ raw }) => raw)}::text[],
        ${signed.map(({ hash }) => hash)}::text[]) e(id, epoch, raw, hash)
      join outgoing o on o.id = e.id and o.epoch = e.epoch order by o.nonce, o.id for update of o)
    update outgoing_attempts a set raw = held.raw, hash = held.hash, signed_at = ${at}
    from held where a.outgoing_id = held.id and a.attempt = 1 and a.raw is null
    returning a.outgoing_id as id`.execute(tx)
  const stored = new Set(rows.map(({ id }) => id))
  await moveAll(
    tx,
    signed.flatMap(({ outgoing }) => (stored.has(outgoing.id) ? [outgoing] : [])),
    'signed',
    at,
  )
  return stored
}

/** Records that a node accepted them, as `recordAccepted` does. */
export const recordAcceptedAll = async (
  tx: Tx,
  accepted: readonly Signed[],
  next: Date,
  subscribers: readonly OutgoingSubscriber[],
  moment: Moment,
): Promise<void> => {
  const { rows } = await sql<{
    id: string
  }>`update outgoing o set first_broadcast_at = coalesce(first_broadcast_at, ${moment.at}),
      last_broadcast_at = ${moment.at}, next_step_at = ${next}
    from unnest(${idsOf(accepted.map(({ outgoing }) => outgoing))}::uuid[], ${accepted.map(({ outgoing }) => outgoing.epoch)}::bigint[]) e(id, epoch)
    where o.id = e.id and o.epoch = e.epoch returning o.id`.execute(tx)
  const held = new Set(rows.map(({ id }) => id))
  const moved = await moveAll(
    tx,
    accepted.flatMap(({ outgoing }) => (held.has(outgoing.id) ? [outgoing] : [])),
    'accepted',
    moment.at,
  )
  const effects = []
  for (const { outgoing, hash } of accepted) {
    const now = moved.get(outgoing.id)
    if (now) effects.push(await notifySubscribers(tx, { event: 'accepted', outgoing: now, hash }, subscribers, moment))
  }
  await carryOut(tx, joinEffects(effects), moment)
}

/** Changes the states of those whose claim still holds, by the table and by compare-and-set. */
const moveAll = async (
  tx: Tx,
  all: readonly Outgoing[],
  event: OutgoingEvent & ('signed' | 'accepted'),
  at: Date,
): Promise<ReadonlyMap<string, Outgoing>> => {
  const from = statesTaking(outgoingMoves, event)
  const target = moveOf(outgoingMoves, from[0]!, event)!.to
  const { rows } = await sql<Outgoing>`update outgoing o set state = ${target}, updated_at = ${at}
    from unnest(${idsOf(all)}::uuid[], ${all.map(({ epoch }) => epoch)}::bigint[]) e(id, epoch)
    where o.id = e.id and o.epoch = e.epoch and o.state = any(${from}) returning ${OUTGOING_COLUMNS}`.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
}

const idsOf = (all: readonly Outgoing[]): string[] => all.map(({ id }) => id)
