import { delivery as rules } from '@bursar/contract'
import type { Answer, Outbound } from '../../platform/outbound/index.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { EndpointLimiter } from './endpoint-limiter.ts'
import { createSigner, isCurrent, type Endpoint } from './signature.ts'
import type { Attempt, ClaimedEvent } from './stream.ts'

const SLOW_AFTER_MS = 1_000
/** Length of the part of a receiver's response that is stored for the merchant. */
const STORED_CHARACTERS = 200

interface SendDeps {
  clock: Pick<Clock, 'now'>
  outbound: Outbound
  limiter: EndpointLimiter
  endpoint: Endpoint
}

/**
 * Sends the stored bytes of an event once, with a timestamp and signature of now.
 * @param number 1 for the first attempt at this event
 */
export const send = (
  { clock, outbound, limiter, endpoint }: SendDeps,
  event: ClaimedEvent,
  number: number,
): Promise<Answer> => {
  if (!limiter.signer || !isCurrent(limiter.signer, endpoint)) limiter.signer = createSigner(endpoint)
  return outbound.post(endpoint.url, {
    headers: limiter.signer.headers(event, clock.now(), number),
    body: event.body,
    timeoutMs: rules.timeout,
    maxAnswerBytes: rules.answerBytes,
  })
}

/**
 * The attempt to be recorded for a response.
 * @param at when it was sent: ms, business clock
 */
export const attemptOf = (answer: Answer, { sequence }: ClaimedEvent, number: number, at: number): Attempt => ({
  sequence,
  number,
  at,
  status: answer.kind === 'failed' ? null : answer.status,
  error: complaintOf(answer),
  durationMs: answer.durationMs,
})

/** True for any 2xx status (`contract.md` 18 #16). */
export const isAccepted = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** The speed of a receiver, from its response: `none` when there was no response. */
export const speedOf = (answer: Answer): 'fast' | 'slow' | 'none' => {
  if (answer.kind === 'failed') return 'none'
  return answer.durationMs > SLOW_AFTER_MS ? 'slow' : 'fast'
}

const complaintOf = (answer: Answer): string | null =>
  answer.kind !== 'failed' && isAccepted(answer) ? null : answerText(answer, STORED_CHARACTERS)

/** The beginning of a response as text, or the reason why there was none. */
export const answerText = (answer: Answer, most: number): string =>
  printable(answer.kind === 'failed' ? `${answer.reason}: ${answer.message}` : answer.body.toString('utf8'), most)

/** Truncates text and replaces control characters, so that a database and a terminal accept it. */
const printable = (text: string, most: number): string =>
  text
    .slice(0, most)
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
