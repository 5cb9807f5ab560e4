import { parseRpcJson } from '@bursar/chainkit/bitcoin'
import { isWebPage } from '../../connection-errors.ts'
import { createExchange, NoAnswer, type Exchange, type Received } from '../exchange.ts'
import { createRequestPauses, isTooFast, pauseInText, REAL_TIMER, TooFast, type Timer } from '../pauses.ts'
import { ChainUnavailable } from '../port.ts'
import { Malformed, objectOf } from '../shape.ts'
import { createTurns, type Budget } from './budget.ts'
import { messageOf } from './fields.ts'

export interface NodeSettings {
  /** URL of the full node's HTTP API, which contains `/wallet` */
  url: string
  /** URL that contains `/walletsolidity`: another port on java-tron; the same as `url` on gateways and when absent */
  solidityUrl?: string | undefined
  /** value of the header `apiKeyHeader` */
  apiKey?: string | undefined
  /** `TRON-PRO-API-KEY` when absent */
  apiKeyHeader?: string | undefined
  /** limit for the requests of this process; none when absent */
  budget?: Budget | undefined
  /** timeout of a query in ms */
  timeoutMs: number
  /** from 0 to 1: randomises the delays of retries */
  random(): number
  timer?: Timer | undefined
}

/** `wallet/…` queries the full node, `walletsolidity/…` the solidified state. */
export type Method = `${'wallet' | 'walletsolidity'}/${string}`

type Fields = Record<string, unknown>

/** Number of attempts and maximum bytes of the answer, where they differ from the defaults. */
interface Patience {
  attempts?: number
  maxBytes?: number
}

/** java-tron's HTTP API. Every method throws `ChainUnavailable` unless the node gave a plausible answer. */
export interface TronNode {
  /** Returns the answer's JSON. Integers that a double can't represent are text. */
  ask(method: Method, body: Fields, patience?: Patience): Promise<unknown>
  /** Returns the decoded answer. The node's own error, a `Malformed` and a RangeError become `ChainUnavailable`. */
  read<T>(method: Method, body: Fields, decode: (answer: Fields) => T): Promise<T>
  unavailable(method: Method, why: string, cause?: unknown): ChainUnavailable
  /** Runs a decoder, and converts a `Malformed` or RangeError to `ChainUnavailable`. */
  believe<T>(method: Method, decode: () => T): T
  close(): Promise<void>
}

const CONNECTIONS = 8
const MAX_BYTES = 128 * 1024 * 1024
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 100
/** Pause after java-tron's own rate limit error; doubled after each further one. */
const FIRST_REST_MS = 1_000

export const createNode = (settings: NodeSettings): TronNode => {
  const {
    url,
    solidityUrl,
    apiKey,
    apiKeyHeader = 'TRON-PRO-API-KEY',
    budget = {},
    timeoutMs,
    random,
    timer = REAL_TIMER,
  } = settings
  const headers: Record<string, string> = apiKey === undefined ? {} : { [apiKeyHeader]: apiKey }
  // Shared by both roots, because a gateway counts requests per key.
  const requestPauses = createRequestPauses(timer)
  const turn = createTurns(budget, timer)
  const open = (at: string): Exchange =>
    createExchange({ url: at, headers, connections: CONNECTIONS, maxBytes: MAX_BYTES })
  const full = open(url)
  const solidity = solidityUrl === undefined || solidityUrl === url ? full : open(solidityUrl)

  const unavailable: TronNode['unavailable'] = (method, why, cause) =>
    new ChainUnavailable(`TRON: ${method.replace('/', '_')}: ${why}`, { cause })

  const believe: TronNode['believe'] = (method, decode) => {
    try {
      return decode()
    } catch (error) {
      if (error instanceof Malformed || error instanceof RangeError)
        throw unavailable(method, `not believed: ${error.message}`, error)
      throw error
    }
  }

  /** Retries are safe for queries; a broadcast has one attempt. */
  const ask: TronNode['ask'] = async (method, body, { attempts = ATTEMPTS, maxBytes = MAX_BYTES } = {}) => {
    const exchange = method.startsWith('walletsolidity/') ? solidity : full
    for (let attempt = 1; ; attempt += 1) {
      try {
        await requestPauses.pass()
        await turn()
        return parse(method, await exchange.post(JSON.stringify(body), timeoutMs, method, maxBytes))
      } catch (error) {
        const refused = error instanceof TooFast
        // No request is sent to this node before the pause is over, because a gateway extends its suspension with each
        // request.
        if (refused) requestPauses.close(error.pauseMs ?? FIRST_REST_MS * 2 ** (attempt - 1) * (0.5 + random()))
        const again =
          attempt < attempts &&
          (refused || error instanceof Malformed || (error instanceof NoAnswer && error.worthRepeating))
        if (!again) throw unavailable(method, (error as Error).message, error)
        if (!refused) await timer.sleep(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + random()))
      }
    }
  }

  return {
    ask,
    read: async (method, body, decode) => {
      const answer = await ask(method, body)
      return believe(method, () => decode(withoutError(objectOf(answer, 'the answer'))))
    },
    unavailable,
    believe,
    close: async () => void (await Promise.all([...new Set([full, solidity])].map((one) => one.close()))),
  }
}

/**
 * How long a gateway suspends a key or an address that exceeded its rate limit (developers.tron.network, "Rate
 * Limits").
 */
const SUSPENSION_MS = 30_000
/** TronGrid: "The key exceeds the frequency limit(15), and the query server is suspended for 30s". */
const SUSPENDED = /frequency limit|suspended|exceed\w* .*(limit|quota)|(limit|quota) .*exceed/i

const parse = (method: Method, received: Received): unknown => {
  const { status, text } = received
  refuseTooFast(received)
  if (status === 401 || status === 403)
    throw new NoAnswer(`HTTP ${status}: check the API key, its header and the addresses it is allowed from`, false)
  if (status === 404) throw new NoAnswer(`HTTP 404: ${missingPath(method, text)}`, false)
  if (status !== 200) throw new Malformed(`HTTP ${status}`)
  const answer = parseJson(text)
  const said = (answer as { Error?: unknown } | null)?.Error
  if (said !== undefined && isTooFast(0, messageOf(said)))
    throw new TooFast(messageOf(said), pauseInText(messageOf(said)))
  return answer
}

/** Throws when a gateway's answer is a rate limit error: status 429, or 403 or 503 with such a text. */
const refuseTooFast = ({ status, text, pauseMs }: Received): void => {
  const isRate = status === 429 || ((status === 403 || status === 503) && (SUSPENDED.test(text) || isTooFast(0, text)))
  if (isRate)
    throw new TooFast(`HTTP ${status}: the gateway was asked too often`, pauseMs ?? pauseInText(text) ?? SUSPENSION_MS)
}

/**
 * Explains a missing path: java-tron answers in JSON when a call is disabled in its settings, and its server in HTML
 * when there is nothing at the path.
 */
const missingPath = (method: Method, text: string): string => {
  if (/unavailable due to config/i.test(text))
    return `the node's settings switch it off: take ${method.split('/')[1]} out of node.disabledApi`
  return method.startsWith('walletsolidity/')
    ? 'nothing is there: set `solidityUrl` to where the node serves /walletsolidity'
    : 'nothing is there: check `url`'
}

const parseJson = (text: string): unknown => {
  try {
    return parseRpcJson(text)
  } catch {
    throw new Malformed(isWebPage(text) ? 'a web page, which is no JSON: check `url`' : 'an answer that is no JSON')
  }
}

/** Throws for an answer with `Error`, by which java-tron reports failures with HTTP 200. */
const withoutError = (answer: Fields): Fields => {
  if (answer['Error'] !== undefined) throw new Malformed(messageOf(answer['Error']))
  return answer
}
