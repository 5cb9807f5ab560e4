import { readHead } from '../evm/heads.ts'
import { hashOf, quantity } from '../evm/quantity.ts'
import type { Rpc } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import type { evmSettingsOf } from '../settings.ts'
import { listOf, objectOf } from '../shape.ts'
import { good, poor, unknown, type Seen } from './finding.ts'

/** Number of blocks below the head to search for a transaction. */
const MOST_LOOKED_AT = 20
const TRACERS = {
  prestateTracer: {
    tracer: 'prestateTracer',
    tracerConfig: { diffMode: true, disableCode: true, disableStorage: true },
  },
  callTracer: { tracer: 'callTracer', tracerConfig: { onlyTopCall: true, withLog: false } },
} as const
type Tracer = keyof typeof TRACERS

/**
 * How a node answers to a tracer: in the tracer's form, in another one (Besu before 25.8 ignores `tracer` and returns
 * opcodes), or with a refusal.
 */
export const tracersOf = async (
  rpc: Rpc,
  { traces }: Pick<ReturnType<typeof evmSettingsOf>, 'traces'>,
): Promise<Seen> => {
  if (traces === 'off')
    return poor(
      'are not asked for (`traces` is off)',
      'Set `traces` to auto where the node traces blocks: native coin sent by contracts is found late without',
    )
  const block = await newestWithTransaction(rpc)
  if (block === undefined)
    return unknown(`no transaction in the newest ${MOST_LOOKED_AT} blocks, so that no tracer can be judged`)
  const said = {
    prestateTracer: await ask(rpc, block, 'prestateTracer'),
    callTracer: await ask(rpc, block, 'callTracer'),
  }
  const text = `prestateTracer ${said.prestateTracer}; callTracer ${said.callTracer}`
  if (said.prestateTracer === ANSWERS) return good(text)
  if (said.callTracer === ANSWERS)
    return poor(
      text,
      'Upgrade the node to one with prestateTracer (diffMode): without it blocks are traced transaction by transaction',
    )
  return poor(
    text,
    'Switch on the `debug` interface of the node, or use one that traces: native coin sent by contracts is found late without',
  )
}

const ANSWERS = 'answers'

const ask = async (rpc: Rpc, block: string, tracer: Tracer): Promise<string> => {
  const answer = await rpc.ask({ method: 'debug_traceBlockByHash', params: [block, TRACERS[tracer]] })
  if (!answer.ok) return `is refused: ${answer.message} (${answer.code})`
  return isOf(tracer, answer) ? ANSWERS : 'is answered in another shape'
}

const isOf = (tracer: Tracer, { result }: Extract<RpcAnswer, { ok: true }>): boolean => {
  try {
    const frames = listOf(result, 'the traces').map((one) => objectOf(objectOf(one, 'a trace')['result'], 'its result'))
    const isFrame = (frame: Record<string, unknown>): boolean =>
      tracer === 'callTracer'
        ? typeof frame['type'] === 'string' && typeof frame['from'] === 'string'
        : isObject(frame['pre']) && isObject(frame['post'])
    return frames.length > 0 && frames.every(isFrame)
  } catch {
    return false
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const newestWithTransaction = async (rpc: Rpc): Promise<string | undefined> => {
  const head = await readHead(rpc)
  for (let height = head.height; height > Math.max(0, head.height - MOST_LOOKED_AT); height -= 1) {
    const found = await rpc.read('eth_getBlockByNumber', [quantity(height), false], (result) => {
      const block = objectOf(result, 'the block')
      return listOf(block['transactions'], 'transactions').length > 0 ? hashOf(block['hash'], 'hash') : undefined
    })
    if (found !== undefined) return found
  }
  return undefined
}
