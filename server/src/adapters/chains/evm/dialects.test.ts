/** Answers of real nodes about calls of contracts, and the resulting transfers. */
// Titles name rows of docs/dialects.md; a table's title stands for all that it lists.
import { checksumAddress, type Hex } from '@bursar/chainkit/evm'

import { afterEach, describe, expect, test } from 'vitest'
import type { EvmAdapterSettings } from './index.ts'
import {
  blockOf,
  callsOf,
  CONTRACT,
  diffOf,
  ETHER,
  heightOf,
  innerCall,
  LOST_BY_ANVIL,
  MINER,
  NEVER,
  OPCODES,
  OURS,
  receiptOf,
  startDialect,
  STATE_GONE,
  transactionHash,
  UNTRACEABLE,
  type Answer,
} from '../../../../../test/world/dialects/evm-traces.ts'
import { ELEMENTS, FAILED, FRAMES } from './test-frames.ts'
import { neverTraces } from './trace-questions.ts'

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

const saidAt = (height: number, said: Answer) => ({
  debug_traceBlockByHash: ([hash]: unknown[]): Answer =>
    heightOf(hash) === height ? said : { result: [diffOf(heightOf(hash))] },
})

/** As the watcher does: the same block over and over. @returns the block, and how often it was asked for */
const patiently = async <T>(ask: () => Promise<T>, most = 20): Promise<{ found: T; times: number }> => {
  for (let times = 1; ; times += 1) {
    try {
      return { found: await ask(), times }
    } catch (error) {
      expect(error).toMatchObject({ name: 'ChainUnavailable' })
      if (times === most) throw error
    }
  }
}

const innerOf = (block: { transactions: { transfers: { index: string }[] }[] } | null) =>
  block!.transactions.flatMap(({ transfers }) => transfers.filter(({ index }) => index.startsWith('t:')))

describe('inner income', () => {
  test('is what an account gains from calls: fee, tip and value of the transaction are not counted', async () => {
    const { adapter, asked } = await start()
    const block = (await adapter.blockAt(7))!
    expect(innerOf(block)).toEqual([FOUND])
    expect(block.transactions[0]!.transfers.map(({ index }) => index)).toEqual(['n', FOUND.index])
    expect(block).not.toHaveProperty('untraced')
    expect(asked).not.toContain('debug_traceTransaction')
  })

  test('audit D-E1: is computed from differences of balances, never from the calls of a whole block', async () => {
    const options: unknown[] = []
    const { adapter } = await start({
      debug_traceBlockByHash: ([hash, option]) => (options.push(option), { result: [diffOf(heightOf(hash))] }),
    })
    await adapter.blockAt(7)
    expect(options).not.toHaveLength(0)
    for (const option of options) {
      expect(option).toEqual({
        tracer: 'prestateTracer',
        tracerConfig: { diffMode: true, disableCode: true, disableStorage: true },
      })
    }
  })

  test('of the fee recipient is its tip once, and the coins that contracts sent it', async () => {
    const diff = diffOf(7) as { result: { post: Record<string, object> } }
    diff.result.post[MINER] = { balance: `0x${(7n + 80_000n + 5n).toString(16)}` }
    const { adapter } = await start(saidAt(7, { result: [diff] }))
    const toMiner = (await adapter.blockAt(7))!.transactions.flatMap(({ hash, transfers }) =>
      transfers.filter(({ to }) => to === eip55(MINER)).map(({ index, units }) => [hash, index, units]),
    )
    expect(toMiner).toEqual([
      [transactionHash(7), `t:${eip55(MINER)}`, 5n],
      [blockOf(7).hash, 'f', 80_000n],
    ])
  })

  test('of several payers names them all, the largest first', async () => {
    const other = `0x${'e1'.repeat(20)}`
    const calls = callsOf([
      { ...innerCall, value: '0x5' },
      { ...innerCall, from: other, value: '0x7' },
    ])
    const { adapter } = await start({
      debug_traceBlockByHash: () => ({ result: [{ result: OPCODES }] }),
      debug_traceTransaction: () => ({ result: calls }),
    })
    expect(innerOf(await adapter.blockAt(7))).toEqual([{ ...FOUND, from: [eip55(other), eip55(CONTRACT)], units: 12n }])
  })
})

test('a chain that switches while transactions are traced by their hashes is read anew', async () => {
  const lost = `0x${'99'.repeat(32)}`
  let shown: unknown = lost
  const { adapter } = await start({
    eth_getBlockByNumber: ([at]) => {
      const block = blockOf(at === 'latest' ? 9 : Number(at))
      return { result: Number(at) === 7 ? { ...block, hash: shown } : block }
    },
    eth_getBlockReceipts: ([hash]) => ({ result: [{ ...receiptOf(7), blockHash: hash }] }),
    debug_traceBlockByHash: () => ({ result: [{ result: OPCODES }] }),
    debug_traceTransaction: ([hash]) => {
      const isBefore = shown === lost
      if (hash === transactionHash(7)) shown = blockOf(7)['hash']
      return { result: callsOf([{ ...innerCall, value: isBefore ? '0x5' : innerCall.value }]) }
    },
  })
  const block = await adapter.blockAt(7)
  expect(block!.hash).toBe(blockOf(7)['hash'])
  expect(innerOf(block)).toEqual([FOUND])
})

// The code alone would say that the method is missing: a gateway gives it for a block that is too old for it.
test.each([
  ['row E-19', { code: -32_601, message: 'public endpoint only serves recent blocks' }, false],
  ['row E-17', { code: -32_601, message: 'the method debug_traceBlockByHash does not exist/is not available' }, true],
])('%s: a refusal ends all tracing, or only that of one block', (_row, refusal, never) => {
  expect(neverTraces(refusal)).toBe(never)
})

describe('one block that can not be traced does not stop the chain', () => {
  test.for(UNTRACEABLE)('audit D-E1, rows E-19, E-23, E-24, E-25, E-26 and E-27: $who ($source)', async ({ said }) => {
    const { adapter } = await start(saidAt(7, said))
    const { found, times } = await patiently(() => adapter.blockAt(7))
    expect(found).toMatchObject({ height: 7, untraced: true })
    expect(innerOf(found)).toEqual([])
    expect(times).toBeGreaterThan(2)
    expect(innerOf(await adapter.blockAt(8))).toHaveLength(1)
    // A block that was given up once is not waited for again.
    expect(await adapter.blockAt(7)).toMatchObject({ untraced: true })
  })

  test('audit D-E1: while the head does not change there is no next block, and the block is read again', async () => {
    const { adapter } = await start({
      ...saidAt(7, { error: { code: -32000, message: 'execution timeout' } }),
      eth_getBlockByNumber: ([at]) => ({ result: blockOf(at === 'latest' ? 8 : Number(at)) }),
    })
    await expect(patiently(() => adapter.blockAt(7))).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test('audit D-E1, row E-28: an answer that is longer than 32 MiB is not read to its end', async () => {
    const padded = { ...(diffOf(7) as object), padding: '0'.repeat(34 * 1024 * 1024) }
    const { adapter } = await start(saidAt(7, { result: [padded] }))
    expect((await patiently(() => adapter.blockAt(7))).found).toMatchObject({ untraced: true })
  })

  test.for(STATE_GONE)(
    'audit D-E4, rows E-29, E-30 and E-31: a block older than the states that the node has is untraced at once, $who ($source)',
    async ({ said }) => {
      const { adapter } = await start(saidAt(7, said), {}, 80)
      const { found, times } = await patiently(() => adapter.blockAt(7))
      expect(found).toMatchObject({ untraced: true })
      expect(times).toBe(1)
    },
  )

  test.for(STATE_GONE)('audit D-E4: a young block is requested again, $who ($source)', async ({ said }) => {
    const { adapter, methods } = await start(saidAt(7, said))
    await expect(adapter.blockAt(7)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    methods['debug_traceBlockByHash'] = () => ({ result: [diffOf(7)] })
    expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
  })

  test('anvil has lost a state for good, and its head may stand still: the block is taken as it is', async () => {
    const { adapter } = await start(saidAt(7, LOST_BY_ANVIL))
    expect(await adapter.blockAt(7)).toMatchObject({ untraced: true })
  })

  test('audit D-E4: a block is requested again if one machine behind a load balancer lacks its state', async () => {
    let gone = true
    const { adapter } = await start(
      {
        debug_traceBlockByHash: ([hash]) =>
          heightOf(hash) === 7 && gone ? ((gone = false), { result: null }) : { result: [diffOf(heightOf(hash))] },
      },
      {},
      80,
    )
    expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
  })

  test('audit D-E4, row E-32: "not been executed yet" is never "gone"', async () => {
    const { adapter } = await start(saidAt(7, UNTRACEABLE.find(({ who }) => who.startsWith('reth'))!.said), {}, 80)
    await expect(adapter.blockAt(7)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })
})

describe('a node without the tracer', () => {
  const besu = (calls: object[]) => ({
    debug_traceBlockByHash: (): Answer => ({ result: [{ result: OPCODES }] }),
    debug_traceTransaction: (): Answer => ({ result: callsOf(calls) }),
  })

  test('audit D-E7, row E-22: that answers opcodes to every tracer shows nothing, and says so', async () => {
    const { adapter } = await start({
      debug_traceBlockByHash: () => ({ result: [{ result: OPCODES }] }),
      debug_traceTransaction: () => ({ result: OPCODES }),
    })
    expect((await adapter.capabilities()).traces).toBe(false)
    expect(innerOf(await adapter.blockAt(7))).toEqual([])
  })

  test('audit D-E7: and with the call tracer is asked transaction by transaction, within small limits', async () => {
    const options: unknown[] = []
    const { adapter } = await start({
      ...besu([innerCall]),
      debug_traceTransaction: ([, option]) => (options.push(option), { result: callsOf([innerCall]) }),
    })
    expect((await adapter.capabilities()).traces).toBe(true)
    expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
    expect(options[0]).toMatchObject({ tracer: 'callTracer', timeout: '2s' })
  })

  test('audit D-E7: that shows opcodes instead of calls is found by the first transaction, if its blocks had none at the start', async () => {
    const empty = (height: number) => ({ ...blockOf(height), transactions: [] })
    const { adapter } = await start({
      ...besu([innerCall]),
      eth_getBlockByNumber: ([at]) => ({
        result: at === 'latest' ? empty(30) : Number(at) === 7 ? blockOf(7) : empty(Number(at)),
      }),
      debug_traceBlockByHash: ([hash]) => ({ result: heightOf(hash) === 7 ? [{ result: OPCODES }] : [] }),
    })
    expect((await adapter.capabilities()).traces).toBe(true)
    expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
  })

  test('Besu before 26.2 gives a creation that failed neither an error nor an address: the rest is seen', async () => {
    const { adapter } = await start(besu([{ type: 'CREATE', from: CONTRACT, value: '0x1' }, innerCall]))
    expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
  })

  test('audit D-E1: a transaction whose calls are more than 4 MiB does not stop the chain', async () => {
    const { adapter } = await start(besu([innerCall]))
    await adapter.capabilities()
    node!.methods['debug_traceTransaction'] = () => ({ raw: `{"result":"${'0'.repeat(5 * 1024 * 1024)}` })
    expect((await patiently(() => adapter.blockAt(7))).found).toMatchObject({ untraced: true })
  })
})

describe('transactions as clients show them', () => {
  test.for(FRAMES)(
    'rows E-34, E-35, E-36, E-37, E-38 and E-39: income of an address has one index and one sum: $who ($source)',
    async ({ calls, received }) => {
      const { adapter } = await start({
        debug_traceBlockByHash: () => ({ result: [{ result: OPCODES }] }),
        debug_traceTransaction: () => ({ result: callsOf(calls) }),
      })
      const block = await adapter.blockAt(7)
      const toUs = innerOf(block).filter((transfer) => 'to' in transfer && transfer.to === eip55(OURS))
      expect(toUs).toMatchObject(received === 0n ? [] : [{ index: FOUND.index, units: received }])
      expect(block).not.toHaveProperty('untraced')
    },
  )

  test.for(ELEMENTS)('row E-33: in a list $who', async ({ element }) => {
    const { adapter } = await start({ debug_traceBlockByHash: ([hash]) => ({ result: [element(heightOf(hash))] }) })
    const block = await adapter.blockAt(7)
    expect(innerOf(block)).toEqual([FOUND])
    expect(block).not.toHaveProperty('untraced')
  })

  test.for([
    ['by balances', { debug_traceBlockByHash: (): Answer => ({ result: [FAILED.diff] }) }],
    [
      'by calls',
      {
        debug_traceBlockByHash: (): Answer => ({ result: [{ result: OPCODES }] }),
        debug_traceTransaction: (): Answer => ({ result: FAILED.frames }),
      },
    ],
  ] as const)('row E-40: one that failed moved nothing, shown %s', async ([, given]) => {
    const { adapter } = await start({
      ...given,
      eth_getBlockReceipts: () => ({ result: [{ ...receiptOf(7), status: '0x0' }] }),
    })
    await adapter.capabilities()
    const [failed, income] = (await adapter.blockAt(7))!.transactions
    expect(failed).toMatchObject({ succeeded: false, fee: 120_000n, transfers: [] })
    expect(income!.transfers.map(({ index }) => index)).toEqual(['f'])
  })

  test('row E-40: an error on the outermost frame of a transaction with status 1 is believed over its calls', async () => {
    const { adapter } = await start({
      debug_traceBlockByHash: () => ({ result: [{ result: OPCODES }] }),
      debug_traceTransaction: () => ({ result: FAILED.frames }),
    })
    expect(innerOf(await adapter.blockAt(7))).toEqual([])
  })
})

describe('machines behind a balancer that do not agree about the newest block', () => {
  /**
   * From memory, and tidx#264: the block comes from one machine, the next question goes to one that does not have it
   * yet. geth: eth/tracers/api.go, internal/ethapi/api.go.
   */
  test.for([
    ['its receipts: null', { eth_getBlockReceipts: { result: null }, eth_getTransactionReceipt: { result: null } }],
    [
      'its receipts: an error',
      {
        eth_getBlockReceipts: { error: { code: -32000, message: 'header not found' } },
        eth_getTransactionReceipt: { result: null },
      },
    ],
    [
      'its traces: an error',
      {
        debug_traceBlockByHash: { error: { code: -32000, message: `block ${blockOf(7)['hash'] as string} not found` } },
      },
    ],
    ['its state: an error', { debug_traceBlockByHash: { error: { code: -32000, message: 'header not found' } } }],
  ] as [string, Record<string, Answer>][])('row E-7: the block is read again until they do: %s', async ([, given]) => {
    const { adapter, methods } = await start()
    expect((await adapter.capabilities()).traces).toBe(true)
    const whole = { ...methods }
    for (const [method, said] of Object.entries(given)) methods[method] = () => said
    await expect(adapter.blockAt(7)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    Object.assign(methods, whole)
    expect(innerOf(await adapter.blockAt(7))).toEqual([FOUND])
  })
})

describe('a node that does not trace', () => {
  test.for(NEVER)('rows E-17, E-18 and E-20: is asked once: $who ($source)', async ({ said }) => {
    const { adapter, asked } = await start({ debug_traceBlockByHash: () => said })
    expect((await adapter.capabilities()).traces).toBe(false)
    const block = await adapter.blockAt(7)
    expect(block).not.toHaveProperty('untraced')
    expect(innerOf(block)).toEqual([])
    expect(asked.filter((method) => method.startsWith('debug_'))).toHaveLength(1)
  })

  test('audit D-E9, row E-21: and says so in words of its own is asked again after an hour; until then blocks are untraced', async () => {
    let clock = 0
    const refusal: Answer = { error: { code: -32000, message: 'rpc method is not whitelisted' } }
    const { adapter, methods, asked } = await start({ debug_traceBlockByHash: () => refusal }, { now: () => clock })
    const { found, times } = await patiently(() => adapter.blockAt(7))
    expect(found).toMatchObject({ untraced: true })
    expect(times).toBeGreaterThan(1)
    expect((await adapter.capabilities()).traces).toBe(false)
    const before = asked.filter((method) => method.startsWith('debug_')).length
    expect(await adapter.blockAt(8)).toMatchObject({ untraced: true })
    expect(asked.filter((method) => method.startsWith('debug_'))).toHaveLength(before)
    methods['debug_traceBlockByHash'] = ([hash]) => ({ result: [diffOf(heightOf(hash))] })
    clock = 3_600_000
    expect(innerOf(await adapter.blockAt(9))).toHaveLength(1)
    expect((await adapter.capabilities()).traces).toBe(true)
  })

  test('audit D-E9: "only on plans with higher limits" is asked again longer, and does not stop the chain either', async () => {
    const { adapter } = await start({
      debug_traceBlockByHash: () => ({
        error: { code: -32000, message: 'available only on plans with higher limits' },
      }),
    })
    const { found, times } = await patiently(() => adapter.blockAt(7))
    expect(found).toMatchObject({ untraced: true })
    expect(times).toBe(10)
  })
})
