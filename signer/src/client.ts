import { Agent, request as httpRequest } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { SignAnswer, SignRequest, SignerStatus } from './protocol.ts'
import { isRefusalCode } from './refusal.ts'
import type { RefusalCode } from './refusal.ts'

/**
 * What the rest of the system uses of the signer, as `@bursar/signer/client`. Neither this file nor anything it imports
 * touches a key.
 */
export { REFUSALS } from './refusal.ts'
export type { RefusalCode } from './refusal.ts'
export type * from './protocol.ts'

/** Where the signer listens: on this machine, or on another that both sides prove their names to (PEM texts). */
export type SignerAddress =
  | { socketPath: string }
  | { host: string; port: number; tls: { cert: string; key: string; ca: string; serverName?: string } }

export interface SignerRefusal {
  refused: RefusalCode
  message: string
}

/** No answer that can be believed: the signature may or may not exist. The same request again settles it. */
export class SignerUnavailable extends Error {
  override name = 'SignerUnavailable'
}

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Asks the signer. Holds no key material; every call may be repeated. */
export class SignerClient {
  readonly #options: RequestOptions
  readonly #send: typeof httpRequest
  readonly #agent: Agent | TlsAgent

  constructor(address: SignerAddress) {
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
    const { refused, message } = body
    if (typeof refused === 'string' && isRefusalCode(refused)) return { refused, message: String(message) }
    throw new SignerUnavailable(`The signer answered ${status}`)
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

  #call(method: string, path: string, body?: string): Promise<{ status: number; body: Record<string, unknown> }> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(new SignerUnavailable(`The signer cannot be asked: ${error.message}`))
      const headers =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const request = this.#send({ ...this.#options, method, path, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      request.on('error', fail)
      request.on('response', (response: IncomingMessage) => {
        readJson(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), fail)
      })
      request.end(body)
    })
  }
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
