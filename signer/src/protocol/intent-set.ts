import { createHash } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import type { Intent } from './protocol.ts'

/** Names a set of intents, regardless of order: empty for none, the id for one, a hash for more. */
export function nameOfSet(intents: readonly Intent[]): string {
  const ids = intents.map(({ id }) => id).toSorted()
  if (ids.length <= 1) return ids[0] ?? ''
  return createHash('sha256').update(ids.join('\n')).digest('hex')
}

/** States the contents of an intent, which never change, in one line. */
export function contentsOf(network: Network, { asset, to, units }: Intent): string {
  return `${units} ${asset} to ${to} on ${network}`
}
