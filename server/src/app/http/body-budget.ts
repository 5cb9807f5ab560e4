import { refusal } from '../../platform/api/route.ts'
import { tooManyRequests, unavailable } from './refusals.ts'

/** The most bytes of request bodies that one process holds at a time. */
export interface BodyLimits {
  total: number
  /** per network address */
  perAddress: number
}

export const BODY_LIMITS: BodyLimits = { total: 64 * 1024 * 1024, perAddress: 8 * 1024 * 1024 }

/** The part of the budget that one request uses. */
export interface BodyShare {
  /** @throws a refusal when they exceed the budget */
  take(bytes: number): void
  release(): void
}

export interface BodyBudget {
  /** @param subject the network address that sends the bytes */
  share(subject: () => string): BodyShare
  /** bytes in use now */
  held(): number
}

const RETRY_SECONDS = 1

/** Counts the bytes of bodies from their first byte until their request is answered. */
export const createBodyBudget = ({ total, perAddress }: BodyLimits): BodyBudget => {
  let held = 0
  const bySubject = new Map<string, number>()
  return {
    held: () => held,
    share: (subjectOf) => {
      let subject: string | undefined
      let own = 0
      return {
        take: (bytes) => {
          subject ??= subjectOf()
          const others = bySubject.get(subject) ?? 0
          if (others + bytes > perAddress)
            throw refusal(tooManyRequests, 'too many large requests at a time: send fewer side by side', {
              retryAfterSeconds: RETRY_SECONDS,
            })
          if (held + bytes > total)
            throw refusal(unavailable, 'too many large requests at a time: try again', {
              retryAfterSeconds: RETRY_SECONDS,
            })
          bySubject.set(subject, others + bytes)
          held += bytes
          own += bytes
        },
        release: () => {
          if (subject === undefined || own === 0) return
          const left = bySubject.get(subject)! - own
          if (left === 0) bySubject.delete(subject)
          else bySubject.set(subject, left)
          held -= own
          own = 0
        },
      }
    },
  }
}
