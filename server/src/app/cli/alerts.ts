import { sql } from 'kysely'
import { describeStop, listStops } from '../../ledger/stops/index.ts'
import { command, type Command } from './command.ts'
import { withInstallation } from '../installation/open.ts'

export const alertCommands: readonly Command[] = [
  command({
    name: 'alerts',
    summary: 'list open alerts',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const { rows } = await sql<{
          raisedAt: Date
          kind: string
          text: string
        }>`select raised_at as "raisedAt", kind, text
          from alerts where resolved_at is null order by raised_at`.execute(runtime.db)
        const stops = await listStops(runtime.db)
        out.show({ stops: [], alerts: [] }, [])
        for (const stop of stops)
          out.add('stops', { ...stop }, `${stop.createdAt.toISOString()} stopped: ${describeStop(stop)}`)
        for (const { raisedAt, kind, text } of rows)
          out.add('alerts', { raisedAt, kind, text }, `${raisedAt.toISOString()} ${kind}: ${text}`)
        if (rows.length + stops.length === 0) out.show({}, ['no open alerts, and nothing is stopped'])
      }),
  }),
]
