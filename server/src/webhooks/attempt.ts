import { delivery as rules } from '@bursar/contract'
import type { Answer, Outbound } from '../outbound/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Gate } from './gate.ts'
import { createSigner, isCurrent, type Endpoint } from './signature.ts'
import type { Attempt, ClaimedEvent } from './stream.ts'

const SLOW_AFTER_MS = 1_000
/** Of what the receiver said, kept for the merchant to look at. */
const KEPT_CHARACTERS = 200

interface AttemptDeps {
  clock: Clock
  outbound: Outbound
  gate: Gate
  endpoint: Endpoint
}

/** Sends an event once, stamped and signed now, with the bytes that were stored. */
export const makeAttempt = async (deps: AttemptDeps, event: ClaimedEvent, number: number): Promise<Attempt> => {
  const { clock, outbound, gate, endpoint } = deps
  if (!gate.signer || !isCurrent(gate.signer, endpoint)) gate.signer = createSigner(endpoint)
  const at = clock.business()
  const answer = await outbound.post(endpoint.url, {
    headers: gate.signer.headers(event, clock.now(), number),
    body: event.body,
    timeoutMs: rules.timeout,
    maxAnswerBytes: rules.answerBytes,
  })
  gate.learn(speedOf(answer))
  return { sequence: event.sequence, number, at, ...outcomeOf(answer), durationMs: answer.durationMs }
}

/** Any 2xx (`contract.md` 18 #16). */
export const isAccepted = ({ status }: Pick<Attempt, 'status'>): boolean => status !== null && status >= 200 && status < 300

const speedOf = (answer: Answer): 'fast' | 'slow' | 'none' => {
  if (answer.kind === 'failed') return 'none'
  return answer.durationMs > SLOW_AFTER_MS ? 'slow' : 'fast'
}

const outcomeOf = (answer: Answer): Pick<Attempt, 'status' | 'error'> => {
  if (answer.kind === 'failed') return { status: null, error: printable(`${answer.reason}: ${answer.message}`) }
  return { status: answer.status, error: isAccepted(answer) ? null : printable(answer.bodyStart) }
}

/** Text that a database and a terminal can take, whatever the receiver sent. */
const printable = (text: string): string => text.slice(0, KEPT_CHARACTERS).replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()
