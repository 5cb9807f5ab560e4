import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'

/** A request that was refused. */
export interface RefusedRequest {
  merchantId: string
  /** the key that signed it; null: no valid signature, so that anyone may have sent it */
  keyId: string | null
  /** real clock, ms */
  at: number
  requestId: string
  method: string
  /** without the query */
  path: string
  /** id of the operation in the contract */
  operation: string
  status: number
  code: number
  /** as in the answer, without card numbers and tokens */
  reason: string
  /** network address of the client */
  from: string
}

export interface RefusalLog {
  /** Remembers a refused request in memory. The merchant exists. */
  note(refused: RefusedRequest): void
  /** Stores what was remembered. */
  job: Job
}

const EVERY_MS = 5_000
/**
 * Refusals of one merchant that a process stores in one run; more are dropped. Those without a valid signature are
 * counted separately, so that a stranger does not displace the merchant's own.
 */
const MOST_OF_A_MERCHANT = { signed: 50, unsigned: 10 }
/** The same, of all merchants together. */
const MOST_IN_ALL = { signed: 2_000, unsigned: 500 }

/**
 * Creates the log of a process. Refusals of the last seconds are lost when the process is killed; a run that fails
 * drops its refusals, because a database that refuses them needs no further load.
 */
export const createRefusalLog = (db: Db): RefusalLog => {
  let waiting: RefusedRequest[] = []
  let counts = new Map<string, number>()
  const run = async (): Promise<boolean> => {
    if (waiting.length === 0) return false
    const stored = waiting
    waiting = []
    counts = new Map()
    await store(db, stored)
    return false
  }
  return {
    note: (refused) => {
      const kind = refused.keyId === null ? 'unsigned' : 'signed'
      const subject = `${refused.merchantId} ${kind}`
      const [count, all] = [counts.get(subject) ?? 0, counts.get(kind) ?? 0]
      if (count >= MOST_OF_A_MERCHANT[kind] || all >= MOST_IN_ALL[kind]) return
      counts.set(subject, count + 1)
      counts.set(kind, all + 1)
      waiting.push(refused)
    },
    job: { name: 'refused requests', everyMs: EVERY_MS, run },
  }
}

const store = async (db: Db, all: readonly RefusedRequest[]): Promise<void> => {
  const of = <T>(pick: (one: RefusedRequest) => T): T[] => all.map(pick)
  await sql`insert into refused_requests
      (merchant_id, at, request_id, key_id, method, path, operation, status, code, reason, sent_from)
    select * from unnest(${of(({ merchantId }) => merchantId)}::uuid[], ${of(({ at }) => new Date(at))}::timestamptz[],
      ${of(({ requestId }) => requestId)}::text[], ${of(({ keyId }) => keyId)}::uuid[],
      ${of(({ method }) => method)}::text[], ${of(({ path }) => path)}::text[],
      ${of(({ operation }) => operation)}::text[], ${of(({ status }) => status)}::smallint[],
      ${of(({ code }) => code)}::integer[], ${of(({ reason }) => reason)}::text[],
      ${of(({ from }) => from)}::text[])
    on conflict do nothing`.execute(db)
}
