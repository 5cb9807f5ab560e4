import type { RawBuilder } from 'kysely'
import type { AddressFamily, AddressOwner } from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import type { Deposit } from './deposit.ts'
import type { DepositSubscriber } from './subscribers.ts'
import type { DepositPolicy } from './policy.ts'

/** A deposit that a transaction credits. */
export interface Credited {
  deposit: Deposit
  /** it was credited before, and a reorganisation reversed that */
  again: boolean
}

/**
 * Called with credited deposits, in the transaction that credits them. The effects that it returns are carried out
 * after the credit.
 */
export type CreditedSubscriber = (tx: Tx, credited: readonly Credited[], moment: Moment) => Promise<Effects>

/** Called with deposits that are now in quarantine. The effects that it returns are carried out after that posting. */
export type HeldSubscriber = (tx: Tx, held: readonly Deposit[], moment: Moment) => Promise<Effects>

export interface DepositSettings {
  catalogue: Catalogue
  /**
   * whether an address derives from our keys, as its row states; money at any other address is no deposit. If absent,
   * all do
   */
  isDerived?: (family: AddressFamily, owned: AddressOwner) => boolean
  policy: DepositPolicy
  /** fresh prices in 1e-18 USD for one whole unit; a ticker without one is absent */
  prices(tx: Tx, tickers: readonly string[]): Promise<ReadonlyMap<string, bigint>>
  onCredited: readonly CreditedSubscriber[]
  /**
   * called with deposits that screening has found clean, in the transaction that notifies of it. While screening is on,
   * it replaces onCredited for modules that must not use dirty money
   */
  onVerified?: readonly CreditedSubscriber[]
  /**
   * an SQL condition on a merchant's id: deposits of such merchants are credited only after screening clears them. If
   * absent, none
   */
  holds?: (merchantId: RawBuilder<unknown>) => RawBuilder<unknown>
  /** called with deposits that are held, in the transaction that holds them */
  onHeld?: readonly HeldSubscriber[]
  depositSubscribers: readonly DepositSubscriber[]
}
