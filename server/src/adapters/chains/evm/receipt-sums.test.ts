/**
 * Receipts that do not fit their block. Double of row E-62 of docs/dialects.md: erigontech/erigon#22142 shows a
 * transaction that had succeeded with status 0, less gas and no logs, erigon#22019 a dozen in one block.
 */
import { afterEach, expect, test } from 'vitest'
import { blockOf, CONTRACT, receiptOf, startDialect } from '../../../../../test/world/dialects/evm-traces.ts'

let node: Awaited<ReturnType<typeof startDialect>> | undefined
afterEach(async () => {
  await node?.close()
  node = undefined
})

const bloom = (...bits: number[]): string =>
  `0x${bits
    .reduce((all, bit) => all | (1n << BigInt(bit)), 0n)
    .toString(16)
    .padStart(512, '0')}`
const LOG = { address: CONTRACT, topics: [], data: '0x', logIndex: '0x0' }
const HEAD = { gasUsed: '0x9c40', logsBloom: bloom(3, 77) }
const RECEIPT = { logs: [LOG], logsBloom: bloom(3, 77) }

const read = async (head: object, receipt: object) => {
  const shown = { ...receiptOf(7), ...receipt }
  node = await startDialect(
    {
      eth_getBlockByNumber: ([at]) => ({ result: { ...blockOf(at === 'latest' ? 9 : Number(at)), ...head } }),
      eth_getBlockReceipts: () => ({ result: [shown] }),
      eth_getTransactionReceipt: () => ({ result: shown }),
    },
    { traces: 'off' },
  )
  return node.adapter.blockAt(7)
}

test('row E-62: a transaction that is shown as failed, with less gas than its block used, is not believed', async () => {
  const wrong = { status: '0x0', gasUsed: '0x5208', logs: [], logsBloom: bloom() }
  await expect(read(HEAD, wrong)).rejects.toMatchObject({
    name: 'ChainUnavailable',
    message: expect.stringMatching(/use 21000 units of gas, and its head says 40000.*another node/) as string,
  })
})

test.each([
  ['whose bloom is missing as well', { logs: [], logsBloom: bloom() }, /logs are missing/],
  ['though its bloom is there', { logs: [], logsBloom: bloom(3, 77) }, /a receipt without logs has a bloom/],
  ['of which some are left', { logs: [LOG], logsBloom: bloom(3) }, /logs are missing/],
])('row E-62: a receipt without its logs, %s, is not believed', async (_which, receipt, says) => {
  await expect(read(HEAD, receipt)).rejects.toThrow(says)
})

test.each([
  ['all that is named fits', HEAD, RECEIPT],
  ['nothing is named', {}, {}],
  ['blooms are not shown whole', { ...HEAD, logsBloom: '0x' }, { ...RECEIPT, logsBloom: null }],
  ['the rules of Amsterdam count gas otherwise', { ...HEAD, gasUsed: '0xffff', blockAccessListHash: '0x1' }, RECEIPT],
])('row E-62: receipts are believed where %s', async (_why, head, receipt) => {
  expect((await read(head, receipt))!.height).toBe(7)
})
