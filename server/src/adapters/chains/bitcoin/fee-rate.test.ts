/**
 * What nodes say of fees when they have no estimate. The answers are those of Bitcoin Core (src/rpc/fees.cpp, src/rpc/mempool.cpp, src/rpc/blockchain.cpp;
 * release notes of 28 and 31) and of Knots 29.4.3 on regtest.
 */
import { describe, expect, test } from 'vitest'
import { playNode, type Answer } from './test-node.ts'

const HOUR = 3_600_000
const BUSY = { median: 20, weight: 3_993_000 }
const QUIET = { median: 1, weight: 900_000 }

interface Told {
  /** BTC/kvB; undefined: insufficient data */
  estimate?: string | undefined
  block?: typeof BUSY
  pool?: { loaded?: boolean; bytes?: number; mempoolminfee?: string; minrelaytxfee?: string; incrementalrelayfee?: string }
  /** (weight, fee) points; undefined: a node before Core 31 */
  diagram?: readonly [number, string][] | undefined
}

const told: Told = {}
const asked: (readonly [string, readonly unknown[]])[] = []
let clock = 0
const amount = (digits: string): unknown => ({ digits })

const answer = (method: string, params: readonly unknown[]): Answer => {
  asked.push([method, params])
  const block = told.block ?? BUSY
  switch (method) {
    case 'estimatesmartfee':
      return { result: told.estimate === undefined ? { errors: ['Insufficient data or no feerate found'], blocks: 0 } : { feerate: amount(told.estimate), blocks: 2 } }
    case 'getmempoolinfo': {
      const { loaded = true, bytes = 40_000_000, mempoolminfee = '0.00001000', minrelaytxfee = '0.00001000', incrementalrelayfee = '0.00001000' } = told.pool ?? {}
      return { result: { loaded, bytes, mempoolminfee: amount(mempoolminfee), minrelaytxfee: amount(minrelaytxfee), incrementalrelayfee: amount(incrementalrelayfee) } }
    }
    case 'getblockchaininfo':
      return { result: { blocks: 900_000, bestblockhash: '00'.repeat(32) } }
    case 'getblockstats':
      return { result: { feerate_percentiles: [1, 2, block.median, 30, 50], total_weight: block.weight } }
    case 'getmempoolfeeratediagram':
      if (told.diagram === undefined) return { error: { code: -32_601, message: 'Method not found' } }
      return { result: told.diagram.map(([weight, fee]) => ({ weight, fee: amount(fee) })) }
    default:
      throw new Error(`not asked of a node for fees: ${method}`)
  }
}

const open = async (given: Told, floor = 100n) => {
  clock = 0
  asked.length = 0
  const say = (now: Told): void => {
    for (const key of Object.keys(told) as (keyof Told)[]) delete told[key]
    Object.assign(told, now)
  }
  say(given)
  const node = await playNode(answer, { now: () => clock, fees: { floor, cap: 300_000n } })
  return { rate: async () => node.feeRate(), say }
}

describe('a node without an estimate', () => {
  test('audit D-B7, row B-13: the newest estimate is offered for six hours, as a guess', async () => {
    const { rate, say } = await open({ estimate: '0.00050000' })
    expect(await rate()).toMatchObject({ milliSatPerVb: 50_000n })
    expect(await rate()).not.toHaveProperty('guessed')
    say({})
    clock = 6 * HOUR
    expect(await rate()).toMatchObject({ milliSatPerVb: 50_000n, guessed: true })
    clock += 1
    expect(await rate()).toMatchObject({ milliSatPerVb: 20_000n, guessed: true })
    say({ estimate: '0.00003000' })
    expect(await rate()).not.toHaveProperty('guessed')
  })

  test('audit D-B7, row B-13: after a start the rate is what the newest blocks paid, never the floor', async () => {
    const { rate } = await open({ pool: { loaded: false, bytes: 0 } })
    expect(await rate()).toMatchObject({ milliSatPerVb: 20_000n, guessed: true })
  })

  test('audit D-B7, row B-13: on Core 31 the rate is what the pool pays at the end of the next blocks, where that is more', async () => {
    // 1,000,000 vB at 60 sat/vB, as much at 40, and as much at 5: two blocks end within the second.
    const diagram = [[0, '0.00000000'], [4_000_000, '0.60000000'], [9_000_000, '1.10000000'], [13_000_000, '1.15000000']] as const
    const { rate, say } = await open({ diagram: diagram.map(([weight, fee]) => [weight, fee]) })
    expect(await rate()).toMatchObject({ milliSatPerVb: 40_000n, guessed: true })
    say({ diagram: [[0, '0.00000000'], [4_000_000, '0.60000000']] })
    expect(await rate()).toMatchObject({ milliSatPerVb: 20_000n, guessed: true })
  })

  test('audit D-B7: where blocks have room and the pool fits the next one, the least rate that all miners take is no guess', async () => {
    const { rate, say } = await open({ block: QUIET, pool: { bytes: 500, mempoolminfee: '0.00000100', minrelaytxfee: '0.00000100' } })
    expect(await rate()).toEqual({ kind: 'vbyte', milliSatPerVb: 1_000n, incrementMilliSatPerVb: 1_000n })
    say({ block: QUIET, pool: { bytes: 500, loaded: false } })
    expect(await rate()).toMatchObject({ guessed: true })
    say({ block: QUIET, pool: { bytes: 5_000_000 } })
    expect(await rate()).toMatchObject({ guessed: true })
  })
})

test('audit D-B7, row B-14: the mode of the estimate is named, as nodes have different ones when it is not', async () => {
  const { rate } = await open({ estimate: '0.00005000' })
  await rate()
  expect(asked.find(([method]) => method === 'estimatesmartfee')).toEqual(['estimatesmartfee', [2, 'economical']])
})

test('audit D-B9, row B-15: rates below 1 sat/vB are paid where the node estimates and relays them, and its increment is read', async () => {
  const { rate, say } = await open({ estimate: '0.00000300', pool: { mempoolminfee: '0.00000100', minrelaytxfee: '0.00000100', incrementalrelayfee: '0.00000100' } })
  expect(await rate()).toEqual({ kind: 'vbyte', milliSatPerVb: 300n, incrementMilliSatPerVb: 100n })
  say({ estimate: '0.00000300' })
  expect(await rate()).toEqual({ kind: 'vbyte', milliSatPerVb: 1_000n, incrementMilliSatPerVb: 1_000n })
})
