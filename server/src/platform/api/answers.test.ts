import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '../db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { findAnswer, withStoredAnswer } from './answers.ts'
import type { AnswerKey, ApiAnswer } from './route.ts'

const { db, pool } = useDb()
const AT = new Date(1_800_000_000_000)
const merchantId = '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10'
let done = 0
beforeAll(async () => {
  await pool.query('create table effects(n integer)')
})
beforeEach(async () => {
  done = 0
  await pool.query('truncate effects, request_answers')
})

const key = (name: string, fingerprint = 'print'): AnswerKey => ({ key: name, fingerprint })
/** A command with an effect in the same transaction. */
const ask = (keys: readonly AnswerKey[], work?: () => Promise<ApiAnswer>): Promise<ApiAnswer> =>
  inTransaction(db, (tx) =>
    withStoredAnswer(tx, { merchantId, answerKeys: keys }, AT, async () => {
      done += 1
      const n = done
      await sql`insert into effects values (${n})`.execute(tx)
      return work ? work() : { status: 200, body: { n } }
    }),
  )
const effects = async () => (await pool.query<{ n: number }>('select count(*)::int as n from effects')).rows[0]!.n

describe('an answer stored with its effect', () => {
  test('is given to every repetition, under any of its keys', async () => {
    const first = await ask([key('sig:a'), key('key:b')])
    expect(first).toEqual({ status: 200, json: '{"n":1}' })
    for (const keys of [[key('sig:a')], [key('key:b')], [key('sig:other'), key('key:b')]])
      expect(await ask(keys)).toEqual(first)
    expect(await ask([key('sig:other')])).toEqual(first)
    expect(await effects()).toBe(1)
    expect(await findAnswer(db)(merchantId, [key('key:b')])).toEqual(first)
    expect(await findAnswer(db)(merchantId, [key('key:none')])).toBeUndefined()
  })

  test('belongs to its merchant', async () => {
    await ask([key('key:b')])
    expect(await findAnswer(db)('00000000-0000-7000-8000-000000000001', [key('key:b')])).toBeUndefined()
  })

  test('is not given to another request under the same key', async () => {
    await ask([key('key:b')])
    await expect(ask([key('sig:new', 'other'), key('key:b', 'other')])).rejects.toMatchObject({
      status: 409,
      code: 103,
    })
    await expect(findAnswer(db)(merchantId, [key('key:b', 'other')])).rejects.toMatchObject({ status: 409, code: 103 })
    expect(await effects()).toBe(1)
    expect((await pool.query('select 1 from request_answers')).rowCount).toBe(1)
  })

  test('is one for many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask([key('key:once'), key('sig:once')])))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await effects()).toBe(1)
  })

  test('is not stored when the work fails, and the next request does the work', async () => {
    await expect(ask([key('key:b')], () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await effects()).toBe(0)
    expect(await ask([key('key:b')])).toMatchObject({ status: 200 })
  })

  test('costs nothing without a key', async () => {
    expect(await ask([])).toEqual({ status: 200, body: { n: 1 } })
    expect((await pool.query('select 1 from request_answers')).rowCount).toBe(0)
  })
})
