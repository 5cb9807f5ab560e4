import { refusal } from '../../platform/api/route.ts'
import { generalErrors } from '@bursar/contract'
import { Worker } from 'node:worker_threads'
import type { DocumentRequest } from './request.ts'

/** Makes documents outside the main thread. */
export interface DocumentMaker {
  /** Throws a DocumentsBusy when too many wait, and an Error when the document can't be made. */
  make(request: DocumentRequest): Promise<Buffer>
  /** Ends the thread. Documents that are not finished fail. */
  close(): Promise<void>
}

/** Too many documents are waiting: try again later. */
export class DocumentsBusy extends Error {
  override name = 'DocumentsBusy'
}

export interface MakerSettings {
  /** maximum number of waiting documents */
  mostWaiting?: number
  /** time limit of one document, ms */
  timeoutMs?: number
  /** the thread, which uses memory, ends after this time without requests, ms */
  idleMs?: number
  /** the thread's program; another one in tests only */
  program?: URL
}

const PROGRAM = new URL('./thread.ts', import.meta.url)
/** MB. A document needs far less; one that exceeds this ends the thread, not the process. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

interface Waiting {
  request: DocumentRequest
  resolve: (bytes: Buffer) => void
  reject: (error: Error) => void
}

/**
 * Creates a maker that runs documents one after another in a thread: one takes about 100 ms of computing, which would
 * delay every other request of the api. The thread starts with the first document and ends when idle.
 */
export const createDocumentMaker = ({
  mostWaiting = 64,
  timeoutMs = 15_000,
  idleMs = 30_000,
  program = PROGRAM,
}: MakerSettings = {}): DocumentMaker => {
  const waiting: Waiting[] = []
  let current: Waiting | undefined
  let thread: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const setTimer = (ms: number, act: () => void): void => {
    clearTimeout(timer)
    timer = setTimeout(act, ms)
    timer.unref()
  }
  const endThread = async (): Promise<void> => {
    const ending = thread
    thread = undefined
    clearTimeout(timer)
    ending?.removeAllListeners()
    // No caller is left for its last errors.
    ending?.on('error', () => {})
    await ending?.terminate()
  }
  const settle = (act: (one: Waiting) => void): void => {
    const one = current
    current = undefined
    if (one) act(one)
    next()
  }
  const fail = (error: Error): void => {
    void endThread()
    settle(({ reject }) => reject(error))
  }
  const start = (): Worker => {
    const started = new Worker(program, { resourceLimits: LIMITS, execArgv: [] })
    started.unref()
    started.on('message', (answer: { bytes: Uint8Array } | { error: string }) => {
      settle(({ resolve, reject }) =>
        'bytes' in answer ? resolve(Buffer.from(answer.bytes)) : reject(new Error(answer.error)),
      )
    })
    started.on('error', (error: Error) => fail(error))
    started.on('exit', () => fail(new Error('the thread that makes documents ended')))
    return started
  }
  const next = (): void => {
    if (current) return
    current = waiting.shift()
    if (!current) {
      if (thread) setTimer(idleMs, () => void endThread())
      return
    }
    thread ??= start()
    setTimer(timeoutMs, () => fail(new Error(`a document took more than ${timeoutMs} ms`)))
    thread.postMessage(current.request, [])
  }
  return {
    make: (request) => {
      if (closed) return Promise.reject(new Error('documents are made no more'))
      if (waiting.length >= mostWaiting)
        return Promise.reject(new DocumentsBusy(`${waiting.length} documents wait to be made`))
      return new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject })
        next()
      })
    },
    close: async () => {
      closed = true
      const left = [...(current ? [current] : []), ...waiting.splice(0)]
      current = undefined
      await endThread()
      for (const { reject } of left) reject(new Error('documents are made no more'))
    },
  }
}

const RETRY_SECONDS = 10

/** Throws an ApiRefusal that asks the browser to come back if too many documents wait, and any other error as it is. */
export const refuseIfBusy = (error: unknown): never => {
  if (!(error instanceof DocumentsBusy)) throw error
  throw refusal(generalErrors.unavailable, 'too many documents are being made: try again', {
    retryAfterSeconds: RETRY_SECONDS,
  })
}
