import { moveOf } from '../../platform/base/moves.ts'
import { streamMoves, type StreamEffect, type StreamState } from './machine.ts'
import { afterFailure } from './schedule.ts'

/** One event as stored. */
export interface ClaimedEvent {
  sequence: number
  /** the same on every attempt: `webhook-id` */
  id: string
  /** the bytes to send */
  body: string
}

/** An object's first events to deliver, in order, held by a worker until its lease ends. */
export interface ClaimedStream {
  merchantId: string
  objectId: string
  epoch: number
  state: StreamState
  /** failed attempts at the first of the events */
  failures: number
  /** of the last event to deliver, which may not be among these */
  lastSequence: number
  ownLane: boolean
  /** ms, real clock: until then no other worker takes it */
  leaseUntil: number
  /** at least one */
  events: readonly ClaimedEvent[]
}

/** One attempt, as recorded for the merchant to look at. */
export interface Attempt {
  sequence: number
  /** 1 for the first at this event */
  number: number
  /** ms, business clock */
  at: number
  status: number | null
  error: string | null
  durationMs: number
}

/**
 * How the work on a claim ended: `delivered` everything that was claimed, `failed` at the last attempt, handed back
 * with the rest `untried` (at once, or not before a time).
 */
export type Ending =
  | { kind: 'delivered' }
  | { kind: 'failed' }
  | { kind: 'untried'; notBefore?: number; ownLane: boolean }

/** What a claimed stream becomes. */
export interface Settlement {
  stream: ClaimedStream
  attempts: readonly Attempt[]
  /** first sequence not delivered yet */
  nextSequence: number
  /** everything known of at the time of the claim is delivered */
  finished: boolean
  failures: number
  state: StreamState
  effects: readonly StreamEffect[]
  /** ms, business clock; null: not before the owner says so; undefined: as it was */
  nextAt: number | null | undefined
  ownLane: boolean
}

/** Works out what a stream becomes. The first event of `attempts` is the first of the claim, and they are in order. */
export const settle = (stream: ClaimedStream, attempts: readonly Attempt[], ending: Ending): Settlement => {
  const last = attempts.at(-1)
  const delivered = ending.kind === 'failed' ? attempts.slice(0, -1) : attempts
  const nextSequence = (delivered.at(-1)?.sequence ?? stream.events[0]!.sequence - 1) + 1
  const accepted = delivered.length > 0 ? moveOf(streamMoves, stream.state, 'accepted')! : undefined
  const state = accepted?.to ?? stream.state
  const effects = accepted?.effects ?? []
  const base = { stream, attempts, nextSequence, finished: nextSequence > stream.lastSequence }
  if (ending.kind === 'failed') {
    const failures = last!.number
    const retry = afterFailure(state, failures, last!.at)
    return { ...base, ...retry, effects: [...effects, ...retry.effects], failures, ownLane: true }
  }
  // Delivered streams with more events are due at once: they keep the time at which they came due.
  const failures = delivered.length > 0 ? 0 : stream.failures
  if (ending.kind === 'delivered') return { ...base, state, effects, failures, nextAt: undefined, ownLane: false }
  return { ...base, state, effects, failures, nextAt: ending.notBefore, ownLane: ending.ownLane }
}
