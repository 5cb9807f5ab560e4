import { isSameRequest, type Fingerprinted } from '../base/same-request.ts'
import { generalErrors } from '@bursar/contract'
import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../db/index.ts'
import { ApiRefusal, type AnswerKey, type ApiAnswer, type ApiRequest } from './route.ts'

interface Kept extends AnswerKey {
  status: number
  body: string
}

/** Where stored answers lie, with its columns: for a statement that stores an answer together with what it answers. */
export const ANSWERS = 'request_answers(merchant_id, key, fingerprint, status, body, created_at)'
/** How the part of such a statement begins that stores the answer; a select of these columns follows. */
export const intoAnswers = sql.raw(`insert into ${ANSWERS}`)

/**
 * Does an effect together with the answer that a repetition of the request gets (`contract.md` 18, row 13). A
 * repetition that runs at the same time waits here for the first. What the work throws is not kept: nothing was done.
 * @param at stored with the answer
 */
export const withStoredAnswer = async (
  tx: Tx,
  { merchantId, answerKeys }: Pick<ApiRequest, 'merchantId' | 'answerKeys'>,
  at: Date,
  work: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> => {
  if (answerKeys.length === 0) return work()
  const keys = answerKeys.map(({ key }) => key)
  // Placeholders, never committed as such: they make others wait for this transaction.
  const { rows: taken } = await sql<{ key: string }>`
    insert into request_answers(merchant_id, key, fingerprint, status, body, created_at)
    select ${merchantId}, k.key, k.fingerprint, 0, '', ${at}
    from unnest(${keys}::text[], ${answerKeys.map(({ fingerprint }) => fingerprint)}::text[]) k(key, fingerprint) order by k.key
    on conflict do nothing returning key`.execute(tx)
  const free = new Set(taken.map(({ key }) => key))
  const earlier =
    free.size === keys.length
      ? undefined
      : await readAnswer(
          tx,
          merchantId,
          answerKeys.filter(({ key }) => !free.has(key)),
        )
  const answer = earlier ?? (await work())
  const body = 'json' in answer ? answer.json : JSON.stringify(answer.body)
  await sql`update request_answers set status = ${answer.status}, body = ${body}
    where merchant_id = ${merchantId} and key = any(${[...free]}::text[])`.execute(tx)
  return { status: answer.status, json: body }
}

/** The answer kept under one of these keys. Throws the 409 of a key that came before with another request. */
export const findAnswer =
  (db: Db) =>
  (merchantId: string, keys: readonly AnswerKey[]): Promise<ApiAnswer | undefined> =>
    readAnswer(db, merchantId, keys)

const readAnswer = async (
  db: Db | Tx,
  merchantId: string,
  keys: readonly AnswerKey[],
): Promise<ApiAnswer | undefined> => {
  const stored = await findStoredAnswer(db, merchantId, keys)
  if (stored?.kind === 'key-reused') {
    const { status, code } = generalErrors.conflict
    throw new ApiRefusal(status, code, 'this Idempotency-Key came before with another request: use a new one')
  }
  return stored && { status: stored.status, json: stored.body }
}

/** What is stored under the first of these keys that came before: its answer, or that it came with another request. */
export const findStoredAnswer = async (
  db: Db | Tx,
  merchantId: string,
  keys: readonly (Fingerprinted & { key: string })[],
): Promise<{ kind: 'answered'; status: number; body: string } | { kind: 'key-reused' } | undefined> => {
  const { rows } = await sql<Kept>`select key, fingerprint, status, body from request_answers
    where merchant_id = ${merchantId} and key = any(${keys.map(({ key }) => key)}::text[])`.execute(db)
  for (const asked of keys) {
    const stored = rows.find((row) => row.key === asked.key)
    if (!stored) continue
    if (!isSameRequest(stored.fingerprint, asked)) return { kind: 'key-reused' }
    return { kind: 'answered', status: stored.status, body: stored.body }
  }
  return undefined
}

/** Removes answers of one kind that were stored before a time, the oldest first. @returns how many, at most `most` */
export const pruneAnswers = async (db: Db, kind: 'sig' | 'key', before: Date, most: number): Promise<number> => {
  const condition: RawBuilder<unknown> = kind === 'sig' ? sql`key like 'sig:%'` : sql`key like 'key:%'`
  const { rows } = await sql`delete from request_answers a using (
      select merchant_id, key from request_answers where ${condition} and created_at < ${before} order by created_at limit ${most}) old
    where a.merchant_id = old.merchant_id and a.key = old.key returning 1`.execute(db)
  return rows.length
}
