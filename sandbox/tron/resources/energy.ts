/**
 * Computes who pays for the energy of a contract's code: the creator's stake pays its configured share, the caller's
 * stake the rest, and TRX the remainder. Source: java-tron VMActuator and ReceiptCapsule.
 */
import type { Address } from '../address.ts'
import type { Context } from '../contracts/context.ts'
import { accountAt, putAccount, requireAccount } from '../state/account.ts'
import { leftOf } from './stake.ts'
import { use } from './usage.ts'

export interface EnergyPlan {
  readonly caller: Address
  readonly creator: Address
  /** The caller's share of the cost of each call, in percent. */
  readonly callerPercent: bigint
  /** The most the creator pays of one call. */
  readonly creatorLimit: bigint
}

export interface EnergyBill {
  readonly energyUsage: bigint
  readonly energyFee: bigint
  readonly originEnergyUsage: bigint
}

/** Returns the maximum energy of a call: the amount that the fee limit allows the caller, plus the creator's share. */
export const energyLimit = (context: Context, plan: EnergyPlan, feeLimit: bigint, callValue: bigint): bigint => {
  const { state, values, slot } = context
  const caller = requireAccount(state, plan.caller)
  const price = values.getEnergyFee
  const spare = caller.balance > callValue ? caller.balance - callValue : 0n
  const own = least(leftOf(state, caller, 'ENERGY', slot) + spare / price, feeLimit / price)
  const creator = plan.creator === plan.caller ? undefined : accountAt(state, plan.creator)
  if (creator === undefined || plan.callerPercent >= 100n) return own
  const most = least(leftOf(state, creator, 'ENERGY', slot), plan.creatorLimit)
  return own + (plan.callerPercent <= 0n ? most : least((own * (100n - plan.callerPercent)) / plan.callerPercent, most))
}

/** Charges the used energy. The limit above ensures that the caller can pay. */
export const payEnergy = (context: Context, plan: EnergyPlan, energy: bigint): EnergyBill => {
  const { state, values, slot } = context
  let originEnergyUsage = 0n
  const creator = plan.creator === plan.caller ? undefined : accountAt(state, plan.creator)
  if (creator !== undefined && energy > 0n) {
    const promised = (energy * (100n - plan.callerPercent)) / 100n
    originEnergyUsage = least(promised, least(leftOf(state, creator, 'ENERGY', slot), plan.creatorLimit))
    putAccount(state, plan.creator, {
      ...creator,
      usage: { ...creator.usage, ENERGY: use(creator.usage.ENERGY, originEnergyUsage, slot) },
    })
  }
  const caller = requireAccount(state, plan.caller)
  const rest = energy - originEnergyUsage
  const energyUsage = least(rest, leftOf(state, caller, 'ENERGY', slot))
  const energyFee = (rest - energyUsage) * values.getEnergyFee
  if (caller.balance < energyFee) throw new Error(`${plan.caller} can't pay ${energyFee} for energy`)
  const usage = { ...caller.usage, ENERGY: use(caller.usage.ENERGY, energyUsage, slot) }
  putAccount(state, plan.caller, { ...caller, balance: caller.balance - energyFee, operated: context.now, usage })
  return { energyUsage, energyFee, originEnergyUsage }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
