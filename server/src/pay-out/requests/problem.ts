/**
 * Why a request was not made, approved or ended.
 * - unknown: the merchant has no such request or address
 * - ended: it does not wait any more
 * - expired: it has waited for too long
 * - changed: it is not the one that the person saw
 * - own: its maker can't approve it
 * - already: the person has approved it
 * - maker-left: its maker may no longer ask for payouts
 * - book: an address is not in the address book, or not long enough
 * - hours: the policy allows no payouts at this hour
 * - hour-limit, day-limit: more than the policy allows in an hour or a day
 * - fee: the fee is higher than the request allows
 * - taken: the address book has this address
 * - name: the name is empty or too long
 * - address: the address is not valid on its network
 * - rules: the policy is not valid
 * - many: too many requests wait
 * - asked: another request of the same refund is open
 * - not-served: the merchant is disabled or has ended
 */
export type PayoutTrouble =
  | 'unknown'
  | 'ended'
  | 'expired'
  | 'changed'
  | 'own'
  | 'already'
  | 'maker-left'
  | 'book'
  | 'hours'
  | 'hour-limit'
  | 'day-limit'
  | 'fee'
  | 'taken'
  | 'name'
  | 'address'
  | 'rules'
  | 'many'
  | 'asked'
  | 'not-served'

/** Why a command about payouts changed nothing. */
export class PayoutProblem extends Error {
  override name = 'PayoutProblem'
  readonly trouble: PayoutTrouble
  constructor(trouble: PayoutTrouble) {
    super(trouble)
    this.trouble = trouble
  }
}
