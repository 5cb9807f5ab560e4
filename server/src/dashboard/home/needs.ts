import { sql } from 'kysely'
import { countFailing, countFailingEndpoints } from '../../merchants/webhooks/index.ts'
import { countHeldOf } from '../../pay-in/deposits/index.ts'
import { countUndecided, countUnderpaid, hasCryptoInvoice } from '../../pay-in/crypto-invoices/index.ts'
import { hasFiatInvoice } from '../../pay-in/fiat-invoices/index.ts'
import { countWaiting } from '../../pay-out/requests/index.ts'
import { countStopped } from '../../pay-out/withdrawals/index.ts'
import { hasTeam } from '../../people/access/index.ts'
import type { Db } from '../../platform/db/index.ts'

/** Larger counts are not counted on. */
export const MOST_NEEDS = 100
/** Older underpaid invoices are not reported. */
const UNDERPAID_MS = 30 * 86_400_000

/** Counts of the objects that need a member, each at most MOST_NEEDS, and which first steps are done. */
export interface Needs {
  claims: number
  underpaid: number
  held: number
  stopped: number
  failing: number
  /** additional endpoints of webhooks */
  endpoints: number
  /** requests of payouts and refunds that wait for an approval */
  requests: number
  isInvoicing: boolean
  isTeam: boolean
}

/**
 * Reads it in one statement, which takes at most MOST_NEEDS rows from each index.
 * @param times `now`: business clock; `real`: real clock
 */
export const readNeeds = async (
  db: Db,
  merchantId: string,
  { now, real }: { now: Date; real: Date },
): Promise<Needs> => {
  const since = new Date(now.getTime() - UNDERPAID_MS)
  const { rows } = await sql<Needs>`select ${countUndecided(merchantId, MOST_NEEDS)} as claims,
    ${countUnderpaid(merchantId, since, MOST_NEEDS)} as underpaid, ${countHeldOf(merchantId, MOST_NEEDS)} as held,
    ${countStopped(merchantId, MOST_NEEDS)} as stopped, ${countFailing(merchantId, MOST_NEEDS)} as failing,
    ${countFailingEndpoints(merchantId)} as endpoints, ${countWaiting(merchantId, real, MOST_NEEDS)} as requests,
    (${hasCryptoInvoice(merchantId)} or ${hasFiatInvoice(merchantId)}) as "isInvoicing", ${hasTeam(merchantId)} as "isTeam"`.execute(
    db,
  )
  return rows[0]!
}
