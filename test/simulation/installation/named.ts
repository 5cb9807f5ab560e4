/**
 * Gives the statements of a pool names, so that PostgreSQL parses and plans each of them once for a connection. Without
 * names it spends half of its time in plans of statements that a job repeats in every run.
 */
import type pg from 'pg'

/** By text, in all pools of this process. */
const names = new Map<string, string>()
/** Texts with values in them would fill the memory of the server. */
const MOST_NAMES = 2_000

const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST_NAMES) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

/** The faults, the answers and the locks of a statement do not depend on its name. */
export const nameStatements = (pool: pg.Pool): pg.Pool =>
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const [text, values, ...rest] = args
      // Without values the driver sends a simple query.
      const isPlain = typeof text !== 'string' || !Array.isArray(values) || values.length === 0
      const name = isPlain ? undefined : nameOf(text)
      return name === undefined ? send(...args) : send({ name, text, values }, ...rest)
    }) as pg.PoolClient['query']
  })
