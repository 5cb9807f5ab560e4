import { sql } from 'kysely'
import type { PostedPayout, PayoutBooks } from '../acquiring/index.ts'

const COLUMNS =
  sql.raw(`a.reference::text as reference, p.ticker, -p.units as units, a.acquirer_fee_units as "costUnits",
  a.state in ('succeeded', 'reversed') as "isPosted"`)

/** Card payouts, as reconciliation with acquirers' statements reads them. */
export const payoutBooks: PayoutBooks = {
  find: async (db, acquirer, references) => {
    if (references.length === 0) return []
    const { rows } =
      await sql<PostedPayout>`select ${COLUMNS} from card_payout_attempts a join card_payout_parts p on p.id = a.part_id
      where a.account = ${acquirer} and a.reference = any(${[...references]}::uuid[])`.execute(db)
    return rows
  },
  unstated: async (db, acquirer, from, to) => {
    const { rows } =
      await sql<PostedPayout>`select ${COLUMNS} from card_payout_attempts a join card_payout_parts p on p.id = a.part_id
      where a.account = ${acquirer} and a.state = 'succeeded' and a.ended_at >= ${from} and a.ended_at < ${to}
        and not exists (select from acquirer_statement_lines l where l.acquirer = ${acquirer} and l.kind = 'payout'
          and l.reference = a.reference::text)
      order by a.sent_at, a.reference`.execute(db)
    return rows
  },
}
