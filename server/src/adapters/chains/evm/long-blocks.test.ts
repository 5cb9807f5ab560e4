/** Blocks whose receipts are long: a stranger can fill blocks in a row with logs. */
import { expect, test } from 'vitest'
import { createRpc } from '../rpc.ts'
import { startRpcNode } from '../../../../../test/world/rpc-node.ts'
import { createTurns, readBlockAt } from './blocks.ts'
import { blockOf, CONTRACT, receiptOf } from '../../../../../test/world/dialects/evm-traces.ts'

/** As geth shows a log without topics and data (go-ethereum core/types/log.go): it costs 375 units of gas. */
const EMPTY_LOG = { address: CONTRACT, topics: [], data: '0x', blockTimestamp: '0x66', removed: false }
const LOGS = 60_000

const read = async (heights: number[], logs: number) => {
  const url = await startRpcNode({
    eth_getBlockByNumber: ([at]) => blockOf(Number(at)),
    eth_getBlockReceipts: ([hash]) => {
      const receipt = receiptOf(Number(hash) - 1_000)
      const { transactionHash, blockHash } = receipt
      const all = Array.from({ length: logs }, (_, n) => ({
        ...EMPTY_LOG,
        transactionHash,
        blockHash,
        logIndex: `0x${n.toString(16)}`,
      }))
      return [{ ...receipt, logs: all }]
    },
  })
  const rpc = createRpc({ network: 'ETHEREUM', url, parse: JSON.parse, random: () => 0, timeoutMs: 120_000 })
  const turns = createTurns()
  const seen = { long: 0, atOnce: 0, most: 0 }
  const longInTurn = async <T>(one: () => Promise<T>): Promise<T> =>
    turns(async () => {
      seen.long += 1
      seen.atOnce += 1
      seen.most = Math.max(seen.most, seen.atOnce)
      return one().finally(() => (seen.atOnce -= 1))
    })
  const reading = { network: 'ETHEREUM' as const, tokens: new Set<string>(), tracing: undefined, longInTurn }
  const blocks = await Promise.all(heights.map((height) => readBlockAt(rpc, height, reading))).finally(() =>
    rpc.close(),
  )
  return { blocks: blocks.map((block) => block!.height), seen }
}

test('are read one after the other, even if many blocks are requested at once', async () => {
  expect(await read([5, 6, 7], LOGS)).toEqual({ blocks: [5, 6, 7], seen: { long: 3, atOnce: 0, most: 1 } })
})

test('others are read side by side', async () => {
  expect(await read([5, 6, 7], 10)).toEqual({ blocks: [5, 6, 7], seen: { long: 0, atOnce: 0, most: 0 } })
})

test('one that can not be read does not keep the next', async () => {
  const inTurn = createTurns()
  const failed = inTurn(() => Promise.reject(new Error('no answer')))
  const next = inTurn(async () => 8)
  await expect(failed).rejects.toThrow('no answer')
  expect(await next).toBe(8)
})
