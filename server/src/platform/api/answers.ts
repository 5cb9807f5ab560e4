import { isSameRequest } from '../base/same-request.ts'
import { generalErrors } from '@bursar/contract'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'
import { ApiRefusal, type AnswerKey, type ApiAnswer, type ApiRequest } from './route.ts'

interface Kept extends AnswerKey {
  status: number
  body: string
}

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
  const { rows } = await sql<Kept>`select key, fingerprint, status, body from request_answers
    where merchant_id = ${merchantId} and key = any(${keys.map(({ key }) => key)}::text[])`.execute(db)
  for (const asked of keys) {
    const stored = rows.find((row) => row.key === asked.key)
    if (!stored) continue
    if (!isSameRequest(stored.fingerprint, asked)) {
      const { status, code } = generalErrors.conflict
      throw new ApiRefusal(status, code, 'this Idempotency-Key came before with another request: use a new one')
    }
    return { status: stored.status, json: stored.body }
  }
  return undefined
}
