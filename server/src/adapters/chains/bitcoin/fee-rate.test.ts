/** Rates that are offered where nodes have no estimate. */
import { describe, expect, test } from 'vitest'
import { answerForFees, QUIET, type FeeAnswers } from '../../../../../test/world/dialects/bitcoin.ts'
import { playNode } from '../../../../../test/world/scripted-bitcoin-node.ts'

const HOUR = 3_600_000
const answers: FeeAnswers = {}
const asked: (readonly [string, readonly unknown[]])[] = []
let clock = 0

const open = async (given: FeeAnswers, floor = 100n) => {
  clock = 0
  asked.length = 0
  const say = (now: FeeAnswers): void => {
    for (const key of Object.keys(answers) as (keyof FeeAnswers)[]) delete answers[key]
    Object.assign(answers, now)
  }
  say(given)
  const node = await playNode(
    (method, params) => {
      asked.push([method, params])
      return answerForFees(answers, method)
    },
    { now: () => clock, fees: { floor, cap: 300_000n } },
  )
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

  test('audit D-B7, row B-13: after a start the rate is the rate of the newest blocks, never the floor', async () => {
    const { rate } = await open({ pool: { loaded: false, bytes: 0 } })
    expect(await rate()).toMatchObject({ milliSatPerVb: 20_000n, guessed: true })
  })

  test('audit D-B7, row B-13: on Core 31 the rate is that of the pool at the end of the next blocks, if it is higher', async () => {
    // 1,000,000 vB at 60 sat/vB, as much at 40, and as much at 5: two blocks end within the second.
    const diagram = [
      [0, '0.00000000'],
      [4_000_000, '0.60000000'],
      [9_000_000, '1.10000000'],
      [13_000_000, '1.15000000'],
    ] as const
    const { rate, say } = await open({ diagram: diagram.map(([weight, fee]) => [weight, fee]) })
    expect(await rate()).toMatchObject({ milliSatPerVb: 40_000n, guessed: true })
    say({
      diagram: [
        [0, '0.00000000'],
        [4_000_000, '0.60000000'],
      ],
    })
    expect(await rate()).toMatchObject({ milliSatPerVb: 20_000n, guessed: true })
  })

  test('audit D-B7: if blocks are not full and the pool fits the next one, the least rate that all miners take is no guess', async () => {
    const { rate, say } = await open({
      block: QUIET,
      pool: { bytes: 500, mempoolminfee: '0.00000100', minrelaytxfee: '0.00000100' },
    })
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
  const { rate, say } = await open({
    estimate: '0.00000300',
    pool: { mempoolminfee: '0.00000100', minrelaytxfee: '0.00000100', incrementalrelayfee: '0.00000100' },
  })
  expect(await rate()).toEqual({ kind: 'vbyte', milliSatPerVb: 300n, incrementMilliSatPerVb: 100n })
  say({ estimate: '0.00000300' })
  expect(await rate()).toEqual({ kind: 'vbyte', milliSatPerVb: 1_000n, incrementMilliSatPerVb: 1_000n })
  // A full pool takes what pays more than its least; a node relays what pays the rate of its own setting.
  for (const [mempoolminfee, minrelaytxfee] of [
    ['0.00000400', '0.00000100'],
    ['0.00000100', '0.00000400'],
  ] as const) {
    say({ estimate: '0.00000300', pool: { mempoolminfee, minrelaytxfee, incrementalrelayfee: '0.00000100' } })
    expect(await rate()).toMatchObject({ milliSatPerVb: 400n })
  }
})
