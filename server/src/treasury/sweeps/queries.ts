import { SECOND_SEED, type Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import { familyOf } from '../../chain/addresses/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Sweep } from './sweep.ts'

/** Whether a transaction of a hot address that deploys contracts for sweeps, and carries none, is unconfirmed. */
export const isDeploying = async (db: Db | Tx, network: Network, sender: string): Promise<boolean> => {
  const { rows } =
    await sql`select from outgoing o where o.network = ${network} and o.senders[1] = ${sender} and o.purpose = 'sweep' and o.state in ('planned', 'signed', 'broadcast')
    and not exists (select from sweeps s where s.outgoing_id = o.id) limit 1`.execute(db)
  return rows.length > 0
}

/** Counts the sweeps of an asset from each of these addresses, with any outcome. */
export const triesOf = async (
  db: Db,
  network: Network,
  asset: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await sql<{ address: string; tries: number }>`select address, count(*) as tries from sweeps
    where network = ${network} and asset = ${asset} and address = any(${[...addresses]}::text[]) group by address`.execute(
    db,
  )
  return new Map(rows.map(({ address, tries }) => [address, tries]))
}

/** The seed that an address derives from (docs/decisions/0210). */
export type Seed = 'first' | 'second'

/** Whether an index belongs to a seed; true for each index when none is given. */
export const isOfSeed = (index: RawBuilder<unknown>, seed?: Seed): RawBuilder<boolean> => {
  if (seed === undefined) return sql<boolean>`true`
  return seed === 'first' ? sql<boolean>`${index} < ${SECOND_SEED}` : sql<boolean>`${index} >= ${SECOND_SEED}`
}

/** Whether any deposit address of a network, of one seed if given, holds anything at all. */
export const isAnythingHeld = async (db: Db, network: Network, seed?: Seed): Promise<boolean> => {
  const { rows } =
    await sql`select from custody_addresses c join addresses a on a.family = ${familyOf(network)} and a.address = c.address
    where c.network = ${network} and c.booked > 0 and ${isOfSeed(sql`a.derivation_index`, seed)} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Returns those of these sweeps for which a mined transaction moved money, or found it moved already: anyone may start
 * a sweep of an address that has delegated, because its money can go to the hot wallet only.
 */
export const movedAmong = async (
  tx: Tx,
  network: Network,
  hash: string,
  sweeps: readonly Sweep[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{
    id: string
  }>`select s.id from sweeps s where s.id = any(${sweeps.map(({ id }) => id)}::uuid[])
    and (exists (select from house_transfers h where h.network = ${network} and h.transaction = ${hash} and h.asset = s.asset and h.from_address = s.address)
      or not exists (select from custody_addresses c where c.network = s.network and c.address = s.address and c.asset = s.asset and c.booked > 0))`.execute(
    tx,
  )
  return new Set(rows.map(({ id }) => id))
}

/** SQL that is true where an address is being swept, or has borrowed energy. @param address as SQL */
export const isBeingSwept = (network: Network, address: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(exists (select from sweeps s where s.network = ${network} and s.address = ${address}
    and s.state not in ('final', 'failed', 'replaced'))
  ${network === 'TRON' ? sql`or exists (select from tron_loans l where l.address = ${address} and l.closed_at is null)` : sql``})`
