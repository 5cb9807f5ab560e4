import { Agent, request as httpRequest } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type {
  CheckRequest,
  GivenApproval,
  IntentRefusal,
  LogEnd,
  SignAnswer,
  SignRequest,
  SignedTransaction,
  SignerStatus,
  WaitingPayment,
} from './protocol/protocol.ts'
import { LOG_HEADER, readLogEnd, readSigningTime, TIME_HEADER, writeLogEnd } from './protocol/protocol.ts'
import type { SigningTime } from './protocol/protocol.ts'
import { isRefusalCode } from './protocol/refusal.ts'
import type { RefusalCode } from './protocol/refusal.ts'

/**
 * The signer's interface for the rest of the system, exported as `@bursar/signer/client`. Neither this file nor
 * anything it imports accesses a key.
 */
export { approvalMessage } from './policy/approval.ts'
export type { RefusalClass, RefusalCode } from './protocol/refusal.ts'
export type * from './protocol/protocol.ts'
export { LOG_START, LogLinesBroken, readLogLines } from './protocol/log-lines.ts'
export type { LogLine } from './protocol/log-lines.ts'

/** Address of the signer: a socket on this machine, or a port of another machine with mutual TLS (PEM texts). */
export type SignerAddress =
  | { socketPath: string }
  | { host: string; port: number; tls: { cert: string; key: string; ca: string; serverName?: string } }

export interface SignerRefusal {
  refused: RefusalCode
  message: string
  /** Ids of the intents that the refusal concerns; absent when it concerns the whole request */
  intents?: string[]
}

/** There is no reliable answer: the signature may or may not exist. Send the same request again to find out. */
export class SignerUnavailable extends Error {
  override name = 'SignerUnavailable'
}

/** Stores the latest known end of the signer's log, away from the signer's machine. */
export interface LogMemory {
  /** Returns the latest stored end; undefined when none is stored. */
  known(): Promise<LogEnd | undefined>
  /** Stores an end if it is later than the stored one. The client returns an answer only after this has completed. */
  keep(end: LogEnd): Promise<void>
}

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Client of the signer. It holds no key material, and every call may be repeated. */
export class SignerClient {
  readonly #options: RequestOptions
  readonly #send: typeof httpRequest
  readonly #agent: Agent | TlsAgent

  readonly #memory: LogMemory | undefined

  /**
   * @param memory If given, the client sends the latest known end with every request, and the signer refuses the
   *   request when its log lacks that line
   */
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

  /**
   * Returns the signed transaction or a refusal. Throws SignerUnavailable when there is no reliable answer.
   * @param timed called with the time that the signer spent, if it states it
   */
  async sign(request: SignRequest, timed?: (time: SigningTime) => void): Promise<SignAnswer | SignerRefusal> {
    const { status, body, time } = await this.#call('POST', '/sign', JSON.stringify(request))
    if (time) timed?.(time)
    if (status === 200 && typeof body['signed'] === 'string' && typeof body['hash'] === 'string')
      return body as unknown as SignAnswer
    const { refused, message, intents } = body
    if (typeof refused === 'string' && isRefusalCode(refused)) {
      const named = Array.isArray(intents) && intents.every((id) => typeof id === 'string')
      return { refused, message: typeof message === 'string' ? message : '', ...(named && { intents }) }
    }
    throw new SignerUnavailable(`The signer answered ${status}`)
  }

  /**
   * Returns every transaction ever signed for an intent, in the order of signing. The list is empty when nothing was
   * signed. The signer answers after all requests that it received earlier. Throws SignerUnavailable when there is no
   * reliable answer: then nothing is known.
   * @param intentId UUID in lower case
   */
  transactionsOf(intentId: string): Promise<SignedTransaction[]> {
    return this.#transactions('GET', `/intents/${intentId}`)
  }

  /**
   * Closes an intent if nothing was signed for it; nothing is signed for it afterwards. Otherwise the intent stays
   * open.
   * @param intentId UUID in lower case
   * @returns the intent's transactions, in the order of signing; an empty list means that the intent is closed. Throws
   *   SignerUnavailable when there is no reliable answer: the intent may or may not be closed, and the same call can be
   *   repeated to find out.
   */
  closeIntent(intentId: string): Promise<SignedTransaction[]> {
    return this.#transactions('POST', `/intents/${intentId}/close`)
  }

  /**
   * Returns the payments that would be refused now. Each is judged as if the payments before it that pass had been
   * signed. Network fees are not judged. Throws SignerUnavailable when there is no reliable answer.
   */
  async check(request: CheckRequest): Promise<IntentRefusal[]> {
    const answered = await this.#call('POST', '/check', JSON.stringify(request))
    const { refusals } = answered.body
    if (answered.status !== 200 || !isListOf(refusals, ['id', 'refused', 'message'])) throw unavailable(answered)
    return refusals as IntentRefusal[]
  }

  /** Returns the payments that wait for approvals, the oldest first. Throws SignerUnavailable. */
  async waiting(): Promise<WaitingPayment[]> {
    const answered = await this.#call('GET', '/approvals')
    const { waiting } = answered.body
    if (answered.status !== 200 || !isListOf(waiting, ['network', 'amount'])) throw unavailable(answered)
    return waiting as WaitingPayment[]
  }

  /**
   * Hands an approval to the signer, which stores it in its log. Throws SignerUnavailable with the signer's reason when
   * it does not accept the approval.
   */
  async approve(approval: GivenApproval): Promise<void> {
    const answered = await this.#call('POST', '/approvals', JSON.stringify(approval))
    if (answered.status !== 200 || answered.body['approved'] !== true) throw unavailable(answered)
  }

  async #transactions(method: string, path: string): Promise<SignedTransaction[]> {
    const answered = await this.#call(method, path)
    const { transactions } = answered.body
    if (answered.status !== 200 || !isListOf(transactions, ['network', 'transactionId', 'hash']))
      throw unavailable(answered)
    return transactions as SignedTransaction[]
  }

  /** Returns the signer's public keys, its policy, the end of its log and the use of its limits. */
  async status(): Promise<SignerStatus> {
    const { status, body } = await this.#call('GET', '/status')
    if (status !== 200) throw new SignerUnavailable(`The signer answered ${status}`)
    return body as unknown as SignerStatus
  }

  /**
   * Returns lines of the log from a number on, as exact texts, about 1 MiB of them; empty past the log's end. The lines
   * include everything that was signed before the call. Throws SignerUnavailable.
   */
  async logLines(from: number): Promise<string[]> {
    const answered = await this.#call('GET', `/log?from=${from}`)
    const { lines } = answered.body
    if (answered.status !== 200 || !Array.isArray(lines) || !lines.every((line) => typeof line === 'string'))
      throw unavailable(answered)
    return lines
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

  /** Sends a request with the latest known end of the log, and stores the end that the answer states. */
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
        const time = readSigningTime(response.headers[TIME_HEADER])
        readJson(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read, log, time }), fail)
      })
      request.end(body)
    })
  }
}

/** Whether a value is a list of objects with these members as texts. */
const isListOf = (value: unknown, members: readonly string[]): value is unknown[] =>
  Array.isArray(value) &&
  value.every(
    (one: unknown) =>
      typeof one === 'object' &&
      one !== null &&
      members.every((name) => typeof (one as Record<string, unknown>)[name] === 'string'),
  )

interface Answered {
  status: number
  body: Record<string, unknown>
  /** End of the log at the time of the answer */
  log: LogEnd | undefined
  time: SigningTime | undefined
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
  const read: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error('the answer is no object')
  return read as Record<string, unknown>
}
