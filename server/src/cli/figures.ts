import { sql } from 'kysely'
import type { Figure } from '../platform/metrics.ts'
import type { Runtime } from '../platform/runtime.ts'
import { watchStatus } from '../watcher/index.ts'

/** What an operator watches, read from the database when metrics are asked for. */
export const figuresOf = ({ db }: Runtime): Figure[] => [
  {
    name: 'bursar_chain_lag_blocks',
    help: 'Blocks between the head of a chain and what has been read of it',
    labels: ['network'],
    read: async () => (await watchStatus(db)).map((s) => ({ labels: { network: s.network }, value: s.headHeight - s.height })),
  },
  {
    name: 'bursar_deposits',
    help: 'Deposits by network and state',
    labels: ['network', 'state'],
    read: () => counts(db, sql`select network, state, count(*) as value from deposits group by network, state`),
  },
  {
    name: 'bursar_withdrawals',
    help: 'Withdrawals by network and state',
    labels: ['network', 'state'],
    read: () => counts(db, sql`select blockchain as network, state, count(*) as value from withdrawals group by blockchain, state`),
  },
  {
    name: 'bursar_webhook_backlog',
    help: 'Objects with notifications not delivered yet, by state',
    labels: ['state'],
    read: () => counts(db, sql`select state, count(*) as value from event_streams group by state`),
  },
  {
    name: 'bursar_open_alerts',
    help: 'Alerts that nobody has settled, by kind',
    labels: ['kind'],
    read: () => counts(db, sql`select kind, count(*) as value from alerts where resolved_at is null group by kind`),
  },
]

const counts = async (
  db: Runtime['db'],
  query: ReturnType<typeof sql>,
): Promise<{ labels: Record<string, string>; value: number }[]> => {
  const { rows } = await query.execute(db)
  return (rows as Record<string, string | number>[]).map(({ value, ...labels }) => ({
    labels: labels as Record<string, string>,
    value: Number(value),
  }))
}
