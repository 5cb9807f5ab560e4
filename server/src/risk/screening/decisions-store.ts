import { sql } from 'kysely'
import { isSameActor } from '../../platform/base/actor.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { ScreeningState } from './machine.ts'
import type { Opinion, Screening } from './screening.ts'

/** A person's opinion, and its time. */
export interface Said extends Opinion {
  /** of the screening at that time; null if it was not recorded */
  state: ScreeningState | null
  at: Date
}

/**
 * Stores a person's opinion. Returns how many people agree with it, counting the newest opinion of each; opinions from
 * a different state of the screening do not count.
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

/** Returns the opinions on a screening, oldest first. */
export const opinionsOn = async (db: Db | Tx, screeningId: string): Promise<Said[]> => {
  const { rows } = await sql<Said>`select event, actor, reason, state, created_at as at from screening_decisions
    where screening_id = ${screeningId} order by n`.execute(db)
  return rows
}
