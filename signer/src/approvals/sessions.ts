import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

interface Session {
  approver: string
  credentialId: string
  /** ms since the epoch */
  endsAt: number
}

const SESSION_MS = 15 * 60_000
/** Most sessions at once. A new one ends the oldest. */
const MOST_SESSIONS = 100
const SIGN_IN_MS = 10 * 60_000
/** Most refused answers with one token. A person who starts again gets another token. */
const MOST_REFUSED = 5
/** Most tokens whose refused answers are counted. A further one replaces the oldest. */
const MOST_COUNTED = 1000
const TOKEN = /^([0-9]{1,15})\.[0-9a-f]{32}\.([0-9a-f]{64})$/

/**
 * Sessions of approvers on the signer's page, and the challenges of their sign-ins. All are in memory: a restart ends
 * them. For a person who has not signed in, only the number of refused answers is stored.
 */
export class Sessions {
  readonly #origin: string
  readonly #now: () => number
  readonly #secret = randomBytes(32)
  readonly #sessions = new Map<string, Session>()
  /** Used tokens, with the time at which each expires */
  readonly #used = new Map<string, number>()
  /** Number of refused answers by token */
  readonly #refused = new Map<string, number>()

  /** @param now ms since the epoch */
  constructor(origin: string, now: () => number) {
    this.#origin = origin
    this.#now = now
  }

  /** Makes the challenge of a sign-in. Its token comes back with the answer. */
  makeChallenge(): { token: string; challenge: Buffer } {
    const head = `${this.#now()}.${randomBytes(16).toString('hex')}`
    const token = `${head}.${this.#tagOf(head)}`
    return { token, challenge: this.#challengeOf(token) }
  }

  /**
   * Returns the challenge of a token. Returns undefined if another process made the token, if it has expired or was
   * used, or if five answers with it were refused.
   */
  challengeOf(token: string): Buffer | undefined {
    const [, made = '', tag = ''] = TOKEN.exec(token) ?? []
    const head = token.slice(0, -tag.length - 1)
    const right = Buffer.from(this.#tagOf(head))
    const given = Buffer.from(tag)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
    const isInTime = this.#now() < Number(made) + SIGN_IN_MS
    const isUsable = !this.#used.has(token) && (this.#refused.get(token) ?? 0) < MOST_REFUSED
    return isInTime && isUsable ? this.#challengeOf(token) : undefined
  }

  /** Counts a refused answer with a token of this process. */
  refused(token: string): void {
    const before = this.#refused.get(token)
    if (before === undefined && this.#refused.size >= MOST_COUNTED)
      this.#refused.delete(this.#refused.keys().next().value!)
    this.#refused.set(token, (before ?? 0) + 1)
  }

  /** Begins a session. @returns the value of its cookie */
  begin(approver: string, credentialId: string, token: string): string {
    this.#removeEnded()
    this.#used.set(token, this.#now() + SIGN_IN_MS)
    if (this.#sessions.size >= MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!)
    const value = randomBytes(32).toString('base64url')
    this.#sessions.set(hashOf(value), { approver, credentialId, endsAt: this.#now() + SESSION_MS })
    return value
  }

  find(value: string): Session | undefined {
    this.#removeEnded()
    return this.#sessions.get(hashOf(value))
  }

  end(value: string): void {
    this.#sessions.delete(hashOf(value))
  }

  #removeEnded(): void {
    const now = this.#now()
    for (const [hash, { endsAt }] of this.#sessions) if (endsAt <= now) this.#sessions.delete(hash)
    for (const [token, end] of this.#used) if (end <= now) this.#used.delete(token)
  }

  #tagOf(head: string): string {
    return createHmac('sha256', this.#secret).update(head).digest('hex')
  }

  /** The text differs from that of every approval, so that a sign-in never approves a payment. */
  #challengeOf(token: string): Buffer {
    return createHash('sha256').update(`bursar sign-in v1\norigin: ${this.#origin}\nnonce: ${token}\n`).digest()
  }
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex')
}
