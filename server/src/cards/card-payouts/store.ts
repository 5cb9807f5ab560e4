import { sql } from 'kysely'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { RowTable, Scalar } from '../../ledger/postings/index.ts'
import { isCovered } from '../../ledger/stops/index.ts'
import { OPEN_PARTS, partMoves, type PartEvent, type PartState } from './machine.ts'
import type { Part, Payout } from './payout.ts'

export const PAYOUT =
  sql.raw(`p.merchant_id as "merchantId", p.id, p.kind, p.ticker, p.units, p.fee_units as fee, p.masked_card as "maskedCard",
  p.local_id as "localId", p.meta, p.hold_id as "holdId", p.told_as as "notifiedAs", p.created_at as "createdAt"`)
const PART =
  sql.raw(`t.merchant_id as "merchantId", t.payout_id as "payoutId", t.id, t.number, t.ticker, t.units, t.fee_units as fee, t.state,
  t.fail_reason as "failReason", t.attempts, t.epoch, t.created_at as "createdAt"`)

/** How a new payout is stored, in the statement that holds its money. */
export const payoutRows: RowTable = {
  name: 'card_payouts',
  columns: [
    { name: 'merchant_id', type: 'uuid' },
    { name: 'id', type: 'uuid' },
    { name: 'kind', type: 'text' },
    { name: 'ticker', type: 'text' },
    { name: 'units', type: 'numeric' },
    { name: 'fee_units', type: 'numeric' },
    { name: 'masked_card', type: 'text' },
    { name: 'sealed_card', type: 'text' },
    { name: 'local_id', type: 'text' },
    { name: 'meta', type: 'text' },
    { name: 'hold_id', type: 'uuid' },
    { name: 'told_as', type: 'jsonb' },
    { name: 'open_parts', type: 'integer' },
    { name: 'api_key_id', type: 'uuid' },
    { name: 'created_at', type: 'timestamptz' },
    { name: 'updated_at', type: 'timestamptz' },
  ],
}

export const payoutRowOf = (
  payout: Payout,
  { sealedCard, parts, keyId }: { sealedCard: string; parts: number; keyId: string | null },
): Scalar[] => {
  const at = payout.createdAt.toISOString()
  const { merchantId, id, kind, ticker, units, fee, maskedCard, localId, meta, holdId, notifiedAs } = payout
  return [
    merchantId,
    id,
    kind,
    ticker,
    units.toString(),
    fee.toString(),
    maskedCard,
    sealedCard,
    localId,
    meta,
    holdId,
    notifiedAs && JSON.stringify(notifiedAs),
    parts,
    keyId,
    at,
    at,
  ]
}

export const partRows: RowTable = {
  name: 'card_payout_parts',
  columns: [
    { name: 'merchant_id', type: 'uuid' },
    { name: 'payout_id', type: 'uuid' },
    { name: 'number', type: 'integer' },
    { name: 'id', type: 'uuid' },
    { name: 'ticker', type: 'text' },
    { name: 'units', type: 'numeric' },
    { name: 'fee_units', type: 'numeric' },
    { name: 'state', type: 'text' },
    { name: 'next_step_at', type: 'timestamptz' },
    { name: 'created_at', type: 'timestamptz' },
    { name: 'updated_at', type: 'timestamptz' },
  ],
}

export const partRowOf = (
  part: Pick<Part, 'merchantId' | 'payoutId' | 'number' | 'id' | 'ticker' | 'units' | 'fee' | 'createdAt'>,
): Scalar[] => {
  const at = part.createdAt.toISOString()
  return [
    part.merchantId,
    part.payoutId,
    part.number,
    part.id,
    part.ticker,
    part.units.toString(),
    part.fee.toString(),
    'planned',
    at,
    at,
    at,
  ]
}

/**
 * Moves a part by compare-and-set; undefined when its state does not allow the event.
 * @param more.epoch the claim under which it is moved, if one is required: undefined is also returned when that claim
 * has passed to another worker
 */
export const movePart = async (
  tx: Tx,
  id: string,
  event: PartEvent,
  at: Date,
  more: { epoch?: number; nextStepAt?: Date; failReason?: string } = {},
): Promise<Part | undefined> => {
  const from = statesTaking(partMoves, event)
  const target = moveOf(partMoves, from[0]!, event)!.to
  const { rows } = await sql<Part>`update card_payout_parts t set state = ${target}, updated_at = ${at},
      next_step_at = ${more.nextStepAt ?? sql`t.next_step_at`}, fail_reason = ${more.failReason ?? sql`t.fail_reason`},
      attempts = t.attempts + ${event === 'begun' ? 1 : 0}
    where t.id = ${id} and t.state = any(${from}) and (${more.epoch ?? null}::bigint is null or t.epoch = ${more.epoch ?? null})
    returning ${PART}`.execute(tx)
  return rows[0]
}

/** A stop in force that covers a part `t`. Stops of a single network apply to chains only. */
const stopsPart = isCovered({ asset: sql`t.ticker`, merchantId: sql`t.merchant_id` })

export const isStopped = async (tx: Tx, { id }: Part): Promise<boolean> => {
  const { rows } = await sql`select from card_payout_parts t where t.id = ${id} and ${stopsPart}`.execute(tx)
  return rows.length > 0
}

/**
 * Claims planned parts that are due and not stopped, oldest first, for `leaseMs`; no other worker claims them
 * meanwhile.
 */
export const claimPlanned = async (db: Db, at: Date, leaseMs: number, most: number): Promise<Part[]> => {
  const until = new Date(at.getTime() + leaseMs)
  const { rows } = await sql<Part>`with due as (
      select t.id from card_payout_parts t where t.state = 'planned' and t.next_step_at <= ${at} and not ${stopsPart}
      order by t.next_step_at, t.id limit ${most} for update skip locked),
    claimed as (update card_payout_parts t set next_step_at = ${until}, epoch = t.epoch + 1 from due where t.id = due.id returning ${PART})
    select * from claimed order by "createdAt", id`.execute(db)
  return rows
}

/** Sets when a claimed part is processed next. Does nothing when the claim has passed to another worker. */
export const stepAgainAt = async (db: Db | Tx, { id, epoch }: Part, next: Date): Promise<void> => {
  await sql`update card_payout_parts set next_step_at = ${next} where id = ${id} and epoch = ${epoch} and state = 'planned'`.execute(
    db,
  )
}

/** Locks a payout, so that its parts end one after another. */
export const lockPayout = async (tx: Tx, merchantId: string, id: string): Promise<Payout> => {
  const { rows } =
    await sql<Payout>`select ${PAYOUT} from card_payouts p where p.merchant_id = ${merchantId} and p.id = ${id} for update`.execute(
      tx,
    )
  if (!rows[0]) throw new Error(`there is no card payout ${id}`)
  return rows[0]
}

/** Counts one open part less, and erases the card number with the last one. @returns the number of parts still open */
export const closePart = async (tx: Tx, payout: Payout, holdId: string, at: Date): Promise<number> => {
  const { rows } = await sql<{
    open: number
  }>`update card_payouts set open_parts = open_parts - 1, hold_id = ${holdId}, updated_at = ${at},
      sealed_card = case when open_parts = 1 then null else sealed_card end
    where merchant_id = ${payout.merchantId} and id = ${payout.id} returning open_parts as open`.execute(tx)
  return rows[0]!.open
}

/** Returns the amount that a payout's hold must still cover: amount and fee of every part that has not ended. */
export const openUnits = async (tx: Tx, { merchantId, id }: Payout): Promise<bigint> => {
  const { rows } = await sql<{
    units: bigint
  }>`select coalesce(sum(units + fee_units), 0) as units from card_payout_parts
    where merchant_id = ${merchantId} and payout_id = ${id} and state = any(${[...OPEN_PARTS]}::text[])`.execute(tx)
  return rows[0]!.units
}

export const findPayout = async (db: Db | Tx, merchantId: string, id: string): Promise<Payout | undefined> => {
  const { rows } =
    await sql<Payout>`select ${PAYOUT} from card_payouts p where p.merchant_id = ${merchantId} and p.id = ${id}`.execute(
      db,
    )
  return rows[0]
}

export const partsOf = async (db: Db | Tx, { merchantId, id }: Pick<Payout, 'merchantId' | 'id'>): Promise<Part[]> => {
  const { rows } =
    await sql<Part>`select ${PART} from card_payout_parts t where t.merchant_id = ${merchantId} and t.payout_id = ${id}
    order by t.number`.execute(db)
  return rows
}

/** The parts of these payouts, by payout, each in the order of its parts. */
export const partsOfPayouts = async (
  db: Db,
  merchantId: string,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, Part[]>> => {
  const { rows } = await sql<Part>`select ${PART} from card_payout_parts t
    where t.merchant_id = ${merchantId} and t.payout_id = any(${[...payoutIds]}::uuid[]) order by t.number`.execute(db)
  return Map.groupBy(rows, ({ payoutId }) => payoutId)
}

export const findPart = async (db: Db | Tx, id: string): Promise<Part | undefined> => {
  const { rows } = await sql<Part>`select ${PART} from card_payout_parts t where t.id = ${id}`.execute(db)
  return rows[0]
}

/** Returns the sealed card number, null once every part has ended. */
export const sealedCardOf = async (db: Db | Tx, merchantId: string, id: string): Promise<string | null> => {
  const { rows } = await sql<{ sealed: string | null }>`select sealed_card as sealed from card_payouts
    where merchant_id = ${merchantId} and id = ${id}`.execute(db)
  return rows[0]?.sealed ?? null
}

/** Returns cards sealed with another key than the newest. @param newest the prefix of that key's values */
export const sealedWithOlderKeys = async (
  db: Db,
  newest: string,
  most: number,
): Promise<{ merchantId: string; id: string; sealed: string }[]> => {
  const { rows } = await sql<{
    merchantId: string
    id: string
    sealed: string
  }>`select merchant_id as "merchantId", id, sealed_card as sealed
    from card_payouts where sealed_card is not null and substring(sealed_card for 12) <> ${newest} limit ${most}`.execute(
    db,
  )
  return rows
}

/** Replaces a sealed card number, unless it was erased or sealed again meanwhile. */
export const replaceSealedCard = async (
  db: Db,
  { merchantId, id, sealed }: { merchantId: string; id: string; sealed: string },
  anew: string,
): Promise<void> => {
  await sql`update card_payouts set sealed_card = ${anew} where merchant_id = ${merchantId} and id = ${id} and sealed_card = ${sealed}`.execute(
    db,
  )
}

/** A part that has not ended, with its newest order. */
export interface OpenPart {
  partId: string
  payoutId: string
  merchantId: string
  ticker: string
  units: bigint
  state: PartState
  account: string | null
  reference: string | null
  sentAt: Date | null
}

/** Lists parts that have not ended, oldest first. */
export const listOpenParts = async (db: Db, most: number): Promise<OpenPart[]> => {
  const { rows } =
    await sql<OpenPart>`select t.id as "partId", t.payout_id as "payoutId", t.merchant_id as "merchantId", t.ticker, t.units, t.state,
      a.account, a.reference, a.sent_at as "sentAt"
    from card_payout_parts t left join card_payout_attempts a on a.part_id = t.id and a.state = 'open'
    where t.state = any(${[...OPEN_PARTS]}::text[]) order by t.created_at, t.id limit ${most}`.execute(db)
  return rows
}

/** Counts sealed card numbers by the prefix of their key's values. */
export const countSealedCards = async (db: Db): Promise<{ prefix: string; count: number }[]> => {
  const { rows } = await sql<{
    prefix: string
    count: number
  }>`select substring(sealed_card for 12) as prefix, count(*) as count
    from card_payouts where sealed_card is not null group by 1 order by 1`.execute(db)
  return rows
}
