import { COIN, decodeTransfer } from '@bursar/chainkit/evm'
import type { UnsignedTransaction } from '@bursar/chainkit/evm'
import { Refusal } from '../../protocol/refusal.ts'
import { ordinary, requireTicker } from './sweep-world.ts'
import type { Judged, SweepWorld } from './sweep-world.ts'

/** Judges a top-up: coin for the gas of the deposit address whose key is the second one named. */
export function judgeTopUp(transaction: UnsignedTransaction, world: SweepWorld): Judged {
  const { to, value, data } = transaction
  const [, address, ...more] = world.addresses
  if (!address || more.length > 0) throw new Refusal('key-mismatch', 'A top-up names the keys of sender and receiver')
  if (to !== address) throw new Refusal('destination-mismatch', `The key named has ${address}; ${to} would be paid`)
  if (data !== '0x') throw new Refusal('unknown-output', 'A top-up carries no data')
  if (value > world.sweep.maxTopUp) {
    throw new Refusal('limit', `${value} wei is above ${world.sweep.maxTopUp}, the most for one top-up`)
  }
  return { ...ordinary(transaction, world), spent: value }
}

/** Judges a payment of a deposit address to the treasury. */
export function judgeDirect(transaction: UnsignedTransaction, world: SweepWorld): Judged {
  const { to, value, data } = transaction
  const { policy, sweep, addresses } = world
  if (addresses.length > 1) throw new Refusal('key-mismatch', 'A deposit address pays the treasury by itself')
  if (data === '0x') {
    requireTicker(COIN, policy)
    if (to !== sweep.treasury) throw new Refusal('destination-mismatch', `Sweeps go to ${sweep.treasury}, not ${to}`)
    return ordinary(transaction, world)
  }
  if (value !== 0n) throw new Refusal('amount-mismatch', 'A token payment sends no native coin')
  requireTicker(to, policy)
  const transfer = decodeTransfer(data)
  if (!transfer) throw new Refusal('unknown-output', 'The call is not exactly transfer(address,uint256)')
  if (transfer.to !== sweep.treasury) {
    throw new Refusal('destination-mismatch', `Sweeps go to ${sweep.treasury}, not ${transfer.to}`)
  }
  return ordinary(transaction, world)
}
