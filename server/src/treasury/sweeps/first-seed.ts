import { NATIVE_TICKER, SECOND_SEED, type EvmNetwork } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import { isOfReplacedSeed } from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'

/*
 * Money at addresses of a first seed that a second has replaced (docs/decisions/0210). A holder of the first seed can
 * take it until it is at a hot address of the second, in a final block.
 */

/** A row `h` of `house_transfers` to a hot address of the second seed. */
const ARRIVES = sql`exists (select from house_addresses k where k.family = 'EVM' and k.address = h.to_address
  and k.account = 'hot' and k.derivation_index >= ${SECOND_SEED})`

/**
 * SQL that is true for a deposit `d` on an EVM chain, at an address of a replaced first seed, whose money has not
 * reached the second seed. The transfers from its address to the second seed after its block cover the newest deposits
 * first, each unit once. Coin covers less than it brought by the fees of our transactions that the address sent, at
 * most their caps. A sum of small deposits is as safe as each of them.
 */
export const isOpenToFirstSeed = (
  network: EvmNetwork,
  finalHeight: number,
  catalogue: Catalogue,
): RawBuilder<boolean> => sql<boolean>`(exists (select from addresses a where a.family = 'EVM' and a.address = d.address
    and ${isOfReplacedSeed('EVM', sql`a.derivation_index`)})
  and case when d.index like 's:%' then exists (select from deposits p where p.merchant_id = d.merchant_id
      and p.summed_in = d.id and not ${isSafe(sql`p`, network, finalHeight, catalogue)})
    else not ${isSafe(sql`d`, network, finalHeight, catalogue)} end)`

/** Whether the transfers to the second seed up to one of them, `j`, cover the deposit and all that came after it. */
const isSafe = (
  deposit: RawBuilder<unknown>,
  network: EvmNetwork,
  finalHeight: number,
  catalogue: Catalogue,
): RawBuilder<boolean> => {
  const at = sql`network = ${network} and x.asset = ${deposit}.asset`
  return sql<boolean>`exists (
    select from (select distinct h.block_height as height from house_transfers h where h.network = ${network}
      and h.from_address = ${deposit}.address and h.asset = ${deposit}.asset and h.block_height > ${deposit}.block_height
      and h.block_height <= ${finalHeight} and ${ARRIVES}) j
    where (select sum(h.units) from house_transfers h where h.network = ${network} and h.from_address = ${deposit}.address
          and h.asset = ${deposit}.asset and h.block_height > ${deposit}.block_height and h.block_height <= j.height and ${ARRIVES})
        + ${feesOf(deposit, network, catalogue)}
      >= (select sum(x.units) from deposits x where x.merchant_id = ${deposit}.merchant_id and x.${at} and x.address = ${deposit}.address
          and not x.internal and x.index not like 's:%' and x.block_height >= ${deposit}.block_height and x.block_height <= j.height)
        + (select coalesce(sum(x.units), 0) from house_transfers x where x.${at} and x.to_address = ${deposit}.address
          and x.block_height >= ${deposit}.block_height and x.block_height <= j.height))`
}

/** The caps on the fees of our mined transactions that the address of a deposit of coin sent since its block. */
const feesOf = (deposit: RawBuilder<unknown>, network: EvmNetwork, catalogue: Catalogue): RawBuilder<unknown> => {
  const coin = catalogue.findCrypto(NATIVE_TICKER[network])
  const decimals = coin?.networks.get(network)?.decimals
  if (!coin || decimals === undefined) return sql`0`
  const factor = (10n ** BigInt(coin.scale - decimals)).toString()
  return sql`case when ${deposit}.asset <> ${coin.ticker} then 0 else (
    select coalesce(sum(t.network_fee), 0) * ${factor}::numeric from outgoing o
    join outgoing_attempts t on t.outgoing_id = o.id and t.hash = o.mined_hash
    where o.network = ${network} and o.senders[1] = ${deposit}.address and o.mined_height > ${deposit}.block_height
      and o.mined_height <= j.height) end`
}

/** Payments of gas to addresses of the first seed that one network may lose in a day. */
const MOST_LOST = 10
const DAY_MS = 24 * 60 * 60_000

/**
 * Counts the payments of gas to addresses of the first seed, within a day, whose sweep is not final: a holder of that
 * seed may have taken them.
 */
export const gasAtStake = async (
  db: Db,
  network: EvmNetwork,
  address: string,
  now: Date,
): Promise<{ isSpent: boolean; addressHasOne: boolean; count: number; most: number }> => {
  const since = new Date(now.getTime() - DAY_MS)
  const { rows } = await sql<{ address: string }>`select distinct on (s.funding_id) s.address from sweeps s
    where s.network = ${network} and s.funding_id is not null and s.created_at > ${since}
      and ${isOfReplacedSeed('EVM', sql`s.derivation_index`)}
      and not exists (select from sweeps f where f.funding_id = s.funding_id and f.state = 'final')`.execute(db)
  return {
    isSpent: rows.length >= MOST_LOST,
    addressHasOne: rows.some((row) => row.address === address),
    count: rows.length,
    most: MOST_LOST,
  }
}

/** Returns the recorded balances of addresses of a replaced seed on EVM chains, in ledger units. */
export const leftAtFirstSeed = async (db: Db): Promise<{ network: EvmNetwork; asset: string; units: bigint }[]> => {
  const { rows } = await sql<{ network: EvmNetwork; asset: string; units: bigint }>`
    select c.network, c.asset, sum(c.booked) as units from custody_addresses c
    where c.network in ('ETHEREUM', 'BINANCE_SMART_CHAIN') and c.booked > 0 and (
      exists (select from addresses a where a.family = 'EVM' and a.address = c.address
        and ${isOfReplacedSeed('EVM', sql`a.derivation_index`)})
      or exists (select from house_addresses k where k.family = 'EVM' and k.address = c.address and k.account = 'hot'
        and ${isOfReplacedSeed('EVM', sql`k.derivation_index`)}))
    group by c.network, c.asset order by c.network, c.asset`.execute(db)
  return rows
}
