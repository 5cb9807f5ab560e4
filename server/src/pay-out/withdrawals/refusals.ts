import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { SignedTransaction, Signer, SignerRefusal } from '../../adapters/signer/port.ts'
import { alertOf, classOf, pauseAfter } from '../../chain/transactions/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { raiseAlert, raiseOrRenewAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { giveUp, postpone, type WithdrawalSubscriber } from './commands.ts'
import { nextIntentOf } from './placing.ts'
import { findById } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/**
 * Kind of the alert about a withdrawal for which the signer has signed a transaction that this database does not have.
 */
export const SIGNED_BEFORE = 'withdrawal-signed-before'

/** Kind of the alert about a withdrawal that equals a payment which a restored copy lacks. */
export const REPEATS_LOST = 'withdrawal-repeats-lost'

/** Why the signer will sign nothing more for a withdrawal. */
export type Barred = 'signed' | 'closed'

export interface AfterRefusal {
  /** wait this long before planning it again */
  pauseMs: number
  /** from now on it gets a transaction of its own */
  alone: boolean
  barred: Barred | null
}

/**
 * The outcome for one of the withdrawals that a refused transaction would have paid. A withdrawal that the refusal does
 * not concern is planned again at once.
 * @param together number of withdrawals in the transaction
 */
export const afterRefusal = (
  { intentId }: Pick<Withdrawal, 'intentId'>,
  refusal: SignerRefusal,
  together: number,
): AfterRefusal => {
  const goesOn: AfterRefusal = { pauseMs: 0, alone: false, barred: null }
  const waits = { ...goesOn, pauseMs: pauseAfter(refusal) }
  const isNamed = refusal.intents?.includes(intentId) ?? together === 1
  switch (classOf(refusal)) {
    case 'now':
      // The sum of a batch may exceed the hourly limit, even when nothing else has been signed.
      return { ...waits, alone: together > 1 && refusal.refused === 'velocity' }
    case 'nonce':
      return goesOn
    case 'request':
      return together > 1 ? { ...goesOn, alone: true } : waits
    case 'item':
      if (isNamed) return { ...waits, alone: together > 1 }
      return { ...goesOn, alone: refusal.intents === undefined }
    case 'identity':
      if (isNamed) return { ...goesOn, barred: barredBy(refusal) }
      return { ...goesOn, alone: refusal.intents === undefined }
  }
}

const barredBy = ({ refused }: Pick<SignerRefusal, 'refused'>): Barred =>
  refused === 'intent-closed' ? 'closed' : 'signed'

/** Kind of the alert about payments that the node refuses for a reason that an operator has to look into. */
export const PAYOUT_REFUSED = 'payout-refused'
/** Kind of the alert about a payment that would cost the network more than the policy allows. */
export const FEE_ABOVE_CAP = 'fee-above-cap'

/** Kinds of alerts that end when the signer would sign for the withdrawal. */
const OVER_WHEN_PASSING = ['signer-limit', 'signer-needs-approval', 'signer-unknown-asset', 'signer-rotated'] as const
const FOR_ALL = ['disabled', 'velocity', 'log-cut-back'] as const

/**
 * Applies the signer's check of waiting withdrawals. Each refused withdrawal is postponed or barred and, where an
 * operator can act, gets an alert that says what to do. Alerts that no longer apply are resolved.
 */
export const holdBack = async (
  runtime: Runtime,
  network: Network,
  {
    refused,
    passing,
  }: { refused: readonly { withdrawal: Withdrawal; refusal: SignerRefusal }[]; passing: readonly Withdrawal[] },
): Promise<void> => {
  const { db } = runtime
  const moment = momentOf(runtime)
  for (const { withdrawal, refusal } of refused) {
    const { pauseMs, barred } = afterRefusal(withdrawal, refusal, 1)
    if (barred) await bar(db, withdrawal, barred, refusal.message, moment)
    else await postpone(db, withdrawal, new Date(moment.at.getTime() + pauseMs))
    await alertRefused(db, withdrawal, refusal, moment)
  }
  const codes = new Set(refused.map(({ refusal }) => refusal.refused))
  for (const code of FOR_ALL) if (!codes.has(code)) await resolveAlert(db, `signer-${code}`, network, moment.at)
  if (passing.length > 0)
    await resolveAlertsOf(
      db,
      OVER_WHEN_PASSING,
      passing.map(({ id }) => id),
      moment.at,
    )
}

/**
 * Raises an alert for a refusal: one for the network when the reason applies to all its withdrawals, otherwise one for
 * this withdrawal. Raises none when the reason is the intent's identity or a nonce.
 */
export const alertRefused = async (
  db: Db | Tx,
  { id, blockchain }: Withdrawal,
  refusal: SignerRefusal,
  moment: Moment,
): Promise<void> => {
  const of = classOf(refusal)
  if (of === 'identity' || of === 'nonce') return
  if (of === 'now') return raiseOrRenewAlert(db, alertOf(refusal, blockchain, 'payout'), moment)
  const text =
    refusal.refused === 'needs-approval'
      ? `Withdrawal ${id} waits for approvals. ${refusal.message}. Other withdrawals are not affected`
      : `The signer refuses withdrawal ${id}: ${refusal.message}. It is tried again in a few minutes. Other withdrawals are not affected`
  await raiseOrRenewAlert(db, { kind: `signer-${refusal.refused}`, subject: id, text }, moment)
}

/**
 * Gives a waiting withdrawal its next intent, so that it can be signed for again. Nothing that was signed under its
 * present intent may be able to pay it.
 */
export const renewIntent = async (
  tx: Db | Tx,
  { merchantId, id, intentId }: Pick<Withdrawal, 'merchantId' | 'id' | 'intentId'>,
): Promise<void> => {
  await sql`update withdrawals set intent_id = ${nextIntentOf({ merchantId, intentId })}, barred = case when barred = 'repeat' then barred end where merchant_id = ${merchantId} and id = ${id}
    and state = 'requested' and coalesce(intent_id, id) = ${intentId}`.execute(tx)
}

/**
 * Bars a withdrawal from being planned, because the signer will sign nothing more for it. Exception: when an older
 * withdrawal in this database has the same intent (for example, because an Idempotency-Key was used again after its
 * answer had expired), this withdrawal is a different payment and gets its own intent instead. An intent of a lost
 * payment does not count: an operator has given it to the older withdrawal, and this one may be its first request.
 */
export const bar = async (
  tx: Db | Tx,
  { merchantId, id }: Pick<Withdrawal, 'merchantId' | 'id'>,
  barred: Barred,
  message: string,
  moment: Moment,
): Promise<void> => {
  const older = await sql<{
    intentId: string
  }>`select coalesce(w.intent_id, w.id) as "intentId" from withdrawals w where w.merchant_id = ${merchantId} and w.id = ${id}
    and w.state = 'requested' and not exists (select from lost_payment_repeats r where r.intent_id = coalesce(w.intent_id, w.id) and r.decision = 'same')
    and exists (select from withdrawals o where o.merchant_id = w.merchant_id and o.id <> w.id and o.created_at <= w.created_at
      and coalesce(o.intent_id, o.id) = coalesce(w.intent_id, w.id))`.execute(tx)
  if (older.rows[0]) return renewIntent(tx, { merchantId, id, ...older.rows[0] })
  const { rows } =
    await sql`update withdrawals set barred = ${barred} where merchant_id = ${merchantId} and id = ${id} and state = 'requested'
    returning 1`.execute(tx)
  if (rows.length === 0 || barred === 'closed') return
  const text =
    `Withdrawal ${id} of merchant ${merchantId} waits: the signer has signed a payment for it that this database does not know (${message}). ` +
    `Run "bursar withdrawal attach ${merchantId} ${id}"; see docs/operating/recovery.md`
  await raiseAlert(tx, { kind: SIGNED_BEFORE, subject: id, text }, moment)
}

export interface GivingBackDeps {
  runtime: Runtime
  catalogue: Catalogue
  signer: Pick<Signer, 'closeIntent'>
  withdrawalSubscribers?: readonly WithdrawalSubscriber[]
}

export type GivenBack =
  | { kind: 'given-back' }
  /** it is planned, sent or ended, or `within` returned false */
  | { kind: 'not-waiting' }
  /** the signer has signed for it: it stays barred until the signed transaction is attached */
  | { kind: 'signed'; transactions: SignedTransaction[] }

/**
 * Fails a waiting withdrawal and releases its money, after the signer has closed its intent. Closing proves that
 * nothing was signed for it, and that no process, replica or restored copy can have anything signed for it later.
 * Throws when the signer can't be reached.
 * @param within more work in the same transaction; when it returns false, nothing is given back
 */
export const giveBack = async (
  deps: GivingBackDeps,
  key: { merchantId: string; id: string },
  {
    failReason = 'ERRROR_CODE_GENERIC',
    within,
  }: {
    failReason?: 'ERRROR_CODE_GENERIC' | 'AML_REJECTED'
    within?: (tx: Tx, moment: Moment) => Promise<boolean>
  } = {},
): Promise<GivenBack> => {
  const { runtime, signer } = deps
  const withdrawal = await findById(runtime.db, key.merchantId, key.id)
  if (withdrawal?.state !== 'requested') return { kind: 'not-waiting' }
  const transactions = await signer.closeIntent(withdrawal.intentId)
  if (transactions.length > 0) {
    const message = `transaction ${transactions.map(({ hash }) => hash).join(', ')}`
    await inTransaction(runtime.db, (tx) => bar(tx, withdrawal, 'signed', message, momentOf(runtime)))
    return { kind: 'signed', transactions }
  }
  return inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    if (within && !(await within(tx, moment))) return { kind: 'not-waiting' }
    const effects = await giveUp(tx, withdrawal, deps, moment, failReason)
    if (!effects) {
      if (within) throw new Error(`withdrawal ${withdrawal.id} was taken up meanwhile`)
      return { kind: 'not-waiting' }
    }
    await carryOut(tx, effects, moment)
    await resolveAlertsOf(
      tx,
      [...OVER_WHEN_PASSING, PAYOUT_REFUSED, FEE_ABOVE_CAP, REPEATS_LOST],
      [withdrawal.id],
      moment.at,
    )
    return { kind: 'given-back' }
  })
}

const CLOSED_EVERY_MS = 5_000
const MOST = 100

/**
 * Gives back withdrawals whose intent the signer has closed already: an earlier state of the database, since restored
 * or lost, had given them back.
 */
export const createClosedJob = (deps: GivingBackDeps): Job => ({
  name: 'withdrawals that were closed',
  everyMs: CLOSED_EVERY_MS,
  run: async () => {
    await forEachIsolated(await closedOf(deps.runtime.db), (withdrawal) => giveBack(deps, withdrawal))
    return false
  },
})

const closedOf = async (db: Db): Promise<Pick<Withdrawal, 'merchantId' | 'id'>[]> => {
  const { rows } = await sql<
    Pick<Withdrawal, 'merchantId' | 'id'>
  >`select merchant_id as "merchantId", id from withdrawals
    where barred = 'closed' and state = 'requested' order by merchant_id, id limit ${MOST}`.execute(db)
  return rows
}
