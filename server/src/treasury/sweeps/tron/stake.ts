import type { Contract, Resources } from '@bursar/chainkit/tron'
import type { ResourceSupply, Stake, TronChainAdapter } from '../../../adapters/chains/port.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import {
  insertPlanned,
  isPlannedStill,
  recentReference,
  tronCommitted,
  type TronCommitted,
} from '../../../chain/transactions/index.ts'
import { momentOf, type Runtime } from '../../../platform/runtime/runtime.ts'
import type { SpendableSun } from './deps.ts'
import { openLoansOf, type OpenLoan } from './loans.ts'
import { byHot } from './plans.ts'

/**
 * An operator's order for the stake of the hot address. `withdraw` collects unstaked TRX whose waiting time is over.
 */
export type StakeOrder =
  | { kind: 'stake' | 'unstake'; resource: 'ENERGY' | 'BANDWIDTH'; sun: bigint }
  | { kind: 'withdraw' }

export interface StakeDeps {
  runtime: Runtime
  adapter: TronChainAdapter
  hotAddress: string
  spendable(): Promise<SpendableSun>
}

/** FreezeBalanceV2Contract and UnfreezeBalanceV2Contract */
const LEAST_SUN = 1_000_000n
/** `MAX_UNFREEZE` of java-tron */
const MOST_UNFREEZING = 32

const contractOf = (owner: string, order: StakeOrder): Contract => {
  if (order.kind === 'withdraw') return { kind: 'WithdrawExpireUnfreezeContract', owner }
  const { resource, sun: amount } = order
  return order.kind === 'stake'
    ? { kind: 'FreezeBalanceV2Contract', owner, amount, resource }
    : { kind: 'UnfreezeBalanceV2Contract', owner, amount, resource }
}

/**
 * Plans the transaction of an order, which is then processed like all others. Refuses an order that the chain would
 * refuse. Reads all figures again when another job has planned from the hot address meanwhile.
 */
export const orderStake = async (deps: StakeDeps, order: StakeOrder): Promise<{ id: string } | { refused: string }> => {
  const { runtime, adapter, hotAddress } = deps
  const [prices, reference] = await Promise.all([adapter.feeRate(), recentReference(deps)])
  const { sun, planned } = await deps.spendable()
  const leaving = (await tronCommitted(runtime.db, hotAddress)).stake
  const stake = await adapter.stakeOf(hotAddress)
  if (prices.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  const outgoing = byHot(deps, { prices, reference }, contractOf(hotAddress, order), 'resources')
  const refused = refusalOf(order, stake, {
    time: reference.time,
    left: sun - outgoing.networkFee,
    leaving,
  })
  if (refused !== undefined) return { refused }
  const isStored = await inTransaction(runtime.db, async (tx) => {
    if (!(await isPlannedStill(tx, 'TRON', hotAddress, planned))) return false
    await insertPlanned(tx, outgoing, momentOf(runtime))
    return true
  })
  return isStored ? { id: outgoing.id } : orderStake(deps, order)
}

const refusalOf = (
  order: StakeOrder,
  { staked, unfreezing }: Stake,
  { time, left, leaving }: { time: number; left: bigint; leaving: TronCommitted['stake'] },
): string | undefined => {
  if (left < 0n) return 'the hot wallet has no TRX for the fee'
  if (order.kind === 'withdraw')
    return unfreezing.some(({ at }) => at <= time) ? undefined : 'nothing has waited long enough yet'
  if (order.sun < LEAST_SUN) return 'TRON stakes 1 TRX at least'
  if (order.kind === 'stake')
    return order.sun > left ? `the hot wallet can spare ${left} sun after its unmined transactions` : undefined
  if (unfreezing.length >= MOST_UNFREEZING) return `TRON lets ${MOST_UNFREEZING} amounts wait at most: withdraw first`
  const free = staked[order.resource] - leaving[order.resource]
  return order.sun > free ? `${free} sun are staked for it, not lent, and not about to be lent or unstaked` : undefined
}

/** State of the hot address's stake, in sun and units of energy and bandwidth. */
export interface StakeState {
  stake: Stake
  resources: Resources
  /** null while the address is not activated */
  supply: ResourceSupply | null
  /** sun of stake for energy that can be lent now */
  lendable: bigint
  loans: OpenLoan[]
}

export const readStakeState = async ({
  runtime,
  adapter,
  hotAddress,
}: Omit<StakeDeps, 'spendable'>): Promise<StakeState> => {
  const [stake, resources, supply, lendable] = await Promise.all([
    adapter.stakeOf(hotAddress),
    adapter.resourcesOf(hotAddress),
    adapter.supplyFor(hotAddress),
    adapter.lendable(hotAddress),
  ])
  return { stake, resources, supply, lendable, loans: await openLoansOf(runtime.db) }
}
