import { sql } from 'kysely'
import type { Effects } from '../../ledger/effects/index.ts'
import { holdStops } from '../../ledger/stops/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { withdrawalNotices } from './notice.ts'
import { deliverItem, releaseItem } from './postings.ts'
import { isHeldBack, isStopped, move } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/** What the receiver's side of an internal transfer adds, in the same transaction. */
export type ReceiveInternal = (tx: Tx, withdrawal: Withdrawal, moment: Moment) => Promise<Effects>

const NOT_CARRIED = { hash: null, from: [], block: null } as const

/**
 * Moves an internal withdrawal to its receiver in the ledger. Undefined when it is no longer waiting, or is stopped by
 * now.
 */
export const deliver = async (
  tx: Tx,
  waiting: Withdrawal,
  deps: { catalogue: Catalogue; receive: ReceiveInternal; withdrawalSubscribers?: readonly WithdrawalSubscriber[] },
  moment: Moment,
): Promise<Effects | undefined> => {
  await holdStops(tx)
  if (await isHeldBack(tx, waiting)) return undefined
  const withdrawal = await move(tx, waiting, 'delivered', moment.at, { sendsDone: true })
  if (!withdrawal) return undefined
  const asset = deps.catalogue.findCrypto(withdrawal.ticker)!
  const received = await deps.receive(tx, withdrawal, moment)
  await notifySubscribers(deps.withdrawalSubscribers ?? [], tx, withdrawal, { status: 'Done', hash: null }, moment)
  return {
    items: [deliverItem(withdrawal, moment), ...received.items],
    notices: [...withdrawalNotices(withdrawal, asset, 'Done', NOT_CARRIED), ...received.notices],
  }
}

/**
 * Ends a withdrawal and gives its money back. Undefined when it is not waiting. Only for one whose intent the signer
 * has closed: see `giveBack`.
 */
export const giveUp = async (
  tx: Tx,
  key: Pick<Withdrawal, 'merchantId' | 'id'>,
  {
    catalogue,
    withdrawalSubscribers = [],
  }: { catalogue: Catalogue; withdrawalSubscribers?: readonly WithdrawalSubscriber[] },
  moment: Moment,
  failReason: 'ERRROR_CODE_GENERIC' | 'AML_REJECTED' = 'ERRROR_CODE_GENERIC',
): Promise<Effects | undefined> => {
  const withdrawal = await move(tx, key, 'given-up', moment.at, { failReason })
  if (!withdrawal) return undefined
  const asset = catalogue.findCrypto(withdrawal.ticker)!
  await notifySubscribers(withdrawalSubscribers, tx, withdrawal, { status: 'Failed', hash: null }, moment)
  return {
    items: [releaseItem(withdrawal, moment)],
    notices: [...withdrawalNotices(withdrawal, asset, 'Failed', NOT_CARRIED)],
  }
}

/** Puts withdrawals on a planned transaction; false when any of them is no longer waiting, or is stopped by now. */
export const attach = async (
  tx: Tx,
  withdrawals: readonly Withdrawal[],
  outgoingId: string,
  { at }: Moment,
): Promise<boolean> => {
  await holdStops(tx)
  for (const withdrawal of withdrawals) {
    if (!(await move(tx, withdrawal, 'planned', at, { outgoingId }))) return false
  }
  return !(await isStopped(tx, outgoingId))
}

/** Looks at a withdrawal again later, without changing what it is. */
export const postpone = async (tx: Db | Tx, withdrawal: Withdrawal, until: Date): Promise<void> => {
  await sql`update withdrawals set not_before = ${until}
    where merchant_id = ${withdrawal.merchantId} and id = ${withdrawal.id} and state = 'requested'`.execute(tx)
}

/**
 * Stops withdrawals that the signer was not asked for; answers with those that still could be. The caller keeps
 * everybody from planning and asking meanwhile.
 */
export const halt = async (tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{
    id: string
  }>`update withdrawals w set halted = true where w.id = any(${[...ids]}::uuid[]) and (w.state = 'requested'
      or (w.state = 'planned' and not exists (select from outgoing_attempts a where a.outgoing_id = w.outgoing_id and a.asked_at is not null)))
    returning w.id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Keeps one that waits from being planned until it has been decided about. False when it does not wait. */
export const haltWaiting = async (tx: Tx, { merchantId, id }: { merchantId: string; id: string }): Promise<boolean> => {
  const { rows } =
    await sql`update withdrawals set halted = true where merchant_id = ${merchantId} and id = ${id} and state = 'requested'
    returning 1`.execute(tx)
  return rows.length > 0
}

/** Lets one that was halted go on. */
export const resume = async (tx: Tx, { merchantId, id }: { merchantId: string; id: string }): Promise<void> => {
  await sql`update withdrawals set halted = false where merchant_id = ${merchantId} and id = ${id} and halted`.execute(
    tx,
  )
}

/**
 * Stores a person's signature under a withdrawal; the signer checks it with the key enrolled there. A later one of the
 * same key is what counts, and the earlier one stays stored.
 */
export const approve = async (
  tx: Tx,
  approval: { merchantId: string; withdrawalId: string; keyId: string; signature: string },
  { at }: Moment,
): Promise<void> => {
  await sql`insert into withdrawal_approvals(merchant_id, withdrawal_id, key_id, signature, created_at)
    values (${approval.merchantId}, ${approval.withdrawalId}, ${approval.keyId}, ${approval.signature}, ${at})
    on conflict do nothing`.execute(tx)
  await sql`update withdrawals set not_before = ${at}
    where merchant_id = ${approval.merchantId} and id = ${approval.withdrawalId} and state = 'requested'`.execute(tx)
}

/** How a withdrawal ended. `hash`: of the transaction that carries it, null for one that never was in one. */
export interface Ended {
  status: 'Done' | 'Failed'
  hash: string | null
}

/**
 * A module that has withdrawals made for a purpose of its own: called once when one is Done or Failed, in the
 * transaction that makes it so.
 */
export type WithdrawalSubscriber = (
  tx: Tx,
  withdrawal: Pick<Withdrawal, 'merchantId' | 'id'>,
  ended: Ended,
  moment: Moment,
) => Promise<void>

export const notifySubscribers = async (
  withdrawalSubscribers: readonly WithdrawalSubscriber[],
  tx: Tx,
  withdrawal: Withdrawal,
  ended: Ended,
  moment: Moment,
): Promise<void> => {
  for (const follow of withdrawalSubscribers) await follow(tx, withdrawal, ended, moment)
}
