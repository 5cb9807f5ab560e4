/** Builds a new branch of an EVM chain, longer than the one it replaces. */
import { randomBytes } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { faucetKey } from '../anvil/transactions.ts'
import { Refusal } from '../http/refusal.ts'
import { RpcError } from '../rpc.ts'
import type { Rpc } from '../rpc.ts'
import type { Reorganized } from './chain.ts'

const deepest = 100
const faucet = privateKeyToAccount(faucetKey)

interface MinedTransaction {
  readonly hash: string
  readonly from: string
  readonly nonce: string
  readonly gasPrice: string
}

interface Branch {
  /** Raw transactions with the place of their block in the branch. */
  readonly remaining: [raw: string, block: number][]
  readonly replaced: string[]
  readonly returned: { readonly hash: string; readonly raw: string }[]
}

export async function reorganizeEvm(rpc: Rpc, depth: number, without: readonly string[]): Promise<Reorganized> {
  const head = Number(await rpc('eth_blockNumber'))
  if (depth > Math.min(deepest, head)) throw new Refusal(`depth: send at most ${Math.min(deepest, head)}`)
  const blocks = await newestBlocks(rpc, head, depth)
  const wanted = new Set(without.map((hash) => hash.toLowerCase()))
  const mined = new Set(blocks.flat().map(({ hash }) => hash))
  const strange = [...wanted].find((hash) => !mined.has(hash))
  if (strange !== undefined) throw new Refusal(`without: ${strange} is in none of the newest ${depth} blocks`)

  const branch = await planBranch(rpc, blocks, wanted)
  // The same transactions within the same second would make the same blocks: a miner of its own makes the branch
  // another.
  await rpc('anvil_setCoinbase', `0x${randomBytes(20).toString('hex')}`)
  await rpc('anvil_reorg', depth, branch.remaining).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error
    // The dump that a restart loads holds the newest state only.
    throw new Refusal(
      `depth: the node keeps no state that far back (${error.message}); send less, or mine blocks first`,
    )
  })
  await rpc('evm_mine')
  // anvil forgets transactions that it takes out of a block, where a node with peers would have it in its pool again.
  for (const { raw } of branch.returned) await rpc('eth_sendRawTransaction', raw)
  const tip = await rpc<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false)
  return {
    height: Number(tip.number),
    hash: tip.hash,
    replaced: branch.replaced,
    returned: branch.returned.map(({ hash }) => hash),
  }
}

/**
 * A missing nonce blocks all later ones of its account: the faucet's is filled; other accounts' later transactions
 * wait.
 */
async function planBranch(
  rpc: Rpc,
  blocks: readonly MinedTransaction[][],
  without: ReadonlySet<string>,
): Promise<Branch> {
  const branch: Branch = { remaining: [], replaced: [], returned: [] }
  const heldUp = new Set<string>()
  for (const [place, transaction] of blocks.flatMap((block, index) => block.map((one) => [index, one] as const))) {
    const { hash, from } = transaction
    const raw = await rpc<string>('eth_getRawTransactionByHash', hash)
    if (without.has(hash) && from === faucet.address.toLowerCase()) {
      branch.remaining.push([await fillNonce(rpc, transaction), place])
      branch.replaced.push(hash)
    } else if (without.has(hash) || heldUp.has(from)) {
      heldUp.add(from)
      branch.returned.push({ hash, raw })
    } else branch.remaining.push([raw, place])
  }
  return branch
}

/** The faucet pays nothing to itself instead. */
async function fillNonce(rpc: Rpc, { nonce, gasPrice }: MinedTransaction): Promise<string> {
  return faucet.signTransaction({
    type: 'legacy',
    chainId: Number(await rpc<string>('eth_chainId')),
    nonce: Number(nonce),
    // The branch's base fee may rise above that of the old blocks, by an eighth each.
    gasPrice: BigInt(gasPrice) * 4n + 1_000_000_000n,
    gas: 21_000n,
    to: faucet.address,
    value: 0n,
  })
}

async function newestBlocks(rpc: Rpc, head: number, depth: number): Promise<MinedTransaction[][]> {
  const blocks: MinedTransaction[][] = []
  for (let height = head - depth + 1; height <= head; height++) {
    const { transactions } = await rpc<{ transactions: MinedTransaction[] }>(
      'eth_getBlockByNumber',
      `0x${height.toString(16)}`,
      true,
    )
    blocks.push(transactions)
  }
  return blocks
}
