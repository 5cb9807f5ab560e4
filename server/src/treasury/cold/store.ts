import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { readOffered } from '../../chain/transactions/index.ts'
import type { ColdTransfer, OfferedTransfer } from './transfer.ts'

const COLUMNS = sql.raw(`t.id, t.network, t.asset, t.units, t.to_address as "to", t.expires_at as "expiresAt",
  t.imported_at as "importedAt", t.ended, t.created_at as "createdAt"`)

export const insertTransfer = async (tx: Tx, transfer: Omit<ColdTransfer, 'importedAt' | 'ended'>): Promise<void> => {
  await sql`insert into cold_transfers(id, network, asset, units, to_address, expires_at, created_at)
    values (${transfer.id}, ${transfer.network}, ${transfer.asset}, ${transfer.units}, ${transfer.to}, ${transfer.expiresAt},
      ${transfer.createdAt})`.execute(tx)
}

/** Returns transfers, the newest first, each with the state of its transaction. */
export const listTransfers = async (db: Db, most: number): Promise<(ColdTransfer & { state: string })[]> => {
  const { rows } = await sql<
    ColdTransfer & { state: string }
  >`select ${COLUMNS}, o.state from cold_transfers t join outgoing o on o.id = t.id
    order by t.created_at desc, t.id limit ${most}`.execute(db)
  return rows
}

/** Returns the transfer that a transaction of ours makes. */
export const transferOf = async (db: Db | Tx, id: string): Promise<ColdTransfer | undefined> => {
  const { rows } = await sql<ColdTransfer>`select ${COLUMNS} from cold_transfers t where t.id = ${id}`.execute(db)
  return rows[0]
}

export const readTransfer = async (db: Db | Tx, id: string): Promise<OfferedTransfer | undefined> => {
  const transfer = await transferOf(db, id)
  const offered = transfer && (await readOffered(db, id))
  return transfer && offered && { transfer, ...offered, previous: await previousOf(db, id) }
}

export const insertPrevious = async (tx: Tx, id: string, previous: ReadonlyMap<string, Uint8Array>): Promise<void> => {
  const [transactions, raws] = [[...previous.keys()], [...previous.values()].map((raw) => Buffer.from(raw))]
  await sql`insert into cold_previous(id, transaction, raw) select ${id}, * from unnest(${transactions}::text[], ${raws}::bytea[])`.execute(
    tx,
  )
}

const previousOf = async (db: Db | Tx, id: string): Promise<Map<string, Uint8Array>> => {
  const { rows } = await sql<{
    transaction: string
    raw: Buffer
  }>`select transaction, raw from cold_previous where id = ${id}`.execute(db)
  return new Map(rows.map(({ transaction, raw }) => [transaction, raw]))
}

/** Deletes previous transactions that were stored for the signing person, once no signature is needed. */
export const forgetPrevious = async (db: Db): Promise<void> => {
  await sql`delete from cold_previous p using outgoing o where o.id = p.id and o.state <> 'offered'`.execute(db)
}

/** Returns assets with a transfer that has not ended. */
export const assetsUnderWay = async (db: Db | Tx, network: Network): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{
    asset: string
  }>`select distinct t.asset from cold_transfers t join outgoing o on o.id = t.id
    where t.network = ${network} and o.network = ${network} and o.state not in ('final', 'failed', 'abandoned')`.execute(
    db,
  )
  return new Set(rows.map(({ asset }) => asset))
}

/** Returns transfers that were offered and not imported yet. */
export const listOffered = async (db: Db | Tx, network: Network): Promise<ColdTransfer[]> => {
  const { rows } = await sql<ColdTransfer>`select ${COLUMNS} from cold_transfers t join outgoing o on o.id = t.id
    where t.network = ${network} and o.network = ${network} and o.state = 'offered' order by t.created_at`.execute(db)
  return rows
}

/** Stores why a transfer came to nothing; the first reason stays. */
export const noteEnd = async (db: Db | Tx, id: string, ended: NonNullable<ColdTransfer['ended']>): Promise<void> => {
  await sql`update cold_transfers set ended = ${ended} where id = ${id} and ended is null`.execute(db)
}

/** Marks offers that gave way to a payout. @returns their ids */
export const noteOvertaken = async (db: Db | Tx, network: Network): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`update cold_transfers t set ended = 'overtaken' from outgoing o
    where o.id = t.id and t.network = ${network} and o.state = 'abandoned' and t.ended is null returning t.id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

export const noteImported = async (tx: Tx, id: string, at: Date): Promise<void> => {
  await sql`update cold_transfers set imported_at = ${at} where id = ${id}`.execute(tx)
}
