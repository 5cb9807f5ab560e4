import { sql } from 'kysely'
import { moveOf } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'
import type { TargetOwner } from '../../platform/api/target.ts'
import type { Conversion, Target } from './conversion.ts'
import { conversionMoves, type ConversionEvent } from './machine.ts'

const COLUMNS =
  sql.raw(`c.merchant_id as "merchantId", c.id, c.caused_by as "causedBy", c.cause_id as "causeId", c.ticker, c.units,
  c.target_ticker as "targetTicker", c.address, c.blockchain, c.state, c.failed_reason as "failedReason", c.created_at as "createdAt",
  c.released_at as "releasedAt"`)
type Row = Omit<Conversion, 'target'> & { targetTicker: string; address: string | null; blockchain: string | null }

const conversionOf = ({ targetTicker, address, blockchain, ...row }: Row): Conversion => ({
  ...row,
  target: { ticker: targetTicker, address, blockchain },
})

export const insertTarget = async (
  db: Db,
  { merchantId, kind, id }: TargetOwner,
  { ticker, address, blockchain }: Target,
): Promise<void> => {
  await sql`insert into targets(merchant_id, owner_id, owner_kind, ticker, address, blockchain)
    values (${merchantId}, ${id}, ${kind}, ${ticker}, ${address}, ${blockchain})`.execute(db)
}

/** Returns targets by their owner's id. */
export const targetsOf = async (
  tx: Tx,
  merchantId: string,
  owners: readonly string[],
): Promise<ReadonlyMap<string, Target>> => {
  const { rows } = await sql<
    Target & { ownerId: string }
  >`select owner_id as "ownerId", ticker, address, blockchain from targets
    where merchant_id = ${merchantId} and owner_id = any(${owners}::uuid[])`.execute(tx)
  return new Map(rows.map(({ ownerId, ...target }) => [ownerId, target]))
}

/**
 * Stores a conversion, unless there is one: money that is credited again after a reorganisation was converted before.
 * @param held it waits until its invoice is paid
 */
export const insertConversion = async (
  tx: Tx,
  c: Omit<Conversion, 'state' | 'failedReason' | 'releasedAt'>,
  held = false,
): Promise<void> => {
  await sql`insert into conversions(merchant_id, id, caused_by, cause_id, ticker, units, target_ticker, address, blockchain, state, next_at, created_at)
    values (${c.merchantId}, ${c.id}, ${c.causedBy}, ${c.causeId}, ${c.ticker}, ${c.units}, ${c.target.ticker}, ${c.target.address},
      ${c.target.blockchain}, 'waiting', ${held ? sql`'infinity'` : c.createdAt}, ${c.createdAt})
    on conflict (merchant_id, id) do nothing`.execute(tx)
}

/** A page of all conversions of a merchant, by id. */
export const conversionsById = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<Conversion[]> => {
  const { rows } = await sql<Row>`select ${COLUMNS} from conversions c
    where c.merchant_id = ${merchantId} and c.id > ${after} and c.created_at < ${before}
    order by c.id limit ${limit}`.execute(db)
  return rows.map(conversionOf)
}

/** A page of the targets of a merchant, by the id of the address or invoice. Targets have no time. */
export const targetsById = async (
  db: Db,
  merchantId: string,
  { after, limit }: Pick<KeyedPage, 'after' | 'limit'>,
): Promise<(Target & { ownerId: string; ownerKind: TargetOwner['kind'] })[]> =>
  (
    await sql<Target & { ownerId: string; ownerKind: TargetOwner['kind'] }>`select owner_id as "ownerId",
        owner_kind as "ownerKind", ticker, address, blockchain from targets
      where merchant_id = ${merchantId} and owner_id > ${after} order by owner_id limit ${limit}`.execute(db)
  ).rows

/** Releases the conversions that waited for an invoice to be paid. */
export const releaseConversions = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  at: Date,
): Promise<void> => {
  await sql`update conversions set next_at = ${at}, released_at = ${at}
    where merchant_id = ${merchantId} and cause_id = ${id} and state = 'waiting' and next_at = 'infinity'`.execute(tx)
}

/** Returns the conversions that are due, oldest first. */
export const nextConversions = async (db: Db, at: Date, most: number): Promise<Conversion[]> => {
  const { rows } = await sql<Row>`select ${COLUMNS} from conversions c where c.state = 'waiting' and c.next_at <= ${at}
    order by c.next_at limit ${most}`.execute(db)
  return rows.map(conversionOf)
}

/** Locks a waiting conversion; undefined when another worker has ended it or has locked it. */
export const lockWaiting = async (tx: Tx, { merchantId, id }: Conversion): Promise<Conversion | undefined> => {
  const { rows } =
    await sql<Row>`select ${COLUMNS} from conversions c where c.merchant_id = ${merchantId} and c.id = ${id} and c.state = 'waiting'
    for update skip locked`.execute(tx)
  return rows[0] && conversionOf(rows[0])
}

/** Ends a locked conversion. */
export const endConversion = async (
  tx: Tx,
  { merchantId, id }: Conversion,
  event: ConversionEvent,
  failedReason: string | null = null,
): Promise<void> => {
  const state = moveOf(conversionMoves, 'waiting', event)!.to
  await sql`update conversions set state = ${state}, units = case when ${event} = 'converted' then 0 else units end, failed_reason = ${failedReason}
    where merchant_id = ${merchantId} and id = ${id} and state = 'waiting'`.execute(tx)
}

export const leaveUnits = async (tx: Tx, { merchantId, id }: Conversion, units: bigint): Promise<void> => {
  await sql`update conversions set units = ${units} where merchant_id = ${merchantId} and id = ${id} and state = 'waiting'`.execute(
    tx,
  )
}

export const postponeConversion = async (db: Db | Tx, { merchantId, id }: Conversion, until: Date): Promise<void> => {
  await sql`update conversions set next_at = ${until} where merchant_id = ${merchantId} and id = ${id} and state = 'waiting'`.execute(
    db,
  )
}
