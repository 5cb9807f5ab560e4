/** Money of the ledger in tests: given, read, and changed by the effects of commands. */
import { carryOut, type Effects } from '../../server/src/ledger/effects/index.ts'
import { applyAll, balancesOf, type AccountKind } from '../../server/src/ledger/postings/index.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { inTransaction, type Db, type Tx } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { grantCapital } from '../../server/src/treasury/reconciliation/index.ts'

/** Whose money, and of which asset. */
export interface Owned {
  merchantId: string
  asset: string
}

/** Gives a merchant money of the operator's. @param units ledger units */
export const giveMoney = (runtime: Runtime, owned: Owned, units: bigint): Promise<void> =>
  inTransaction(runtime.db, (tx) => grantCapital(tx, { ...owned, units }, momentOf(runtime)))

/** A merchant has spent money on an order that a test does not show. @param units ledger units */
export const spendMoney = (runtime: Runtime, { merchantId, asset }: Owned, units: bigint): Promise<void> => {
  const { at, newId } = momentOf(runtime)
  const id = newId()
  const entry = (kind: 'merchant' | 'clearing', posted: bigint) => ({
    account: { merchantId, asset, kind },
    posted,
    held: 0n,
  })
  const entries = [entry('merchant', -units), entry('clearing', units)]
  return inTransaction(runtime.db, (tx) =>
    applyAll(tx, [{ transfer: { id, merchantId, kind: 'post', cause: { kind: 'adjustment', id }, entries, at } }]),
  )
}

/** The posted balance of an account, held money included; ledger units. */
export const balanceOf = async (db: Db, owned: Owned, kind: AccountKind = 'merchant'): Promise<bigint> =>
  (await balancesOf(db, kind, [owned]))[0]!.posted

/** The part of a merchant's balance that can be spent; ledger units. */
export const spendableOf = async (db: Db, owned: Owned): Promise<bigint> => {
  const [found] = await balancesOf(db, 'merchant', [owned])
  return found!.posted - found!.held
}

/** Runs a command in one transaction and carries its effects out, as jobs do. */
export const act = (runtime: Runtime, command: (tx: Tx, moment: Moment) => Promise<Effects>): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await carryOut(tx, await command(tx, moment), moment)
  })
