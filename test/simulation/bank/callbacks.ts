/**
 * The bank's callbacks as the network carries them: in any order, late, repeated, or never. The simulation decides when
 * each attempt is made; the bank's own dispatcher (sandbox/acquirers/deliveries.ts) keeps real time.
 */
import type { Deliveries, Message } from '../../../sandbox/acquirers/deliveries.ts'
import type { Random } from '../../../sandbox/random.ts'

export interface Callbacks extends Deliveries {
  /** that are not acknowledged, and not given up */
  readonly waiting: number
  /**
   * Makes one attempt for one of them.
   * @param post delivers it; undefined: no server answers
   * @returns what happened, in a word
   */
  attempt(random: Random, post: Post): Promise<string>
  /** Makes one undisturbed attempt for each. */
  attemptAll(post: Post): Promise<void>
}

export type Post = (message: Message) => Promise<{ status: number } | undefined>

/** As often as the bank tries (`callbackPauses` of sandbox/bank/index.ts). */
const MOST_ATTEMPTS = 10

export const createCallbacks = (): Callbacks => {
  let waiting: { message: Message; attempts: number }[] = []
  const end = (one: (typeof waiting)[number]): void => {
    waiting = waiting.filter((other) => other !== one)
  }
  const attempt = async (one: (typeof waiting)[number], post: Post, isHeard = true): Promise<string> => {
    one.attempts += 1
    const answer = await post(one.message)
    const isTaken = answer !== undefined && answer.status >= 200 && answer.status < 300
    if ((isTaken && isHeard) || one.attempts >= MOST_ATTEMPTS) end(one)
    return answer === undefined ? 'nobody' : String(answer.status)
  }
  return {
    get waiting() {
      return waiting.length
    },
    attempt: async (random, post) => {
      const one = random.pick(waiting)
      const fate = random.next()
      if (fate < 0.05) {
        end(one)
        return 'never comes'
      }
      if (fate < 0.15) {
        one.attempts += 1
        if (one.attempts >= MOST_ATTEMPTS) end(one)
        return 'lost'
      }
      // The answer to it is lost, so that it comes again.
      return attempt(one, post, fate >= 0.25)
    },
    attemptAll: async (post) => {
      for (const one of waiting) await attempt(one, post)
    },
    send: (_subject, messages, telling) => {
      if (!telling.drop) for (const message of messages) waiting.push({ message, attempts: 0 })
    },
    list: () => [],
    stop: async () => {},
  }
}
