import { totalsByAccount } from '../../ledger/address-balances/index.ts'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf } from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { heldByFirstSeed } from './first-seed.ts'
import { assetsOn } from './reconcile.ts'

/** Where one asset of a network is, by the books at the block the watcher has read to, in ledger units. */
export interface Position {
  network: Network
  ticker: string
  /**
   * available for payouts: the hot wallet, of the seed in use on EVM chains; on Bitcoin every coin whose key is in the
   * signer
   */
  hot: bigint
  /** the part of it in outgoing transactions that are in no block yet */
  leaving: bigint
  /** withdrawals without a planned transaction */
  waiting: bigint
  /** at deposit addresses, to be swept; 0 on Bitcoin, which pays from them */
  unswept: bigint
  cold: bigint
}

type Sums = ReadonlyMap<string, bigint>

/** Returns the position of every asset of a network, in the catalogue's order. */
export const positionsOf = async (db: Db | Tx, catalogue: Catalogue, network: Network): Promise<Position[]> => {
  const held = await heldOf(db, network)
  const old = await heldByFirstSeed(db, network)
  const { waiting, leaving } = await owedOf(db, network)
  const transfers = await toColdOf(db, network)
  const of = (sums: Sums, ticker: string): bigint => sums.get(ticker) ?? 0n
  return assetsOn(catalogue, network).map(({ asset: { ticker } }) => ({
    network,
    ticker,
    hot:
      network === 'BITCOIN' ? of(held.hot, ticker) + of(held.deposit, ticker) : of(held.hot, ticker) - of(old, ticker),
    leaving: of(leaving, ticker) + of(transfers, ticker),
    waiting: of(waiting, ticker),
    unswept: network === 'BITCOIN' ? 0n : of(held.deposit, ticker),
    cold: of(held.cold, ticker),
  }))
}

/** Returns the recorded balances by the purpose of addresses. */
const heldOf = async (db: Db | Tx, network: Network): Promise<Record<'hot' | 'cold' | 'deposit', Sums>> => {
  const rows = await totalsByAccount(db, network)
  const of = (account: string): Sums =>
    new Map(rows.filter((row) => row.account === account).map(({ asset, units }) => [asset, units]))
  return { hot: of('hot'), cold: of('cold'), deposit: of('deposit') }
}

/** Sums waiting and sent withdrawals, without those paid from a deposit address. */
const owedOf = async (db: Db | Tx, network: Network): Promise<{ waiting: Sums; leaving: Sums }> => {
  const { rows } = await sql<{ ticker: string; waits: boolean; units: bigint }>`
    select w.ticker, w.state = 'requested' as waits, sum(w.units) as units from withdrawals w left join outgoing o on o.id = w.outgoing_id
    where w.blockchain = ${network} and w.state in ('requested', 'planned', 'sent') and not w.internal
      and (${network} = 'BITCOIN' or w.state = 'requested' or exists (select from house_addresses h where h.family = ${familyOf(network)} and h.address = o.senders[1]))
    group by 1, 2`.execute(db)
  const of = (waits: boolean): Sums =>
    new Map(rows.filter((row) => row.waits === waits).map(({ ticker, units }) => [ticker, units]))
  return { waiting: of(true), leaving: of(false) }
}

/**
 * Sums transfers to cold storage whose signed bytes were imported, by state; by default those that are in no block yet.
 * @param sender only those of one address
 */
export const toColdOf = async (
  db: Db | Tx,
  network: Network,
  states: readonly string[] = ['signed', 'broadcast'],
  sender?: string,
): Promise<Sums> => {
  const { rows } = await sql<{ asset: string; units: bigint }>`select t.asset, sum(t.units) as units
    from cold_transfers t join outgoing o on o.id = t.id where t.network = ${network} and o.network = ${network} and o.state = any(${[...states]}::text[])
      and (${sender ?? null}::text is null or o.senders[1] = ${sender ?? null}) group by 1`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}
