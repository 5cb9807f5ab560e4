/** The node's HTTP server as the program sees it: faults, silence, and dialects before the node's own answers. */
import type { Faults } from '../faults.ts'
import { startHttpFront, type Answer, type Exchange, type HttpFront } from '../fronts/http.ts'
import {
  chooseDialects,
  drawDialects,
  speak,
  type Dialect,
  type NodeBehind,
  type NodeCall,
  type Said,
} from './dialect.ts'
import type { NodeFront } from './chain.ts'

export interface NodeFrontOptions {
  /** by which faults are decided and counted */
  name: string
  faults: Faults
  dialects: readonly Dialect[]
  /** Answers of the node itself, as of `lagBlocks` blocks ago; a protocol of paths gives the path as the method. */
  ask(call: NodeCall, lagBlocks: number): Promise<Said>
  /** height of the newest block at `lagBlocks` */
  head(lagBlocks: number): Promise<number>
  /** how requests and answers are written */
  protocol: Protocol
}

interface Protocol {
  /** `numbers`: what a client calls its requests */
  read(exchange: Exchange): { calls: NodeCall[]; numbers: readonly unknown[]; write(said: readonly Said[]): Answer }
  /** what the fault of an exchange depends on: not the numbers that a client gives its requests */
  contentOf(exchange: Exchange): string
}

export interface StartedNodeFront extends NodeFront {
  close(): Promise<void>
}

export const startNodeFront = async (options: NodeFrontOptions): Promise<StartedNodeFront> => {
  const { name, faults, dialects, protocol } = options
  let chosen: readonly Dialect[] = []
  let lagBlocks = 0
  const forward = async (exchange: Exchange): Promise<Answer> => {
    const { calls, numbers, write } = protocol.read(exchange)
    if (calls.length > 1) {
      const questions = calls.map(({ method, params }, at) => ({
        id: numbers[at] as number,
        method,
        params: [...params],
      }))
      for (const { refuseBatch } of chosen) {
        const refused = refuseBatch?.(questions)
        if (refused !== undefined) return json(refused.status, JSON.stringify(refused.says))
      }
    }
    const lag = lagBlocks
    const ask = (call: NodeCall): Promise<Said> => options.ask(call, lag)
    const behind: NodeBehind = {
      ask: (method, ...params) => ask({ method, params }),
      askBehind: (blocks, call) => options.ask(call, lag + blocks),
      head: () => options.head(lag),
    }
    const answer = speak(chosen, behind, ask)
    const said: Said[] = []
    // One after the other: what a node does with a batch does not depend on which call is faster.
    for (const call of calls) said.push(await answer(call))
    return write(said)
  }
  const front: HttpFront = await startHttpFront({ name, faults, forward, contentOf: protocol.contentOf })
  return {
    url: front.url,
    dialects: dialects.map((one) => one.name),
    setDialect: (names) => {
      chosen = chooseDialects(dialects, names)
    },
    drawDialects: (random, options) => drawDialects(dialects, random, options),
    get lagBlocks() {
      return lagBlocks
    },
    set lagBlocks(blocks) {
      lagBlocks = blocks
    },
    get silent() {
      return front.silent
    },
    set silent(is) {
      front.silent = is
    },
    mend: () => {
      front.silent = false
      lagBlocks = 0
      chosen = chosen.filter(({ hinders }) => hinders === undefined)
    },
    close: () => front.close(),
  }
}

const json = (status: number, text: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(text),
})

interface Request {
  id?: unknown
  method: string
  params?: unknown[]
}

/**
 * JSON-RPC, with batches.
 * @param codec how values are read and written; the usual JSON when absent
 */
export const jsonRpc = (codec: Pick<JSON, 'parse' | 'stringify'> = JSON): Protocol => ({
  contentOf: ({ body }) => {
    try {
      const requests = [JSON.parse(body.toString()) as Request | Request[]].flat()
      return requests.map(({ method, params }) => `${method} ${JSON.stringify(params)}`).join('\n')
    } catch {
      return body.toString('latin1')
    }
  },
  read: ({ body }) => {
    const asked = JSON.parse(body.toString()) as Request | Request[]
    const requests = [asked].flat()
    return {
      calls: requests.map(({ method, params = [] }) => ({ method, params })),
      numbers: requests.map(({ id }) => id),
      write: (said) => {
        const written = said.map((one, at) => ('write' in one ? one.write(requests[at]!.id ?? null) : one))
        const own = written.find((one) => 'status' in one)
        if (own !== undefined) return json(own.status, own.text)
        const answers = said.map((one, at) => ({ jsonrpc: '2.0', id: requests[at]!.id ?? null, ...one }))
        return json(200, codec.stringify(Array.isArray(asked) ? answers : answers[0]))
      },
    }
  },
})

/** An API of paths: each call is a request with a JSON body, and its answer has no envelope. */
export const paths = (codec: Pick<JSON, 'parse' | 'stringify'> = JSON): Protocol => ({
  contentOf: ({ path, body }) => `${path} ${body.toString('latin1')}`,
  read: ({ path, body }) => ({
    calls: [{ method: path.slice(1), params: [body.length === 0 ? {} : (JSON.parse(body.toString()) as unknown)] }],
    numbers: [],
    write: ([said]) => {
      if (said === undefined) throw new Error('nothing was answered')
      if ('write' in said) throw new Error('an API of paths has no envelopes')
      if ('status' in said) return json(said.status, said.text)
      return json(200, codec.stringify('result' in said ? said.result : { Error: said.error.message }))
    },
  }),
})
