import type { Dispatcher } from 'undici'
import { OutboundFailure } from './failure.ts'

/** What came back: the status, and the start of the answer's body. */
export interface Received {
  status: number
  body: Buffer
}

/**
 * One request and its answer. Settles once: with the answer when it has ended or enough of it was read, with an error
 * otherwise. Whatever the other side sends after that is not looked at.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (error: unknown, received: Received | undefined) => void
  readonly #most: number
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #chunks: Buffer[] = []
  #bytes = 0
  #settled = false

  /** @param most bytes of the answer's body to read; the connection is closed when there are more */
  constructor(most: number, settle: (error: unknown, received: Received | undefined) => void) {
    this.#most = most
    this.#settle = settle
  }

  /** Whether a status has arrived. */
  get answered(): boolean {
    return this.#status !== 0
  }

  /** Gives up on it, also when it hasn't been sent yet: then it never will be. */
  abort(error: OutboundFailure): void {
    this.#end(error, undefined)
    this.#controller?.abort(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#settled) controller.abort(new OutboundFailure('timeout', 'given up before it was sent'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#most) return
    this.#end(undefined, this.#received())
    controller.abort(new OutboundFailure('connection', 'enough was read'))
  }

  onResponseEnd(): void {
    this.#end(undefined, this.#received())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error, undefined)
  }

  #received(): Received {
    return { status: this.#status, body: Buffer.concat(this.#chunks, Math.min(this.#bytes, this.#most)) }
  }

  #end(error: unknown, received: Received | undefined): void {
    if (this.#settled) return
    this.#settled = true
    this.#chunks = []
    this.#settle(error, received)
  }
}
