import { describe, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { nullableOf, withoutNulls } from './nulls.ts'
import { exampleOf, useEdge } from '../../../../test/world/edge.ts'

const edge = useEdge()

describe('audit C-21: null for an optional field is as if it were not sent', () => {
  const fields = operations
    .filter(({ body, signed }) => body !== null && signed)
    .flatMap((operation) =>
      Object.entries(nullableOf(operation.body!)).map(([field, { mayBeNull }]) => ({
        id: operation.id,
        field,
        mayBeNull,
        operation,
      })),
    )
  test.each(fields)('$field of $id', async ({ field, mayBeNull, operation }) => {
    const { [field]: _, ...without } = JSON.parse(exampleOf(operation)!) as Record<string, unknown>
    const sent = await edge.call(
      'POST',
      operation.path.replace(':id', '123e4567-e89b-12d3-a456-426614174000'),
      JSON.stringify({ ...without, [field]: null }),
    )
    // An operation that needs one of two fields refuses a request without either.
    const handled = sent.status === 200 ? edge.handled.at(-1)!.body : without
    expect(mayBeNull ? handled : sent).toEqual(
      mayBeNull ? without : expect.objectContaining({ status: 400, body: expect.objectContaining({ field }) }),
    )
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
