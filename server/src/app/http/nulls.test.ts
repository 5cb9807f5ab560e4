import { describe, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { nullableOf, withoutNulls } from './nulls.ts'
import { exampleOf, useEdge } from './test-edge.ts'

const edge = useEdge()

describe('audit C-21: null for an optional field is as if it were not sent', () => {
  test.each(
    operations
      .filter(({ body, signed }) => body !== null && signed)
      .map((operation) => ({ id: operation.id, operation })),
  )('of $id', async ({ operation }) => {
    const example = JSON.parse(exampleOf(operation)!) as Record<string, unknown>
    for (const [field, { mayBeNull }] of Object.entries(nullableOf(operation.body!))) {
      const { [field]: _, ...without } = example
      const [sent, left] = [
        await edge.call(
          'POST',
          operation.path.replace(':id', '123e4567-e89b-12d3-a456-426614174000'),
          JSON.stringify({ ...without, [field]: null }),
        ),
        without,
      ]
      if (!mayBeNull) expect.soft(sent, field).toMatchObject({ status: 400, body: { field } })
      else if (sent.status === 200) expect.soft(edge.handled.at(-1)!.body, field).toEqual(left)
    }
  })

  test('but not where its absence opens a fee, a price or an amount', async () => {
    const order = { ticker: 'USDT', blockchain: 'TRON', to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', amount: '12' }
    expect(
      (
        await edge.call(
          'POST',
          '/merchants/withdrawals/crypto',
          JSON.stringify({ ...order, localId: null, meta: null }),
        )
      ).status,
    ).toBe(200)
    expect(edge.handled.at(-1)!.body).toEqual(order)
    expect(
      await edge.call('POST', '/merchants/withdrawals/crypto', JSON.stringify({ ...order, fee: null })),
    ).toMatchObject({ status: 400, body: { field: 'fee' } })
    expect(await edge.call('POST', '/merchants/invoices/crypto', '{"name":"x","amount":null}')).toMatchObject({
      status: 400,
      body: { field: 'amount' },
    })
  })

  test('in objects within objects too, and nowhere that the schema does not name', () => {
    const fields = nullableOf({
      required: ['a'],
      properties: { a: { properties: { b: {}, c: {} }, required: ['c'] }, d: {} },
    })
    expect(withoutNulls({ a: { b: null, c: null }, d: null, e: null }, fields)).toEqual({ a: { c: null }, e: null })
    expect(withoutNulls({ a: null }, fields)).toEqual({ a: null })
    expect(withoutNulls([null], fields)).toEqual([null])
  })
})
