import { sql } from 'kysely'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'

/** A request that an additional key has signed. */
export interface KeyUse {
  merchantId: string
  keyId: string
  /** address of the client */
  from: string
  /** real clock, ms */
  at: number
}

/** The pause between writes: a process writes the use of a key once a minute at most. */
const EVERY_MS = 60_000

export interface KeyUses {
  /** Remembers a use in memory. */
  note(use: KeyUse): void
  /** Stores what was remembered. */
  job: Job
}

/**
 * Records the last use of additional keys. A request only changes memory; the job writes the newest use of each key.
 * Uses of the last minute are lost when the process is killed.
 */
export const createKeyUses = (db: Db): KeyUses => {
  let newest = new Map<string, KeyUse>()
  const run = async (): Promise<boolean> => {
    if (newest.size === 0) return false
    const uses = newest
    newest = new Map()
    try {
      await storeUses(db, [...uses.values()])
    } catch (error) {
      newest = new Map([...uses, ...newest])
      throw error
    }
    return false
  }
  return {
    note: (use) => void newest.set(`${use.merchantId} ${use.keyId}`, use),
    job: { name: 'uses of keys', everyMs: EVERY_MS, run },
  }
}

/** Rows are locked in one order, because other processes store uses of the same keys. */
const storeUses = (db: Db, uses: readonly KeyUse[]): Promise<void> =>
  inTransaction(db, async (tx) => {
    const [merchantIds, ids] = [uses.map(({ merchantId }) => merchantId), uses.map(({ keyId }) => keyId)]
    const [times, addresses] = [uses.map(({ at }) => new Date(at)), uses.map(({ from }) => from)]
    await sql`with used as (
        select * from unnest(${merchantIds}::uuid[], ${ids}::uuid[], ${times}::timestamptz[], ${addresses}::text[])
          as u(merchant_id, id, at, address)),
      locked as (
        select k.merchant_id, k.id, u.at, u.address from api_keys k join used u using (merchant_id, id)
        where k.last_used_at is null or k.last_used_at < u.at order by k.merchant_id, k.id for update of k)
      update api_keys k set last_used_at = l.at, last_used_from = l.address
      from locked l where k.merchant_id = l.merchant_id and k.id = l.id`.execute(tx)
  })
