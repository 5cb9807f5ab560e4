import {
  bandwidthOf,
  type BlockReference,
  type Contract,
  type Prices,
  type Resources,
  type Usage,
} from '@bursar/chainkit/tron'
import type { ResourceSupply, TronChainAdapter } from '../../../adapters/chains/port.ts'
import { recentReference, tronCommitted, tronPayment } from '../../../chain/transactions/index.ts'
import type { TronSweepDeps, TronSweepPermission } from './deps.ts'
import type { TronFigures } from './choice.ts'

/** Figures shared by all sweeps of one run. The hot address's resources decrease with each planned step. */
export interface TronView {
  prices: Prices
  reference: BlockReference & { time: number }
  supply: ResourceSupply
  hot: {
    resources: Resources
    lendable: bigint
    sun: bigint
    /** number of transactions planned from it: those at the reading, and this run's since */
    planned: number
  }
  /** sun, by the signer's policy */
  maxTopUp: bigint
}

/** Reads these figures; undefined while the hot address is not activated, because nothing can be prepared. */
export const lookAround = async (
  { adapter, hotAddress, runtime, spendable }: TronSweepDeps,
  { mayDelegateEnergy, maxTopUp }: TronSweepPermission,
): Promise<TronView | undefined> => {
  const supply = await adapter.supplyFor(hotAddress)
  const prices = await adapter.feeRate()
  if (prices.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  if (!supply) return undefined
  const reference = await recentReference({ runtime, adapter })
  // The count first, then unmined transactions, then the chain: a plan of another job from now on changes the count,
  // and a transaction mined in between is subtracted twice, never not at all.
  const { sun, planned } = await spendable()
  const stake = (await tronCommitted(runtime.db, hotAddress)).unminedStake.ENERGY
  const [resources, lendable] = await Promise.all([adapter.resourcesOf(hotAddress), adapter.lendable(hotAddress)])
  return {
    prices,
    reference,
    supply,
    hot: { resources, lendable: mayDelegateEnergy && lendable > stake ? lendable - stake : 0n, sun, planned },
    maxTopUp,
  }
}

const LIFETIME_MS = 600_000
/** The largest fee limit, so that its encoding has the greatest length. */
const LONGEST_FEE_LIMIT = 15_000_000_000n

/** Returns the bytes of bandwidth that a transaction made now takes. */
export const bytesOf = (contract: Contract, { time, refBlockBytes, refBlockHash }: TronView['reference']): number =>
  bandwidthOf({
    refBlockBytes,
    refBlockHash,
    contract,
    expiration: time + LIFETIME_MS,
    timestamp: time,
    feeLimit: contract.kind === 'TriggerSmartContract' ? LONGEST_FEE_LIMIT : 0n,
  })

export interface TronTransfer {
  address: string
  contract: string
  /** the token's */
  units: bigint
}

export type TokenLook =
  | { ok: true; figures: TronFigures; usage: Usage; transfer: Contract }
  | { ok: false; message: string }

/** Returns the resources that a token transfer takes, and those that the address has. */
export const lookAtToken = async (
  { adapter, hotAddress }: TronSweepDeps,
  view: TronView,
  sweep: TronTransfer,
): Promise<TokenLook> => {
  const { address } = sweep
  const transfer = tronPayment({ from: address, to: hotAddress, units: sweep.units, contract: sweep.contract })
  const [cost, isActivated] = await Promise.all([adapter.estimateCost(transfer), adapter.isActivated(address)])
  if (!cost.ok) return { ok: false, message: cost.message }
  const figures: TronFigures = {
    prices: view.prices,
    usage: cost.usage,
    address: isActivated
      ? { isActivated, resources: await adapter.resourcesOf(address), sun: await sunOf(adapter, address) }
      : { isActivated, resources: { bandwidth: 0n, energy: 0n, freeBandwidth: view.supply.freeBandwidth }, sun: 0n },
    hot: { resources: view.hot.resources, lendable: view.hot.lendable },
    supply: view.supply,
    bytes: bytesOfPreparing(view, { from: hotAddress, to: address }),
  }
  return { ok: true, figures, usage: cost.usage, transfer }
}

/** Returns the TRX of an address in final blocks: newer TRX may be lost again. */
export const sunOf = async (adapter: TronChainAdapter, address: string): Promise<bigint> =>
  (await adapter.stakeOf(address)).spendable

/** An amount of the usual length. */
const SOME_SUN = 10_000_000_000n

const bytesOfPreparing = (
  { reference }: TronView,
  { from: owner, to }: { from: string; to: string },
): TronFigures['bytes'] => {
  const loan = { owner, resource: 'ENERGY', amount: SOME_SUN, receiver: to } as const
  return {
    topUp: bytesOf({ kind: 'TransferContract', owner, to, amount: SOME_SUN }, reference),
    activate: bytesOf({ kind: 'AccountCreateContract', owner, account: to }, reference),
    lend: bytesOf({ kind: 'DelegateResourceContract', ...loan, lock: false, lockPeriod: 0n }, reference),
    giveBack: bytesOf({ kind: 'UnDelegateResourceContract', ...loan }, reference),
  }
}
