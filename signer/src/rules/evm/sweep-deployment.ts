import type { UnsignedTransaction } from '@bursar/chainkit/evm'
import { Refusal } from '../../protocol/refusal.ts'
import { ordinary } from './sweep-world.ts'
import type { Judged, SweepWorld } from './sweep-world.ts'

/** Judges the deployment of a sweep contract. Its code, including the treasury, must be exactly that of chainkit. */
export function judgeDeployment(transaction: UnsignedTransaction, world: SweepWorld): Judged {
  const { value, data } = transaction
  if (world.keys.length > 1) throw new Refusal('key-mismatch', 'A deployment names the key of its sender only')
  if (value !== 0n) throw new Refusal('amount-mismatch', 'A deployment sends no coin')
  const known = Object.values(world.sweep.contracts).some(({ deployment }) => deployment.data === data)
  if (!known) throw new Refusal('unknown-output', 'The deployed code is none of the sweep contracts')
  return ordinary(transaction, world)
}
