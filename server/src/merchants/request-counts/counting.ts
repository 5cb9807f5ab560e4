import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'

/** A signed request that was answered. */
export interface SignedRequest {
  merchantId: string
  /** the key that signed it */
  keyId: string
  /** id of the operation in the contract */
  operation: string
  status: number
  ms: number
}

interface Counted {
  merchantId: string
  keyId: string
  operation: string
  /** the beginning of the hour, ms of the real clock */
  hour: number
  requests: number
  refused: number
  totalMs: number
  slowestMs: number
}

export interface RequestCounts {
  /** Counts a request in memory. */
  note(request: SignedRequest): void
  /** Stores what was counted. */
  job: Job
}

const EVERY_MS = 60_000
const HOUR_MS = 3_600_000
/** Keys and operations that a process counts in a minute; further ones are not counted. */
const MOST = 20_000

/** Creates the counts of a process. A run that fails leaves its counts for the next one. @param now real time, ms */
export const createRequestCounts = (db: Db, now: () => number): RequestCounts => {
  let waiting = new Map<string, Counted>()
  const add = (key: string, one: Counted): void => {
    const found = waiting.get(key)
    if (!found) {
      if (waiting.size < MOST) waiting.set(key, one)
      return
    }
    found.requests += one.requests
    found.refused += one.refused
    found.totalMs += one.totalMs
    found.slowestMs = Math.max(found.slowestMs, one.slowestMs)
  }
  const run = async (): Promise<boolean> => {
    if (waiting.size === 0) return false
    const stored = waiting
    waiting = new Map()
    try {
      await store(db, [...stored.values()])
    } catch (error) {
      for (const [key, one] of stored) add(key, one)
      throw error
    }
    return false
  }
  return {
    note: ({ merchantId, keyId, operation, status, ms }) => {
      const hour = Math.floor(now() / HOUR_MS) * HOUR_MS
      const counted = { requests: 1, refused: status >= 400 ? 1 : 0, totalMs: ms, slowestMs: ms }
      add(`${merchantId} ${keyId} ${operation} ${hour}`, { merchantId, keyId, operation, hour, ...counted })
    },
    job: { name: 'counts of requests', everyMs: EVERY_MS, run },
  }
}

/** Rows are locked in one order, because other processes add to the same ones. */
const store = async (db: Db, all: readonly Counted[]): Promise<void> => {
  const of = <T>(pick: (one: Counted) => T): T[] => all.map(pick)
  await sql`insert into request_counts as c
      (merchant_id, hour, key_id, operation, requests, refused, total_ms, slowest_ms)
    select * from unnest(${of(({ merchantId }) => merchantId)}::uuid[], ${of(({ hour }) => new Date(hour))}::timestamptz[],
      ${of(({ keyId }) => keyId)}::uuid[], ${of(({ operation }) => operation)}::text[],
      ${of(({ requests }) => requests)}::bigint[], ${of(({ refused }) => refused)}::bigint[],
      ${of(({ totalMs }) => Math.round(totalMs))}::bigint[], ${of(({ slowestMs }) => Math.round(slowestMs))}::integer[]
    ) order by 1, 2, 3, 4
    on conflict (merchant_id, hour, key_id, operation) do update set requests = c.requests + excluded.requests,
      refused = c.refused + excluded.refused, total_ms = c.total_ms + excluded.total_ms,
      slowest_ms = greatest(c.slowest_ms, excluded.slowest_ms)`.execute(db)
}
