import { Agent, request as httpRequest } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type {
  CheckRequest,
  IntentRefusal,
  LogEnd,
  SignAnswer,
  SignRequest,
  SignedTransaction,
  SignerStatus,
} from './protocol/protocol.ts'
import { LOG_HEADER, readLogEnd, writeLogEnd } from './protocol/protocol.ts'
import { isRefusalCode } from './protocol/refusal.ts'
import type { RefusalCode } from './protocol/refusal.ts'

/**
 * What the rest of the system uses of the signer, as `@bursar/signer/client`. Neither this file nor anything it imports
 * touches a key.
 */
export { approvalMessage } from './policy/approval.ts'
export type { RefusalClass, RefusalCode } from './protocol/refusal.ts'
export type * from './protocol/protocol.ts'

/** Where the signer listens: on this machine, or on another that both sides prove their names to (PEM texts). */
export type SignerAddress =
  | { socketPath: string }
  | { host: string; port: number; tls: { cert: string; key: string; ca: string; serverName?: string } }

export interface SignerRefusal {
  refused: RefusalCode
  message: string
  /** Ids of the intents it is about, where it is not about the whole request */
  intents?: string[]
}

/** No answer that can be believed: the signature may or may not exist. The same request again settles it. */
export class SignerUnavailable extends Error {
  override name = 'SignerUnavailable'
}

/** Where the client keeps how far the log went, away from the signer's machine. */
export interface LogMemory {
  /** The furthest end that was kept; undefined when none was. */
  known(): Promise<LogEnd | undefined>
  /** Keeps an end, when it is further. An answer is handed over once this has returned. */
  keep(end: LogEnd): Promise<void>
}

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Asks the signer. Holds no key material; every call may be repeated. */
export class SignerClient {
  readonly #options: RequestOptions
  readonly #send: typeof httpRequest
  readonly #agent: Agent | TlsAgent

  readonly #memory: LogMemory | undefined

  /** @param memory With it, no log that lacks a line seen before is asked for signatures, or believed about them. */
  constructor(address: SignerAddress, memory?: LogMemory) {
    this.#memory = memory
    if ('socketPath' in address) {
      this.#agent = new Agent({ keepAlive: true })
      this.#options = { socketPath: address.socketPath, agent: this.#agent }
      this.#send = httpRequest
    } else {
      const { serverName, ...files } = address.tls
      this.#agent = new TlsAgent({
        keepAlive: true,
        minVersion: 'TLSv1.3',
        ...files,
        ...(serverName && { servername: serverName }),
      })
      this.#options = { host: address.host, port: address.port, agent: this.#agent }
      this.#send = tlsRequest
    }
  }

  /** The signed transaction, or why there is none. Throws SignerUnavailable when there is no answer. */
  async sign(request: SignRequest): Promise<SignAnswer | SignerRefusal> {
    const { status, body } = await this.#call('POST', '/sign', JSON.stringify(request))
    if (status === 200 && typeof body['signed'] === 'string') return body as unknown as SignAnswer
    const { refused, message, intents } = body
    if (typeof refused === 'string' && isRefusalCode(refused)) {
      return { refused, message: String(message), ...(Array.isArray(intents) && { intents: intents.map(String) }) }
    }
    throw new SignerUnavailable(`The signer answered ${status}`)
  }

  /**
   * Every transaction ever signed for an intent, the first one first; none when the signer has never signed for it. It
   * is answered after the requests that came before it. Throws SignerUnavailable when there is no answer: then nothing
   * is known.
   * @param intentId UUID in lower case
   */
  transactionsOf(intentId: string): Promise<SignedTransaction[]> {
    return this.#transactions('GET', `/intents/${intentId}`)
  }

  /**
   * Closes an intent that nothing was signed for, so that nothing ever will be. When something was, it stays open.
   * @param intentId UUID in lower case
   * @returns its transactions, the first one first; none: it is closed. Throws SignerUnavailable when there is no
   *   answer: then it may or may not be closed, and the same call again settles it.
   */
  closeIntent(intentId: string): Promise<SignedTransaction[]> {
    return this.#transactions('POST', `/intents/${intentId}/close`)
  }

  /**
   * Which of these payments would be refused now, each judged as if those before it that pass were signed. Network fees
   * are not judged. Throws SignerUnavailable when there is no answer.
   */
  async check(request: CheckRequest): Promise<IntentRefusal[]> {
    const answered = await this.#call('POST', '/check', JSON.stringify(request))
    const { refusals } = answered.body
    if (answered.status !== 200 || !Array.isArray(refusals)) throw unavailable(answered)
    return refusals as IntentRefusal[]
  }

  async #transactions(method: string, path: string): Promise<SignedTransaction[]> {
    const answered = await this.#call(method, path)
    const { transactions } = answered.body
    if (answered.status !== 200 || !Array.isArray(transactions)) throw unavailable(answered)
    return transactions as SignedTransaction[]
  }

  /** Which keys, policy and log are live. */
  async status(): Promise<SignerStatus> {
    const { status, body } = await this.#call('GET', '/status')
    if (status !== 200) throw new SignerUnavailable(`The signer answered ${status}`)
    return body as unknown as SignerStatus
  }

  /** Whether the signer answers at all. */
  async isHealthy(): Promise<boolean> {
    try {
      return (await this.#call('GET', '/health')).status === 200
    } catch {
      return false
    }
  }

  /** Closes idle connections; the client can still be used. */
  close(): void {
    this.#agent.destroy()
  }

  /** Asks with what is known of the log, and keeps what the answer says of it. */
  async #call(method: string, path: string, body?: string): Promise<Answered> {
    const known = await this.#memory?.known()
    const answered = await this.#exchange(method, path, body, known ? { [LOG_HEADER]: writeLogEnd(known) } : {})
    if (answered.log && answered.body['refused'] !== 'log-cut-back' && path !== '/status')
      await this.#memory?.keep(answered.log)
    return answered
  }

  #exchange(method: string, path: string, body: string | undefined, known: Record<string, string>): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(new SignerUnavailable(`The signer cannot be asked: ${error.message}`))
      const content =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const headers = { ...content, ...known }
      const request = this.#send({ ...this.#options, method, path, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      request.on('error', fail)
      request.on('response', (response: IncomingMessage) => {
        const log = readLogEnd(response.headers[LOG_HEADER])
        readJson(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read, log }), fail)
      })
      request.end(body)
    })
  }
}

interface Answered {
  status: number
  body: Record<string, unknown>
  /** How far the log went when it was answered */
  log: LogEnd | undefined
}

function unavailable({ status, body }: Answered): SignerUnavailable {
  const { refused, message } = body
  if (typeof refused !== 'string' || typeof message !== 'string')
    return new SignerUnavailable(`The signer answered ${status}`)
  return new SignerUnavailable(`The signer refused (${refused}): ${message}`)
}

async function readJson(response: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
}
