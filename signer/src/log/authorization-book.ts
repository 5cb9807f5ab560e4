import type { GivenAuthorization } from './entry.ts'
import type { IndexFile } from './index-file.ts'
import { Refusal } from '../protocol/refusal.ts'

/**
 * The EIP-7702 authorisations that were signed. One authorisation for each address is enough, and spare ones are
 * refused: an attacker could use them after the treasury has changed. A second one is signed only at the nonce of the
 * first, where at most one of them can take effect; or at a later nonce, if another transaction may have used the nonce
 * of the first, or if the pinned delegate has changed.
 */
export class AuthorizationBook {
  readonly #index: IndexFile

  constructor(index: IndexFile) {
    this.#index = index
  }

  /** @param isContested whether an ordinary transaction was signed for the same nonce before */
  record({ account, nonce, delegate }: GivenAuthorization, isContested: boolean): void {
    this.#index.run(
      'insert or replace into authorized values (?, ?, ?, ?)',
      account,
      nonce,
      delegate,
      Number(isContested),
    )
    this.#index.run('insert or ignore into authorizations values (?)', `${account}:${nonce}`)
  }

  /** Records that an ordinary transaction was signed. @param key `chainId:address:nonce` */
  recordTransaction(key: string): void {
    const end = key.lastIndexOf(':')
    const [account, nonce] = [key.slice(0, end), key.slice(end + 1)]
    this.#index.run('update authorized set isContested = 1 where account = ? and nonce = ?', account, nonce)
  }

  /** Whether an authorisation was signed for this nonce. @param key `chainId:address:nonce` */
  holds(key: string): boolean {
    return this.#index.row('select 1 from authorizations where key = ?', key) !== undefined
  }

  /**
   * Throws a Refusal when the authorisation could take effect in addition to an earlier one of the same delegate.
   * @param isKnown whether an ordinary transaction was signed for a nonce, by `chainId:address:nonce`
   */
  judge({ account, nonce, delegate }: GivenAuthorization, isKnown: (key: string) => boolean): void {
    const wanted = BigInt(nonce)
    const before = `${account}:${wanted - 1n}`
    if (wanted > 0n && !isKnown(before) && !this.holds(before)) {
      throw new Refusal('authorization', `Nonce ${nonce} of ${account} is ahead: nothing was signed for the one before`)
    }
    const latest = this.#index.row('select nonce, delegate, isContested from authorized where account = ?', account)
    if (!latest) return
    const given = BigInt(latest['nonce']!)
    if (given === wanted) return
    if (wanted < given) throw new Refusal('authorization', `${account} was authorised at nonce ${given} already`)
    if (latest['delegate'] === delegate && latest['isContested'] === 0) {
      throw new Refusal(
        'authorization',
        `${account} has delegated since nonce ${given}: no second authorisation is needed`,
      )
    }
  }
}
