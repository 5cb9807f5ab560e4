import { NATIVE_TICKER } from '@bursar/chainkit'
import { sql } from 'kysely'
import {
  insertPlanned,
  nativeLedgerUnits,
  paymentCall,
  planEvm,
  takeExpected,
  type HotKey,
} from '../../chain/transactions/index.ts'
import { covers, readStops } from '../../ledger/stops/index.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { rescale } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { type HotMove, insertHotMove, type Member, movingFrom, readMembers } from './hot-wallet.ts'
import { type EvmPayoutDeps, type GasRate, gasRateOf, hotRow } from './payouts.ts'
import { costIn } from './terms.ts'

/** The spendable balance of a hot address in one asset, in ledger units, after all pending payments. */
export interface Stand {
  address: string
  units: bigint
}

type Move = Pick<HotMove, 'from' | 'to' | 'units'>

/**
 * Plans transfers between hot addresses, so that each can pay. If one address alone can't make the largest waiting
 * payment but all together can, the missing amount is moved to the address with the most. Otherwise each address below
 * half of an even share is filled up to that share by one that has more. Smaller differences remain, because every
 * transfer costs a fee.
 * @param need the largest waiting payment
 * @param worth the smallest amount worth a transfer
 */
export const planMoves = (stands: readonly Stand[], need: bigint, worth: bigint): Move[] => {
  const left = stands.map((stand) => ({ ...stand, units: stand.units > 0n ? stand.units : 0n }))
  const total = left.reduce((sum, { units }) => sum + units, 0n)
  const richest = left.toSorted(byUnits)[0]
  if (!richest || left.length < 2) return []
  if (need > richest.units) return need <= total ? gather(left, richest, need) : []
  return spread(left, total / BigInt(left.length), { keep: need, keeper: richest.address }, worth)
}

const byUnits = (a: Stand, b: Stand): number => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1)

const gather = (left: readonly Stand[], richest: Stand, need: bigint): Move[] => {
  const moves: Move[] = []
  let missing = need - richest.units
  for (const giver of left.toSorted(byUnits)) {
    if (giver.address === richest.address || missing === 0n) continue
    const units = giver.units < missing ? giver.units : missing
    if (units > 0n) moves.push({ from: giver.address, to: richest.address, units })
    missing -= units
  }
  return moves
}

/**
 * The address with the most keeps the amount of the largest payment, so that money that was gathered for it is not
 * moved away again.
 */
const spread = (
  left: Stand[],
  share: bigint,
  { keep, keeper }: { keep: bigint; keeper: string },
  worth: bigint,
): Move[] => {
  const floorOf = (address: string): bigint => (address === keeper && keep > share ? keep : share)
  const moves: Move[] = []
  for (const taker of left.filter(({ units }) => units * 2n < share)) {
    const giver = left.toSorted((a, b) =>
      byUnits({ ...a, units: a.units - floorOf(a.address) }, { ...b, units: b.units - floorOf(b.address) }),
    )[0]!
    const surplus = giver.units - floorOf(giver.address)
    const units = surplus < share - taker.units ? surplus : share - taker.units
    if (units <= 0n || units < worth) continue
    giver.units -= units
    taker.units += units
    moves.push({ from: giver.address, to: taker.address, units })
  }
  return moves
}

/** Gas of a token transfer, the most expensive kind of move. */
export const MOVE_GAS = 65_000n
/** To even out shares, an amount is moved only if it is worth at least this multiple of the maximum fee. */
const WORTH = 100n
/** Without a price, only the amount that a payment waits for is moved. */
const NEVER = 10n ** 60n

/**
 * Moves coin and tokens between the hot addresses of an EVM network, so that all of them can pay. Sweeps and the
 * operator's transfers all arrive at the first address.
 */
export const createRebalanceJob = (deps: EvmPayoutDeps, everyMs: number): Job => ({
  name: `rebalance ${deps.network}`,
  everyMs,
  run: async () => {
    const { runtime, network, hotKeys } = deps
    if (hotKeys.length < 2) return false
    // Only moves between these addresses: a first seed's own moves do not hold them up.
    const moving = [...(await movingFrom(runtime.db, network)).keys()]
    if (moving.some((sender) => hotKeys.some(({ address }) => sender.startsWith(`${address}/`)))) return false
    // Includes addresses that may send no more payments now, because others may lack funds meanwhile.
    const [members, rate] = await Promise.all([
      readMembers(
        deps,
        hotKeys.map((key) => ({ key })),
      ),
      gasRateOf(deps),
    ])
    if (members.length < hotKeys.length) return false
    const memberAt = (address: string): Member => members.find(({ key }) => key.address === address)!
    for (const move of await chooseMoves(deps, members, rate))
      await planHotMove(deps, { giver: memberAt(move.from), taker: memberAt(move.to).key, move, rate })
    return false
  },
})

const chooseMoves = async (deps: EvmPayoutDeps, members: readonly Member[], rate: GasRate): Promise<HotMove[]> => {
  const { runtime, network, catalogue } = deps
  const assets = catalogue.crypto.filter((asset) => asset.networks.has(network))
  const prices = await freshPrices(
    runtime.db,
    assets.map(({ ticker }) => ticker),
    new Date(runtime.clock.now()),
  )
  const [waiting, stopped] = await Promise.all([largestWaiting(deps), stoppedAssets(deps)])
  return assets.flatMap((asset) => {
    const { ticker } = asset
    if (stopped.has(ticker)) return []
    const fee = costIn(asset, network, MOVE_GAS * rate.maxFeePerGas, { catalogue, prices })
    const stands = members.map(({ key, hotBalance }) => ({ address: key.address, units: hotBalance.left(ticker) }))
    const need = waiting.get(ticker) ?? 0n
    const isCoin = ticker === NATIVE_TICKER[network] && need > 0n
    return planMoves(stands, isCoin ? need + (fee ?? 0n) : need, fee === undefined ? NEVER : fee * WORTH).map(
      (move) => ({ ...move, ticker }),
    )
  })
}

/** The largest waiting payment, by ticker. */
const largestWaiting = async ({ runtime, network }: EvmPayoutDeps): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<{ ticker: string; units: bigint }>`select ticker, max(units) as units from withdrawals
    where blockchain = ${network} and state = 'requested' and not internal group by 1`.execute(runtime.db)
  return new Map(rows.map(({ ticker, units }) => [ticker, units]))
}

/** Assets that a stop covers for all merchants: they are not moved. */
const stoppedAssets = async ({ runtime, network }: EvmPayoutDeps): Promise<ReadonlySet<string>> => {
  const stops = await readStops(runtime.db)
  return new Set(
    stops.flatMap((stop) =>
      stop.asset !== null && covers(stop, { asset: stop.asset, merchantId: null, network }) ? [stop.asset] : [],
    ),
  )
}

/** Plans a transfer from one hot address to another, unless it can't be paid now. Returns whether it did. */
export const planHotMove = async (
  deps: EvmPayoutDeps,
  { giver, taker, move, rate }: { giver: Member; taker: HotKey; move: HotMove; rate: GasRate },
): Promise<boolean> => {
  const { runtime, network, chainId, catalogue, adapter, policy } = deps
  const asset = catalogue.findCrypto(move.ticker)!
  const on = asset.networks.get(network)!
  // Amounts below the precision of the network are not moved.
  const units = rescale(move.units - (move.units % 10n ** BigInt(asset.scale - on.decimals)), asset.scale, on.decimals)
  const call = paymentCall({ to: move.to, units, contract: on.contract })
  const estimate = units > 0n ? await adapter.estimateGas({ from: move.from, ...call }) : undefined
  if (!estimate?.ok) return false
  const { networkFee } = planEvm({ network, chainId, nonce: 0, call, gas: estimate.gas, rate })
  const ledger = { ...move, units: rescale(units, on.decimals, asset.scale) }
  const fee = { ticker: NATIVE_TICKER[network], units: nativeLedgerUnits(catalogue, network, networkFee) }
  if (networkFee > policy.maxFee || giver.hotBalance.pay([ledger, fee]) !== undefined) return false
  await deps.pause('rebalance-chosen')
  class Taken extends Error {}
  return inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const nonce = await takeExpected(tx, network, move.from, giver.planned, moment.at)
    if (nonce === undefined) throw new Taken()
    const id = runtime.newId()
    const row = hotRow(network, giver.key, nonce)
    const signingKeys = [...row.signingKeys, { account: 'hot' as const, branch: 0 as const, index: taker.index }]
    const planned = planEvm({ network, chainId, nonce, call, gas: estimate.gas, rate })
    await insertPlanned(tx, { ...row, signingKeys, id, purpose: 'rebalance', ...planned, feeRate: rate }, moment)
    await insertHotMove(tx, id, network, ledger, moment.at)
    giver.planned += 1
    return true
  }).catch((error: unknown) => {
    if (error instanceof Taken) return false
    throw error
  })
}
