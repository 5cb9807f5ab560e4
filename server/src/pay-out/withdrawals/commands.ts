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

/**
 * Returns the effects of an internal transfer on the receiving merchant. Runs in the transaction that moves the money.
 */
export type ReceiveInternal = (tx: Tx, withdrawal: Withdrawal, moment: Moment) => Promise<Effects>

const NOT_CARRIED = { hash: null, from: [], block: null } as const

/**
 * Moves the money of an internal withdrawal to its receiver in the ledger. Returns undefined if the withdrawal is not
 * waiting any more, or must not be sent.
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
 * Fails a withdrawal and releases its money; returns undefined if it is not waiting. Only for a withdrawal whose intent
 * the signer has closed: see `giveBack`.
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

/**
 * Attaches withdrawals to a planned transaction. Returns false if one of them is not waiting any more, or must not be
 * sent.
 */
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

/** Delays the next attempt at a waiting withdrawal, without changing its state. */
export const postpone = async (tx: Db | Tx, withdrawal: Withdrawal, until: Date): Promise<void> => {
  await sql`update withdrawals set not_before = ${until}
    where merchant_id = ${withdrawal.merchantId} and id = ${withdrawal.id} and state = 'requested'`.execute(tx)
}

/**
 * Halts the given withdrawals: excludes them from planning, except those that the signer has already been asked to
 * sign. The caller must hold the lock that prevents planning and asking.
 * @returns the ids of the halted withdrawals
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

/**
 * Halts a waiting withdrawal: excludes it from planning until its screening has a result; `resume` ends this. Returns
 * false if the withdrawal is not waiting.
 */
export const haltWaiting = async (tx: Tx, { merchantId, id }: { merchantId: string; id: string }): Promise<boolean> => {
  const { rows } =
    await sql`update withdrawals set halted = true where merchant_id = ${merchantId} and id = ${id} and state = 'requested'
    returning 1`.execute(tx)
  return rows.length > 0
}

/** Lets a halted withdrawal be planned again. */
export const resume = async (tx: Tx, { merchantId, id }: { merchantId: string; id: string }): Promise<void> => {
  await sql`update withdrawals set halted = false where merchant_id = ${merchantId} and id = ${id} and halted`.execute(
    tx,
  )
}

/**
 * Stores an approver's signature on a withdrawal. The signer verifies it with the key enrolled there. The newest
 * signature of an approver is the one that counts, until the time that it states; earlier ones remain stored.
 */
export const approve = async (
  tx: Tx,
  approval: { merchantId: string; withdrawalId: string; keyId: string; expiresAt: Date; signature: string },
  { at }: Moment,
): Promise<void> => {
  await sql`insert into withdrawal_approvals(merchant_id, withdrawal_id, key_id, expires_at, signature, created_at)
    values (${approval.merchantId}, ${approval.withdrawalId}, ${approval.keyId}, ${approval.expiresAt}, ${approval.signature}, ${at})
    on conflict do nothing`.execute(tx)
  await sql`update withdrawals set not_before = ${at}
    where merchant_id = ${approval.merchantId} and id = ${approval.withdrawalId} and state = 'requested'`.execute(tx)
}

/** The end of a withdrawal. `hash` is that of its transaction, or null if it never was in one. */
export interface Ended {
  status: 'Done' | 'Failed'
  hash: string | null
}

/**
 * A module that creates withdrawals for its own purposes subscribes to their end: called in the transaction that makes
 * a withdrawal Done or Failed, once for each; Failed may follow Done.
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
  for (const subscriber of withdrawalSubscribers) await subscriber(tx, withdrawal, ended, moment)
}
