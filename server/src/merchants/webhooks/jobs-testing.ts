import { sql } from 'kysely'
import { delivery as rules } from '@bursar/contract'
import { IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import type { Outbound } from '../../platform/outbound/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { answerText } from './attempt.ts'
import { createSigner, type EndpointOf } from './signature.ts'
import { MOST_CLAIMS } from './testing.ts'

export interface TestingDeps {
  runtime: Runtime
  outbound: Outbound
  endpointOf: EndpointOf
  additionalEndpointOf: EndpointOf
}

interface ClaimedTest {
  id: string
  merchantId: string
  endpointId: string | null
  body: string
  claims: number
}

/** Longer than an attempt, so that no other worker sends a test that is being sent. */
const LEASE_MS = rules.timeout * 3
/** Tests that are sent at a time: a receiver that hangs delays the others by its time limit at most. */
const MOST_AT_ONCE = 16
const SHOWN_CHARACTERS = 1_000

/** Sends the tests that people have asked for. Any number of workers may run it against one database. */
export const createTestingJob = (deps: TestingDeps): Job => ({
  name: 'send test notifications',
  everyMs: 500,
  idleMs: IDLE_MS,
  run: async () => {
    const claimed = await claim(deps.runtime)
    await Promise.all(claimed.map((test) => sendTest(deps, test)))
    return claimed.length === MOST_AT_ONCE
  },
})

const claim = async ({ db, clock }: Runtime): Promise<ClaimedTest[]> => {
  const now = clock.now()
  const { rows } =
    await sql<ClaimedTest>`update webhook_tests t set leased_until = ${new Date(now + LEASE_MS)}, claims = claims + 1
    from (select id from webhook_tests where sent_at is null and leased_until < ${new Date(now)} and claims < ${MOST_CLAIMS}
      order by asked_at limit ${MOST_AT_ONCE} for update skip locked) due
    where t.id = due.id returning t.id, t.merchant_id as "merchantId", t.endpoint_id as "endpointId", t.body, t.claims`.execute(
      db,
    )
  return rows
}

interface Result {
  status: number | null
  answer: string
  durationMs: number
}

/** The result of the first worker that has one is stored. */
const sendTest = async (deps: TestingDeps, test: ClaimedTest): Promise<void> => {
  const { db, clock } = deps.runtime
  const sentAt = new Date(clock.business())
  const { status, answer, durationMs } = await attempt(deps, test)
  await sql`update webhook_tests set sent_at = ${sentAt}, status = ${status}, answer = ${answer}, duration_ms = ${durationMs}
    where id = ${test.id} and sent_at is null`.execute(db)
}

const attempt = async (
  { runtime: { clock, log }, outbound, endpointOf, additionalEndpointOf }: TestingDeps,
  { id, merchantId, endpointId, body, claims }: ClaimedTest,
): Promise<Result> => {
  try {
    const endpoint = await (endpointId === null ? endpointOf(merchantId) : additionalEndpointOf(endpointId))
    if (!endpoint) return { status: null, answer: 'no URL', durationMs: 0 }
    const answer = await outbound.post(endpoint.url, {
      headers: createSigner(endpoint).headers({ id, sequence: null, body }, clock.now(), claims),
      body,
      timeoutMs: rules.timeout,
      maxAnswerBytes: rules.answerBytes,
    })
    const status = answer.kind === 'failed' ? null : answer.status
    return { status, answer: answerText(answer, SHOWN_CHARACTERS), durationMs: Math.round(answer.durationMs) }
  } catch (error) {
    log.error({ err: error, merchantId }, 'a test notification could not be prepared')
    return { status: null, answer: 'it could not be prepared', durationMs: 0 }
  }
}
