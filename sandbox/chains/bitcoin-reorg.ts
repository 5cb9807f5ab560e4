/** Builds a new branch of the Bitcoin chain, longer than the one it replaces. */
import type { Bitcoind } from '../bitcoind/index.ts'
import { Refusal } from '../http/refusal.ts'
import { RpcError } from '../rpc.ts'
import type { Rpc } from '../rpc.ts'
import { spendOtherwise } from './bitcoin-wallet.ts'
import type { Reorganized } from './chain.ts'

/** Coinbases of deeper blocks may have been spent since: their spenders would fall with them. */
const deepest = 100

interface MinedTransaction {
  readonly txid: string
  readonly hex: string
  readonly vin: readonly { readonly txid?: string }[]
}

export async function reorganizeBitcoin(
  node: Bitcoind,
  faucet: Rpc,
  depth: number,
  without: readonly string[],
): Promise<Reorganized> {
  const tip = Number(await node.rpc('getblockcount'))
  if (depth > Math.min(deepest, tip)) throw new Refusal(`depth: send at most ${Math.min(deepest, tip)}`)
  const blocks = await newestBlocks(node.rpc, tip, depth)
  const mined = new Set(blocks.flat().map(({ txid }) => txid))
  const strange = without.find((hash) => !mined.has(hash))
  if (strange !== undefined) throw new Refusal(`without: ${strange} is in none of the newest ${depth} blocks`)

  const doomed = withDescendants(blocks.flat(), without)
  const replacements = new Map<string, string>()
  for (const { txid, vin } of blocks.flat().filter((transaction) => without.includes(transaction.txid))) {
    // Coins that fall with another transaction cannot be spent otherwise either.
    if (spendsAny(vin, doomed)) continue
    const replacement = await spendOtherwise(node, faucet, txid)
    if (replacement !== undefined) replacements.set(txid, replacement)
  }
  const waiting = await poolTransactions(node.rpc)
  await node.rpc('invalidateblock', await node.rpc('getblockhash', tip - depth + 1))
  // A new address makes new blocks: the same ones again would be known as invalid.
  const address = await faucet<string>('getnewaddress')
  for (const block of blocks) {
    const remaining = block.map(({ txid, hex }) => (doomed.has(txid) ? replacements.get(txid) : hex))
    await node.rpc(
      'generateblock',
      address,
      remaining.filter((hex) => hex !== undefined),
    )
  }
  await node.rpc('generateblock', address, [])
  const left = blocks.flat().filter(({ txid }) => doomed.has(txid) && !replacements.has(txid))
  await resend(node.rpc, [...left.map(({ hex }) => hex), ...waiting])
  return outcome(node.rpc, [...doomed])
}

/** In an order in which each comes after those it spends. */
async function poolTransactions(rpc: Rpc): Promise<string[]> {
  const pool = await rpc<Record<string, { ancestorcount: string }>>('getrawmempool', true)
  const inOrder = Object.entries(pool).sort(([, a], [, b]) => Number(a.ancestorcount) - Number(b.ancestorcount))
  return Promise.all(inOrder.map(([txid]) => rpc<string>('getrawtransaction', txid)))
}

/**
 * While blocks are disconnected, the node drops transactions that may not be in so low a block, such as those of
 * ordinary wallets; their senders would send them again. Transactions that spend removed coins are rightly refused.
 */
async function resend(rpc: Rpc, transactions: readonly string[]): Promise<void> {
  for (const hex of transactions) {
    await rpc('sendrawtransaction', hex).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error
    })
  }
}

async function outcome(rpc: Rpc, doomed: readonly string[]): Promise<Reorganized> {
  const pool = new Set(await rpc<string[]>('getrawmempool'))
  return {
    height: Number(await rpc('getblockcount')),
    hash: await rpc<string>('getbestblockhash'),
    replaced: doomed.filter((hash) => !pool.has(hash)),
    returned: doomed.filter((hash) => pool.has(hash)),
  }
}

/** Oldest first, without their coinbases. */
async function newestBlocks(rpc: Rpc, tip: number, depth: number): Promise<MinedTransaction[][]> {
  const blocks: MinedTransaction[][] = []
  for (let height = tip - depth + 1; height <= tip; height++) {
    const { tx } = await rpc<{ tx: MinedTransaction[] }>('getblock', await rpc('getblockhash', height), 2)
    blocks.push(tx.slice(1))
  }
  return blocks
}

/** Transactions are in an order in which each comes after those it spends. */
function withDescendants(transactions: readonly MinedTransaction[], without: readonly string[]): Set<string> {
  const doomed = new Set(without)
  for (const { txid, vin } of transactions) {
    if (spendsAny(vin, doomed)) doomed.add(txid)
  }
  return doomed
}

function spendsAny(inputs: MinedTransaction['vin'], transactions: ReadonlySet<string>): boolean {
  return inputs.some(({ txid }) => txid !== undefined && transactions.has(txid))
}
