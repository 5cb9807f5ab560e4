import { delivery as rules } from '@bursar/contract'
import type { Outbound } from '../../platform/outbound/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { inStep } from '../../platform/traces/tracing.ts'
import { attemptOf, isAccepted, send, speedOf } from './attempt.ts'
import type { EndpointLimiter } from './endpoint-limiter.ts'
import type { EndpointOf } from './signature.ts'
import { settle, type Attempt, type ClaimedStream, type Settlement } from './stream.ts'

/** Least time from the latest end of an attempt to the end of its stream's lease. */
const LEASE_MARGIN_MS = 5_000
/**
 * Pause before the next try when we can't prepare an attempt, for example because a merchant's key can't be decrypted.
 */
const OWN_FAULT_PAUSE_MS = 60_000

export interface DeliveringDeps {
  runtime: Pick<Runtime, 'clock' | 'log'>
  outbound: Outbound
  /** A receiver's current endpoint; null while it gets nothing. Called before each attempt. */
  endpointOf: EndpointOf
}

/** Sends a stream's events in order until one is not accepted. The limiter learns from each response. Never rejects. */
export const deliver = async (
  stream: ClaimedStream,
  limiter: EndpointLimiter,
  { runtime: { clock, log }, outbound, endpointOf }: DeliveringDeps,
): Promise<Settlement> => {
  const attempts: Attempt[] = []
  try {
    for (const event of stream.events) {
      const asked = endpointOf(stream.receiverId)
      const endpoint = asked instanceof Promise ? await asked : asked
      if (!endpoint) return settle(stream, attempts, { kind: 'untried', ownLane: true })
      // After the endpoint is read, which may take as long as the database.
      if (clock.now() + rules.timeout + LEASE_MARGIN_MS > stream.leaseUntil)
        return settle(stream, attempts, { kind: 'untried', ownLane: stream.ownLane })
      const number = attempts.length === 0 ? stream.failures + 1 : 1
      const at = clock.business()
      const answer = await inStep(
        { name: 'webhook delivery', kind: 'producer', attributes: { 'bursar.attempt': number } },
        () => [stream.objectId],
        async (notes) => {
          const got = await send({ clock, outbound, limiter, endpoint }, event, number)
          if (got.kind === 'failed') notes?.failed()
          else notes?.attributes({ 'http.response.status_code': got.status })
          return got
        },
      )
      limiter.learn(speedOf(answer))
      const attempt = attemptOf(answer, event, number, at)
      attempts.push(attempt)
      if (!isAccepted(attempt)) return settle(stream, attempts, { kind: 'failed' })
    }
    return settle(stream, attempts, { kind: 'delivered' })
  } catch (error) {
    log.error(
      { err: error, merchantId: stream.merchantId },
      'a notification could not be prepared: is its key encrypted with another data key?',
    )
    return settle(stream, attempts, {
      kind: 'untried',
      notBefore: clock.business() + OWN_FAULT_PAUSE_MS,
      ownLane: true,
    })
  }
}
