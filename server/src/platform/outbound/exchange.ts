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
  readonly #most: number
  readonly #settle: (error: unknown, received: Received | undefined) => void
  #release: ((ended: boolean) => void) | undefined
  #status = 0
  #chunks: Buffer[] = []
  #bytes = 0
  settled = false
  #line: { readonly carried: boolean } | undefined

  /** @param most bytes of the answer's body to read; the connection is closed when there are more */
  constructor(most: number, settle: (error: unknown, received: Received | undefined) => void) {
    this.#most = most
    this.#settle = settle
  }

  /** Whether a status has arrived. */
  get answered(): boolean {
    return this.#status !== 0
  }

  /** Whether it went over a connection that had carried another before. */
  get reused(): boolean {
    return this.#line?.carried ?? false
  }

  /**
   * Is given its connection. @param release called when it is done with it, and whether the exchange ended as it should
   */
  begin(line: { readonly carried: boolean }, release: (ended: boolean) => void): void {
    this.#line = line
    this.#release = release
  }

  /** Gives up on it, also when it hasn't been sent yet: then it never will be. */
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
