import { describe, expect, test } from 'vitest'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { makeMerchant, momentAt } from '../../../../test/world/merchant.ts'
import { withStoredAnswer } from '../../platform/api/answers.ts'
import { createAnswerPruneJob } from './index.ts'
import { NOW, useEdge } from '../../../../test/world/edge.ts'

const edge = useEdge()
const body = (n: number): string => `{"blockchain":"BITCOIN","meta":"${n}"}`
const key = (value: string) => ({ headers: ['Idempotency-Key', value] })

/** An operation that stores its effect with its answer, as modules do. */
const serving = (): { effects: number } => {
  const seen = { effects: 0 }
  edge.answer = (request) =>
    inTransaction(edge.db, (tx) =>
      withStoredAnswer(tx, request, momentAt(edge.clock.ms).at, async () => {
        seen.effects += 1
        return { status: 200, body: { n: seen.effects, meta: (request.body as { meta?: string }).meta } }
      }),
    )
  return seen
}

describe('Idempotency-Key', () => {
  test('the same key and body get the first answer, later signatures too', async () => {
    const seen = serving()
    const first = await edge.call('POST', '/merchants/addresses', body(1), key('a-1'))
    const again = await edge.call('POST', '/merchants/addresses', body(1), {
      ...key('a-1'),
      timestamp: NOW / 1_000 - 1,
    })
    expect(again.text).toBe(first.text)
    expect(seen.effects).toBe(1)
    expect((await edge.call('POST', '/merchants/addresses', body(1), key('a-2'))).text).not.toBe(first.text)
  })

  test('with another body, or on another path, it is refused', async () => {
    serving()
    await edge.call('POST', '/merchants/addresses', body(1), key('b'))
    expect(await edge.call('POST', '/merchants/addresses', body(2), key('b'))).toMatchObject({
      status: 409,
      body: { code: 103 },
    })
    expect(await edge.call('POST', '/merchants/rotating-addresses', body(1), key('b'))).toMatchObject({
      status: 409,
      body: { code: 103 },
    })
  })

  test('the stored answer is sent before the operation is called, even if it would fail now', async () => {
    serving()
    const first = await edge.call('POST', '/merchants/addresses', body(1), key('c'))
    edge.answer = async () => Promise.reject(new Error('everything is stopped'))
    expect(await edge.call('POST', '/merchants/addresses', body(1), key('c'))).toMatchObject({
      status: 200,
      text: first.text,
    })
    expect((await edge.call('POST', '/merchants/addresses', body(1), key('d'))).status).toBe(503)
  })

  test('belongs to its merchant', async () => {
    const seen = serving()
    const other = await makeMerchant(edge.db, NOW)
    edge.directory.forget(other.id)
    await edge.call('POST', '/merchants/addresses', body(1), key('e'))
    await edge.call('POST', '/merchants/addresses', body(1), { ...key('e'), id: other.id, key: other.privateKey })
    expect(seen.effects).toBe(2)
  })

  test.each(['', 'a b', 'é', 'x'.repeat(256), 'a\tb'])('%j is no key', async (value) => {
    const answer = await edge.call('POST', '/merchants/addresses', body(1), key(Buffer.from(value).toString('latin1')))
    expect(answer).toMatchObject({ status: 400, body: { code: 100, field: 'Idempotency-Key' } })
  })

  test('sent twice is refused; on a GET it means nothing', async () => {
    expect(
      (
        await edge.call('POST', '/merchants/addresses', body(1), {
          headers: ['Idempotency-Key', 'x', 'idempotency-key', 'x'],
        })
      ).status,
    ).toBe(400)
    edge.answer = undefined
    await edge.call('GET', '/merchants/assets/crypto', undefined, key('x'))
    expect(edge.handled.at(-1)!.answerKeys).toEqual([])
  })

  test('is taken by an operation without a body', async () => {
    const seen = serving()
    edge.answer = (request) =>
      inTransaction(edge.db, (tx) =>
        withStoredAnswer(tx, request, momentAt(edge.clock.ms).at, async () => {
          seen.effects += 1
          return { status: 200, body: { n: seen.effects } }
        }),
      )
    const target = '/merchants/invoices/crypto/123e4567-e89b-12d3-a456-426614174000/close'
    const first = await edge.call('POST', target, '', key('close'))
    expect(first.status).toBe(200)
    expect((await edge.call('POST', target, '', key('close'))).text).toBe(first.text)
    expect(seen.effects).toBe(1)
  })

  test('many at once have one effect and one answer', async () => {
    const seen = serving()
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => edge.call('POST', '/merchants/addresses', body(7), key('many'))),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(seen.effects).toBe(1)
  })
})

describe('a signature that moves money', () => {
  const withdrawal =
    '{"ticker":"USDT","blockchain":"ETHEREUM","to":"0x9858EfFD232B4033E47d90003D41EC34EcaEda94","amount":"1"}'

  test('names its request, and no other does', async () => {
    edge.answer = undefined
    const keysOf = async (method: string, target: string, text?: string) => {
      await edge.call(method, target, text)
      return edge.handled.at(-1)!.answerKeys
    }
    const [sig] = await keysOf('POST', '/merchants/withdrawals/crypto', withdrawal)
    expect(sig!.key).toMatch(/^sig:[0-9a-f]{64}$/)
    expect((await keysOf('POST', '/merchants/withdrawals/crypto', withdrawal))[0]).toEqual(sig)
    expect((await keysOf('POST', '/merchants/withdrawals', withdrawal))[0]!.key).not.toBe(sig!.key)
    expect(await keysOf('POST', '/merchants/addresses', body(1))).toEqual([])
    expect(await keysOf('GET', '/merchants/assets/crypto')).toEqual([])
  })

  test('A1 sent a thousand times has one effect', async () => {
    const seen = serving()
    const answers = []
    for (let i = 0; i < 50; i += 1)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, () => edge.call('POST', '/merchants/withdrawals/crypto', withdrawal)),
        )),
      )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(seen.effects).toBe(1)
  })
})

describe('kept answers', () => {
  test('go when no request can ask for them any more: signatures after the window, keys after 30 days', async () => {
    await edge.pool.query('truncate request_answers')
    const DAY = 24 * 3_600_000
    const ages = { 'sig:new': 60_000, 'sig:old': 3_700_000, 'key:new': 29 * DAY, 'key:old': 31 * DAY }
    for (const [name, age] of Object.entries(ages)) {
      // Raw: answers of different ages.
      await edge.pool.query("insert into request_answers values ($1, $2, 'f', 200, '{}', $3)", [
        edge.merchant.id,
        name,
        new Date(NOW - age),
      ])
    }
    await runUntilIdle([
      createAnswerPruneJob({ db: edge.db, clock: { now: () => NOW, business: () => NOW + 365 * DAY } }),
    ])
    const { rows } = await edge.pool.query<{ key: string }>('select key from request_answers order by key')
    expect(rows.map((row) => row.key)).toEqual(['key:new', 'sig:new'])
  })
})
