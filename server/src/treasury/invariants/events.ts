import { sql } from 'kysely'
import { FIRST, FOUND, pageOf, type Invariant, type PageRow } from './invariant.ts'

export const eventInvariants: readonly Invariant[] = [
  {
    name: 'events-due',
    statement: 'Each notification that is not delivered is due, or its deliveries are exhausted and an alert says so.',
    scope: 'merchant',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select s.*, s.object_id as key from event_streams s
          where (merchant_id, object_id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, object_id limit ${most}),
        found as (select null::text as asset, p.merchant_id, 'notifications of ' || p.object_id as subject,
            case when p.next_at is null and p.state = 'active' then 'no attempt is due'
              when p.state = 'exhausted' then 'they are exhausted and no alert says so'
              else format('number %s is the last that is due and not its newest', p.last_sequence) end as text
          from page p where (p.next_at is null and p.state = 'active')
            or (p.state = 'exhausted' and not exists (select from alerts a where a.kind = 'webhooks-exhausted' and a.subject = p.merchant_id::text and a.resolved_at is null))
            or p.last_sequence is distinct from (select max(e.sequence) from events e where e.object_id = p.object_id and e.merchant_id = p.merchant_id and e.created_at >= p.since))
        ${FOUND}`.execute(db)
      return pageOf('events-due', rows, most)
    },
  },
  {
    name: 'endpoint-events-due',
    statement:
      'Each notification that an additional endpoint has not accepted is due, or its deliveries are exhausted and an alert says so.',
    scope: 'merchant',
    start: FIRST,
    find: async (db, after, most) => {
      // The walk is by endpoint, whose id is where the id of a merchant is in other walks.
      const { rows } = await sql<PageRow>`with page as materialized (
          select s.endpoint_id as merchant_id, s.object_id as key, s.merchant_id as owner, s.next_at, s.state from endpoint_streams s
          where (endpoint_id, object_id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by endpoint_id, object_id limit ${most}),
        found as (select null::text as asset, p.owner as merchant_id,
            'notifications of ' || p.key || ' to endpoint ' || p.merchant_id as subject,
            case p.state when 'active' then 'no attempt is due' else 'they are exhausted and no alert says so' end as text
          from page p where exists (select from webhook_endpoints e where e.id = p.merchant_id and e.removed_at is null)
            and (p.next_at is null and p.state = 'active' or p.state = 'exhausted' and not exists (select from alerts a
              where a.kind = 'webhooks-exhausted' and a.subject = 'endpoint/' || p.merchant_id and a.resolved_at is null)))
        ${FOUND}`.execute(db)
      return pageOf('endpoint-events-due', rows, most)
    },
  },
  {
    name: 'events-numbered',
    statement: 'The number of the newest notification of each merchant is the number that its next one follows.',
    scope: 'merchant',
    start: { merchantId: FIRST.merchantId, key: '' },
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select h.*, '' as key from event_heads h
          where merchant_id > ${after.merchantId}::uuid order by merchant_id limit ${most}),
        found as (select null::text as asset, p.merchant_id, 'notifications of merchant ' || p.merchant_id as subject,
            format('the newest number is %s', p.sequence) as text
          from page p where not exists (select from events e where e.merchant_id = p.merchant_id and e.sequence = p.sequence and e.created_at >= p.month))
        ${FOUND}`.execute(db)
      return pageOf('events-numbered', rows, most)
    },
  },
]
