import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { keepOpinion } from './decisions-store.ts'
import { judge } from './judging.ts'
import { screeningMoves, type ScreeningEffect, type ScreeningEvent, type ScreeningState } from './machine.ts'
import type { Answers, Asked, Judgement, Opinion, Screening } from './screening.ts'
import { insertScreenings, lockScreening, moveScreening } from './store.ts'

/** Called with a judgement, in the transaction that stores it. */
export type JudgedSubscriber = (
  tx: Tx,
  screening: Screening & { report: Judgement },
  moment: Moment,
) => Promise<Effects>

/** Makes the token in the URL of a screening's report: 128 bits that can't be guessed, hex. */
export type NewToken = () => string

/** Requests judgements; existing requests stay unchanged. */
export const ask = (db: Db | Tx, asked: readonly Asked[], newToken: NewToken, { at, newId }: Moment): Promise<void> =>
  insertScreenings(
    db,
    asked.map((one) => ({ ...one, id: newId(), token: newToken() })),
    at,
  )

/**
 * Stores a judgement and calls the subscribers. Returns undefined if there was one already, or another worker has
 * claimed the screening.
 */
export const conclude = async (
  tx: Tx,
  screening: Pick<Screening, 'merchantId' | 'id' | 'attempts'>,
  judged: { report: Judgement; answers: Answers },
  subscribers: readonly JudgedSubscriber[],
  moment: Moment,
): Promise<Effects | undefined> => {
  const moved = await moveScreening(tx, screening, judged.report.risky ? 'found-risky' : 'found-clean', moment.at, {
    ...judged,
    attempts: screening.attempts,
  })
  if (!moved) return undefined
  await carryOutAlerts(tx, moved.screening, moved.effects, moment)
  const all: Effects[] = []
  for (const subscriber of subscribers)
    all.push(await subscriber(tx, { ...moved.screening, report: judged.report }, moment))
  return joinEffects(all)
}

/**
 * Called with the operators' decision and the state before the decision, in the transaction that stores the decision.
 * Throws an Error if the decision can't be carried out.
 */
export type DecidedSubscriber = (
  tx: Tx,
  screening: Screening & { report: Judgement },
  before: ScreeningState,
  moment: Moment,
) => Promise<Effects>

/**
 * Stores an operator's opinion on a risky subject, or on a deposit that no provider has judged. The decision takes
 * effect once `deciders` different people agree. If the subject has no judgement then, a judgement is computed from the
 * answers received so far and marked as incomplete. Returns undefined if there is nothing to decide.
 */
export const decideAs = async (
  tx: Tx,
  id: string,
  opinion: Opinion,
  {
    deciders,
    subscribers,
    riskyFrom,
  }: { deciders: number; subscribers: readonly DecidedSubscriber[]; riskyFrom: number },
  moment: Moment,
): Promise<{ missing: number; effects: Effects } | undefined> => {
  const screening = await lockScreening(tx, id)
  if (screening === undefined || moveOf(screeningMoves, screening.state, opinion.event) === undefined) return undefined
  if (screening.state === 'unanswered' && screening.kind !== 'deposit') return undefined
  const agreeing = await keepOpinion(tx, screening, opinion, moment)
  if (agreeing < deciders) return { missing: deciders - agreeing, effects: noEffects }
  const { answers, attempts } = screening
  const report = screening.report ?? { ...judge(answers, { riskyFrom }, moment.at.getTime()), complete: false }
  const decided = (await moveScreening(tx, screening, opinion.event, moment.at, { report, answers, attempts }))!
  await carryOutAlerts(tx, decided.screening, decided.effects, moment)
  const all: Effects[] = []
  for (const subscriber of subscribers)
    all.push(await subscriber(tx, { ...decided.screening, report }, screening.state, moment))
  return { missing: 0, effects: joinEffects(all) }
}

/** Applies a timeout or a decision. Returns undefined if the state does not allow it. */
export const decide = async (
  tx: Tx,
  screening: Pick<Screening, 'merchantId' | 'id'>,
  event: Exclude<ScreeningEvent, 'again' | 'found-clean' | 'found-risky'>,
  moment: Moment,
): Promise<Screening | undefined> => {
  const moved = await moveScreening(tx, screening, event, moment.at)
  if (moved) await carryOutAlerts(tx, moved.screening, moved.effects, moment)
  return moved?.screening
}

const ALERT = 'screening'

const carryOutAlerts = async (
  tx: Tx,
  screening: Screening,
  effects: readonly ScreeningEffect[],
  moment: Moment,
): Promise<void> => {
  const { kind, subjectId, report, id } = screening
  if (effects.includes('resolveAlert')) await resolveAlert(tx, ALERT, id, moment.at)
  if (!effects.includes('alert')) return
  if (report === null) throw new Error(`screening ${id} has no judgement to report`)
  const text = `Screening found ${kind} ${subjectId} of merchant ${screening.merchantId} risky (${report.flags.join('; ') || `score ${report.riskScore}`}). \`bursar screening list\` shows the money that waits for a decision`
  await raiseOrRenewAlert(tx, { kind: ALERT, subject: id, text }, moment)
}
