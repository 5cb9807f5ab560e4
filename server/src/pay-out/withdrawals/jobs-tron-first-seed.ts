import { NATIVE_TICKER } from '@bursar/chainkit'
import { sql } from 'kysely'
import {
  inPayableForm,
  insertPlanned,
  isPlannedStill,
  planTron,
  recentReference,
  tronPayment,
  wasRefusedSince,
  type HotKey,
} from '../../chain/transactions/index.ts'
import { covers, readStops } from '../../ledger/stops/index.ts'
import type { CryptoAsset } from '../../market/assets/index.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { rescale } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { topUpFirstHot, type TronSweepPermission } from '../../treasury/sweeps/index.ts'
import { insertHotMove } from './hot-wallet.ts'
import { readHot, spendableSun, type Hot } from './jobs-tron.ts'
import type { TronPayoutDeps } from './payouts.ts'

const TRX = NATIVE_TICKER.TRON
/** sun that stay while the address has stake or loans: taking them back costs bandwidth, which it pays itself. */
const KEPT_WITH_STAKE = 5_000_000n

export interface TronFirstSeedDeps extends Omit<TronPayoutDeps, 'fromDeposits'> {
  /** derivation index of the key of `hotAddress` */
  hotIndex: number
  /** the hot address of the first seed */
  firstHot: HotKey
  /** the assets that the signer would sign sweeps of */
  allowed(): Promise<TronSweepPermission>
}

/**
 * Creates the job that moves everything at the hot address of the first seed to that of the second
 * (docs/decisions/0210): tokens first, because the TRX pays for their transfers. Amounts that earlier payments still
 * take stay there, and one transfer of an asset is under way at a time.
 */
export const createTronFirstSeedJob = (deps: TronFirstSeedDeps, everyMs: number): Job => ({
  name: 'empty the first seed TRON',
  everyMs,
  run: async () => {
    const { runtime, firstHot, adapter, allowed } = deps
    const permission = await allowed()
    const assets = await movable(deps, permission)
    if (assets.length === 0) return false
    if (await wasRefused(runtime)) return false
    const reference = await recentReference(deps)
    // Before the balances: a transfer that becomes final in between is not planned twice.
    const moving = await movingFrom(runtime.db, firstHot.address)
    const hot = await readHot(
      { ...deps, hotAddress: firstHot.address },
      assets.map(({ ticker }) => ticker),
    )
    const tickers = assets.map(({ ticker }) => ticker)
    const prices = await freshPrices(runtime.db, [...new Set([TRX, ...tickers])], new Date(runtime.clock.now()))
    const round: Round = {
      ...hot,
      reference,
      prices,
      kept: await keptSun(deps),
      maxTopUp: permission.maxTopUp,
      isShort: false,
    }
    if (!(await adapter.isActivated(firstHot.address))) return false
    for (const asset of assets) {
      if (moving.has(asset.ticker)) continue
      if ((await moveOne(deps, asset, round)) === 'overtaken') return true
    }
    return false
  },
})

/** After a refusal of the signer nothing is planned for a minute: an alert is raised, and its policy may be changed. */
const REFUSED_PAUSE_MS = 60_000

const wasRefused = async (runtime: TronFirstSeedDeps['runtime']): Promise<boolean> => {
  const since = new Date(momentOf(runtime).at.getTime() - REFUSED_PAUSE_MS)
  const { rows } = await sql<{ was: boolean }>`select ${wasRefusedSince('TRON', 'rebalance', since)} as was`.execute(
    runtime.db,
  )
  return rows[0]!.was
}

interface Round extends Hot {
  reference: Awaited<ReturnType<typeof recentReference>>
  /** of a whole unit, in 1e-18 USD, by ticker */
  prices: ReadonlyMap<string, bigint>
  /** sun that stay */
  kept: bigint
  /** sun, by the signer's policy */
  maxTopUp: bigint
  /** a token waits for TRX: what is there must not leave */
  isShort: boolean
}

/** The assets that the signer would move and no stop covers, TRX last. */
const movable = async (
  { runtime, catalogue }: TronFirstSeedDeps,
  { assets }: TronSweepPermission,
): Promise<CryptoAsset[]> => {
  const stops = await readStops(runtime.db)
  return catalogue.crypto
    .filter(({ ticker, networks }) => networks.has('TRON') && assets.has(ticker))
    .filter(({ ticker }) => !stops.some((stop) => covers(stop, { asset: ticker, merchantId: null, network: 'TRON' })))
    .toSorted((a, b) => Number(a.ticker === TRX) - Number(b.ticker === TRX))
}

const keptSun = async ({ adapter, firstHot }: TronFirstSeedDeps): Promise<bigint> => {
  const { staked, lent, unfreezing } = await adapter.stakeOf(firstHot.address)
  const isBound = [...Object.values(staked), ...Object.values(lent)].some((sun) => sun > 0n) || unfreezing.length > 0
  return isBound ? KEPT_WITH_STAKE : 0n
}

/** Tickers of which a transfer from an address is not final. */
const movingFrom = async (db: Db, address: string): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ asset: string }>`select m.asset from hot_moves m join outgoing o on o.id = m.id
    where m.network = 'TRON' and m.from_address = ${address} and o.state in ('planned', 'signed', 'broadcast', 'mined')`.execute(
    db,
  )
  return new Set(rows.map(({ asset }) => asset))
}

const moveOne = async (deps: TronFirstSeedDeps, asset: CryptoAsset, round: Round): Promise<'overtaken' | undefined> => {
  const { runtime, catalogue, adapter, firstHot, hotAddress, policy } = deps
  const { decimals, contract: token } = asset.networks.get('TRON')!
  const native = catalogue.findCrypto(TRX)!
  const inLedger = (sun: bigint): bigint => rescale(sun, native.networks.get('TRON')!.decimals, native.scale)
  const left = round.balance.left(asset.ticker) - (token === null ? inLedger(round.kept) : 0n)
  if (left <= 0n || (token === null && round.isShort)) return undefined
  // Amounts below the precision of the network are not moved.
  const all = rescale(left - (left % 10n ** BigInt(asset.scale - decimals)), asset.scale, decimals)
  const transferOf = (units: bigint) =>
    inPayableForm(adapter, tronPayment({ from: firstHot.address, to: hotAddress, units, contract: token }))
  const [cost, rate] = await Promise.all([adapter.estimateCost(await transferOf(all)), adapter.feeRate()])
  if (rate.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  if (!cost.ok) {
    runtime.log.warn({ asset: asset.ticker, why: cost.message }, 'money of the first seed on TRON can not be moved now')
    return undefined
  }
  // A transfer of TRX pays its own fee out of the amount.
  const units = token === null ? all - cost.burn.total : all
  if (units <= 0n || !isWorth(deps, round, asset, units, cost.burn.total)) return undefined
  const id = runtime.newId()
  const { reference } = round
  const plan = planTron({ id, contract: await transferOf(units), reference, usage: cost.usage, prices: rate })
  const moved = rescale(units, decimals, asset.scale)
  const fee = inLedger(token === null ? cost.burn.total : plan.networkFee)
  if (plan.networkFee > policy.maxFee) {
    runtime.log.warn(
      { asset: asset.ticker, fee: plan.networkFee },
      'money of the first seed waits: its fee is too high',
    )
    return undefined
  }
  if (
    round.balance.pay([
      { ticker: asset.ticker, units: moved },
      { ticker: TRX, units: fee },
    ]) !== undefined
  )
    return topUp(deps, round, plan.networkFee, inLedger)
  return inTransaction(runtime.db, async (tx) => {
    if (!(await isPlannedStill(tx, 'TRON', firstHot.address, round.planned))) return 'overtaken'
    const moment = momentOf(runtime)
    await insertPlanned(
      tx,
      {
        id,
        network: 'TRON',
        purpose: 'rebalance',
        senders: [firstHot.address],
        nonce: null,
        keys: [],
        ...plan,
        feeRate: { ...rate, ...cost.usage },
        signingKeys: [{ account: 'hot', branch: 0, index: firstHot.index }],
      },
      moment,
    )
    await insertHotMove(
      tx,
      id,
      'TRON',
      { from: firstHot.address, to: hotAddress, ticker: asset.ticker, units: moved },
      moment.at,
    )
    round.planned += 1
    return undefined
  })
}

/** Whether the amount is worth more than the fee burns. Without prices it counts as worth it: a thief may take it. */
const isWorth = (
  { catalogue }: TronFirstSeedDeps,
  { prices }: Round,
  { ticker, scale, networks }: CryptoAsset,
  units: bigint,
  burnt: bigint,
): boolean => {
  if (ticker === TRX) return units > burnt
  const native = catalogue.findCrypto(TRX)!
  const [price, coin] = [prices.get(ticker), prices.get(TRX)]
  if (price === undefined || coin === undefined) return true
  const value = (price * rescale(units, networks.get('TRON')!.decimals, scale)) / 10n ** BigInt(scale)
  const cost =
    (coin * rescale(burnt, native.networks.get('TRON')!.decimals, native.scale)) / 10n ** BigInt(native.scale)
  return value > cost
}

/**
 * Gives the address the TRX that a transfer of a token may burn, within the signer's limit for one top-up. Until that
 * has arrived, the TRX that is there stays.
 */
const topUp = async (
  deps: TronFirstSeedDeps,
  round: Round,
  fee: bigint,
  inLedger: (sun: bigint) => bigint,
): Promise<undefined> => {
  const missing = inLedger(fee) - round.balance.left(TRX)
  const native = deps.catalogue.findCrypto(TRX)!
  const sun = rescale(missing, native.scale, native.networks.get('TRON')!.decimals)
  if (sun <= 0n || sun > round.maxTopUp) return undefined
  const outcome = await topUpFirstHot({ ...deps, spendable: () => spendableSun(deps) }, deps.firstHot.address, sun)
  round.isShort ||= outcome !== 'too-poor'
  return undefined
}
