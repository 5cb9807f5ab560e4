import { describe, expect, test } from 'vitest'
import { addressTopic, TRANSFER_TOPIC } from '@bursar/chainkit/evm'
import { decodeReceipts, feeOf, type Receipt } from './receipts.ts'
import { decodeTransaction } from './transaction.ts'

const BLOCK = `0x${'bb'.repeat(32)}`
const HASHES = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
const TOKEN = `0x${'cc'.repeat(20)}`
const TO = `0x${'dd'.repeat(20)}`

const log = (logIndex: number, more: object = {}) => ({
  address: TOKEN,
  topics: [TRANSFER_TOPIC, addressTopic(TO), addressTopic(TO)],
  data: `0x${'0'.repeat(63)}7`,
  logIndex: `0x${logIndex.toString(16)}`,
  removed: false,
  ...more,
})
const receipt = (at: number, logs: object[], more: object = {}): Receipt => ({
  transactionHash: HASHES[at],
  blockHash: BLOCK,
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x2',
  logs,
  ...more,
})
const transaction = { hash: HASHES[1], from: TO, to: TOKEN, nonce: '0x3', value: '0x0' }
const transfersIn = (shown: Receipt, tokens = [TOKEN]) =>
  decodeTransaction({ transaction, receipt: shown, trace: undefined, fees: null }, new Set(tokens)).transfers

describe('receipts of a block', () => {
  test('are one for each transaction, with all logs', () => {
    const receipts = [receipt(0, [log(0), log(1)]), receipt(1, [log(2)])]
    expect(decodeReceipts(receipts, BLOCK, HASHES)).toEqual(receipts)
  })

  test.for([
    ['one is missing', [receipt(0, [])]],
    ['they are in another order', [receipt(1, []), receipt(0, [])]],
    ['one is of another block', [receipt(0, []), receipt(1, [], { blockHash: `0x${'cd'.repeat(32)}` })]],
    ['a log is missing within one', [receipt(0, [log(0), log(2)]), receipt(1, [])]],
    ['a log is missing between two', [receipt(0, [log(0)]), receipt(1, [log(2)])]],
    ['a log is there twice', [receipt(0, [log(0), log(0)]), receipt(1, [])]],
    ['there are none', null],
  ] as const)('are not believed when %s', ([, result]) => {
    expect(() => decodeReceipts(result, BLOCK, HASHES)).toThrow(expect.objectContaining({ name: 'Malformed' }))
  })

  test('row E-15: belong to transactions by their order, regardless of the index that they name', () => {
    const receipts = [
      receipt(0, [log(0)], { transactionIndex: '0x1' }),
      receipt(1, [log(1)], { transactionIndex: '0x0' }),
    ]
    expect(decodeReceipts(receipts, BLOCK, HASHES)).toEqual(receipts)
  })

  test('name a log by its place in its transaction, which another block does not change', () => {
    const [early, late] = [receipt(1, [log(1), log(2)]), receipt(1, [log(40), log(41)])]
    expect(transfersIn(late)).toEqual(transfersIn(early))
    expect(transfersIn(early).map(({ index }) => index)).toEqual(['l:0', 'l:1'])
  })

  test.for([
    ['of a contract that is not listed', log(1, { address: `0x${'ce'.repeat(20)}` })],
    ['of another event', log(1, { topics: [`0x${'11'.repeat(32)}`] })],
    [
      'of an NFT',
      log(1, { topics: [TRANSFER_TOPIC, addressTopic(TO), addressTopic(TO), addressTopic(TO)], data: '0x' }),
    ],
    ['of nothing', log(1, { data: `0x${'0'.repeat(64)}` })],
    ['with an address that is none', log(1, { topics: [TRANSFER_TOPIC, addressTopic(TO), `0x${'ff'.repeat(32)}`] })],
    ['without an amount', log(1, { data: '0x' })],
    ['that was taken back', log(1, { removed: true })],
  ] as const)('have a log %s, which is no payment and keeps its place', ([, strange]) => {
    expect(transfersIn(receipt(1, [strange, log(2)])).map(({ index }) => index)).toEqual(['l:1'])
  })

  test('L11 an amount of 2^256-1 is an amount', () => {
    expect(transfersIn(receipt(1, [log(0, { data: `0x${'f'.repeat(64)}` })]))[0]!.units).toBe(2n ** 256n - 1n)
  })

  test('E2 a transaction that failed moved nothing, even if its receipt has logs', () => {
    expect(transfersIn(receipt(1, [log(0)], { status: '0x0' }))).toEqual([])
  })

  test('a contract that is created holds the value it was created with', () => {
    const created = receipt(1, [], { contractAddress: TOKEN })
    const creating = {
      transaction: { ...transaction, to: null, value: '0x9' },
      receipt: created,
      trace: undefined,
      fees: null,
    }
    expect(decodeTransaction(creating, new Set()).transfers).toMatchObject([
      { index: 'n', units: 9n, to: expect.stringMatching(/^0x(cc){20}$/i) },
    ])
  })

  test('cost gas at its price, and blobs at theirs', () => {
    expect(feeOf(receipt(0, []))).toBe(42_000n)
    expect(feeOf(receipt(0, [], { blobGasPrice: '0x1', blobGasUsed: null }))).toBe(42_000n)
    expect(feeOf(receipt(0, [], { blobGasPrice: '0x3', blobGasUsed: '0x20000' }))).toBe(42_000n + 3n * 131_072n)
  })
})
