import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Db, Tx } from '../db/index.ts'
import type { Opinion, Screening } from './screening.ts'

/** What somebody said, and when. */
export interface Said extends Opinion {
  at: Date
}

/** Keeps what a person says. Returns how many say the same by now, each by their last word. */
export const keepOpinion = async (tx: Tx, { merchantId, id }: Pick<Screening, 'merchantId' | 'id'>, { event, actor, reason }: Opinion, { at }: Moment): Promise<number> => {
  await sql`insert into screening_decisions(merchant_id, screening_id, event, actor, reason, created_at)
    values (${merchantId}, ${id}, ${event}, ${actor}, ${reason}, ${at})`.execute(tx)
  const said = await opinionsOn(tx, id)
  const last = new Map(said.map((one) => [one.actor, one.event]))
  return [...last.values()].filter((one) => one === event).length
}

/** What people said about one, oldest first. */
export const opinionsOn = async (db: Db | Tx, screeningId: string): Promise<Said[]> => {
  const { rows } = await sql<Said>`select event, actor, reason, created_at as at from screening_decisions
    where screening_id = ${screeningId} order by n`.execute(db)
  return rows
}
