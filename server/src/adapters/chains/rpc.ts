import type { Network } from '@bursar/chainkit'
import { isWebPage } from '../connection-errors.ts'
import { createExchange, NoAnswer, TooLong, type Received } from './exchange.ts'
import { createRequestPauses, pauseInText, REAL_TIMER, TooFast, type Timer } from './pauses.ts'
import { ChainUnavailable } from './port.ts'
import { BatchRefused, PartlyTooFast, readAnswers, type RpcAnswer } from './rpc-answer.ts'
import { createBatches } from './rpc-batches.ts'
import { Malformed } from './shape.ts'

export interface RpcSettings {
  /** named in every error */
  network: Network
  url: string
  /** parses an answer's text; where amounts are JSON numbers, they must not become doubles */
  parse(text: string): unknown
  /** from 0 to 1: randomises the delays of retries */
  random(): number
  connections?: number
  timeoutMs?: number
  maxBytes?: number
  /** number of attempts before `ChainUnavailable` is thrown */
  attempts?: number
  mostPerBatch?: number
  timer?: Timer
}

export interface RpcCall {
  method: string
  params: readonly unknown[]
}

/** Timeout, number of attempts and maximum answer length of one request, where they differ from the defaults. */
export interface RpcPatience {
  timeoutMs?: number
  attempts?: number
  maxBytes?: number
}

/**
 * JSON-RPC 2.0. Every method throws `ChainUnavailable` unless the node gave a complete answer that follows the
 * protocol.
 */
export interface Rpc {
  /** Returns the result or the node's error. */
  ask(call: RpcCall, patience?: RpcPatience): Promise<RpcAnswer>
  /**
   * Sends many requests and returns the answers in the same order. They are sent in sequential batches of a size that
   * the node accepts.
   */
  askAll(calls: readonly RpcCall[]): Promise<RpcAnswer[]>
  /**
   * Returns the decoded result. An error of the node throws `ChainUnavailable`, as does a `Malformed` or RangeError
   * that `decode` throws.
   */
  read<T>(method: string, params: readonly unknown[], decode: (result: unknown) => T): Promise<T>
  /** Creates the error to throw when an answer turns out to be unusable. */
  unavailable(method: string, why: string, cause?: unknown): ChainUnavailable
  /** Runs a decoder, and converts a `Malformed` or RangeError to `ChainUnavailable`. */
  believe<T>(method: string, decode: () => T): T
  close(): Promise<void>
}

const DEFAULTS = {
  connections: 8,
  timeoutMs: 30_000,
  maxBytes: 128 * 1024 * 1024,
  attempts: 3,
  mostPerBatch: 100,
  timer: REAL_TIMER,
}
const FIRST_PAUSE_MS = 100
/** Pause after the first rate limit error, when the node names none; doubled after each further one. */
const FIRST_REST_MS = 1_000

export const createRpc = (given: RpcSettings): Rpc => {
  const settings = { ...DEFAULTS, ...given }
  const exchange = createExchange(settings)
  const requestPauses = createRequestPauses(settings.timer)

  const unavailable = (method: string, why: string, cause?: unknown): ChainUnavailable =>
    new ChainUnavailable(`${settings.network}: ${method}: ${why}`, { cause })

  /**
   * Sends one HTTP request and retries it while that is useful. Safe for queries; a broadcast has one attempt. Of a
   * batch, returns answers to the first requests only, when the rate limit rejected the others.
   */
  const exchangeOnceOrMore = async (
    calls: readonly RpcCall[],
    body: unknown,
    patience: RpcPatience,
  ): Promise<RpcAnswer[]> => {
    const { timeoutMs = settings.timeoutMs, attempts = settings.attempts, maxBytes = settings.maxBytes } = patience
    for (let attempt = 1; ; attempt += 1) {
      try {
        await requestPauses.pass()
        const received = await exchange.post(JSON.stringify(body), timeoutMs, undefined, maxBytes)
        if (calls.length > 1 && received.status === 413) throw new BatchRefused('HTTP 413')
        return readAnswers(parseText(received, settings.parse), calls.length, received.status)
      } catch (error) {
        if (error instanceof BatchRefused) throw error
        if (error instanceof TooLong && calls.length > 1) throw new BatchRefused(error.message)
        const refused = error instanceof TooFast
        // No request is sent to this node before the pause is over.
        if (refused)
          requestPauses.close(error.pauseMs ?? FIRST_REST_MS * 2 ** (attempt - 1) * (0.5 + settings.random()))
        if (error instanceof PartlyTooFast && error.answered.length > 0) return error.answered
        // A quota that counts each request never allows a batch larger than the quota.
        if (refused && calls.length > 1 && attempt > 1) throw new BatchRefused(error.message)
        const again =
          attempt < attempts &&
          (refused || error instanceof Malformed || (error instanceof NoAnswer && error.worthRepeating))
        if (!again) throw unavailable(calls[0]!.method, (error as Error).message, error)
        if (!refused) await settings.timer.sleep(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + settings.random()))
      }
    }
  }

  const believe = <T>(method: string, decode: () => T): T => {
    try {
      return decode()
    } catch (error) {
      if (error instanceof Malformed || error instanceof RangeError)
        throw unavailable(method, `not believed: ${error.message}`, error)
      throw error
    }
  }

  const ask = async (call: RpcCall, patience: RpcPatience = {}): Promise<RpcAnswer> =>
    (await exchangeOnceOrMore([call], envelope(call, 0), patience))[0]!

  const askBatch = async (calls: readonly RpcCall[]): Promise<RpcAnswer[]> =>
    calls.length === 1 ? [await ask(calls[0]!)] : exchangeOnceOrMore(calls, calls.map(envelope), {})

  return {
    ask,
    askAll: createBatches(settings.mostPerBatch, askBatch),
    read: async (method, params, decode) => {
      const answer = await ask({ method, params })
      if (!answer.ok) throw unavailable(method, `refused: ${answer.message} (${answer.code})`)
      return believe(method, () => decode(answer.result))
    },
    unavailable,
    believe,
    close: exchange.close,
  }
}

const envelope = ({ method, params }: RpcCall, id: number): unknown => ({ jsonrpc: '2.0', id, method, params })

const TOO_MANY_REQUESTS = 429

const parseText = ({ status, text, pauseMs }: Received, parse: (text: string) => unknown): unknown => {
  // A pause requested by the answer applies, for any message.
  if (status === TOO_MANY_REQUESTS || (status === 503 && pauseMs !== null))
    throw new TooFast(`HTTP ${status}: ${saidIn(text)}`, pauseMs ?? pauseInText(text))
  try {
    return parse(text)
  } catch {
    if (status === 401) throw new NoAnswer("HTTP 401: check the user and password in the node's url", false)
    if (status === 403)
      throw new NoAnswer(
        'HTTP 403: the node lets this user, address or method not through: check its url, and which addresses and methods it allows',
        false,
      )
    throw new Malformed(
      isWebPage(text)
        ? `HTTP ${status} with a web page, which is no JSON: check that the url is that of the node's JSON-RPC`
        : `HTTP ${status} with an answer that is no JSON`,
    )
  }
}

const saidIn = (text: string): string => /"message"\s*:\s*"([^"]{1,200})"/.exec(text)?.[1] ?? 'asked too often'
