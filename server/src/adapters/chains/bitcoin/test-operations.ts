/** Calls of the adapter, with parameters of a recorded chain. Only tests of these adapters use it. */
import { isRefused } from '@bursar/chainkit'
import { parseAddress } from '@bursar/chainkit/bitcoin'
import { expect } from 'vitest'
import type {
  Block,
  BroadcastResult,
  CoinChainAdapter,
  FeeRate,
  Head,
  PoolAncestor,
  PoolCost,
  TransactionStatus,
} from '../port.ts'
import {
  checkBlock,
  checkCount,
  checkHead,
  checkStatus,
  checkUnits,
  headOperations,
  moneyIn,
  operation,
} from '../test-conversations.ts'

export interface BitcoinRecorded {
  height: number
  hash: string
  /** in that block, and in the pool */
  mined: string
  pooled: string
  raw: string
  child: string
  to: string
}

const HASH = /^[0-9a-f]{64}$/
const MOST = 21_000_000n * 10n ** 8n
const isAddress = (text: string): boolean => !isRefused(parseAddress(text, 'regtest'))
type Adapter = CoinChainAdapter

const checkSatoshi = (units: bigint): void => {
  checkUnits(units)
  expect(units <= MOST).toBe(true)
}
const check = (block: Block | null): void => {
  if (!block) return
  checkBlock(block, HASH, isAddress, [])
  for (const { transfers } of block.transactions) for (const { units } of transfers) checkSatoshi(units)
}
const checkResult = ({ kind }: BroadcastResult): void => expect(['accepted', 'conflict', 'refused']).toContain(kind)

export const BITCOIN_OPERATIONS = {
  identity: operation<Adapter, BitcoinRecorded, string>({
    run: (adapter) => adapter.identity(),
    check: (id) => expect(id).toMatch(HASH),
  }),
  capabilities: operation<Adapter, BitcoinRecorded, { mempool: boolean }>({
    run: (adapter) => adapter.capabilities(),
    check: ({ mempool }) => expect(mempool).toBe(true),
  }),
  ...headOperations<Adapter, BitcoinRecorded>(HASH),
  blockAt: operation<Adapter, BitcoinRecorded, Block | null>({
    run: (adapter, { height }) => adapter.blockAt(height),
    check,
    money: moneyIn,
  }),
  mempool: operation<Adapter, BitcoinRecorded, Awaited<ReturnType<Adapter['mempool']>>>({
    run: (adapter) => adapter.mempool(new Set()),
    check: ({ hashes, added }) => {
      for (const hash of hashes) expect(hash).toMatch(HASH)
      for (const { hash, transfers } of added) {
        expect([...hashes]).toContain(hash)
        for (const { to, units } of transfers) {
          expect(isAddress(to), to).toBe(true)
          checkUnits(units)
        }
      }
    },
    money: ({ added }) => moneyIn({ transactions: added } as unknown as Block),
  }),
  statusOf: operation<Adapter, BitcoinRecorded, TransactionStatus[]>({
    run: async (adapter, { mined, pooled }) => [await adapter.statusOf(mined), await adapter.statusOf(pooled)],
    check: (all) => {
      for (const status of all) checkStatus(status, HASH, checkSatoshi)
    },
  }),
  broadcast: operation<Adapter, BitcoinRecorded, BroadcastResult>({
    run: (adapter, { raw }) => adapter.broadcast(raw),
    check: checkResult,
  }),
  broadcastWithParent: operation<Adapter, BitcoinRecorded, BroadcastResult>({
    run: (adapter, { raw, child }) => adapter.broadcastWithParent(raw, child),
    check: checkResult,
  }),
  wouldTake: operation<Adapter, BitcoinRecorded, BroadcastResult[]>({
    run: (adapter, { raw, child }) => adapter.wouldTake([raw, child]),
    check: (results) => {
      expect(results).toHaveLength(2)
      results.forEach(checkResult)
    },
  }),
  feeRate: operation<Adapter, BitcoinRecorded, FeeRate>({
    run: (adapter) => adapter.feeRate(),
    check: (rate) => {
      if (rate.kind !== 'vbyte') throw new Error(rate.kind)
      checkUnits(rate.milliSatPerVb)
      if (rate.incrementMilliSatPerVb !== undefined) checkUnits(rate.incrementMilliSatPerVb)
    },
  }),
  poolCost: operation<Adapter, BitcoinRecorded, PoolCost | null>({
    run: (adapter, { pooled }) => adapter.poolCost(pooled),
    check: (cost) => {
      if (cost === null) return
      checkCount(cost.vsize)
      checkSatoshi(cost.fee)
      for (const { vsize, fee } of [cost.ancestors, cost.descendants]) {
        checkCount(vsize)
        // The difference of two sums: row B-31 of docs/dialects.md.
        checkSatoshi(fee + cost.fee)
      }
      checkCount(cost.package.vsize)
      checkSatoshi(cost.package.fee)
      checkCount(cost.descendants.count)
    },
  }),
  ancestorsOf: operation<Adapter, BitcoinRecorded, PoolAncestor[] | null>({
    run: (adapter, { pooled }) => adapter.ancestorsOf(pooled),
    check: (ancestors) => {
      for (const { transaction, keys } of ancestors ?? []) {
        expect(transaction).toMatch(HASH)
        for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}:\d+$/)
      }
    },
  }),
  rawTransactions: operation<Adapter, BitcoinRecorded, Map<string, Uint8Array>>({
    run: (adapter, { mined, pooled }) => adapter.rawTransactions([mined, pooled]),
    check: (found, { mined, pooled }) => {
      for (const hash of found.keys()) expect([mined, pooled]).toContain(hash)
    },
  }),
  coinsAt: operation<Adapter, BitcoinRecorded, (bigint | null)[]>({
    run: (adapter, { mined }) =>
      adapter.coinsAt([
        { transaction: mined, vout: 0 },
        { transaction: mined, vout: 1 },
      ]),
    check: (values) => {
      expect(values).toHaveLength(2)
      for (const value of values) if (value !== null) checkSatoshi(value)
    },
    money: (values) => values.flatMap((value, at) => (value === null ? [] : [`${at} ${value}`])),
  }),
  scan: operation<Adapter, BitcoinRecorded, { head: Head; units: bigint[] }>({
    run: (adapter, { to }) => adapter.scan([to]),
    check: ({ head, units }) => {
      checkHead(head, HASH)
      units.forEach(checkUnits)
    },
    money: ({ units }) => units.filter((one) => one > 0n).map(String),
  }),
}
