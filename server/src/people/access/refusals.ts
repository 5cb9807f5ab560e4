import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import type { Now } from './now.ts'

const HOUR_MS = 3_600_000
/** Refusals of one person that are recorded within an hour: the log is never emptied, and anyone can be refused. */
const MOST_AN_HOUR = 20

interface Refusal {
  method: 'passkey' | 'password'
  /** the browser's name for itself */
  agent: string
  /** until when further attempts are blocked; null if they are not */
  blocksUntil: Date | null
}

/** Records a refused sign-in or proof of a person. Nothing is recorded if no person has the id. */
export const recordRefusal = async (
  tx: Tx,
  personId: string,
  { method, agent, blocksUntil }: Refusal,
  { real, moment }: Now,
): Promise<void> => {
  const action = blocksUntil === null ? 'sign-in refused' : 'sign-in blocked'
  const detail = JSON.stringify({ method, agent, ...(blocksUntil && { until: blocksUntil.toISOString() }) })
  const hourAgo = new Date(real.getTime() - HOUR_MS)
  await sql`insert into dashboard_audit(id, at, merchant_id, person_id, actor, action, detail)
    select ${moment.newId()}::uuid, ${real}::timestamptz, null, p.id, 'unknown', ${action}::text, ${detail}::jsonb
    from dashboard_people p where p.id = ${personId} and (
      select count(*) from dashboard_audit a where a.person_id = p.id and a.at > ${hourAgo}
        and a.action in ('sign-in refused', 'sign-in blocked')) < ${MOST_AN_HOUR}`.execute(tx)
}
