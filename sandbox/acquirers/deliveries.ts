/** Sends an acquirer's callbacks: in order, repeated until they are acknowledged, also after a restart. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Telling } from './faults.ts'
import type { Records } from './records.ts'

/** A callback as it goes out. */
export interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Delivery extends Message {
  readonly id: string
  /** the subject of the report; the first attempts for one subject follow one another */
  readonly subject: string
  /** sent in place of the first attempt: the same with a bad signature */
  readonly spoilt?: Message
  /** real time, ms, of the next attempt; absent: it has ended */
  readonly dueAt?: number
  /** the HTTP status of each attempt, 0 for none */
  readonly answers: readonly number[]
}

export interface DeliveryOptions {
  readonly records: Records<Delivery>
  /** pauses between attempts, ms; after the last one it is given up */
  readonly pauses: readonly number[]
  /** whether an answer ends it; a status of 200 to 299 when absent */
  readonly isAcknowledged?: (status: number, body: string) => boolean
  readonly newId: () => string
  readonly timeoutMs?: number
}

export interface Deliveries {
  /** @param messages the events, oldest first @param spoil a message with a bad signature */
  send(subject: string, messages: readonly Message[], telling: Telling, spoil: (message: Message) => Message): void
  /** Returns the deliveries about one subject, or all. */
  list(subject?: string): Delivery[]
  stop(): Promise<void>
}

/** In the wrong order, the message that should come first comes so much later, ms. */
const REORDER_MS = 300

export function startDeliveries(options: DeliveryOptions): Deliveries {
  const { records, newId } = options
  const stopping = new AbortController()
  const lines = new Map<string, Promise<void>>()
  const running = new Set<Promise<void>>()

  const start = (delivery: Delivery): void => {
    const before = lines.get(delivery.subject) ?? Promise.resolve()
    const first = before.then(() => attempt(options, delivery, stopping.signal))
    lines.set(delivery.subject, first.then(noted, noted))
    const all = first.then((after) => repeat(options, after, stopping.signal)).catch(() => {})
    running.add(all)
    void all.finally(() => running.delete(all))
  }
  for (const delivery of records.all()) if (delivery.dueAt !== undefined) start(delivery)

  return {
    send: (subject, messages, telling, spoil) => {
      if (telling.drop) return
      const inOrder = telling.reorder ? messages.toReversed() : messages
      inOrder.forEach((message, index) => {
        const dueAt = Date.now() + telling.delayMs + (telling.reorder ? index * REORDER_MS : 0)
        for (let copy = 0; copy <= telling.duplicate; copy += 1) {
          const spoilt = telling.badSignature ? { spoilt: spoil(message) } : {}
          const delivery: Delivery = { ...message, id: newId(), subject, ...spoilt, dueAt, answers: [] }
          records.put(delivery)
          start(delivery)
        }
      })
    },
    list: (subject) => records.all().filter((one) => subject === undefined || one.subject === subject),
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function repeat(options: DeliveryOptions, delivery: Delivery, signal: AbortSignal): Promise<void> {
  let left = delivery
  while (left.dueAt !== undefined && !signal.aborted) left = await attempt(options, left, signal)
}

/** Waits until it is due, sends it once, and stores the result. */
async function attempt(options: DeliveryOptions, delivery: Delivery, signal: AbortSignal): Promise<Delivery> {
  const { records, pauses, timeoutMs = 10_000, isAcknowledged = isSuccess } = options
  const waitMs = (delivery.dueAt ?? 0) - Date.now()
  if (waitMs > 0) await sleep(waitMs, undefined, { signal })
  const { url, headers, body } = delivery.answers.length === 0 ? (delivery.spoilt ?? delivery) : delivery
  const answer = await send({ url, headers, body }, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  if (signal.aborted) return delivery
  const answers = [...delivery.answers, answer.status]
  const pause = pauses[answers.length - 1]
  const { dueAt: _, ...rest } = delivery
  const ended = isAcknowledged(answer.status, answer.text) || pause === undefined
  const after: Delivery = { ...rest, answers, ...(ended ? {} : { dueAt: Date.now() + pause }) }
  records.put(after)
  return after
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

async function send({ url, headers, body }: Message, signal: AbortSignal): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

function noted(): void {}
