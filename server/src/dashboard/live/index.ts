/**
 * The stream that tells open pages of a merchant that something of the merchant has changed. Guarantees:
 * - it says that something changed, and nothing else: the page is requested again, so that nothing is shown to a person
 *   who may not see it;
 * - changes of another merchant are never sent;
 * - the session and the membership are checked when it begins, before each message, and every 20 s; it ends with them;
 * - a person has a limited number of streams, beside the limits of the address and of the process.
 */
import { generalErrors } from '@bursar/contract'
import type { PageRoute } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { liveStream, versionsOf, type ScopeDeps } from '../frame/index.ts'
import { createFollowers } from './followers.ts'

const RETRY_SECONDS = 10

export const livePages = (deps: ScopeDeps): PageRoute[] => {
  const followers = createFollowers({
    versions: (merchantIds) => versionsOf(deps.db, merchantIds),
    log: deps.runtime.log,
  })
  return [
    liveStream(deps, 'see-payments', ({ merchantId, isStillAllowed }, { person }) => {
      if (!followers.hasPlace(person.id))
        throw refusal(generalErrors.tooManyRequests, 'too many pages are open: close some', {
          retryAfterSeconds: RETRY_SECONDS,
        })
      const follower = { merchantId, personId: person.id, isStillAllowed }
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream; charset=utf-8' },
        stream: (write, signal) => followers.follow(follower, write, signal),
      }
    }),
  ]
}
