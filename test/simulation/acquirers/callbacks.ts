/**
 * An acquirer's callbacks as the network carries them: in any order, late, repeated, or never. The simulation decides
 * when each attempt is made; the sandbox's own dispatcher (sandbox/acquirers/deliveries.ts) keeps real time.
 */
import type { Deliveries, Message } from '../../../sandbox/acquirers/deliveries.ts'
import type { Random } from '../../../sandbox/random.ts'

export interface Callbacks extends Deliveries {
  /** that are not acknowledged, and not given up */
  readonly waiting: number
  /**
   * Makes one attempt for one of them.
   * @param post delivers it; undefined: no server answers
   * @returns the result, in a word
   */
  attempt(random: Random, post: Post): Promise<string>
  /** Makes one undisturbed attempt for each. */
  attemptAll(post: Post): Promise<void>
  /** Whether the newest message about a subject was acknowledged. */
  isHeard(subject: string): boolean
  /** acknowledgements of messages that the acquirer has not signed, in one line each */
  readonly problems: readonly string[]
}

export type Post = (message: Message) => Promise<{ status: number; body: string } | undefined>

interface Waiting {
  subject: string
  message: Message
  /** sent in place of the first attempt: the same with a wrong signature */
  spoilt: Message | undefined
  attempts: number
}

/** As often as the bank tries (`callbackPauses` of sandbox/bank/index.ts), and about as often as the others. */
const MOST_ATTEMPTS = 10

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** @param isAcknowledged whether an answer ends a message; a status of 200 to 299 when absent */
export const createCallbacks = (isAcknowledged: (status: number, body: string) => boolean = isSuccess): Callbacks => {
  let waiting: Waiting[] = []
  const problems: string[] = []
  /** the newest message of each subject, and the newest that was acknowledged */
  const [newest, heard] = [new Map<string, Message>(), new Map<string, Message>()]
  const end = (one: Waiting): void => {
    waiting = waiting.filter((other) => other !== one)
  }
  const attempt = async (one: Waiting, post: Post, isAnswered = true): Promise<string> => {
    const { subject, message, spoilt } = one
    one.attempts += 1
    one.spoilt = undefined
    const answer = await post(spoilt ?? message)
    const isTaken = answer !== undefined && isAcknowledged(answer.status, answer.body)
    if (isTaken && spoilt !== undefined) problems.push(`a callback about ${subject} with a wrong signature was taken`)
    if (isTaken && spoilt === undefined) heard.set(subject, message)
    if ((isTaken && isAnswered) || one.attempts >= MOST_ATTEMPTS) end(one)
    return answer === undefined ? 'no answer' : String(answer.status)
  }
  return {
    problems,
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
    isHeard: (subject) => newest.has(subject) && newest.get(subject) === heard.get(subject),
    send: (subject, messages, { drop, badSignature }, spoil) => {
      for (const message of messages) {
        newest.set(subject, message)
        if (drop) continue
        waiting.push({ subject, message, spoilt: badSignature ? spoil(message) : undefined, attempts: 0 })
      }
    },
    list: () => [],
    stop: async () => {},
  }
}
