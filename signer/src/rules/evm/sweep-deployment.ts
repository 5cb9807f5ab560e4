import type { UnsignedTransaction } from '@bursar/chainkit/evm'
import { Refusal } from '../../protocol/refusal.ts'
import { ordinary } from './sweep-world.ts'
import type { Judged, SweepWorld } from './sweep-world.ts'

/**
 * Puts one of the contracts of sweeps on the chain. Its code, the treasury in it included, is what chainkit says and
 * nothing else.
 */
export function judgeDeployment(transaction: UnsignedTransaction, world: SweepWorld): Judged {
  const { value, data } = transaction
  if (world.keys.length > 1) throw new Refusal('key-mismatch', 'A deployment names the key of its sender only')
  if (value !== 0n) throw new Refusal('amount-mismatch', 'A deployment sends no coin')
  const known = Object.values(world.sweep.contracts).some(({ deployment }) => deployment.data === data)
  if (!known) throw new Refusal('unknown-output', 'What is to be deployed is none of the contracts of sweeps')
  return ordinary(transaction, world)
}
