import type { Moment } from '../../platform/base/moment.ts'
import type { SecretRing } from '../../platform/config/secrets.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { NewId } from '../../platform/base/id.ts'

/**
 * The time of a request of a person. Sessions, invitations and the audit use the real clock, because people and
 * authenticators do; mails are queued on the business clock, as all others are.
 */
export interface Now {
  real: Date
  moment: Moment
}

export const nowOf = ({ clock, newId }: { clock: Clock; newId: NewId }): Now => ({
  real: new Date(clock.now()),
  moment: { at: new Date(clock.business()), newId },
})

/** The sources of secrets: random bytes, and the data keys that encrypt stored secrets. */
export interface Secrets {
  ring: SecretRing
  random: (count: number) => Buffer
}
