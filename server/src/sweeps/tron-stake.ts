import type { Contract } from '@bursar/chainkit/tron'
import type { TronChainAdapter } from '../adapters/chains/port.ts'
import type { NewOutgoing } from '../outgoing/index.ts'
import type { Runtime } from '../platform/runtime.ts'
import { byHot } from './tron-plans.ts'

/** What the operator has done with the hot address's stake. `withdraw` fetches what has waited long enough. */
export type StakeOrder = { kind: 'stake' | 'unstake'; resource: 'ENERGY' | 'BANDWIDTH'; sun: bigint } | { kind: 'withdraw' }

const contractOf = (owner: string, order: StakeOrder): Contract => {
  if (order.kind === 'withdraw') return { kind: 'WithdrawExpireUnfreezeContract', owner }
  const { resource, sun: amount } = order
  return order.kind === 'stake'
    ? { kind: 'FreezeBalanceV2Contract', owner, amount, resource }
    : { kind: 'UnfreezeBalanceV2Contract', owner, amount, resource }
}

/** The transaction that does it, to be signed and sent like all others. */
export const planStake = async (
  deps: { runtime: Pick<Runtime, 'newId'>; adapter: TronChainAdapter; hotAddress: string },
  order: StakeOrder,
): Promise<NewOutgoing> => {
  const [prices, reference] = await Promise.all([deps.adapter.feeRate(), deps.adapter.reference()])
  if (prices.kind !== 'resources') throw new Error('a node of TRON tells prices of its resources')
  return byHot(deps, { prices, reference }, contractOf(deps.hotAddress, order), 'resources')
}
