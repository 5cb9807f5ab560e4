/**
 * A subscriber that records the watcher's calls in the database: a call that was rolled back is not recorded. Only
 * tests of this module use it.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import type { ChainSubscriber } from './subscriber.ts'

export interface Notes {
  subscriber: ChainSubscriber
  read(): Promise<string[]>
  /** the subscriber throws when it has recorded this */
  fail: { at: string | null }
}

export const createNotes = async (db: Db): Promise<Notes> => {
  await sql`create table if not exists notes(n bigint generated always as identity, text text)`.execute(db)
  await sql`truncate notes`.execute(db)
  const fail: Notes['fail'] = { at: null }
  const note = async (tx: Tx, text: string): Promise<Effects> => {
    await sql`insert into notes(text) values (${text})`.execute(tx)
    if (fail.at === text) throw new Error(`fails at ${text}`)
    return { items: [], notices: [] }
  }
  return {
    fail,
    subscriber: {
      block: (tx, _network, block) => note(tx, `block ${block.height} ${block.hash}`),
      orphaned: (tx, _network, fromHeight) => note(tx, `orphaned ${fromHeight}`),
      settled: (tx, _network, { headHeight, finalHeight }) => note(tx, `settled ${headHeight} final ${finalHeight}`),
      mempool: (tx, _network, { added, hashes }) =>
        note(tx, `pool ${added.map(({ hash }) => hash).join()} of ${[...hashes].join()}`),
    },
    read: async () => {
      const { rows } = await sql<{ text: string }>`select text from notes order by n`.execute(db)
      return rows.map(({ text }) => text)
    },
  }
}
