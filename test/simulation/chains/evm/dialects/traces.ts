/**
 * Traces of blocks. Words: test/world/dialects/evm-traces.ts; rows E-17 to E-40 of docs/dialects.md.
 */
import { NEVER, OPCODES, STATE_GONE, UNTRACEABLE, type Answer } from '../../../../world/dialects/evm-traces.ts'
import {
  answering,
  changing,
  isAmong,
  type Answering,
  type Dialect,
  type NodeBehind,
  type Said,
} from '../../dialect.ts'

const TRACE = 'debug_traceBlockByHash'
/** Of how many blocks a node cannot show traces that shows those of others. */
const SOME = 0.3
/** States that full nodes of geth and bsc keep. */
const STORED_BLOCKS = 128

interface Frame {
  type?: string
  value?: string | null
  calls?: Frame[] | null
}
interface Traced {
  txHash?: string
  result?: unknown
  error?: unknown
}

const saidAs = (said: Answer): Said => ('raw' in said ? { status: 200, text: said.raw } : said)

const isOld = async (hash: unknown, node: NodeBehind): Promise<boolean> => {
  const said = await node.ask('eth_getBlockByHash', hash, false)
  const block = 'result' in said ? (said.result as { number: string } | null) : null
  return block !== null && (await node.head()) - Number(block.number) >= STORED_BLOCKS
}

const frames = (change: (frame: Frame) => Frame): Answering => {
  const changed = (frame: Frame): Frame => change({ ...frame, ...(frame.calls && { calls: frame.calls.map(changed) }) })
  return changing([TRACE], (traces: Traced[] | null, { params }) => {
    const { tracer } = (params[1] ?? {}) as { tracer?: string }
    if (tracer !== 'callTracer') return traces
    return traces?.map((one) => (one.result ? { ...one, result: changed(one.result as Frame) } : one)) ?? null
  })
}
const elements = (change: (traced: Traced) => Traced): Answering =>
  changing([TRACE], (traces: Traced[] | null) => traces?.map(change) ?? null)

export const TRACES: readonly Dialect[] = [
  ...NEVER.map(({ who, said }): Dialect => ({
    name: `E-17 to E-20 ${who}: no traces`,
    aspect: 'traces',
    blinds: 'all',
    answer: answering([TRACE], saidAs(said)),
  })),
  {
    name: 'E-21 gateways by proxyd: not whitelisted',
    aspect: 'traces',
    blinds: 'all',
    answer: answering([TRACE], {
      write: (id) => ({
        status: 403,
        text: JSON.stringify({
          jsonrpc: '2.0',
          id,
          error: { code: -32_601, message: 'rpc method is not whitelisted' },
        }),
      }),
    }),
  },
  {
    name: 'E-22 Besu before 25.8: opcodes with any tracer',
    aspect: 'traces',
    blinds: 'all',
    answer: elements(({ txHash }) => ({ ...(txHash !== undefined && { txHash }), result: OPCODES })),
  },
  ...UNTRACEABLE.map(({ who, said }): Dialect => ({
    name: `E-23 to E-27 ${who}, of some blocks`,
    aspect: 'traces',
    blinds: 'some',
    // What is not there yet comes later; the others stay so.
    ...(who.includes('not there yet') && { hinders: true as const }),
    answer: answering([TRACE], ({ params }) => (isAmong(String(params[0]), SOME) ? saidAs(said) : undefined)),
  })),
  ...STATE_GONE.map(({ who, said }): Dialect => ({
    name: `E-29 to E-31 ${who}: state of old blocks is gone`,
    aspect: 'traces',
    answer: answering([TRACE], async ({ params }, node) => ((await isOld(params[0], node)) ? saidAs(said) : undefined)),
  })),
  { name: 'E-33 geth before 1.11: no hashes', aspect: 'elements', answer: elements(({ txHash: _, ...one }) => one) },
  {
    name: 'E-24 an empty error beside each trace',
    aspect: 'elements',
    answer: elements((one) => ({ ...one, error: null })),
  },
  {
    name: 'E-37 Nethermind: null where there is no value',
    aspect: 'frames',
    answer: frames(({ value, ...frame }) => ({
      ...frame,
      value: frame.type === 'STATICCALL' ? null : (value ?? null),
    })),
  },
  {
    name: 'E-37 null for what others leave out',
    aspect: 'frames',
    answer: frames((frame) => ({ ...frame, calls: frame.calls ?? null })),
  },
]
