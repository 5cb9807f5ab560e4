import { setTimeout as sleep } from 'node:timers/promises'
import { parseRpcJson } from '@bursar/chainkit/bitcoin'
import { createExchange, NoAnswer, type Exchange } from '../exchange.ts'
import { ChainUnavailable } from '../port.ts'
import { Malformed, objectOf } from '../shape.ts'
import { messageOf } from './fields.ts'

export interface NodeSettings {
  /** the full node's HTTP API: `/wallet` is below it */
  url: string
  /** where `/walletsolidity` is: on java-tron another port; on gateways, and when absent, the same */
  solidityUrl?: string | undefined
  /** sent as `TRON-PRO-API-KEY` */
  apiKey?: string | undefined
  /** ms a question may take */
  timeoutMs: number
  /** from 0 to 1: spreads the times of repeated questions */
  random(): number
}

/** `wallet/…` is asked of the full node, `walletsolidity/…` of what is solidified. */
export type Method = `${'wallet' | 'walletsolidity'}/${string}`

type Fields = Record<string, unknown>

/** java-tron's HTTP API. Every method throws `ChainUnavailable` unless the node gave an answer that can be believed. */
export interface TronNode {
  /** The answer's JSON. Whole numbers that a double does not hold are text. */
  ask(method: Method, body: Fields, attempts?: number): Promise<unknown>
  /** The answer, decoded. The node's own error, a `Malformed` and a RangeError are `ChainUnavailable`. */
  read<T>(method: Method, body: Fields, decode: (answer: Fields) => T): Promise<T>
  unavailable(method: Method, why: string, cause?: unknown): ChainUnavailable
  /** Runs a decoder: what it throws as `Malformed` or RangeError becomes `ChainUnavailable`. */
  believe<T>(method: Method, decode: () => T): T
  close(): Promise<void>
}

const CONNECTIONS = 8
const MAX_BYTES = 128 * 1024 * 1024
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 100

export const createNode = ({ url, solidityUrl, apiKey, timeoutMs, random }: NodeSettings): TronNode => {
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey }
  const open = (at: string): Exchange => createExchange({ url: at, headers, connections: CONNECTIONS, maxBytes: MAX_BYTES })
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

  /** Safe to repeat for what is asked; whoever hands something over asks once. */
  const ask: TronNode['ask'] = async (method, body, attempts = ATTEMPTS) => {
    const exchange = method.startsWith('walletsolidity/') ? solidity : full
    for (let attempt = 1; ; attempt += 1) {
      try {
        return parse(await exchange.post(JSON.stringify(body), timeoutMs, method))
      } catch (error) {
        const again =
          attempt < attempts && (error instanceof Malformed || (error instanceof NoAnswer && error.worthRepeating))
        if (!again) throw unavailable(method, (error as Error).message, error)
        await sleep(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + random()))
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

const parse = ({ status, text }: { status: number; text: string }): unknown => {
  if (status === 401 || status === 403) throw new NoAnswer(`HTTP ${status}: check the API key`, false)
  if (status !== 200) throw new Malformed(`HTTP ${status}`)
  try {
    return parseRpcJson(text)
  } catch {
    throw new Malformed('an answer that is no JSON')
  }
}

/** java-tron answers what it can't do with `Error` and HTTP 200. */
const withoutError = (answer: Fields): Fields => {
  if (answer['Error'] !== undefined) throw new Malformed(messageOf(answer['Error']))
  return answer
}
