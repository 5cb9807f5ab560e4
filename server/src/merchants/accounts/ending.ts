import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { audit } from './audit.ts'

/**
 * Whether a merchant is served.
 * - active: wholly
 * - ending: it gets no new invoices and addresses; everything that is open runs to its end, and it pays its balance out
 * - ended: nothing is open and no balance is left; it places no orders any more, and reads everything
 */
export type Service = 'active' | 'ending' | 'ended'

export const SERVICE_COLUMN = sql`coalesce((select e.state from merchant_endings e where e.merchant_id = merchants.id),
  'active')`

/**
 * How long a merchant must be ending before it can end: every process has heard of it by then, and has answered the
 * requests that it had accepted before.
 */
const ENDING_MS = 10 * 60_000

/** A change that the present state does not allow; the message says what to do. */
class EndingProblem extends Error {
  override name = 'EndingProblem'
}

interface ServiceState {
  state: Service
  /** when it came into this state; null: it was never ending */
  since: Date | null
}

/** The state of a merchant. Throws a RangeError for an unknown id. */
export const serviceOf = async (db: Db | Tx, merchantId: string): Promise<ServiceState> => {
  const { rows } = await sql<ServiceState>`select ${SERVICE_COLUMN} as state,
      (select e.since from merchant_endings e where e.merchant_id = merchants.id) as since
    from merchants where id = ${merchantId}`.execute(db)
  if (!rows[0]) throw new RangeError(`no merchant has the id ${merchantId}`)
  return rows[0]
}

/** Whether a merchant may place orders now: it is known, not disabled, and has not ended. */
export const mayPlaceOrders = async (db: Db | Tx, merchantId: string): Promise<boolean> =>
  (
    await sql`select from merchants where id = ${merchantId} and disabled_at is null
      and ${SERVICE_COLUMN} <> 'ended'`.execute(db)
  ).rows.length > 0

interface Given {
  merchantId: string
  actor: string
}

/** Begins to end an active merchant. Does nothing if it is ending. Throws an EndingProblem for one that has ended. */
export const beginEnding = (tx: Tx, given: Given, moment: Moment): Promise<void> =>
  move(tx, given, 'ending', moment, (service) => {
    if (service.state === 'ended') throw new EndingProblem('the merchant has ended')
  })

/**
 * Makes an ending merchant active again, and one that has ended ending: money that comes late to an old address can
 * then be paid out. Throws an EndingProblem for an active one.
 */
export const reopen = async (tx: Tx, given: Given, moment: Moment): Promise<Service> => {
  const next = (await lock(tx, given.merchantId)).state === 'ended' ? 'ending' : 'active'
  await move(tx, given, next, moment, ({ state }) => {
    if (state === 'active') throw new EndingProblem('the merchant is active')
  })
  return next
}

/**
 * Ends an ending merchant. Throws an EndingProblem if it is not ending, or only since a moment ago.
 * @param open sentences about everything that is open and every balance, read in this transaction
 */
export const finishEnding = (
  tx: Tx,
  { open, ...given }: Given & { open: readonly string[] },
  moment: Moment,
): Promise<void> =>
  move(tx, given, 'ended', moment, ({ state, since }) => {
    if (state === 'active') throw new EndingProblem('begin with `bursar merchant end MERCHANT_ID`')
    if (state === 'ended') return
    if (open.length > 0) throw new EndingProblem(`the merchant can't end yet: ${open.join('; ')}`)
    const ready = since!.getTime() + ENDING_MS
    if (moment.at.getTime() < ready)
      throw new EndingProblem(
        `the merchant can end from ${new Date(ready).toISOString()} on: requests may be on their way`,
      )
  })

const lock = async (tx: Tx, merchantId: string): Promise<ServiceState> => {
  await sql`select from merchants where id = ${merchantId} for update`.execute(tx)
  return serviceOf(tx, merchantId)
}

const move = async (
  tx: Tx,
  { merchantId, actor }: Given,
  state: Service,
  moment: Moment,
  check: (service: ServiceState) => void,
): Promise<void> => {
  const service = await lock(tx, merchantId)
  check(service)
  if (service.state === state) return
  await sql`insert into merchant_endings(merchant_id, state, since) values (${merchantId}, ${state}, ${moment.at})
    on conflict (merchant_id) do update set state = excluded.state, since = excluded.since`.execute(tx)
  await audit(tx, merchantId, { actor, action: state, detail: { before: service.state } }, moment)
}
