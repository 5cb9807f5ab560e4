/** Receipts that are more than one answer may hold. */
import { expect, test } from 'vitest'
import { createRpc } from '../rpc.ts'
import { refuse, startRpcNode } from '../../../../../test/world/rpc-node.ts'
import { readReceipts } from './block-receipts.ts'

const HASH = `0x${'ab'.repeat(32)}`
const hashes = Array.from({ length: 40 }, (_, at) => `0x${at.toString(16).padStart(64, '0')}`)
/**
 * As geth shows a transaction whose logs are empty: LOG0 costs 375 units of gas, and is some 400 bytes of an answer
 * (go-ethereum core/types/log.go, params/protocol_params.go).
 */
const receiptOf = (hash: string) => ({
  transactionHash: hash,
  blockHash: HASH,
  logs: Array.from({ length: 5 }, (_, at) => ({
    address: `0x${'11'.repeat(20)}`,
    topics: [],
    data: '0x',
    blockHash: HASH,
    transactionHash: hash,
    logIndex: `0x${at.toString(16)}`,
  })),
})
const head = { height: 7, hash: HASH, time: 1_000 }

const read = async (maxBytes: number, asked: string[] = []) => {
  const url = await startRpcNode({
    eth_getBlockByNumber: () => ({ number: '0x7', hash: HASH, timestamp: '0x1' }),
    eth_getBlockReceipts: () => {
      asked.push('all')
      return hashes.map(receiptOf)
    },
    eth_getTransactionReceipt: ([hash]) => {
      asked.push('one')
      return receiptOf(String(hash))
    },
  })
  const rpc = createRpc({ network: 'ETHEREUM', url, parse: JSON.parse, random: () => 0, maxBytes, timeoutMs: 120_000 })
  return readReceipts(rpc, head, hashes).finally(() => rpc.close())
}

test('a block whose receipts are longer than is read does not stop the chain: they come in ever smaller parts', async () => {
  const whole = JSON.stringify(hashes.map(receiptOf)).length
  const asked: string[] = []
  const receipts = await read(Math.floor(whole / 3), asked)
  expect(receipts).toEqual(hashes.map(receiptOf))
  expect(asked.filter((one) => one === 'all')).toHaveLength(1)
  expect(asked.filter((one) => one === 'one').length).toBeGreaterThan(hashes.length)
})

test('a single receipt that is longer than is read is no answer', async () => {
  await expect(read(1_000)).rejects.toThrow('longer than 1000 bytes')
})

test('a node that wants fewer questions is not asked for receipts one by one instead', async () => {
  const asked: string[] = []
  const refused = (method: string) => () => {
    asked.push(method)
    return refuse(-32_005, 'rate limit exceeded')()
  }
  const url = await startRpcNode({
    eth_getBlockByNumber: () => ({ number: '0x7', hash: HASH, timestamp: '0x1' }),
    eth_getBlockReceipts: refused('all'),
    eth_getTransactionReceipt: refused('one'),
  })
  let now = 0
  const timer = { now: () => now, sleep: async (ms: number) => void (now += ms) }
  const rpc = createRpc({ network: 'ETHEREUM', url, parse: JSON.parse, random: () => 0, timer })
  await expect(readReceipts(rpc, head, hashes).finally(() => rpc.close())).rejects.toThrow('rate limit exceeded')
  expect(asked).toEqual(['all', 'all', 'all'])
})
