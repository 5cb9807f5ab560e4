import { HARDENED, NATIVE_TICKER, type Block, type Network } from '@bursar/chainkit'
import { COINBASE_MATURITY } from '@bursar/chainkit/bitcoin'
import { sql } from 'kysely'
import { opposite, type CustodyMove } from '../../ledger/address-balances/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { firstIndex, type Seeds } from '../addresses/index.ts'

/** A coin of ours that nothing spends yet. */
export interface OwnCoin {
  transaction: string
  vout: number
  address: string
  /** coins of cold addresses are known, and never spent from here */
  account: 'deposit' | 'hot'
  branch: 0 | 1
  index: number
  units: bigint
}

interface Changed {
  address: string
  units: bigint
}

const movesOf = (network: Network, coins: readonly Changed[], height: number | null): CustodyMove[] =>
  coins.map(({ address, units }) => ({ network, asset: NATIVE_TICKER[network], address, units, height }))

const outOf = (moves: readonly CustodyMove[]): CustodyMove[] => moves.map((move) => ({ ...move, units: -move.units }))

/**
 * Whether a spend counts in the books as ours. If not, the coin's address is short of it. Spends from cold addresses
 * count, because the operator sent them.
 */
const byUs = (network: Network, account: ReturnType<typeof sql>, hash: ReturnType<typeof sql>) =>
  sql`(${account} = 'cold' or exists (select from outgoing_attempts a where a.network = ${network} and a.hash = ${hash}))`

/**
 * Stores the coins that a block makes for us, and marks coins of ours that it spends. Returns the changes of address
 * balances; none when the block is read again.
 */
export const followCoins = async (tx: Tx, network: Network, block: Block): Promise<CustodyMove[]> => {
  const made = block.transactions.flatMap((t) =>
    t.transfers
      .filter((x) => x.index.startsWith('o:'))
      .map((x) => ({
        hash: t.hash,
        vout: Number(x.index.slice(2)),
        to: x.to,
        units: x.units,
        spendableFrom: t.coinbase ? block.height + COINBASE_MATURITY : null,
      })),
  )
  const { rows: come } =
    await sql<Changed>`insert into utxos(network, transaction, vout, address, account, branch, derivation_index, units, block_height, spendable_from)
    select ${network}, u.t, u.v, u.a, k.account, k.branch, k.derivation_index, u.n, ${block.height}, u.s
    from unnest(${made.map((m) => m.hash)}::text[], ${made.map((m) => m.vout)}::int[], ${made.map((m) => m.to)}::text[],
      ${made.map((m) => m.units.toString())}::numeric[], ${made.map((m) => m.spendableFrom)}::bigint[]) u(t, v, a, n, s)
    join lateral (
      select 'deposit' as account, 0::smallint as branch, derivation_index from addresses where family = 'BITCOIN' and address = u.a
      union all
      select case account when 'forgotten' then 'deposit' else account end, case account when 'forgotten' then 0 else branch end, derivation_index from house_addresses where family = 'BITCOIN' and address = u.a
    ) k on true
    on conflict (network, transaction, vout) do update set block_height = excluded.block_height, spendable_from = excluded.spendable_from where utxos.block_height is null
    returning address, units`.execute(tx)
  const spent = block.transactions.flatMap((t) => t.keys.map((key) => ({ key: key.split(':'), by: t.hash })))
  const { rows: gone } = await sql<Changed>`update utxos x set spent_by = u.by, spent_height = ${block.height}
    from unnest(${spent.map((s) => s.key[0])}::text[], ${spent.map((s) => Number(s.key[1]))}::int[], ${spent.map((s) => s.by)}::text[]) u(t, v, by)
    where x.network = ${network} and x.transaction = u.t and x.vout = u.v and x.spent_by is null
    returning x.address, case when ${byUs(network, sql`x.account`, sql`u.by`)} then x.units else 0 end as units`.execute(
    tx,
  )
  return [...movesOf(network, come, block.height), ...outOf(movesOf(network, gone, block.height))]
}

/** Reverses the effects of lost blocks: the coins they made are unconfirmed again, the coins they spent are unspent. */
export const unfollowCoins = async (tx: Tx, network: Network, fromHeight: number): Promise<CustodyMove[]> => {
  const { rows: back } = await sql<Changed>`with lost as (
      select transaction, vout, ${byUs(network, sql`utxos.account`, sql`utxos.spent_by`)} as ours from utxos
      where network = ${network} and spent_height >= ${fromHeight} for update)
    update utxos x set spent_by = null, spent_height = null from lost
    where x.network = ${network} and x.transaction = lost.transaction and x.vout = lost.vout
    returning x.address, case when lost.ours then x.units else 0 end as units`.execute(tx)
  const { rows: lost } = await sql<Changed>`update utxos set block_height = null
    where network = ${network} and block_height >= ${fromHeight} returning address, units`.execute(tx)
  return [...movesOf(network, back, null), ...opposite(movesOf(network, lost, null))]
}

/**
 * SQL that is true when a transaction `o` spends only final coins or our own. A transaction that pays for another one
 * spends from it, so that one must be ours and fulfil the same condition.
 */
const standsOnOurs = sql`(o.pays_for is null or exists (select from outgoing_attempts p join outgoing q on q.id = p.outgoing_id
  where p.network = o.network and p.hash = o.pays_for and q.pays_for is null))`

/**
 * Returns the coins that may be spent. Change of our own transactions may be spent once confirmed. All other coins,
 * also those that others sent to our change addresses, may be spent once final, so that no reorganisation removes an
 * input of a payout. A transaction that pays for a deposit depends on a foreign one, so its outputs must be final too.
 * A coinbase output may be spent when the next block may contain that. Coins of a seed that a second one has replaced
 * are left for `sweepableCoins`.
 */
export const spendableCoins = async (db: Db | Tx, network: Network, most: number, wallet: Seeds): Promise<OwnCoin[]> =>
  coinsBetween(db, network, most, { least: firstIndex(wallet, 'BITCOIN'), below: HARDENED })

/** Returns the coins of the first seed that may be spent when a second seed has replaced it; otherwise none. */
export const sweepableCoins = async (db: Db | Tx, network: Network, most: number, wallet: Seeds): Promise<OwnCoin[]> =>
  coinsBetween(db, network, most, { least: 0, below: firstIndex(wallet, 'BITCOIN') })

const coinsBetween = async (
  db: Db | Tx,
  network: Network,
  most: number,
  { least, below }: { least: number; below: number },
): Promise<OwnCoin[]> => {
  const { rows } =
    await sql<OwnCoin>`select transaction, vout, address, account, branch, derivation_index as index, units
    from utxos where network = ${network} and spent_by is null and reserved_by is null and block_height is not null
      and derivation_index >= ${least} and derivation_index < ${below} and account <> 'cold' and (spendable_from is null or spendable_from <= (select height + 1 from watch_cursors where network = ${network}))
      and (block_height <= (select final_height from watch_cursors where network = ${network})
        or branch = 1 and exists (select from outgoing_attempts a join outgoing o on o.id = a.outgoing_id where a.network = ${network} and a.hash = utxos.transaction and ${standsOnOurs}))
    order by units desc, transaction, vout limit ${most}`.execute(db)
  return rows
}

/** Reserves coins for one transaction; false when any of them was taken meanwhile. */
export const reserveCoins = async (
  tx: Tx,
  network: Network,
  coins: readonly OwnCoin[],
  outgoingId: string,
): Promise<boolean> => {
  const { rows } = await sql`update utxos x set reserved_by = ${outgoingId}
    from unnest(${coins.map((c) => c.transaction)}::text[], ${coins.map((c) => c.vout)}::int[]) u(t, v)
    where x.network = ${network} and x.transaction = u.t and x.vout = u.v and x.spent_by is null and x.reserved_by is null
      and x.block_height is not null returning x.vout`.execute(tx)
  return rows.length === coins.length
}

/**
 * Stores unconfirmed coins as reserved for the transaction that will spend them; false when another one has reserved
 * them.
 */
export const reserveUnconfirmed = async (
  tx: Tx,
  network: Network,
  coins: readonly OwnCoin[],
  outgoingId: string,
): Promise<boolean> => {
  const { rows } =
    await sql`insert into utxos(network, transaction, vout, address, account, branch, derivation_index, units, reserved_by)
    select ${network}, t, v, d, k, b, i, n, ${outgoingId}
    from unnest(${coins.map((c) => c.transaction)}::text[], ${coins.map((c) => c.vout)}::int[], ${coins.map((c) => c.address)}::text[],
      ${coins.map((c) => c.account)}::text[], ${coins.map((c) => c.branch)}::int[], ${coins.map((c) => c.index)}::bigint[],
      ${coins.map((c) => c.units.toString())}::numeric[]) u(t, v, d, k, b, i, n)
    on conflict (network, transaction, vout) do update set reserved_by = excluded.reserved_by
      where utxos.spent_by is null and utxos.reserved_by is null and utxos.block_height is null returning vout`.execute(
      tx,
    )
  return rows.length === coins.length
}

/** Releases coins that were reserved for a transaction and never spent: all of them, or those at these outpoints. */
export const freeCoins = async (tx: Tx, outgoingId: string, outpoints?: readonly string[]): Promise<void> => {
  const only = outpoints === undefined ? null : [...outpoints]
  await sql`update utxos set reserved_by = null where reserved_by = ${outgoingId} and spent_by is null
    and (${only}::text[] is null or transaction || ':' || vout = any(${only}::text[]))`.execute(tx)
}

/**
 * Returns the decreases of address balances by transactions that were not known as ours when their blocks were read.
 * Coins of cold addresses were subtracted then.
 */
export const spentMoves = async (tx: Tx, network: Network, hashes: readonly string[]): Promise<CustodyMove[]> => {
  const { rows } = await sql<{
    address: string
    units: bigint
    height: number
  }>`select address, units, spent_height as height from utxos
    where network = ${network} and spent_by = any(${[...hashes]}::text[]) and spent_height is not null and account <> 'cold' order by address`.execute(
    tx,
  )
  return rows.map(({ address, units, height }) => ({
    network,
    asset: NATIVE_TICKER[network],
    address,
    units: -units,
    height,
  }))
}

/**
 * Reserves the coins of adopted transactions. A coin that one of them spent in a block already read is now subtracted
 * from its address, because the spend was ours. Throws an Error when another transaction has reserved one of the coins.
 * @returns the addresses of the coins, those of the first transaction first, and the decreases of their balances
 */
export const adoptCoins = async (
  tx: Tx,
  network: Network,
  outgoingId: string,
  forms: readonly { hash: string; keys: readonly string[] }[],
): Promise<{ senders: string[]; moves: CustodyMove[] }> => {
  const keys = [...new Set(forms.flatMap((form) => form.keys))]
  const { rows } = await sql<{ key: string; address: string; reservedBy: string | null }>`
    select transaction || ':' || vout as key, address,
      (select o.id from outgoing o where o.id = utxos.reserved_by and o.state <> 'abandoned') as "reservedBy" from utxos
    where network = ${network} and (transaction, vout) in (select split_part(k, ':', 1), split_part(k, ':', 2)::int from unnest(${keys}::text[]) k)
    order by array_position(${keys}::text[], transaction || ':' || vout) for update`.execute(tx)
  const taken = rows.find(({ reservedBy }) => reservedBy !== null)
  if (taken)
    throw new Error(
      `the coin ${taken.key} is reserved for ${taken.reservedBy}: wait until a final block shows which of the two was mined`,
    )
  if (rows.length === 0)
    throw new Error('none of the coins it spends is known here: read the blocks again that made them (bursar rescan)')
  await sql`update utxos set reserved_by = ${outgoingId} where network = ${network} and (transaction, vout) in (select split_part(k, ':', 1), split_part(k, ':', 2)::int from unnest(${keys}::text[]) k)`.execute(
    tx,
  )
  const moves = await spentMoves(
    tx,
    network,
    forms.map(({ hash }) => hash),
  )
  return { senders: [...new Set(rows.map(({ address }) => address))], moves }
}
