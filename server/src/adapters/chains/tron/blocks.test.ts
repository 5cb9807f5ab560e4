import { describe, expect, test } from 'vitest'
import { DEFAULT_WATCHER_SETTINGS } from '../../../chain/watcher/index.ts'
import { GATEWAY_GIVES_UP, manyCalls, onFork } from '../../../../../test/world/dialects/tron.ts'
import {
  headerOf,
  shownTransfer,
  startScriptedNode,
  type Answers,
} from '../../../../../test/world/scripted-tron-node.ts'

const hashOf = (height: number, nonce = 0): string => (height * 10 + nonce).toString(16).padStart(64, '0')
const blockOf = (height: number, fork = 'aa', time = height * 3_000) => ({
  ...headerOf(height, fork, time),
  transactions: [shownTransfer(hashOf(height))],
})
const infosOf = (height: number, time = height * 3_000) => [
  { id: hashOf(height), fee: 5, blockNumber: height, blockTimeStamp: time, receipt: { net_usage: 1 } },
]

/** A chain of TRON whose head a test moves on. */
const chainAt = (chain: { height: number }, more: Answers = {}): Answers => ({
  'wallet/getblock': ({ id_or_num: at, detail }) => {
    const height = Number(at ?? chain.height)
    return detail === true ? blockOf(height) : headerOf(height)
  },
  'wallet/getblockbynum': ({ num }) => (Number(num) > chain.height ? {} : blockOf(Number(num))),
  'wallet/gettransactioninfobyblocknum': ({ num }) => infosOf(Number(num)),
  'walletsolidity/getblock': () => headerOf(chain.height - 19),
  ...more,
})

const DAY_MS = 24 * 3_600_000
const BLOCK_MS = 3_000

describe('audit D-T7: requests of a watcher that is at the head', () => {
  test.each([
    ['in step with the blocks', 0],
    ['each look takes half a second besides', 500],
  ])('are three for each block, and a day of them is within 100,000: %s', async (_pace, lookMs) => {
    const chain = { height: 1_000 }
    const { adapter, asked } = await startScriptedNode(chainAt(chain))
    const { pollMs } = DEFAULT_WATCHER_SETTINGS.TRON
    const spanMs = 10 * 60_000
    let read = 1_000
    // As the follower does: the head and the final block at each look, then each block that is new.
    for (let now = 0; now < spanMs; now += pollMs + lookMs) {
      chain.height = 1_000 + Math.floor(now / BLOCK_MS)
      const [head] = await Promise.all([adapter.head(), adapter.finalized()])
      for (; read < head.height; read += 1)
        expect(await adapter.blockAt(read + 1)).toMatchObject({
          height: read + 1,
          transactions: [{ hash: hashOf(read + 1) }],
        })
    }
    expect(read).toBeGreaterThanOrEqual(1_195)
    const perBlock = asked.length / (spanMs / BLOCK_MS)
    expect(perBlock).toBeLessThanOrEqual(3)
    expect(perBlock * (DAY_MS / BLOCK_MS)).toBeLessThan(90_000)
  })
})

describe('a block and the outcome of its transactions', () => {
  const chain = { height: 10 }

  test('rows T-21 and T-22: a head that was replaced by another one of its height is read anew', async () => {
    // The pool and the other fork's block were shown first: Manager.switchFork.
    let fork: 'aa' | 'bb' = 'bb'
    const { adapter, asked } = await startScriptedNode(
      chainAt(chain, {
        'wallet/getblock': ({ detail }) =>
          detail === true ? blockOf(10, 'bb', 29_000) : headerOf(10, fork, fork === 'bb' ? 29_000 : 30_000),
        'wallet/getblockbynum': () => blockOf(10, fork, 30_000),
      }),
    )
    await adapter.head()
    fork = 'aa'
    expect(await adapter.blockAt(10)).toMatchObject({ hash: onFork(10, 'aa')['blockID'], time: 30_000 })
    expect(asked).toContain('wallet/getblockbynum')
  })

  test('row T-10: infos of a machine on another fork are not believed, though the block is asked for again and is the same', async () => {
    const { adapter } = await startScriptedNode(
      chainAt(chain, { 'wallet/gettransactioninfobyblocknum': () => infosOf(9, 30_000) }),
    )
    await expect(adapter.blockAt(10)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test('a node that leaves the time of infos out is asked for the block again', async () => {
    const { adapter, asked } = await startScriptedNode(
      chainAt(chain, {
        'wallet/gettransactioninfobyblocknum': () => infosOf(10).map(({ blockTimeStamp: _time, ...info }) => info),
      }),
    )
    expect(await adapter.blockAt(10)).toMatchObject({ height: 10 })
    expect(asked).toEqual(['wallet/getblockbynum', 'wallet/gettransactioninfobyblocknum', 'wallet/getblock'])
  })

  test('a head shown without its transactions is no empty block', async () => {
    const { adapter } = await startScriptedNode(
      chainAt(chain, { 'wallet/getblock': ({ id_or_num: at }) => headerOf(Number(at ?? 10)) }),
    )
    await adapter.head()
    expect((await adapter.blockAt(10))!.transactions).toHaveLength(1)
  })

  // Source: java-tron BlockCapsule.calcMerkleRoot: ZERO_HASH when a block has no transactions.
  test.each<[string, string | undefined, 'read' | 'not believed']>([
    ['of a root that is not zero is not believed', 'ab'.repeat(32), 'not believed'],
    ['of a root that is zero is empty', '00'.repeat(32), 'read'],
    ['of a header that names no root is empty', undefined, 'read'],
  ])('a block without transactions %s', async (_name, root, answer) => {
    const { block_header: header, ...rest } = headerOf(9) as { block_header: { raw_data: object } }
    const bare = { ...rest, block_header: { raw_data: { ...header.raw_data, ...(root && { txTrieRoot: root }) } } }
    const { adapter } = await startScriptedNode(chainAt(chain, { 'wallet/getblockbynum': () => bare }))
    const reading = adapter.blockAt(9)
    await (answer === 'read'
      ? expect(reading).resolves.toMatchObject({ transactions: [] })
      : expect(reading).rejects.toMatchObject({ name: 'ChainUnavailable' }))
  })
})

// Each call of a contract is an internal transaction of 40 energy and 300 bytes: java-tron Program.callToAddress.
describe('row T-46: a block whose infos are too long for one answer', () => {
  const chain = { height: 10 }
  const [by, to] = [`41${'33'.repeat(20)}`, `41${'44'.repeat(20)}`]
  const calls = manyCalls(by, to, 100_000)
  const hashes = [hashOf(10), hashOf(10, 1)]
  const infoOf = (id: unknown) => ({ id, fee: 5, blockNumber: 10, blockTimeStamp: 30_000, receipt: {} })
  const answers = (more: Answers = {}): Answers =>
    chainAt(chain, {
      'wallet/getblockbynum': () => ({ ...headerOf(10), transactions: hashes.map((hash) => shownTransfer(hash)) }),
      'wallet/gettransactioninfobyblocknum': () =>
        hashes.map((hash) => ({ ...infoOf(hash), internal_transactions: calls })),
      'wallet/gettransactioninfobyid': ({ value }) => infoOf(value),
      ...more,
    })

  test.each<[string, Answers]>([
    ['longer than is read', {}],
    ['given up by a gateway', { 'wallet/gettransactioninfobyblocknum': () => GATEWAY_GIVES_UP }],
  ])('is read transaction by transaction: %s', async (_why, more) => {
    const { adapter, asked } = await startScriptedNode(answers(more), { timeoutMs: 20_000 })
    const block = await adapter.blockAt(10)
    expect(asked.filter((method) => method === 'wallet/gettransactioninfobyid')).toHaveLength(2)
    expect(block!.transactions.map(({ hash, fee, transfers }) => [hash, fee, transfers.length])).toEqual(
      hashes.map((hash) => [hash, 5n, 1]),
    )
  })

  test('is not read while an info is missing, or of another block', async () => {
    const more: Answers = { 'wallet/gettransactioninfobyblocknum': () => GATEWAY_GIVES_UP }
    for (const info of [{}, { ...infoOf(hashes[0]), blockNumber: 9 }, infoOf(hashOf(9))]) {
      const { adapter } = await startScriptedNode(answers({ ...more, 'wallet/gettransactioninfobyid': () => info }))
      await expect(adapter.blockAt(10)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    }
  })

  test('is read anew where another block took its height meanwhile', async () => {
    let fork: 'aa' | 'bb' = 'bb'
    const { adapter } = await startScriptedNode(
      answers({
        'wallet/gettransactioninfobyblocknum': () => GATEWAY_GIVES_UP,
        'wallet/getblockbynum': () => ({
          ...headerOf(10, fork),
          transactions: hashes.map((hash) => shownTransfer(hash)),
        }),
        'wallet/getblock': () => headerOf(10, fork),
        'wallet/gettransactioninfobyid': ({ value }) => {
          fork = 'aa'
          return infoOf(value)
        },
      }),
    )
    expect(await adapter.blockAt(10)).toMatchObject({ hash: headerOf(10, 'aa')['blockID'] })
  })
})
