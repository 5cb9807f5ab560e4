import { refuse, tooManyRequests, unavailable } from './refusals.ts'

/** How many bytes of bodies one process holds at most at a time. */
export interface BodyLimits {
  total: number
  /** from one network address */
  perAddress: number
}

export const BODY_LIMITS: BodyLimits = { total: 64 * 1024 * 1024, perAddress: 8 * 1024 * 1024 }

/** What one request holds of the budget. */
export interface BodyShare {
  /** @throws a refusal when that is more than there is room for */
  take(bytes: number): void
  release(): void
}

export interface BodyBudget {
  /** @param subject the network address that the bytes come from */
  share(subject: () => string): BodyShare
  /** bytes that are held now */
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
            throw refuse(tooManyRequests, 'too many large requests at a time: send fewer side by side', {
              retryAfterSeconds: RETRY_SECONDS,
            })
          if (held + bytes > total)
            throw refuse(unavailable, 'too many large requests at a time: try again', {
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
