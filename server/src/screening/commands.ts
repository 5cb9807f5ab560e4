import type { Moment } from '../base/moment.ts'
import type { Db, Tx } from '../db/index.ts'
import { joinEffects, type Effects } from '../effects/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../platform/alerts.ts'
import type { ScreeningEffect, ScreeningEvent } from './machine.ts'
import type { Answers, Asked, Judgement, Screening } from './screening.ts'
import { insertScreenings, moveScreening } from './store.ts'

/** Told of a judgement in the transaction that makes it. */
export type JudgedSubscriber = (tx: Tx, screening: Screening & { report: Judgement }, moment: Moment) => Promise<Effects>

/** 128 bits that nobody guesses, hex. */
export type NewToken = () => string

/** Asks for judgements; what was asked for before stays as it is. */
export const ask = (db: Db | Tx, asked: readonly Asked[], newToken: NewToken, { at, newId }: Moment): Promise<void> =>
  insertScreenings(db, asked.map((one) => ({ ...one, id: newId(), token: newToken() })), at)

/** Stores a judgement and tells whoever waits for it. Undefined when there was one already. */
export const conclude = async (
  tx: Tx,
  screening: Pick<Screening, 'merchantId' | 'id'>,
  judged: { report: Judgement; answers: Answers },
  subscribers: readonly JudgedSubscriber[],
  moment: Moment,
): Promise<Effects | undefined> => {
  const moved = await moveScreening(tx, screening, judged.report.risky ? 'found-risky' : 'found-clean', moment.at, judged)
  if (!moved) return undefined
  await carryOutAlerts(tx, moved.screening, moved.effects, moment)
  const all: Effects[] = []
  for (const subscriber of subscribers) all.push(await subscriber(tx, { ...moved.screening, report: judged.report }, moment))
  return joinEffects(all)
}

/** No answer for too long, or an operator's decision. Undefined when its state does not take it. */
export const decide = async (
  tx: Tx,
  screening: Pick<Screening, 'merchantId' | 'id'>,
  event: Exclude<ScreeningEvent, 'found-clean' | 'found-risky'>,
  moment: Moment,
): Promise<Screening | undefined> => {
  const moved = await moveScreening(tx, screening, event, moment.at)
  if (moved) await carryOutAlerts(tx, moved.screening, moved.effects, moment)
  return moved?.screening
}

const ALERT = 'screening'

const carryOutAlerts = async (tx: Tx, screening: Screening, effects: readonly ScreeningEffect[], moment: Moment): Promise<void> => {
  const { kind, subjectId, report, problem, id } = screening
  if (effects.includes('resolveAlert')) await resolveAlert(tx, ALERT, id, moment.at)
  if (!effects.includes('alert')) return
  const text = report === null
    ? `Nobody has judged ${kind} ${subjectId} for too long, and it is still being asked: ${problem ?? 'no reason is known'}`
    : `Screening found ${kind} ${subjectId} of merchant ${screening.merchantId} risky (${report.flags.join('; ') || `score ${report.riskScore}`}): bursar screening list`
  await raiseOrRenewAlert(tx, { kind: ALERT, subject: id, text }, moment)
}
