import { Refusal } from './refusal.ts'

/** That an address runs the code of another (EIP-7702), as the log keeps it. */
export interface GivenAuthorization {
  /** `chainId:address`, whose leave it is */
  account: string
  /** decimal digits */
  nonce: string
  /** EIP-55 */
  delegate: string
}

interface Latest {
  nonce: bigint
  delegate: string
  /** Whether another transaction was signed for the same nonce, so that this one may never have been taken */
  isContested: boolean
}

/**
 * The authorisations that were given. A first one is enough for ever: whoever asks for more of them ahead could use them
 * when the treasury is another. So a second is given only at the nonce of the first, where at most one of them can ever
 * be taken; or when the first may have lost its nonce to another transaction; or when the pinned delegate has changed.
 */
export class AuthorizationBook {
  readonly #latest = new Map<string, Latest>()
  /** `chainId:address:nonce` */
  readonly #given = new Set<string>()

  /** @param isContested whether an ordinary transaction was signed for the same nonce before */
  record({ account, nonce, delegate }: GivenAuthorization, isContested: boolean): void {
    this.#latest.set(account, { nonce: BigInt(nonce), delegate, isContested })
    this.#given.add(`${account}:${nonce}`)
  }

  /** Notes that an ordinary transaction was signed. @param key `chainId:address:nonce` */
  recordTransaction(key: string): void {
    const end = key.lastIndexOf(':')
    const latest = this.#latest.get(key.slice(0, end))
    if (latest?.nonce === BigInt(key.slice(end + 1))) latest.isContested = true
  }

  /** Whether this nonce was given to an authorisation. @param key `chainId:address:nonce` */
  holds(key: string): boolean {
    return this.#given.has(key)
  }

  /**
   * Throws when the authorisation could take effect beside an earlier one of the same delegate.
   * @param isKnown whether an ordinary transaction was signed for a nonce, by `chainId:address:nonce`
   */
  judge({ account, nonce, delegate }: GivenAuthorization, isKnown: (key: string) => boolean): void {
    const wanted = BigInt(nonce)
    const before = `${account}:${wanted - 1n}`
    if (wanted > 0n && !isKnown(before) && !this.holds(before)) {
      throw new Refusal('authorization', `Nonce ${nonce} of ${account} is ahead: nothing was signed for the one before`)
    }
    const latest = this.#latest.get(account)
    if (!latest || latest.nonce === wanted) return
    if (wanted < latest.nonce) {
      throw new Refusal('authorization', `${account} was authorised at nonce ${latest.nonce} already`)
    }
    if (latest.delegate === delegate && !latest.isContested) {
      throw new Refusal('authorization', `${account} delegates since nonce ${latest.nonce}: no second leave is needed`)
    }
  }
}
