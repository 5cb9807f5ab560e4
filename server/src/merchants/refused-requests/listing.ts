import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { RefusedRequest } from './recording.ts'

const KEY = /^(\d{1,15})-([\w-]{1,64})$/

/**
 * A page of the refused requests of a merchant, newest first.
 * @param after the `next` of the page before; a text that is none: the first page
 */
export const listRefused = async (
  db: Db,
  merchantId: string,
  after: string | undefined,
  limit: number,
): Promise<{ rows: readonly RefusedRequest[]; next: string | null }> => {
  const [, ms, id] = (after !== undefined && KEY.exec(after)) || []
  const before = ms === undefined ? null : new Date(Number(ms))
  const { rows } = await sql<Omit<RefusedRequest, 'at'> & { at: Date }>`select r.merchant_id as "merchantId",
      r.key_id as "keyId", r.at, r.request_id as "requestId", r.method, r.path, r.operation, r.status, r.code, r.reason,
      r.sent_from as "from"
    from refused_requests r
    where r.merchant_id = ${merchantId}
      and (${before}::timestamptz is null or (r.at, r.request_id) < (${before}, ${id ?? ''}))
    order by r.at desc, r.request_id desc limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit).map((row) => ({ ...row, at: row.at.getTime() }))
  const last = shown.at(-1)
  return { rows: shown, next: rows.length > limit && last ? `${last.at}-${last.requestId}` : null }
}
