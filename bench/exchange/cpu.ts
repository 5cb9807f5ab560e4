/** Measures the processor time of processes: the cost of a request, independent of the other load of the machine. */
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'

/** ms; the kernel counts in ticks of 10 ms */
const TICK_MS = 10

const usedBy = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

export interface Used {
  api: number
  database: number
}

/** Returns the ms used so far by the api and by its database connections. */
export const cpuOf = async (db: Db, pid: number): Promise<Used> => {
  const { rows } = await sql<{
    pid: number
  }>`select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db)
  return { api: usedBy(pid), database: rows.reduce((sum, row) => sum + usedBy(row.pid), 0) }
}
