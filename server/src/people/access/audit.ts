import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Now } from './now.ts'
import { authorise } from './permissions.ts'

export interface Audited {
  /** null: it is about a person alone */
  merchantId: string | null
  /** whom it is about */
  personId: string | null
  /** `person:ID` or `cli:LOGIN` */
  actor: string
  action: string
  detail?: Readonly<Record<string, unknown>>
}

/** Records an action of a person or an operator, in the transaction of the action. `detail` has no secrets. */
export const record = async (
  tx: Tx,
  { merchantId, personId, actor, action, detail = {} }: Audited,
  { real, moment }: Now,
): Promise<void> => {
  await sql`insert into dashboard_audit(id, at, merchant_id, person_id, actor, action, detail)
    values (${moment.newId()}, ${real}, ${merchantId}, ${personId}, ${actor}, ${action}, ${JSON.stringify(detail)})`.execute(
    tx,
  )
}

/** How long a form that was sent may be sent again. */
const FORM_MS = 24 * 60 * 60_000

/** Whether an action of an actor was recorded for this form, whose id is in its detail, within the last day. */
export const wasRecorded = async (
  tx: Tx,
  { merchantId, actor, action, form }: { merchantId: string; actor: string; action: string; form: string },
  { real }: Now,
): Promise<boolean> => {
  const { rows } = await sql`select from dashboard_audit where merchant_id = ${merchantId}
    and at > ${new Date(real.getTime() - FORM_MS)} and actor = ${actor} and action = ${action}
    and detail ->> 'form' = ${form} limit 1`.execute(tx)
  return rows.length > 0
}

export const actorOf = (personId: string): string => `person:${personId}`

export interface AuditRow {
  at: Date
  merchantId: string | null
  personId: string | null
  actor: string
  action: string
  detail: unknown
}

/** Refusals of a person that their list shows: others can cause them, and must not push out the rest. */
const SHOWN_REFUSALS = 5

/** The recorded actions about one person, newest first: the given number, and the newest refusals. */
export const listPersonActions = async (db: Db, personId: string, most: number): Promise<AuditRow[]> =>
  (
    await sql<AuditRow>`select at, merchant_id as "merchantId", person_id as "personId", actor, action, detail from (
        (select * from dashboard_audit where person_id = ${personId}
          and action not in ('sign-in refused', 'sign-in blocked') order by at desc, id desc limit ${most})
        union all
        (select * from dashboard_audit where person_id = ${personId}
          and action in ('sign-in refused', 'sign-in blocked') order by at desc, id desc limit ${SHOWN_REFUSALS})
      ) actions order by at desc, id desc`.execute(db)
  ).rows

/** An action of the audit log of a merchant. */
export interface MerchantAction {
  id: string
  at: Date
  /** the address of the person who did it; null: an operator */
  by: string | null
  action: string
  /** the address of the person, the name of the key, or the names of the settings that it is about */
  about: string | null
  role: string | null
  /** the role before a change */
  before: string | null
}

/**
 * A page of the actions for a merchant, newest first. Throws NotAllowed.
 * @param before the id of the last action of the page before; null: the newest actions. An id of another merchant is
 * answered as an unknown one: by an empty page
 */
export const readAudit = async (
  db: Db,
  personId: string,
  { merchantId, before, most }: { merchantId: string; before: string | null; most: number },
): Promise<{ actions: MerchantAction[]; hasMore: boolean }> => {
  await authorise(db, { personId, action: 'see-audit', merchantId })
  return auditPage(db, { merchantId, before, most })
}

/** A page of the actions for a merchant, newest first, for a caller that has checked the permission. */
export const auditPage = async (
  db: Db,
  { merchantId, before, most }: { merchantId: string; before: string | null; most: number },
): Promise<{ actions: MerchantAction[]; hasMore: boolean }> => {
  const from = before === null ? NEWEST : await positionOf(db, merchantId, before)
  if (!from) return { actions: [], hasMore: false }
  const { rows } = await sql<MerchantAction>`select a.id, a.at, p.email as by, a.action,
      case when a.action = 'changed settings'
        then (select string_agg(name, ', ' order by name) from jsonb_object_keys(a.detail) name)
        else coalesce(a.detail ->> 'email', a.detail ->> 'name') end as about,
      a.detail ->> 'role' as role, a.detail ->> 'before' as before
    from dashboard_audit a left join dashboard_people p
      on p.id = case when starts_with(a.actor, 'person:') then substring(a.actor from 8)::uuid end
    where a.merchant_id = ${merchantId} and (a.at, a.id) < (${from.at}::timestamptz, ${from.id}::uuid)
    order by a.at desc, a.id desc limit ${most + 1}`.execute(db)
  return { actions: rows.slice(0, most), hasMore: rows.length > most }
}

/** Behind the newest action. */
const NEWEST = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

const positionOf = async (db: Db, merchantId: string, id: string): Promise<{ at: Date; id: string } | undefined> =>
  (
    await sql<{ at: Date; id: string }>`select at, id from dashboard_audit
      where id = ${id} and merchant_id = ${merchantId}`.execute(db)
  ).rows[0]

/** SQL: the newest recorded action about a merchant; null without one. @param merchant SQL of the merchant's id */
export const newestAction = (merchant: RawBuilder<string>): RawBuilder<string | null> =>
  sql`(select id from dashboard_audit where merchant_id = ${merchant} order by at desc, id desc limit 1)`
