/** Answers of real nodes to requests for receipts. */
// Titles name rows of docs/dialects.md; a table's title stands for all that it lists.

/** Answers of real nodes about calls of contracts, and the resulting transfers. */
// Titles name rows of docs/dialects.md; a table's title stands for all that it lists.
import { checksumAddress, type Hex } from '@bursar/chainkit/evm'

import { afterEach, describe, expect, test } from 'vitest'
import type { EvmAdapterSettings } from './index.ts'
import {
  blockOf,
  CONTRACT,
  ETHER,
  OURS,
  PAYER,
  receiptOf,
  startDialect,
  transactionHash,
  word,
  type Answer,
} from '../../../../../test/world/dialects/evm-traces.ts'
import { HISTORY_GONE, NO_RECEIPTS, WRONG_PLACES } from '../../../../../test/world/dialects/evm-answers.ts'

type Node = Awaited<ReturnType<typeof startDialect>>

let node: Node | undefined

afterEach(async () => {
  await node?.close()
  node = undefined
})

const start = async (
  given: Parameters<typeof startDialect>[0] = {},
  settings: Partial<EvmAdapterSettings> = {},
  head?: number,
): Promise<Node> => (node = await startDialect(given, settings, head))

const eip55 = (address: string): string => checksumAddress(address as Hex)

const FOUND = { index: `t:${eip55(OURS)}`, contract: null, from: [eip55(CONTRACT)], to: eip55(OURS), units: ETHER }

const innerOf = (block: { transactions: { transfers: { index: string }[] }[] } | null) =>
  block!.transactions.flatMap(({ transfers }) => transfers.filter(({ index }) => index.startsWith('t:')))

describe('receipts', () => {
  const two = (logs: number[][]) => {
    const receipts = logs.map((numbers, at) => ({
      ...receiptOf(7),
      transactionHash: word(5_007 + at),
      logs: numbers.map((n) => ({ address: CONTRACT, topics: [], data: '0x', logIndex: `0x${n.toString(16)}` })),
    }))
    const transactions = receipts.map(({ transactionHash: hash }) => ({
      hash,
      from: PAYER,
      to: CONTRACT,
      nonce: '0x1',
      value: '0x0',
    }))
    return {
      eth_getBlockByNumber: ([at]: unknown[]): Answer => ({
        result: { ...blockOf(at === 'latest' ? 8 : Number(at)), transactions },
      }),
      eth_getBlockReceipts: (): Answer => ({ result: receipts }),
      eth_getTransactionReceipt: ([hash]: unknown[]): Answer => ({
        result: receipts.find((one) => one.transactionHash === hash) ?? null,
      }),
    }
  }

  test('audit D-E11, row E-13: whose logs are numbered anew in the middle of a block (Erigon 3.0.15, erigon#16491) are read one by one', async () => {
    const { adapter, asked } = await start(
      two([
        [0, 1],
        [0, 1, 2],
      ]),
      { traces: 'off' },
    )
    expect((await adapter.blockAt(7))!.transactions).toHaveLength(3)
    expect(asked.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(2)
  })

  test('audit D-E11: with a log missing within a transaction are not believed', async () => {
    const { adapter } = await start(two([[0, 2], [3]]), { traces: 'off' })
    await expect(adapter.blockAt(7)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test.for<[string, Answer]>([
    ['EDR 0.22 (run)', { error: { code: -32004, message: 'Method eth_getBlockReceipts is not supported' } }],
    ['go-ethereum (internal/ethapi/api.go)', { error: { code: -32000, message: 'receipts length mismatch: 2 vs 1' } }],
    [
      'Nethermind 1.40 with Receipt.DeriveFromState',
      {
        error: { code: -32602, message: 'Receipts for block 7 are neither stored nor reproducible from state history' },
      },
    ],
    ['a list that lacks one', { result: [] }],
  ])('rows E-11, E-12 and E-14: asked for one by one, %s', async ([, said]) => {
    const { adapter } = await start({ eth_getBlockReceipts: () => said })
    expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
  })

  test.for(NO_RECEIPTS)(
    'row E-10: of a block that is no longer on the best chain, $who ($source): the new block is read',
    async ({ said }) => {
      const lost = `0x${'99'.repeat(32)}`
      let shown = lost
      const { adapter } = await start(
        {
          eth_getBlockByNumber: ([at]) => ({ result: { ...blockOf(at === 'latest' ? 8 : Number(at)), hash: shown } }),
          eth_getBlockReceipts: ([hash]) =>
            hash === lost ? ((shown = blockOf(7)['hash'] as string), said) : { result: [receiptOf(7)] },
        },
        { traces: 'off' },
      )
      expect(await adapter.blockAt(7)).toMatchObject({
        hash: blockOf(7)['hash'],
        transactions: [{ hash: transactionHash(7) }, {}],
      })
    },
  )

  test.for(WRONG_PLACES)(
    'row E-15: whose place in the block is said to be %s are known by their order',
    async (transactionIndex) => {
      const { adapter, asked } = await start({
        eth_getBlockReceipts: () => ({ result: [{ ...receiptOf(7), transactionIndex }] }),
      })
      expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
      expect(asked).not.toContain('eth_getTransactionReceipt')
    },
  )

  test.for(HISTORY_GONE)(
    'row E-9: of a block whose history is gone, $who ($source): reading it fails with the reason of the node',
    async ({ said }) => {
      const words = 'error' in said ? said.error.message : ''
      const bodies = await start({ eth_getBlockByNumber: () => said }, { traces: 'off' })
      await expect(bodies.adapter.blockAt(7)).rejects.toMatchObject({
        name: 'ChainUnavailable',
        message: expect.stringContaining(`${words} (4444)`) as string,
      })
      await node!.close()
      const receipts = await start(
        { eth_getBlockReceipts: () => said, eth_getTransactionReceipt: () => ({ result: null }) },
        { traces: 'off' },
      )
      await expect(receipts.adapter.blockAt(7)).rejects.toMatchObject({
        name: 'ChainUnavailable',
        message: expect.stringContaining(`${words} (4444)`) as string,
      })
    },
  )

  test('row E-16: of a block without any receipts are not made up', async () => {
    const { adapter } = await start({
      eth_getBlockReceipts: () => ({ result: null }),
      eth_getTransactionReceipt: () => ({ error: { code: -32000, message: 'transaction indexing is in progress' } }),
    })
    await expect(adapter.blockAt(7)).rejects.toThrow(/indexing is in progress/)
  })
})
