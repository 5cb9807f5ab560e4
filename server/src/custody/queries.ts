import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'

/** What all addresses of a network should hold together, by asset: ledger units. */
export const recordedTotals = async (db: Db | Tx, network: Network): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{ asset: string; units: bigint }>`
    select asset, sum(booked) as units from custody_addresses where network = ${network} group by asset`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}
