/** Refunds of card payments by members, in lists and files of a period. */
import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { useDashboard } from '../../../../test/world/dashboard.ts'
import { catalogue } from '../../../../test/world/fiat-invoices.ts'
import { openRefundShop } from './test-refunds.ts'

const { edge, memberOf } = useDashboard({ catalogue })
const DAY = 86_400_000
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

test('a refund by members is in the list and in the file of its day', async () => {
  const { merchantId, maker, invoice, pathOf, refund } = await openRefundShop({ edge, memberOf })
  await refund('40')
  const { rows } = await sql`select id, state, created_at from payment_refunds
    where merchant_id = ${merchantId}`.execute(edge.db)
  expect(rows).toHaveLength(1)
  const own = `payments/card/${invoice}`
  expect((await maker.get(pathOf('refunds?kind=card'))).text, 'without a period').toContain(own)
  const [from, to] = [dayOf(edge.clock.ms - DAY), dayOf(edge.clock.ms + DAY)]
  expect.soft((await maker.get(pathOf(`refunds?kind=card&from=${from}`))).text, 'from').toContain(own)
  expect.soft((await maker.get(pathOf(`refunds?kind=card&to=${to}`))).text, 'to').toContain(own)
  const file = await maker.get(pathOf(`refunds/export?from=${from}&to=${to}`))
  expect.soft(file.text, 'the file').toContain(',card,')
})

test('refunds by members are listed newest first', async () => {
  const { merchantId, refund } = await openRefundShop({ edge, memberOf })
  const amounts = ['1', '2', '3', '4', '5', '6']
  for (const amount of amounts) {
    await refund(amount)
    edge.clock.ms += 5_000
  }
  const member = await memberOf(merchantId, 'finance')
  const file = await member.get(`/app/merchants/${merchantId}/refunds/export?kind=card`)
  const shown = [...file.text.matchAll(/,card,[^,]*,(\d+)(?:\.\d+)?,UAH/g)].map(([, amount]) => amount)
  expect(shown).toEqual(amounts.toReversed())
})
