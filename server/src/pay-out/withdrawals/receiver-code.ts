import type { Contract } from '@bursar/chainkit/tron'
import type { CostEstimate } from '../../adapters/chains/port.ts'

/**
 * A receiver's code runs at our cost, and a withdrawal's fee is that of a plain payment: what takes more energy is not
 * paid.
 */
const MOST_ENERGY = 50_000n

/**
 * The estimate of a payment of TRX, or a refusal where the receiver is a contract whose code may take too much. The
 * bound holds for what the fee limit would allow, not for what the call took in the estimate: a contract can let calls
 * pass only with much energy at hand (so that `estimateenergy` answers a high limit, `Wallet.estimateEnergy` of
 * java-tron), and burn all of it once it is paid.
 */
export const boundedForReceiver = (contract: Contract, cost: CostEstimate): CostEstimate => {
  if (!cost.ok || !runsReceiverCode(contract)) return cost
  const { energy, energyLimit = energy } = cost.usage
  const most = energyLimit > energy ? energyLimit : energy
  if (most <= MOST_ENERGY) return cost
  return {
    ok: false,
    reason: 'reverted',
    message: `its receiver is a contract that takes up to ${most} energy, and at most ${MOST_ENERGY} is paid for`,
  }
}

export const runsReceiverCode = (contract: Contract): boolean =>
  contract.kind === 'TriggerSmartContract' && contract.callValue > 0n
