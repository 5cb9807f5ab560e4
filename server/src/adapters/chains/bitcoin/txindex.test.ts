/** Nodes without an index of transactions. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BUILDING_INDEX, NOT_IN_INDEX, WITHOUT_INDEX } from '../../../../../test/world/dialects/bitcoin.ts'
import { playNode } from '../../../../../test/world/scripted-bitcoin-node.ts'

const PARENT = '01'.repeat(32)
/** One input from PARENT:0, one P2WPKH output. */
const CHILD = `0200000001${PARENT}0000000000fdffffff011027000000000000160014${'44'.repeat(20)}00000000`
const sha = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
const TXID = Buffer.from(sha(sha(Buffer.from(CHILD, 'hex'))).toReversed()).toString('hex')

const withParent = (saysOfParent: string) =>
  playNode((method, params) => {
    if (method === 'getrawmempool') return { result: [TXID] }
    if (method === 'getrawtransaction' && params[0] === TXID) return { result: CHILD }
    return { error: { code: -5, message: saysOfParent } }
  })

test.each([WITHOUT_INDEX, BUILDING_INDEX])(
  'audit D-B5, row B-16: a payment is not shown as one without senders when the node has no index: %s',
  async (words) => {
    const node = await withParent(words)
    await expect(node.mempool(new Set())).rejects.toThrow(/txindex=1/)
    await expect(node.rawTransactions([PARENT])).rejects.toThrow(/txindex=1/)
    await expect(node.statusOf(PARENT)).rejects.toThrow(/txindex=1/)
  },
)

test('audit D-B5, row B-16: a parent that a node with an index does not know leaves a payment without senders', async () => {
  const node = await withParent(NOT_IN_INDEX)
  expect((await node.mempool(new Set())).added).toMatchObject([{ hash: TXID, transfers: [{ from: [] }] }])
})

test('audit D-B5: a network is not followed on a node whose index is missing or being built', async () => {
  const states: Record<string, unknown> = {
    'has no txindex': {},
    'up to block 812000 only': { txindex: { synced: false, best_block_height: 812_000 } },
  }
  for (const [words, result] of Object.entries(states)) {
    const node = await playNode(() => ({ result }))
    await expect(node.capabilities()).rejects.toThrow(words)
    await expect(node.capabilities()).rejects.toThrow('txindex=1')
  }
  const sound = await playNode(() => ({ result: { txindex: { synced: true, best_block_height: 812_000 } } }))
  expect(await sound.capabilities()).toEqual({ mempool: true, traces: true })
})
