/** Another branch of the simulated Bitcoin chain. */
import { RpcError, type Rpc } from '../../../../sandbox/rpc.ts'
import type { Random } from '../../../../sandbox/random.ts'
import { newOutsideAddress, type Payers } from './payers.ts'

const STAYS = 0.8
const COMES_LATER = 0.5

interface Shown {
  txid: string
  hex: string
  vin: { txid?: string }[]
}

interface Order {
  depth: number
  lost: readonly string[]
  payers: Payers
  random: Random
  /** everything but what is in `lost` waits again */
  othersWait: boolean
}

/**
 * Replaces the newest `depth` blocks by one more. The coins of a payment in `lost` are spent otherwise, and what spends
 * its outputs falls with it. Each other transaction stays in its block, comes in a later one, or waits again, never
 * before one that it spends.
 */
export const reorganiseBitcoin = async (rpc: Rpc, order: Order): Promise<void> => {
  const { depth, random } = order
  const tip = Number(await rpc<string>('getblockcount'))
  const { blocks, waiting } = await planBranch(rpc, order, tip)
  const pool = await poolOf(rpc)
  await rpc('invalidateblock', await rpc('getblockhash', tip - depth + 1))
  // Another address makes other blocks: the same ones again would be known as invalid.
  const address = newOutsideAddress(random)
  for (const raws of blocks) {
    await rpc('generateblock', address, raws).catch(async (error: unknown) => {
      if (!(error instanceof RpcError)) throw error
      // Something does not fit together any more: it waits.
      await rpc('generateblock', address, [])
      waiting.push(...raws)
    })
  }
  // The node drops transactions that may not be in so low a block; their senders send them again.
  for (const raw of [...waiting, ...pool])
    await rpc('sendrawtransaction', raw).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error
    })
}

/** Raw transactions of the pool, each after those that it spends. */
export const poolOf = async (rpc: Rpc): Promise<string[]> => {
  const pool = await rpc<Record<string, { ancestorcount: string }>>('getrawmempool', true)
  const inOrder = Object.entries(pool).toSorted(
    ([one, a], [other, b]) => Number(a.ancestorcount) - Number(b.ancestorcount) || (one < other ? -1 : 1),
  )
  const raws: string[] = []
  for (const [txid] of inOrder) raws.push(await rpc<string>('getrawtransaction', txid))
  return raws
}

/** @returns raw transactions of each block of the branch, and those that wait */
const planBranch = async (
  rpc: Rpc,
  { depth, lost, payers, random, othersWait }: Order,
  tip: number,
): Promise<{ blocks: string[][]; waiting: string[] }> => {
  const plan: string[][] = Array.from({ length: depth + 2 }, () => [])
  /** in which block of the branch a transaction is; undefined: it falls */
  const places = new Map<string, number | undefined>()
  for (let at = 0; at < depth; at += 1) {
    const hash = await rpc<string>('getblockhash', tip - depth + 1 + at)
    const { tx } = await rpc<{ tx: Shown[] }>('getblock', hash, 2)
    for (const { txid, hex, vin } of tx.slice(1)) {
      const parents = vin.flatMap(({ txid: spent }) =>
        spent !== undefined && places.has(spent) ? [places.get(spent)] : [],
      )
      const falls = parents.includes(undefined)
      const other = !falls && lost.includes(txid) ? payers.instead(txid) : undefined
      const least = Math.max(0, ...parents.map((place) => place ?? 0))
      const stays = other !== undefined || payers.isWithMiner(txid)
      const moved = othersWait ? depth + 1 : placeOf(random, at, depth)
      const place = Math.max(least, stays ? at : moved)
      places.set(txid, falls || other !== undefined ? undefined : place)
      if (!falls) plan[place]!.push(other ?? hex)
    }
  }
  return { blocks: plan.slice(0, depth + 1), waiting: plan[depth + 1]! }
}

const placeOf = (random: Random, at: number, depth: number): number => {
  if (random.chance(STAYS)) return at
  return random.chance(COMES_LATER) ? at + 1 : depth + 1
}
