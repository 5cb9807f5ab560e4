/** A block's transactions are compared with the root in its header: a gateway may leave one out. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTronChain } from '../../../../../sandbox/tron/index.ts'
import { rootOf } from './root.ts'
import { startScriptedNode, type Answers } from '../../../../../test/world/scripted-tron-node.ts'

type Shown = Record<string, unknown> & {
  block_header: { raw_data: { txTrieRoot: string } }
  transactions: Record<string, unknown>[]
}

const RECEIVERS = [
  'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS',
  'TZ4UXDV5ZhNW7fb2AMSbgfAEZ7hWsnYS2g',
]

/**
 * Blocks of the sandbox's chain with 1 to 5 transactions; it makes their roots apart from the adapter
 * (`sandbox/tron/blocks/block.ts`).
 */
const blocks = async (): Promise<{ shown: Shown[]; ask(method: string, body: object): Promise<unknown> }> => {
  const chain = await startTronChain({ port: 0, solidLag: 2 })
  onTestFinished(() => chain.stop())
  const ask = async (method: string, body: object) =>
    (await fetch(`${chain.url}/${method}`, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<unknown>
  const shown: Shown[] = []
  for (let size = 1; size <= 5; size += 1) {
    for (let at = 0; at < size; at += 1)
      await chain.fund({ ticker: at % 2 === 0 ? 'TRX' : 'USDT', to: RECEIVERS[at % 3]!, amount: String(1 + at) })
    await chain.mine(1)
    shown.push((await ask('wallet/getblockbynum', { num: chain.status().height })) as Shown)
  }
  return { shown, ask }
}

describe('the root of the transactions of a block', () => {
  test("is the header's for any number of them, and another when one is missing, changed, or in another place", async () => {
    for (const {
      transactions,
      block_header: {
        raw_data: { txTrieRoot },
      },
    } of (await blocks()).shown) {
      expect(rootOf(transactions)).toBe(txTrieRoot)
      expect(
        rootOf(transactions.map((one, at) => (at === 0 ? { ...one, ret: [{ contractRet: 'REVERT' }] } : one))),
      ).not.toBe(txTrieRoot)
      if (transactions.length > 1) expect(rootOf(transactions.slice(1))).not.toBe(txTrieRoot)
      if (transactions.length > 1) expect(rootOf(transactions.toReversed())).not.toBe(txTrieRoot)
    }
  })

  test('begins with the hash that the main network has of a transaction (the first of block 79729218)', () => {
    const raw_data_hex =
      '0a02922e22086fd6b503a576155740c0dd9e9bc1335a65080112610a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e74726163741230' +
      '0a154159ed74912bc97e04e10bf06210487083b0debacb1215417b8b8f1beaf05ecfcc163a2bac7e908253daf10418017098a19b9bc133'
    const signature = [
      '2dbcb60bcafbf17813e3f744a54e957aff9b444ed0af6abf3e338eeacdd3fc4b0501b2c2577f67a7c8ea23efbc497e954bc58847f4f3057204fece484cc2dfd001',
    ]
    expect(rootOf([{ ret: [{ contractRet: 'SUCCESS' }], signature, raw_data_hex }])).toBe(
      'f1065f85ce4c4616ddbea63db909fae0445ac1c7ac1afb4fb2ad4683d6304997',
    )
  })

  // TransactionCapsule.setResultCode of java-tron keeps what else a result came with from a peer.
  test.each([
    ['without the bytes of a transaction says nothing', { txID: '00' }, undefined],
    ['of a result with a negative fee is none', { raw_data_hex: '0a00', ret: [{ fee: -1 }] }, 'unreadable'],
    ['of bytes that are no hex is none', { raw_data_hex: 'xy' }, 'unreadable'],
  ])('%s', (_name, shown, root) => {
    expect(rootOf([shown])).toBe(root)
  })
})

/** A node that shows a block of five as `shownAs` has it, the nth time it is asked. Infos are all there. */
const reading = async (shownAs: (block: Shown, time: number) => object, more: Answers = {}) => {
  const { shown, ask } = await blocks()
  const block = shown.at(-1)!
  const { number: height } = block.block_header.raw_data as unknown as { number: number }
  const infos = (await ask('wallet/gettransactioninfobyblocknum', { num: height })) as object[]
  let time = 0
  const { adapter, asked } = await startScriptedNode({
    'wallet/getblock': () => block,
    'wallet/getblockbynum': () => shownAs(block, (time += 1)),
    'wallet/gettransactioninfobyblocknum': () => infos,
    ...more,
  })
  return { read: () => adapter.blockAt(height), asked, infos }
}
const without = (block: Shown): Shown => ({ ...block, transactions: block.transactions.slice(1) })

/** GetTransactionCountByBlockNumServlet of java-tron. */
const counted = (count: number): Answers => ({ 'wallet/gettransactioncountbyblocknum': () => ({ count }) })

describe('a block that a gateway shows without one of its transactions', () => {
  test('is asked for again, and read once it is whole', async () => {
    const { read, asked } = await reading((block, time) => (time === 1 ? without(block) : block), counted(5))
    const block = (await read())!
    expect([block.transactions.length, block.isUnproven]).toEqual([5, undefined])
    expect(asked.filter((method) => method === 'wallet/getblockbynum')).toHaveLength(2)
  })

  test('is not read while the node counts more', async () => {
    const infos: object[] = []
    const { read, infos: all } = await reading(without, {
      'wallet/gettransactioninfobyblocknum': () => infos,
      ...counted(5),
    })
    infos.push(...all.slice(1))
    await expect(read()).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test('is not read while there are infos of more', async () => {
    const { read } = await reading(without)
    await expect(read()).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test('nor by a header that names no root', async () => {
    const { read } = await reading((block) => {
      const { txTrieRoot: _root, ...rest } = block.block_header.raw_data
      return { ...without(block), block_header: { raw_data: rest } }
    })
    await expect(read()).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test('is read and marked where its infos lack it too and the node does not count', async () => {
    const infos: object[] = []
    const { read, infos: all } = await reading(without, { 'wallet/gettransactioninfobyblocknum': () => infos })
    infos.push(...all.slice(1))
    const block = (await read())!
    expect([block.transactions.length, block.isUnproven]).toEqual([4, true])
  })
})

test('a block with a transaction whose bytes are not all shown is read without a mark where the node counts as many', async () => {
  const { read, asked } = await reading(
    (block) => ({
      ...block,
      transactions: block.transactions.map((one, at) => (at === 2 ? { ...one, signature: [] } : one)),
    }),
    counted(5),
  )
  const block = (await read())!
  expect([block.transactions.length, block.isUnproven]).toEqual([5, undefined])
  expect(asked.filter((method) => method === 'wallet/getblockbynum')).toHaveLength(1)
})
