/** Builds a new branch of the TRON chain, longer than the one it replaces. */
import { Refusal } from '../http/refusal.ts'
import type { Reorganized } from './chain.ts'
import type { TronApi, TronBlock, TronStatus, TronTransaction } from './tron-api.ts'

interface Forked {
  readonly height: number
  readonly id: string
  readonly mined: readonly string[]
}

/** Solid blocks remain. Transactions that reference a replaced block can't be mined again, as on the real chain. */
export async function reorganizeTron(api: TronApi, depth: number, without: readonly string[]): Promise<Reorganized> {
  const { height, solidHeight, faucet } = await api.control<TronStatus>('status')
  const deepest = height - solidHeight
  if (depth > deepest) throw new Refusal(`depth: send at most ${deepest}, since the blocks before are solid`)
  const wanted = new Set(without.map((hash) => hash.toLowerCase()))
  const old = await newestTransactions(api, height, depth)
  const strange = [...wanted].find((hash) => !old.some(({ txID }) => txID === hash))
  if (strange !== undefined) throw new Refusal(`without: ${strange} is in none of the newest ${depth} blocks`)

  const forked = await api.control<Forked>('reorg', { depth, without: [...wanted], others: 'mined' })
  // The chain has not heard of what it is without; those who made it would hand it over again, except for the faucet.
  for (const transaction of old.filter(({ txID }) => wanted.has(txID))) {
    if (ownerOf(transaction) !== faucet.address) await api.ask('wallet/broadcasttransaction', transaction)
  }
  const { pending } = await api.control<TronStatus>('status')
  const gone = old.map(({ txID }) => txID).filter((hash) => !forked.mined.includes(hash))
  return {
    height: forked.height,
    hash: forked.id,
    replaced: gone.filter((hash) => !pending.includes(hash)),
    returned: gone.filter((hash) => pending.includes(hash)),
  }
}

/** Oldest first. */
async function newestTransactions(api: TronApi, height: number, depth: number): Promise<TronTransaction[]> {
  const transactions: TronTransaction[] = []
  for (let num = height - depth + 1; num <= height; num++)
    transactions.push(...((await api.ask<TronBlock>('wallet/getblockbynum', { num })).transactions ?? []))
  return transactions
}

function ownerOf({ raw_data: { contract } }: TronTransaction): string {
  return contract[0].parameter.value.owner_address
}
