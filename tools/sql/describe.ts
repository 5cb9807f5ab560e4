/** Has PostgreSQL parse and describe a statement without running it. */
import type pg from 'pg'

export interface Described {
  readonly name: string
  /** of `pg_type` */
  readonly typeId: number
}

interface Wire {
  parse(query: { name: string; text: string; types: number[] }): void
  describe(target: { type: 'S'; name: string }): void
  sync(): void
}

/**
 * Returns the columns of a statement's result, none when it has no result. The protocol messages are Parse, Describe
 * and Sync.
 * @throws pg.DatabaseError when PostgreSQL refuses the statement
 */
export const describe = (client: pg.ClientBase, text: string): Promise<Described[]> =>
  new Promise((resolve, reject) => {
    let columns: Described[] = []
    // The methods that pg's Client calls on a query (pg/lib/client.js, pg/lib/query.js).
    const query = {
      submit: (wire: Wire) => {
        wire.parse({ name: '', text, types: [] })
        wire.describe({ type: 'S', name: '' })
        wire.sync()
      },
      handleRowDescription: ({ fields }: { fields: { name: string; dataTypeID: number }[] }) => {
        columns = fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }))
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    }
    client.query(query as unknown as pg.Submittable)
  })
