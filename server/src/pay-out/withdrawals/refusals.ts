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

/** Kind of the alert about a withdrawal that the signer has signed and these books have forgotten. */
export const SIGNED_BEFORE = 'withdrawal-signed-before'

/** Why the signer signs nothing for a withdrawal any more. */
export type Barred = 'signed' | 'closed'

export interface AfterRefusal {
  /** before it is planned again */
  pauseMs: number
  /** paid by a transaction of its own from now on */
  alone: boolean
  barred: Barred | null
}

/**
 * What a refusal makes of one of the withdrawals that the refused transaction paid. One that the refusal is not about
 * goes on at once.
 * @param together how many the transaction paid
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
      // A batch may be more than an hour ever has room for.
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

/** Kind of the alert about payments that the node refuses for a reason that a person has to look at. */
export const PAYOUT_REFUSED = 'payout-refused'
/** Kind of the alert about a payment that would cost the network more than the policy allows. */
export const FEE_ABOVE_CAP = 'fee-above-cap'

/** Kinds of alerts that are over when the signer would sign for the withdrawal. */
const OVER_WHEN_PASSING = ['signer-limit', 'signer-needs-approval', 'signer-unknown-asset']
const FOR_ALL = ['disabled', 'velocity', 'log-cut-back'] as const

/**
 * Does what the signer's look ahead at waiting withdrawals asks for: those refused wait or are barred, each with an
 * alert that says what to do; alerts that no longer hold are resolved.
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

/** Raises one alert a network for what holds for all, else one for the withdrawal. */
export const alertRefused = async (
  db: Db | Tx,
  { id, blockchain }: Withdrawal,
  refusal: SignerRefusal,
  moment: Moment,
): Promise<void> => {
  const of = classOf(refusal)
  if (of === 'identity' || of === 'nonce') return
  if (of === 'now') return raiseOrRenewAlert(db, alertOf(refusal, blockchain, 'payout'), moment)
  const text = `The signer refuses withdrawal ${id}: ${refusal.message}. It is tried again after a few minutes; others go on`
  await raiseOrRenewAlert(db, { kind: `signer-${refusal.refused}`, subject: id, text }, moment)
}

/** Has a waiting withdrawal paid under another intent: nothing that was signed under its own can pay it. */
export const renewIntent = async (
  tx: Db | Tx,
  { merchantId, id, intentId }: Pick<Withdrawal, 'merchantId' | 'id' | 'intentId'>,
): Promise<void> => {
  await sql`update withdrawals set intent_id = ${nextIntentOf({ merchantId, intentId })}, barred = null where merchant_id = ${merchantId} and id = ${id}
    and state = 'requested' and coalesce(intent_id, id) = ${intentId}`.execute(tx)
}

/**
 * Keeps a withdrawal from being planned for which the signer signs nothing any more. When an older withdrawal of these
 * books has the same intent, as after an Idempotency-Key that was used again when its answer was no longer kept, this
 * one is another payment and gets an intent of its own instead.
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
    and w.state = 'requested' and exists (select from withdrawals o where o.merchant_id = w.merchant_id and o.id <> w.id and o.created_at <= w.created_at
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
  /** it is planned, sent or over, or `within` did not allow it */
  | { kind: 'not-waiting' }
  /** the signer has signed for it: it is barred from being planned until what was signed is attached */
  | { kind: 'signed'; transactions: SignedTransaction[] }

/**
 * Ends a waiting withdrawal as Failed and gives its money back, once the signer has closed its intent: nothing was
 * signed for it, and no process, replica or restored copy can have anything signed for it later. Throws when the signer
 * can't be asked.
 * @param within what else is done in the same transaction; false: nothing is given back
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
    await resolveAlertsOf(tx, [...OVER_WHEN_PASSING, PAYOUT_REFUSED, FEE_ABOVE_CAP], [withdrawal.id], moment.at)
    return { kind: 'given-back' }
  })
}

const CLOSED_EVERY_MS = 5_000
const MOST = 100

/**
 * Gives back what the signer has closed: it was given back before by a database that has since been restored or lost.
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
