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

/** The first undelivered events of an object, in order, claimed by a worker until its lease ends. */
export interface ClaimedStream {
  /** the merchant, for the endpoint of its settings; else the additional endpoint */
  receiverId: string
  merchantId: string
  objectId: string
  epoch: number
  state: StreamState
  /** number of failed attempts at the first of the events */
  failures: number
  /** sequence of the last undelivered event, which may not be among these */
  lastSequence: number
  ownLane: boolean
  /** ms, real clock: no other worker claims it before that */
  leaseUntil: number
  /** at least one */
  events: readonly ClaimedEvent[]
}

/** One attempt, as recorded for the merchant to inspect. */
export interface Attempt {
  sequence: number
  /** 1 for the first attempt at this event */
  number: number
  /** ms, business clock */
  at: number
  status: number | null
  error: string | null
  durationMs: number
}

/**
 * How the delivery of a claim ended.
 * - delivered: all claimed events were accepted
 * - failed: the last attempt was not accepted
 * - untried: the remaining events were not attempted; due at once, or at `notBefore`
 */
export type Ending =
  | { kind: 'delivered' }
  | { kind: 'failed' }
  | { kind: 'untried'; notBefore?: number; ownLane: boolean }

/** The new state of a claimed stream. */
export interface Settlement {
  stream: ClaimedStream
  attempts: readonly Attempt[]
  /** first sequence not delivered yet */
  nextSequence: number
  /** all events that existed at the time of the claim are delivered */
  finished: boolean
  failures: number
  state: StreamState
  effects: readonly StreamEffect[]
  /** ms, business clock; null: not before an operator restarts it; undefined: unchanged */
  nextAt: number | null | undefined
  ownLane: boolean
}

/** Computes the new state of a stream. `attempts` are in order and start with the first event of the claim. */
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
