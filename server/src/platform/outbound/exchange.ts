import type { Dispatcher } from 'undici'
import { OutboundFailure } from './failure.ts'

/** The response: its status, and the start of its body. */
export interface Received {
  status: number
  body: Buffer
}

/**
 * One request and its response. Settles once: with the response when it has ended or enough of it was read, otherwise
 * with an error. Later data is ignored.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #most: number
  readonly #settle: (error: unknown, received: Received | undefined) => void
  #release: ((ended: boolean) => void) | undefined
  #status = 0
  #chunks: Buffer[] = []
  #bytes = 0
  settled = false
  #line: { readonly carried: boolean } | undefined

  /** @param most bytes of the response body to read; if there are more, the connection is closed */
  constructor(most: number, settle: (error: unknown, received: Received | undefined) => void) {
    this.#most = most
    this.#settle = settle
  }

  /** Whether a status has arrived. */
  get answered(): boolean {
    return this.#status !== 0
  }

  /** Whether it uses a connection that had already carried another exchange. */
  get reused(): boolean {
    return this.#line?.carried ?? false
  }

  /**
   * Assigns the connection.
   * @param release called when the exchange no longer needs it, with whether the exchange ended properly
   */
  begin(line: { readonly carried: boolean }, release: (ended: boolean) => void): void {
    this.#line = line
    this.#release = release
  }

  /** Aborts the exchange. If it has not been sent yet, it never will be. */
  abort(error: OutboundFailure): void {
    this.#end(error, undefined, false)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settled) controller.abort(new OutboundFailure('timeout', 'given up before it was sent'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= this.#most) this.#end(undefined, this.#received(), false)
  }

  onResponseEnd(): void {
    this.#end(undefined, this.#received(), true)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error, undefined, false)
  }

  #received(): Received {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    return { status: this.#status, body: body.subarray(0, this.#most) }
  }

  #end(error: unknown, received: Received | undefined, ended: boolean): void {
    if (this.settled) return
    this.settled = true
    this.#chunks = []
    this.#release?.(ended)
    this.#settle(error, received)
  }
}
