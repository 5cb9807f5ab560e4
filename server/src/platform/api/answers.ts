import { isSameRequest, type Fingerprinted } from '../base/same-request.ts'
import { generalErrors } from '@bursar/contract'
import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../db/index.ts'
import { type AnswerKey, type ApiAnswer, type ApiRequest, refusal } from './route.ts'

interface StoredAnswer extends AnswerKey {
  status: number
  body: string
}

/** The table of stored responses with its columns, for a statement that stores a response together with its effect. */
export const ANSWERS = 'request_answers(merchant_id, key, fingerprint, status, body, created_at)'
/** The start of that part of the statement; a select of these columns follows. */
export const intoAnswers = sql.raw(`insert into ${ANSWERS}`)

/**
 * Executes `work` and stores its response for repetitions of the request (`contract.md` 18, row 13). A repetition
 * returns the stored response; a concurrent one waits for the first. When `work` throws, nothing is stored.
 * @param at time stored with the response
 */
export const withStoredAnswer = async (
  tx: Tx,
  { merchantId, answerKeys }: Pick<ApiRequest, 'merchantId' | 'answerKeys'>,
  at: Date,
  work: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> => {
  if (answerKeys.length === 0) return work()
  const keys = answerKeys.map(({ key }) => key)
  // Placeholders, which are replaced before the commit: they make concurrent repetitions wait for this transaction.
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

/** The response stored under one of these keys. Throws a 409 when a key was used with another request. */
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
    throw refusal(generalErrors.conflict, 'this Idempotency-Key came before with another request: use a new one')
  }
  return stored && { status: stored.status, json: stored.body }
}

/** The response stored under the first known key; `key-reused` when that key came with another request. */
export const findStoredAnswer = async (
  db: Db | Tx,
  merchantId: string,
  keys: readonly (Fingerprinted & { key: string })[],
): Promise<{ kind: 'answered'; status: number; body: string } | { kind: 'key-reused' } | undefined> => {
  const { rows } = await sql<StoredAnswer>`select key, fingerprint, status, body from request_answers
    where merchant_id = ${merchantId} and key = any(${keys.map(({ key }) => key)}::text[])`.execute(db)
  for (const asked of keys) {
    const stored = rows.find((row) => row.key === asked.key)
    if (!stored) continue
    if (!isSameRequest(stored.fingerprint, asked)) return { kind: 'key-reused' }
    return { kind: 'answered', status: stored.status, body: stored.body }
  }
  return undefined
}

/**
 * Deletes responses of one kind that were stored before a time, oldest first.
 * @returns how many, at most `most`
 */
export const pruneAnswers = async (db: Db, kind: 'sig' | 'key', before: Date, most: number): Promise<number> => {
  const condition: RawBuilder<unknown> = kind === 'sig' ? sql`key like 'sig:%'` : sql`key like 'key:%'`
  const { rows } = await sql`delete from request_answers a using (
      select merchant_id, key from request_answers where ${condition} and created_at < ${before} order by created_at limit ${most}) old
    where a.merchant_id = old.merchant_id and a.key = old.key returning 1`.execute(db)
  return rows.length
}
