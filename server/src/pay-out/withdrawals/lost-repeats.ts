/** Withdrawals that equal a payment which a restored copy lacks: they wait until an operator has decided. */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Signer } from '../../adapters/signer/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { rescale } from '../../platform/money/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { Attached } from './attaching.ts'
import { endLost } from './lost-payments.ts'
import { giveBack, REPEATS_LOST, renewIntent, SIGNED_BEFORE, type GivingBackDeps } from './refusals.ts'
import { COLUMNS, findById } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/** How long after it was found a lost payment holds an equal withdrawal. */
const HOLDS_MS = 30 * 86_400_000

interface Deps {
  runtime: Runtime
  catalogue: Catalogue
}

/** A lost payment that holds no withdrawal yet. */
interface Candidate {
  intentId: string
  network: string
  ticker: string
  to: string
  chainUnits: bigint
  /** A withdrawal that is older was in the copy: it is not the repetition of a payment that the copy lacks. */
  since: Date
}

/**
 * Holds those of these waiting withdrawals that equal a payment which a restored copy lacks: the same network, asset,
 * address and amount, of any merchant, because the signer's log names none. A lost payment holds at most one
 * withdrawal, and for 30 days. A withdrawal whose own intent is that of a lost payment is not held: the signer knows
 * it, and it is attached.
 * @param waiting oldest first
 * @returns the others
 */
export const holdRepeats = async (
  { runtime, catalogue }: Deps,
  waiting: readonly Withdrawal[],
): Promise<Withdrawal[]> => {
  const moment = momentOf(runtime)
  const candidates = await candidatesFor(runtime.db, waiting, moment.at)
  if (candidates.length === 0) return [...waiting]
  const exempt = await exemptAmong(runtime.db, waiting)
  const ready: Withdrawal[] = []
  for (const withdrawal of waiting) {
    const found = candidates.findIndex((lost) => isEqual(catalogue, withdrawal, lost))
    if (found === -1 || exempt.has(withdrawal.id)) {
      ready.push(withdrawal)
      continue
    }
    const [lost] = candidates.splice(found, 1)
    // If another process was first, the next run compares again.
    await inTransaction(runtime.db, (tx) => hold(tx, withdrawal, lost!, moment))
  }
  return ready
}

/** The same for all waiting withdrawals to addresses of lost payments. */
export const holdWaitingRepeats = async (deps: Deps): Promise<void> => {
  const { rows } = await sql<Withdrawal>`select ${COLUMNS} from withdrawals w
    where w.state = 'requested' and not w.internal and w.barred is null
      and exists (select from lost_payments l where l.network = w.blockchain and l.to_address = w.to_address)
    order by w.created_at, w.id`.execute(deps.runtime.db)
  await holdRepeats(deps, rows)
}

const candidatesFor = async (db: Db, waiting: readonly Withdrawal[], at: Date): Promise<Candidate[]> => {
  if (waiting.length === 0) return []
  const { rows } = await sql<Candidate>`select l.intent_id as "intentId", l.network, l.ticker, l.to_address as "to",
      l.chain_units as "chainUnits", least(min(l.signed_at), min(l.found_at)) as since
    from lost_payments l
    where (l.resolved_at is null or l.resolution = 'accepted') and l.found_at > ${new Date(at.getTime() - HOLDS_MS)}
      and l.to_address = any(${[...new Set(waiting.map(({ to }) => to))]}::text[])
      and not exists (select from lost_payment_repeats r join withdrawals h on h.merchant_id = r.merchant_id and h.id = r.withdrawal_id
        where r.intent_id = l.intent_id and (r.decision is not null or (h.state = 'requested' and h.barred = 'repeat')))
    group by 1, 2, 3, 4, 5 order by min(l.log_line)`.execute(db)
  return rows
}

/** The ids of those that an operator has decided about, or whose intent is that of a lost payment. */
const exemptAmong = async (db: Db, waiting: readonly Withdrawal[]): Promise<ReadonlySet<string>> => {
  const { rows: decided } = await sql<{ id: string }>`select withdrawal_id as id from lost_payment_repeats
    where withdrawal_id = any(${waiting.map(({ id }) => id)}::uuid[]) and decision is not null`.execute(db)
  const { rows: lost } = await sql<{ intentId: string }>`select distinct intent_id as "intentId" from lost_payments
    where intent_id = any(${waiting.map(({ intentId }) => intentId)}::uuid[])`.execute(db)
  const intents = new Set(lost.map(({ intentId }) => intentId))
  return new Set([
    ...decided.map(({ id }) => id),
    ...waiting.filter(({ intentId }) => intents.has(intentId)).map(({ id }) => id),
  ])
}

const isEqual = (catalogue: Catalogue, withdrawal: Withdrawal, lost: Candidate): boolean => {
  const asset = catalogue.findCrypto(withdrawal.ticker)
  const on = asset?.networks.get(withdrawal.blockchain)
  if (!asset || !on || withdrawal.createdAt <= lost.since) return false
  const asked = {
    network: withdrawal.blockchain,
    ticker: withdrawal.ticker,
    to: withdrawal.to,
    chainUnits: rescale(withdrawal.units, asset.scale, on.decimals),
  }
  const { network, ticker, to, chainUnits } = lost
  return isDeepStrictEqual(asked, { network, ticker, to, chainUnits })
}

const hold = async (tx: Tx, { merchantId, id }: Withdrawal, lost: Candidate, moment: Moment): Promise<void> => {
  await sql`delete from lost_payment_repeats where merchant_id = ${merchantId} and withdrawal_id = ${id} and decision is null`.execute(
    tx,
  )
  const claimed = await sql`insert into lost_payment_repeats as r (intent_id, merchant_id, withdrawal_id, held_at)
    values (${lost.intentId}, ${merchantId}, ${id}, ${moment.at})
    on conflict (intent_id) do update set merchant_id = excluded.merchant_id, withdrawal_id = excluded.withdrawal_id, held_at = excluded.held_at
      where r.decision is null and not exists (select from withdrawals h where h.merchant_id = r.merchant_id and h.id = r.withdrawal_id
        and h.state = 'requested' and h.barred = 'repeat')
    returning 1`.execute(tx)
  if (claimed.rows.length === 0) return
  const barred =
    await sql`update withdrawals set barred = 'repeat' where merchant_id = ${merchantId} and id = ${id} and state = 'requested' and barred is null
    returning 1`.execute(tx)
  if (barred.rows.length === 0) {
    await sql`delete from lost_payment_repeats where intent_id = ${lost.intentId} and decision is null`.execute(tx)
    return
  }
  const text =
    `Withdrawal ${id} of merchant ${merchantId} waits: it equals a payment that the restored copy lacks (intent ${lost.intentId}, ` +
    `${lost.chainUnits} units of ${lost.ticker} to ${lost.to} on ${lost.network}). Ask the merchant whether it is the same payment. ` +
    `If it is, run "bursar restored same ${id}": nothing is paid again. If it is another payment, run "bursar restored new ${id}"`
  await raiseOrRenewAlert(tx, { kind: REPEATS_LOST, subject: id, text }, moment)
}

/** A withdrawal that waits for a decision, and the lost payment that it equals. */
export interface HeldRepeat {
  withdrawalId: string
  merchantId: string
  intentId: string
  network: string
  ticker: string
  to: string
  /** in units of the asset on its chain */
  chainUnits: bigint
  localId: string | null
  requestedAt: Date
  signedAt: Date
}

/** The withdrawals that wait for a decision, the oldest first. */
export const listRepeats = async (db: Db | Tx): Promise<HeldRepeat[]> => {
  const { rows } = await sql<HeldRepeat>`select r.withdrawal_id as "withdrawalId", r.merchant_id as "merchantId",
      r.intent_id as "intentId", l.network, l.ticker, l.to_address as "to", l.chain_units as "chainUnits",
      w.local_id as "localId", w.created_at as "requestedAt", l.signed_at as "signedAt"
    from lost_payment_repeats r
      join withdrawals w on w.merchant_id = r.merchant_id and w.id = r.withdrawal_id and w.state = 'requested' and w.barred = 'repeat'
      join lateral (select l.network, l.ticker, l.to_address, l.chain_units, l.signed_at from lost_payments l
        where l.intent_id = r.intent_id order by l.log_line limit 1) l on true
    where r.decision is null order by w.created_at, w.id`.execute(db)
  return rows
}

interface DecideDeps extends GivingBackDeps {
  signer: Pick<Signer, 'closeIntent' | 'transactionsOf'>
  attach(key: { merchantId: string; id: string }): Promise<Attached>
}

/**
 * - attached: the lost payment pays it
 * - superseded: the lost payment can never be mined, so that it is paid
 * - waits: it is planned as any other
 * - given-back: it was requested twice
 */
type Decided = 'attached' | 'superseded' | 'waits' | 'given-back'

/**
 * Carries out an operator's decision about a withdrawal that equals a lost payment. Same: the withdrawal gets the
 * intent of the lost payment, the signer closes its own, and the transactions of the lost payment are attached. If
 * the process ends in between, the alert `withdrawal-signed-before` is open, and `attach` completes it. New: it is
 * paid.
 * A withdrawal that names the intent of a lost payment which is another withdrawal already is given back (same), or
 * paid under an intent of its own (new).
 * @param actor the operator
 * Throws an Error when no withdrawal with this id waits for a decision, or the signer can't be reached.
 */
export const decideRepeat = async (
  deps: DecideDeps,
  withdrawalId: string,
  decision: 'same' | 'new',
  actor: string,
): Promise<Decided> => {
  const { runtime, signer } = deps
  const held = (await listRepeats(runtime.db)).find((one) => one.withdrawalId === withdrawalId)
  if (!held) return decideTwin(deps, withdrawalId, decision)
  const { merchantId, intentId } = held
  const withdrawal = (await findById(runtime.db, merchantId, withdrawalId))!
  if (decision === 'same') {
    const signed = await signer.transactionsOf(withdrawal.intentId)
    if (signed.length > 0)
      throw new Error(
        `the signer has signed ${signed.map(({ hash }) => hash).join(', ')} for this withdrawal itself: run "bursar restored new ${withdrawalId}"`,
      )
    // Before the decision is stored: an older copy of the database, restored later, may have the withdrawal with its
    // own intent. If the process ends in between, the withdrawal still waits, and the command closes it again.
    await signer.closeIntent(withdrawal.intentId)
  }
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const { rows } =
      await sql`update lost_payment_repeats set decision = ${decision}, decided_at = ${moment.at}, decided_by = ${actor}
      where intent_id = ${intentId} and merchant_id = ${merchantId} and withdrawal_id = ${withdrawalId} and decision is null returning 1`.execute(
        tx,
      )
    if (rows.length === 0) throw new Error('another operator has decided meanwhile')
    const changed =
      decision === 'same'
        ? await sql`update withdrawals set intent_id = ${intentId}, barred = 'signed'
          where merchant_id = ${merchantId} and id = ${withdrawalId} and state = 'requested' and barred = 'repeat' returning 1`.execute(
            tx,
          )
        : await sql`update withdrawals set barred = null
          where merchant_id = ${merchantId} and id = ${withdrawalId} and state = 'requested' and barred = 'repeat' returning 1`.execute(
            tx,
          )
    if (changed.rows.length === 0) throw new Error('it does not wait any more')
    await resolveAlert(tx, REPEATS_LOST, withdrawalId, moment.at)
    if (decision === 'new') return
    const text = `Withdrawal ${withdrawalId} of merchant ${merchantId} waits for the transaction of a lost payment: run "bursar withdrawal attach ${merchantId} ${withdrawalId}"; see docs/operating/recovery.md`
    await raiseOrRenewAlert(tx, { kind: SIGNED_BEFORE, subject: withdrawalId, text }, moment)
  })
  if (decision === 'new') return 'waits'
  const { kind } = await deps.attach({ merchantId, id: withdrawalId })
  const resolution = kind === 'superseded' ? 'superseded' : 'attached'
  await inTransaction(runtime.db, (tx) => endLost(tx, intentId, resolution, momentOf(runtime).at))
  return resolution
}

/** The decision about a withdrawal with the intent of a lost payment that another withdrawal is already. */
const decideTwin = async (deps: DecideDeps, id: string, decision: 'same' | 'new'): Promise<Decided> => {
  const { db } = deps.runtime
  const { rows } = await sql<{ merchantId: string; intentId: string }>`select w.merchant_id as "merchantId",
      coalesce(w.intent_id, w.id) as "intentId"
    from withdrawals w join lost_payment_repeats r on r.intent_id = coalesce(w.intent_id, w.id) and r.decision = 'same' and r.withdrawal_id <> w.id
    where w.id = ${id} and w.state = 'requested' and w.barred = 'signed'`.execute(db)
  const [twin] = rows
  if (!twin)
    throw new Error('no withdrawal with this id waits for a decision: `bursar restored held` lists those that wait')
  const key = { merchantId: twin.merchantId, id }
  if (decision === 'new') {
    await inTransaction(db, async (tx) => {
      await renewIntent(tx, { ...twin, id })
      await resolveAlert(tx, SIGNED_BEFORE, id, momentOf(deps.runtime).at)
    })
    return 'waits'
  }
  // An intent that is closed before the withdrawal has it: if the process ends, the job of closed ones gives it back.
  const closed = deps.runtime.newId()
  await deps.signer.closeIntent(closed)
  await inTransaction(db, async (tx) => {
    await sql`update withdrawals set intent_id = ${closed}, barred = 'closed'
      where merchant_id = ${key.merchantId} and id = ${id} and state = 'requested' and coalesce(intent_id, id) = ${twin.intentId}`.execute(
      tx,
    )
    await resolveAlert(tx, SIGNED_BEFORE, id, momentOf(deps.runtime).at)
  })
  const { kind } = await giveBack(deps, key)
  if (kind !== 'given-back') throw new Error(`withdrawal ${id} could not be given back: ${kind}`)
  return kind
}
