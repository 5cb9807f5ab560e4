import { sql } from 'kysely'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { screeningMoves, type ScreeningEffect, type ScreeningEvent, type ScreeningState } from './machine.ts'
import { spellingOf } from './spelling.ts'
import type { Answers, Asked, Judgement, Screening } from './screening.ts'

export const SCREENING_COLUMNS =
  sql.raw(`s.merchant_id as "merchantId", s.id, s.kind, s.subject_id as "subjectId", s.subject, s.state, s.answers, s.report,
  s.token, s.attempts, s.problem, s.created_at as "createdAt"`)

/** Stored instead of the addresses of the other side if there were too many. */
export const NOT_NAMED = 'senders that are not named'

const othersOf = ({ others, othersOmitted }: Asked['subject']): string[] =>
  othersOmitted === true ? [NOT_NAMED] : others.map(spellingOf)

/** Stores screenings that do not exist yet. */
export const insertScreenings = async (
  db: Db | Tx,
  asked: readonly (Asked & { id: string; token: string })[],
  at: Date,
): Promise<void> => {
  if (asked.length === 0) return
  await sql`insert into screenings(merchant_id, id, kind, subject_id, subject, others, state, token, next_at, created_at, updated_at)
    select r."merchantId", r.id, r.kind, r."subjectId", r.subject, r.others, 'asked', r.token, ${at}, ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(asked.map((one) => ({ ...one, others: othersOf(one.subject) })))}::jsonb)
      r("merchantId" uuid, id uuid, kind text, "subjectId" uuid, subject jsonb, others text[], token text)
    on conflict (kind, merchant_id, subject_id) do nothing`.execute(db)
}

export interface ClaimTimes {
  /** business clock */
  at: Date
  /** real clock */
  now: Date
  leaseUntil: Date
}

/** Claims the screening that has been due longest, including one whose worker died. */
export const claimScreening = async (
  db: Db | Tx,
  { at, now, leaseUntil }: ClaimTimes,
): Promise<Screening | undefined> => {
  // A subquery of `where` may run again for each row, and would then select another one each time.
  const { rows } = await sql<Screening>`with due as (select merchant_id, id from screenings
      where state = any(${statesTaking(screeningMoves, 'found-clean')}::text[]) and next_at <= ${at} and leased_until <= ${now}
      order by next_at, id limit 1 for update skip locked)
    update screenings s set attempts = s.attempts + 1, leased_until = ${leaseUntil}, updated_at = ${at} from due
    where s.merchant_id = due.merchant_id and s.id = due.id returning ${SCREENING_COLUMNS}`.execute(db)
  return rows[0]
}

/** Returns a screening, locked. */
export const lockScreening = async (tx: Tx, id: string): Promise<Screening | undefined> => {
  const { rows } =
    await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s where s.id = ${id} for update`.execute(tx)
  return rows[0]
}

/** Returns the screenings of deposits, locked: no other session judges or decides them meanwhile. */
export const lockDeposits = async (
  tx: Tx,
  deposits: readonly { merchantId: string; id: string }[],
): Promise<Screening[]> => {
  const { rows } = await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s
    join unnest(${deposits.map(({ merchantId }) => merchantId)}::uuid[], ${deposits.map(({ id }) => id)}::uuid[]) u(m, i) on s.merchant_id = u.m and s.subject_id = u.i
    where s.kind = 'deposit' order by s.merchant_id, s.id for update of s`.execute(tx)
  return rows
}

type Key = Pick<Screening, 'merchantId' | 'id'>

/**
 * Stores the providers' answers, and schedules the next attempt. Returns false if another worker has claimed the
 * screening.
 */
export const keepAnswers = async (
  tx: Tx,
  { merchantId, id, attempts }: Screening,
  { answers, problem, nextAt, at }: { answers: Answers; problem: string | null; nextAt: Date; at: Date },
): Promise<boolean> => {
  const { rows } =
    await sql`update screenings set answers = ${JSON.stringify(answers)}, problem = ${problem}, next_at = ${nextAt},
      leased_until = '-infinity', updated_at = ${at}
    where merchant_id = ${merchantId} and id = ${id} and attempts = ${attempts}
      and state = any(${statesTaking(screeningMoves, 'found-clean')}::text[]) returning 1`.execute(tx)
  return rows.length > 0
}

/** Moves a screening by the state machine; returns undefined if its state does not allow the event. */
export const moveScreening = async (
  tx: Tx,
  { merchantId, id }: Key,
  event: ScreeningEvent,
  at: Date,
  judged?: { report: Judgement; answers: Answers; attempts: number },
): Promise<{ screening: Screening; effects: readonly ScreeningEffect[] } | undefined> => {
  const from = statesTaking(screeningMoves, event)
  const target = moveOf(screeningMoves, from[0]!, event)!.to
  const set = judged
    ? sql`, report = ${JSON.stringify(judged.report)}, answers = ${JSON.stringify(judged.answers)}, problem = null`
    : sql``
  const mine = judged ? sql`and s.attempts = ${judged.attempts}` : sql``
  const { rows } = await sql<
    Screening & { before: ScreeningState }
  >`update screenings s set state = ${target}, updated_at = ${at}, leased_until = '-infinity' ${set}
    from screenings b where s.merchant_id = ${merchantId} and s.id = ${id} and s.state = any(${from}::text[])
      and b.merchant_id = s.merchant_id and b.id = s.id ${mine}
    returning ${SCREENING_COLUMNS}, b.state as before`.execute(tx)
  const [row] = rows
  if (!row) return undefined
  const { before, ...screening } = row
  return { screening, effects: moveOf(screeningMoves, before, event)!.effects }
}
