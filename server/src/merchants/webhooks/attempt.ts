import { delivery as rules } from '@bursar/contract'
import type { Answer, Outbound } from '../../platform/outbound/index.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { EndpointLimiter } from './endpoint-limiter.ts'
import { createSigner, isCurrent, type Endpoint } from './signature.ts'
import type { Attempt, ClaimedEvent } from './stream.ts'

const SLOW_AFTER_MS = 1_000
/** Of what the receiver said, kept for the merchant to look at. */
const KEPT_CHARACTERS = 200

interface SendDeps {
  clock: Pick<Clock, 'now'>
  outbound: Outbound
  limiter: EndpointLimiter
  endpoint: Endpoint
}

/**
 * Sends an event once, stamped and signed now, with the bytes that were stored. @param number 1 for the first attempt
 * at it
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

/** What came of sending an event. @param at ms, business clock, when it was sent */
export const attemptOf = (answer: Answer, { sequence }: ClaimedEvent, number: number, at: number): Attempt => ({
  sequence,
  number,
  at,
  status: answer.kind === 'failed' ? null : answer.status,
  error: complaintOf(answer),
  durationMs: answer.durationMs,
})

/** Any 2xx (`contract.md` 18 #16). */
export const isAccepted = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** How a receiver stands after an answer. */
export const speedOf = (answer: Answer): 'fast' | 'slow' | 'none' => {
  if (answer.kind === 'failed') return 'none'
  return answer.durationMs > SLOW_AFTER_MS ? 'slow' : 'fast'
}

const complaintOf = (answer: Answer): string | null => {
  if (answer.kind === 'failed') return printable(`${answer.reason}: ${answer.message}`)
  return isAccepted(answer) ? null : printable(answer.body.toString('utf8'))
}

/** Text that a database and a terminal can take, whatever the receiver sent. */
const printable = (text: string): string =>
  text
    .slice(0, KEPT_CHARACTERS)
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
