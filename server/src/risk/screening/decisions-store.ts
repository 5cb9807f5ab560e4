import { sql } from 'kysely'
import { isSameActor } from '../../platform/base/actor.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { ScreeningState } from './machine.ts'
import type { Opinion, Screening } from './screening.ts'

/** What a person said, and when. */
export interface Said extends Opinion {
  /** of the screening then; null where it was not kept */
  state: ScreeningState | null
  at: Date
}

/**
 * Keeps what a person says. Returns how many people say the same by now, each by their last word; what was said while
 * something else was known of it does not count.
 */
export const keepOpinion = async (
  tx: Tx,
  { merchantId, id, state }: Pick<Screening, 'merchantId' | 'id' | 'state'>,
  { event, actor, reason }: Opinion,
  { at }: Moment,
): Promise<number> => {
  await sql`insert into screening_decisions(merchant_id, screening_id, event, actor, reason, state, created_at)
    values (${merchantId}, ${id}, ${event}, ${actor}, ${reason}, ${state}, ${at})`.execute(tx)
  const people: Said[] = []
  for (const said of (await opinionsOn(tx, id)).toReversed()) {
    if ((said.state ?? state) === state && !people.some((one) => isSameActor(one.actor, said.actor))) people.push(said)
  }
  return people.filter((said) => said.event === event).length
}

/** What people said about one, oldest first. */
export const opinionsOn = async (db: Db | Tx, screeningId: string): Promise<Said[]> => {
  const { rows } = await sql<Said>`select event, actor, reason, state, created_at as at from screening_decisions
    where screening_id = ${screeningId} order by n`.execute(db)
  return rows
}
