/** A pool that passes the statements of its connections, and their answers, to a listener. */
import type pg from 'pg'
import { createPool } from '../../server/src/platform/db/index.ts'

export interface Statement {
  text: string
  values: unknown[]
  rows: number
}

export const createWatchedPool = (url: string, onAnswer: (statement: Statement) => void): pg.Pool => {
  const pool = createPool({ url })
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const result = send(...args)
      const [asked, values] = args as [string | { text: string; values?: unknown[] }, unknown[] | undefined]
      const [text, given] = typeof asked === 'string' ? [asked, values ?? []] : [asked.text, asked.values ?? []]
      if (result instanceof Promise) {
        result.then(
          ({ rows }: pg.QueryResult) =>
            onAnswer({ text, values: Array.isArray(given) ? given : [], rows: rows.length }),
          () => {},
        )
      }
      return result
    }) as typeof client.query
  })
  return pool
}
