import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { lockDebts, pairText, liftDebtorStops } from '../../ledger/debts/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Item } from '../../ledger/postings/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { holdStops } from '../../ledger/stops/index.ts'
import {
  MISMATCH_ALERT,
  REFUSES_ALERT,
  alertContradiction,
  alertMismatch,
  alertRefuses,
  alertReturned,
  UNKNOWN_ALERT,
} from './alerts.ts'
import { postedFeeOf, findAttempt, insertAttempt, moveAttempt } from './attempts.ts'
import { endNotice } from './notice.ts'
import { captureItem, holdItem, lateFeeItem, releaseItem, returnItem, type PaidBy } from './postings.ts'
import type { Attempt, Part, Payout } from './payout.ts'
import { closePart, findPart, isStopped, lockPayout, movePart, openUnits, partsOf } from './store.ts'

/** The report of an acquirer about an order, or the proof that the order did not reach it. */
export type Outcome = AcquirerState | { kind: 'unsent'; message: string }

export interface SettleDeps {
  catalogue: Catalogue
  /** whether another account can be tried for the part if this one refused it */
  another: boolean
  /** a part that may be sent again is not claimed before this time */
  sendAgainAt: Date
}

/**
 * Stores the order that is about to be sent to an acquirer. Undefined when another worker has claimed the part or a
 * stop covers it: then nothing is stored, and nothing may be sent.
 * @param nextAskAt until then the sender is expected to record the outcome
 */
export const begin = async (
  tx: Tx,
  part: Part,
  { account, reference, nextAskAt }: { account: string; reference: string; nextAskAt: Date },
  { at }: Moment,
): Promise<Attempt | undefined> => {
  await holdStops(tx)
  if (await isStopped(tx, part)) return undefined
  const begun = await movePart(tx, part.id, 'begun', at, { epoch: part.epoch })
  if (!begun) return undefined
  const { merchantId, payoutId, id: partId } = begun
  const attempt: Attempt = {
    reference,
    merchantId,
    payoutId,
    partId,
    account,
    state: 'open',
    asks: 0,
    epoch: 0,
    sentAt: at,
    calledAt: null,
  }
  await insertAttempt(tx, attempt, nextAskAt)
  return attempt
}

/**
 * Posts an acquirer's report about an order, once. A report that is repeated, late, or recorded by two workers at the
 * same time changes nothing more. A contradiction of a recorded end raises an alert and books nothing.
 */
export const settle = async (
  tx: Tx,
  { merchantId, payoutId, partId, reference }: Attempt,
  outcome: Outcome,
  deps: SettleDeps,
  moment: Moment,
): Promise<Settled> => {
  const payout = await lockPayout(tx, merchantId, payoutId)
  const [part, attempt] = [await findPart(tx, partId), await findAttempt(tx, reference)]
  if (!part || !attempt) throw new Error(`there is no order ${reference}`)
  const known: Known = { payout, part, attempt }
  if (attempt.state === 'open') return settleOpen(tx, known, outcome, deps, moment)
  const isAsked = outcome.kind === 'unknown' || (await isUnconfirmed(tx, known, outcome, moment))
  return {
    effects: await settleEnded(tx, known, outcome, deps, moment),
    asks: isAsked ? 'whether it stays ended' : 'no more',
  }
}

interface Known {
  payout: Payout
  part: Part
  attempt: Attempt
}
/** The effects, and the orders that are still to be queried. */
export interface Settled {
  effects: Effects
  asks: 'how it ends' | 'whether it stays ended' | 'no more'
}

const settleOpen = async (
  tx: Tx,
  known: Known,
  outcome: Outcome,
  deps: SettleDeps,
  moment: Moment,
): Promise<Settled> => {
  const { payout, part, attempt } = known
  switch (outcome.kind) {
    case 'waiting':
    case 'unknown':
      await movePart(tx, part.id, 'accepted', moment.at)
      return { effects: noEffects, asks: 'how it ends' }
    case 'unsent':
      await moveAttempt(tx, attempt, 'open', 'unsent', moment.at, { message: outcome.message })
      await movePart(tx, part.id, 'unsent', moment.at, { nextStepAt: deps.sendAgainAt })
      return { effects: noEffects, asks: 'no more' }
    case 'refused':
      return { effects: await settleRefused(tx, known, outcome, deps, moment), asks: 'no more' }
    case 'reversed': {
      await moveAttempt(tx, attempt, 'open', 'reversed', moment.at, outcome)
      const ended = await endPart(tx, payout, part, { event: 'refused' }, deps, moment)
      const fee = outcome.feeUnits ?? 0n
      return {
        effects: fee === 0n ? ended : joinEffects([ended, posting(lateFeeItem(payout, attempt.account, fee, moment))]),
        asks: 'no more',
      }
    }
    case 'succeeded': {
      if (outcome.ticker !== part.ticker || outcome.units !== part.units) {
        await alertMismatch(tx, part, attempt, outcome, moment)
        await movePart(tx, part.id, 'accepted', moment.at)
        return { effects: noEffects, asks: 'how it ends' }
      }
      await moveAttempt(tx, attempt, 'open', 'succeeded', moment.at, outcome)
      await resolveAlert(tx, REFUSES_ALERT, attempt.account, moment.at)
      const paidBy = { account: attempt.account, costUnits: outcome.feeUnits ?? 0n }
      return {
        effects: await endPart(tx, payout, part, { event: 'succeeded', paidBy }, deps, moment),
        // A callback has said that the money came back.
        asks: attempt.calledAt === null ? 'no more' : 'whether it stays ended',
      }
    }
  }
}

const settleRefused = async (
  tx: Tx,
  { payout, part, attempt }: Known,
  outcome: Extract<AcquirerState, { kind: 'refused' }>,
  deps: SettleDeps,
  moment: Moment,
): Promise<Effects> => {
  await moveAttempt(tx, attempt, 'open', 'refused', moment.at, outcome)
  if (outcome.elsewhere === true) await alertRefuses(tx, attempt.account, outcome, moment)
  if (outcome.elsewhere !== true || !deps.another) return endPart(tx, payout, part, { event: 'refused' }, deps, moment)
  await movePart(tx, part.id, 'rerouted', moment.at, { nextStepAt: moment.at })
  return noEffects
}

/** How long an acquirer is queried after a callback that contradicts an order's end. */
const CALL_ASKED_MS = 14 * 86_400_000

/**
 * Whether a callback contradicted the order's end, and the acquirer's answer neither confirms that nor says anything
 * new.
 */
const isUnconfirmed = async (tx: Tx, { part, attempt }: Known, outcome: Outcome, moment: Moment): Promise<boolean> => {
  const { calledAt, state } = attempt
  if (calledAt === null || (outcome.kind !== 'waiting' && outcome.kind !== state)) return false
  if (moment.at.getTime() - calledAt.getTime() < CALL_ASKED_MS) return true
  await alertContradiction(
    tx,
    part,
    attempt,
    'something else when it calls, which it does not confirm when asked',
    moment,
  )
  return false
}

/** Handles a report about an order that has ended. */
const settleEnded = async (
  tx: Tx,
  { payout, part, attempt }: Known,
  outcome: Outcome,
  deps: SettleDeps,
  moment: Moment,
): Promise<Effects> => {
  // The order never reached the acquirer, so it can know nothing of it; another acquirer may have the part by now.
  if (attempt.state === 'unsent' && outcome.kind === 'waiting')
    await alertContradiction(tx, part, attempt, outcome.kind, moment)
  if (outcome.kind === 'waiting' || outcome.kind === 'unknown' || outcome.kind === attempt.state) {
    return outcome.kind === 'succeeded' ? bookLateFee(tx, payout, attempt, outcome.feeUnits, moment) : noEffects
  }
  if (attempt.state === 'succeeded' && outcome.kind === 'reversed') {
    await moveAttempt(tx, attempt, 'succeeded', 'reversed', moment.at, outcome)
    if (!(await movePart(tx, part.id, 'reversed', moment.at)))
      throw new Error(`part ${part.id} was paid and is ${part.state}`)
    await alertReturned(tx, part, attempt, moment)
    const parts = await partsOf(tx, payout)
    // The merchant of a single payout is notified, because nothing else shows the return. A batch is notified of Done
    // once, and its lookup shows the return.
    const notices = payout.kind === 'single' ? [endNotice(payout, parts, scaleOf(deps.catalogue, payout.ticker))] : []
    return { items: [await giveBack(tx, payout, part, attempt, moment)], notices }
  }
  // It was refused and is now reversed: no money has moved.
  if (outcome.kind === 'succeeded' || attempt.state === 'succeeded')
    await alertContradiction(tx, part, attempt, outcome.kind, moment)
  return noEffects
}

/** Credits returned money to the merchant, after repaying its debt (`contract.md` 19 #14). */
const giveBack = async (tx: Tx, payout: Payout, part: Part, { account }: Attempt, moment: Moment): Promise<Item> => {
  const pair = { merchantId: payout.merchantId, asset: payout.ticker }
  const before = (await lockDebts(tx, [pair])).get(pairText(pair)) ?? 0n
  const { item, owed } = returnItem(payout, part, account, before, moment)
  if (before > 0n && owed === 0n) await liftDebtorStops(tx, [pair], moment)
  return item
}

const bookLateFee = async (
  tx: Tx,
  payout: Payout,
  attempt: Attempt,
  fee: bigint | undefined,
  moment: Moment,
): Promise<Effects> => {
  if (fee === undefined || (await postedFeeOf(tx, attempt)) !== null) return noEffects
  await moveAttempt(tx, attempt, 'succeeded', 'succeeded', moment.at, { feeUnits: fee })
  return fee === 0n ? noEffects : posting(lateFeeItem(payout, attempt.account, fee, moment))
}

/**
 * Ends a part that no acquirer accepts, or that an operator abandons, before anything of it was sent. Undefined when it
 * is not waiting to be sent.
 */
export const giveUp = async (
  tx: Tx,
  part: Part,
  catalogue: Catalogue,
  moment: Moment,
): Promise<Effects | undefined> => {
  const payout = await lockPayout(tx, part.merchantId, part.payoutId)
  const now = await findPart(tx, part.id)
  if (now?.state !== 'planned') return undefined
  return endPart(tx, payout, now, { event: 'given-up' }, { catalogue }, moment)
}

type End = { event: 'succeeded'; paidBy: PaidBy } | { event: 'refused' | 'given-up' }

/**
 * Ends a part: its share of the hold is captured or released. The last part erases the card and notifies the merchant.
 */
const endPart = async (
  tx: Tx,
  payout: Payout,
  part: Part,
  end: End,
  { catalogue }: Pick<SettleDeps, 'catalogue'>,
  moment: Moment,
): Promise<Effects> => {
  const reason = end.event === 'succeeded' ? {} : { failReason: 'ERRROR_CODE_GENERIC' }
  const ended = await movePart(tx, part.id, end.event, moment.at, reason)
  if (!ended) throw new Error(`part ${part.id} is ${part.state} and can't be ${end.event}`)
  for (const kind of [UNKNOWN_ALERT, MISMATCH_ALERT] as const) await resolveAlert(tx, kind, part.id, moment.at)
  const rest = await openUnits(tx, payout)
  const held = rest + part.units + part.fee
  const freed =
    end.event === 'succeeded' ? captureItem(payout, ended, held, end.paidBy, moment) : releaseItem(payout, held, moment)
  const holdId = rest === 0n ? payout.holdId : moment.newId()
  const items = rest === 0n ? [freed] : [freed, holdItem(payout, rest, moment.at, holdId)]
  if ((await closePart(tx, payout, holdId, moment.at)) > 0) return { items, notices: [] }
  return { items, notices: [endNotice(payout, await partsOf(tx, payout), scaleOf(catalogue, payout.ticker))] }
}

const posting = (item: Item): Effects => ({ items: [item], notices: [] })

const scaleOf = (catalogue: Catalogue, ticker: string): number => {
  const asset = catalogue.findFiat(ticker)
  if (!asset) throw new Error(`asset ${ticker} is no longer configured`)
  return asset.scale
}
