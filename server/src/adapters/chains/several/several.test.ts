import { describe, expect, test } from 'vitest'
import type { Block } from '@bursar/chainkit'
import { ChainUnavailable } from '../port.ts'
import { describeChain } from '../conformance.ts'
import { openAccountWorld, openCoinWorld } from '../simulated/test-world.ts'
import type { ChainWorld } from '../conformance.ts'
import { joinNodes } from './index.ts'
import { FINAL_DEPTH, openNodes } from './test-nodes.ts'

const ADDRESS = `0x${'5a'.repeat(20)}`

/** The conformance suite through three nodes of one chain. */
const throughThree = async (open: () => Promise<ChainWorld>): Promise<ChainWorld> => {
  const world = await open()
  const node = { ...world.adapter, close: async () => {} }
  const joined = joinNodes({
    network: world.adapter.network,
    nodes: ['a:1', 'b:1', 'c:1'].map((name) => ({ name, adapter: node })),
    quorum: 2,
    identity: world.identity,
  })
  return {
    ...world,
    adapter: joined,
    ...(world.contracts && {
      contracts: {
        ...world.contracts,
        adapter: joined as NonNullable<ChainWorld['contracts']>['adapter'],
        calls: { ...world.contracts.calls!, adapter: joined as never },
      },
    }),
  }
}
describeChain('three nodes of a chain of coins', { contracts: false, conflicting: true }, () =>
  throughThree(openCoinWorld),
)
describeChain('three nodes of a chain of accounts', { contracts: true, conflicting: true }, () =>
  throughThree(openAccountWorld),
)

describe('blocks', () => {
  test('a block that one node shows with a false payment is read as the others show it, and that node is left out', async () => {
    const { nodes, joined, chain, clock } = openNodes(3, 2)
    chain.pay([{ to: ADDRESS, units: 7n }])
    chain.mine()
    nodes[0]!.faults.lie = (method, answer) =>
      method === 'blockAt' && answer ? withoutPayments(answer as Block) : answer
    const block = await joined.blockAt(13)
    expect(block!.transactions.flatMap(({ transfers }) => transfers.map(({ units }) => units))).toContain(7n)
    await expect.poll(() => joined.statuses()[0]).toMatchObject({ node: 'node-1:80', status: 'contradicts' })
    expect(
      joined
        .statuses()
        .slice(1)
        .map(({ status }) => status),
    ).toEqual(['good', 'good'])
    clock.ms += 10 * 60_000
    expect(joined.statuses()[0]!.status).toBe('good')
  })

  test('a block that two of two nodes show differently is not read', async () => {
    const { nodes, joined } = openNodes(2, 2)
    nodes[1]!.faults.lie = (method, answer) =>
      method === 'blockAt' && answer ? { ...(answer as Block), time: 1 } : answer
    await expect(joined.blockAt(3)).rejects.toThrow('block 3: 2 of 2 nodes answer, and no 2 of them agree')
  })

  test('the head and the final block are the newest that a quorum has', async () => {
    const { nodes, joined } = openNodes(3, 2)
    nodes[0]!.faults.lag = 5
    nodes[1]!.faults.lag = 2
    expect((await joined.head()).height).toBe(10)
    expect((await joined.finalized()).height).toBe(10 - FINAL_DEPTH + 1)
    expect(await joined.blockAt(11)).toBeNull()
  })

  test('a node that calls its newest block final does not make it final', async () => {
    const { nodes, joined, chain } = openNodes(3, 2)
    nodes[2]!.faults.lie = (method, answer) => (method === 'finalized' ? chain.head : answer)
    expect((await joined.finalized()).height).toBe(12 - FINAL_DEPTH + 1)
  })

  test('a final block that two of two nodes name differently is not final', async () => {
    const { nodes, joined } = openNodes(2, 2)
    nodes[1]!.faults.lie = (method, answer) => (method === 'hashAt' ? `0x${'0f'.repeat(32)}` : answer)
    await expect(joined.finalized()).rejects.toThrow(ChainUnavailable)
  })

  test('a node that has another final block than the others is left out', async () => {
    const { nodes, joined } = openNodes(3, 2)
    nodes[1]!.faults.lie = (method, answer) => (method === 'hashAt' ? `0x${'0f'.repeat(32)}` : answer)
    expect((await joined.finalized()).height).toBe(12 - FINAL_DEPTH + 1)
    await expect.poll(() => joined.statuses()[1]!.status).toBe('contradicts')
  })

  test('while nodes are on two branches, the head is their last common block', async () => {
    const { nodes, joined } = openNodes(2, 2)
    nodes[1]!.faults.lie = (method, answer) =>
      method === 'hashAt' && answer === nodes0Hash ? `0x${'0f'.repeat(32)}` : answer
    const nodes0Hash = await nodes[0]!.adapter.hashAt(12)
    expect((await joined.head()).height).toBe(11)
    expect(joined.statuses().map(({ status }) => status)).toEqual(['good', 'good'])
  })
})

describe('nodes that do not answer', () => {
  test('one of three that fails is left alone after three failures, and asked again later', async () => {
    const { nodes, joined, clock } = openNodes(3, 2)
    nodes[0]!.faults.silent = true
    for (let i = 0; i < 3; i += 1) await joined.head()
    await expect.poll(() => joined.statuses()[0]!.status).toBe('failing')
    nodes[0]!.asked.length = 0
    await joined.statusOf('0x00')
    expect(nodes[0]!.asked).toEqual([])
    nodes[0]!.faults.silent = false
    clock.ms += 15_000
    await joined.statusOf('0x00')
    await expect.poll(() => joined.statuses()[0]!.status).toBe('good')
  })

  test('fewer than a quorum: nothing is concluded, and each failure is named', async () => {
    const { nodes, joined } = openNodes(3, 2)
    for (const node of nodes.slice(1)) node.faults.silent = true
    await expect(joined.head()).rejects.toThrow(/1 nodes answer, and 2 must\. node-2:80: .*node-3:80: /)
    await expect(joined.blockAt(2)).rejects.toThrow('1 of 3 nodes answer, and no 2 of them agree')
    await expect(joined.statusOf('0x00')).rejects.toThrow(ChainUnavailable)
  })

  test('one whose answer breaks its adapter stops nothing that a quorum agrees about', async () => {
    const { nodes, joined } = openNodes(3, 2)
    nodes[0]!.faults.lie = (method, answer) => {
      if (method === 'hashAt') throw new TypeError('broken')
      return answer
    }
    for (let i = 0; i < 3; i += 1) expect(await joined.hashAt(12)).not.toBeNull()
    await expect.poll(() => joined.statuses()[0]!.status).toBe('failing')
  })

  test('one that hangs delays no answer that a quorum gives', async () => {
    const { nodes, joined } = openNodes(3, 2)
    const held = Promise.withResolvers<void>()
    nodes[0]!.held = held.promise
    expect((await joined.blockAt(12))!.height).toBe(12)
    expect(await joined.hashAt(12)).not.toBeNull()
    held.resolve()
  })

  test('a question for one node goes to the next when the first fails or hangs', async () => {
    const { nodes, joined } = openNodes(2, 1)
    nodes[0]!.faults.silent = true
    expect(await joined.minedNonce(ADDRESS)).toBe(0)
    nodes[0]!.faults.silent = false
    const held = Promise.withResolvers<void>()
    nodes[1]!.held = held.promise
    expect(await joined.minedNonce(ADDRESS)).toBe(0)
    held.resolve()
    for (const node of nodes) node.faults.silent = true
    await expect(joined.minedNonce(ADDRESS)).rejects.toThrow(ChainUnavailable)
  })

  test('a node far behind the others is not the first that is asked', async () => {
    const { nodes, joined } = openNodes(3, 2)
    nodes[0]!.faults.lag = 9
    await joined.head()
    expect(joined.statuses()[0]).toEqual({ node: 'node-1:80', status: 'behind', detail: 'it is 9 blocks behind' })
    nodes[0]!.asked.length = 0
    await joined.minedNonce(ADDRESS)
    expect(nodes[0]!.asked).toEqual([])
  })

  test('a node that names a block far ahead is left out, and does not make the others late', async () => {
    const { nodes, joined } = openNodes(3, 2)
    nodes[2]!.faults.lie = (method, answer) =>
      method === 'head' ? { height: 10 ** 9, hash: `0x${'0f'.repeat(32)}` } : answer
    expect((await joined.head()).height).toBe(12)
    expect(joined.statuses().map(({ status }) => status)).toEqual(['good', 'good', 'ahead'])
  })

  test('a node of another chain is never asked anything else', async () => {
    const { nodes, joined } = openNodes(3, 2)
    nodes[1]!.faults.lie = (method, answer) => (method === 'identity' ? '56' : answer)
    await joined.head()
    await joined.blockAt(3)
    expect(new Set(nodes[1]!.asked)).toEqual(new Set(['identity']))
    expect(joined.statuses()[1]).toMatchObject({ status: 'another-chain', detail: 'it is a node of chain 56' })
  })
})

describe('transactions', () => {
  test('are sent to every node, and accepted when one accepts them', async () => {
    const { conflicting } = await openAccountWorld()
    const { first } = await conflicting!(ADDRESS, 5n)
    const { nodes, joined } = openNodes(3, 2)
    for (const node of nodes.slice(0, 2))
      node.faults.lie = (method, answer) =>
        method === 'broadcast' ? { kind: 'refused', reason: 'invalid', message: 'no' } : answer
    nodes[2]!.faults.lie = (method, answer) => (method === 'broadcast' ? { kind: 'accepted' } : answer)
    expect(await joined.broadcast(first.raw)).toEqual({ kind: 'accepted' })
    expect(nodes.map(({ asked }) => asked.includes('broadcast'))).toEqual([true, true, true])
  })

  test('a conflict is reported before a refusal', async () => {
    const { nodes, joined } = openNodes(2, 2)
    nodes[0]!.faults.lie = (method, answer) =>
      method === 'broadcast' ? { kind: 'refused', reason: 'invalid', message: 'no' } : answer
    nodes[1]!.faults.lie = (method, answer) =>
      method === 'broadcast' ? { kind: 'conflict', message: 'other' } : answer
    const { conflicting } = await openAccountWorld()
    const { first } = await conflicting!(ADDRESS, 5n)
    expect(await joined.broadcast(first.raw)).toEqual({ kind: 'conflict', message: 'other' })
  })

  test('are mined or unknown only if a quorum says so, and in the pool if one node has them', async () => {
    const { nodes, joined, chain } = openNodes(3, 2)
    const hash = chain.pay([{ to: ADDRESS, units: 1n }])
    for (const node of nodes.slice(1))
      node.faults.lie = (method, answer) => (method === 'statusOf' ? { kind: 'unknown' } : answer)
    expect(await joined.statusOf(hash)).toEqual({ kind: 'mempool' })
    nodes[0]!.faults.lie = nodes[1]!.faults.lie
    expect(await joined.statusOf(hash)).toEqual({ kind: 'unknown' })
    nodes[0]!.faults.lie = nodes[2]!.faults.lie = (_, answer) => answer
    expect(await joined.statusOf(hash)).toEqual({ kind: 'mempool' })
    chain.mine()
    expect(await joined.statusOf(hash)).toMatchObject({ kind: 'mined' })
    nodes[2]!.faults.silent = true
    await expect(joined.statusOf(hash)).rejects.toThrow('no 2 of')
  })

  test('a balance, by which coin of contracts is credited, needs a quorum', async () => {
    const { nodes, joined } = openNodes(3, 2)
    const wanted = [{ address: ADDRESS, contract: null }]
    nodes[0]!.faults.lie = (method, answer) => (method === 'balancesAt' ? [10n ** 21n] : answer)
    expect(await joined.balancesAt(12, wanted)).toEqual([0n])
    nodes[1]!.faults.silent = true
    await expect(joined.balancesAt(12, wanted)).rejects.toThrow(ChainUnavailable)
  })

  test('a used nonce of a block needs a quorum', async () => {
    const { nodes, joined } = openNodes(3, 2)
    const block = await joined.finalized()
    nodes[0]!.faults.lie = (method, answer) => (method === 'minedNonceIn' ? 9 : answer)
    expect(await joined.minedNonceIn(block, ADDRESS)).toBe(0)
    nodes[1]!.faults.silent = true
    await expect(joined.minedNonceIn(block, ADDRESS)).rejects.toThrow(ChainUnavailable)
  })
})

const withoutPayments = (block: Block): Block => ({ ...block, transactions: [] })
