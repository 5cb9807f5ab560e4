/** Another branch of a simulated EVM chain. */
import { RpcError, type Rpc } from '../../../../sandbox/rpc.ts'
import type { Random } from '../../../../sandbox/random.ts'
import type { Mined, Outsiders } from './outsiders.ts'

/** How often a transaction stays in its block, and otherwise comes in a later one. */
export const STAYS = 0.8
export const COMES_LATER = 0.5

interface Order {
  depth: number
  lost: readonly string[]
  outsiders: Outsiders
  random: Random
  stays: number
  comesLater: number
  /** Called when the blocks are gone, before others are mined. */
  onRewound(): Promise<void>
}

/**
 * Replaces the newest `depth` blocks by one more. A payer's transaction in `lost` gives way to another one of its
 * nonce. Each other one stays in its block, comes in a later one, or waits again; those of one account keep their
 * order. What the new branch does not allow is dropped, as nodes do.
 */
export const reorganiseEvm = async (rpc: Rpc, order: Order): Promise<void> => {
  const { depth, random, onRewound } = order
  const plan = await planBranch(rpc, order)
  // The same transactions in the same second would make the same blocks.
  await rpc('anvil_setCoinbase', `0x${random.bytes(20).toString('hex')}`)
  const waiting = await rpc<string[]>('sandbox_rewind', depth)
  await onRewound()
  for (const raws of plan.slice(0, depth + 1)) {
    for (const raw of raws) await hand(rpc, raw)
    await rpc('evm_mine')
  }
  for (const raw of [...plan[depth + 1]!, ...waiting]) await hand(rpc, raw)
}

const hand = async (rpc: Rpc, raw: string): Promise<void> => {
  await rpc('eth_sendRawTransaction', raw).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error
  })
}

/** @returns raw transactions of each block of the branch, and at last those that wait */
const planBranch = async (rpc: Rpc, order: Order): Promise<string[][]> => {
  const { depth, lost, outsiders } = order
  const plan: string[][] = Array.from({ length: depth + 2 }, () => [])
  const head = Number(await rpc<string>('eth_blockNumber'))
  /** by sender: the place before which none of its later transactions may be */
  const earliest = new Map<string, number>()
  for (let at = 0; at < depth; at += 1) {
    const height = `0x${(head - depth + 1 + at).toString(16)}`
    const { transactions } = await rpc<{ transactions: Mined[] }>('eth_getBlockByNumber', height, true)
    for (const transaction of transactions) {
      const { hash, from } = transaction
      const other = lost.includes(hash) ? await outsiders.instead(transaction) : undefined
      const place = Math.max(earliest.get(from) ?? 0, other === undefined ? placeOf(order, at) : at)
      earliest.set(from, place)
      plan[place]!.push(other ?? (await rpc<string>('eth_getRawTransactionByHash', hash)))
    }
  }
  return plan
}

const placeOf = ({ random, depth, stays, comesLater }: Order, at: number): number => {
  if (random.chance(stays)) return at
  return random.chance(comesLater) ? at + 1 : depth + 1
}
