import type pg from 'pg'

/** Sees which sessions hold what another session waits for. */
export interface BlockerWatch {
  /** the sessions that blocked at the last look that found any, as a text; empty if there were none */
  readonly seen: string
  end(): Promise<void>
}

/**
 * Looks again and again for the sessions that block another session of the same server.
 * @param client a connection of its own; the login needs no further right
 * @param pid of the session that may wait
 * @param everyMs time between two looks
 * @param report gets each new text once
 */
export const watchBlockers = (
  client: Pick<pg.Client, 'query'>,
  pid: number,
  everyMs: number,
  report: (blockers: string) => void = () => {},
): BlockerWatch => {
  let seen = ''
  let looking: Promise<void> | undefined
  const look = async (): Promise<void> => {
    const blockers = await blockersOf(client, pid)
    if (blockers === '' || blockers === seen) return
    seen = blockers
    report(blockers)
  }
  const timer = setInterval(() => {
    // A look that fails leaves the sessions unnamed; the migration itself reports its own errors.
    looking ??= look()
      .catch(() => {})
      .finally(() => (looking = undefined))
  }, everyMs)
  return {
    get seen() {
      return seen
    },
    end: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

/** PostgreSQL shows these columns to every user, and statements of others only to members of pg_read_all_stats. */
const blockersOf = async (client: Pick<pg.Client, 'query'>, pid: number): Promise<string> => {
  const { rows } = await client.query<{ pid: number; login: string | null; application: string | null }>(
    `select a.pid, a.usename::text as login, a.application_name as application
     from pg_stat_activity a where a.pid = any(pg_blocking_pids($1)) order by a.pid`,
    [pid],
  )
  return rows
    .map(({ pid: one, login, application }) => {
      const about = [login, application].filter(Boolean).join(', ')
      return `session ${one}${about === '' ? '' : ` (${about})`}`
    })
    .join(' and ')
}
