/** Measures the processor time of processes: the cost of a request, independent of the other load of the machine. */
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'

/** ms; the kernel counts in ticks of 10 ms */
const TICK_MS = 10

/** The fields of `/proc/PID/stat` after the name of the process; undefined when the process has ended. */
const fieldsOf = (pid: number): number[] | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
  } catch {
    return undefined
  }
}

const [PARENT, USER, SYSTEM, USER_OF_ENDED, SYSTEM_OF_ENDED] = [1, 11, 12, 13, 14]

const usedBy = (pid: number): number => {
  const fields = fieldsOf(pid)
  return fields ? (fields[USER]! + fields[SYSTEM]!) * TICK_MS : 0
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** ms used by a process, its children, and those of its children that have ended. */
const usedWithChildren = (pid: number): number => {
  for (;;) {
    const children = childrenOf(pid)
    const living = children.reduce((sum, child) => sum + usedBy(child), usedBy(pid))
    const own = fieldsOf(pid)!
    // A child that ends meanwhile would be counted twice, or not at all.
    if (childrenOf(pid).join() === children.join())
      return living + (own[USER_OF_ENDED]! + own[SYSTEM_OF_ENDED]!) * TICK_MS
  }
}

export interface Used {
  api: number
  database: number
}

/**
 * Returns the ms used so far by the api and by the whole database server: its connections, also those that have been
 * closed since, and its own processes, such as those that write and vacuum.
 */
export const cpuOf = async (db: Db, pid: number): Promise<Used> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const server = fieldsOf(rows[0]!.pid)![PARENT]!
  return { api: usedBy(pid), database: usedWithChildren(server) }
}
