import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

const refused = async (): Promise<{ id: string; reference: string }> => {
  const invoice = await world.atTheBank()
  world.first.refuses(invoice.reference)
  await world.hear(invoice.reference)
  await world.work()
  return invoice
}
const status = async (id: string) => (await world.lookup(id)).status

describe('a refused card', () => {
  test("audit C-4: fails the invoice at once where the page takes no other card, with the acquirer's words", async () => {
    Object.assign(world.first.capabilities, { takesOtherCards: false })
    const { id } = await refused()
    expect([await status(id), await world.statuses()]).toEqual(['FAILED', ['Pending', 'Failed']])
    expect((await world.notices()).at(-1)!.body).toMatchObject({ error: { code: 51, message: 'Insufficient funds' } })
    expect((await world.forPayer(id)).status).toEqual({
      at: 'failed',
      why: 'funds',
      reason: 'Insufficient funds',
      charged: 'no',
      canRetry: false,
    })
  })

  test('with a code that has no known meaning counts as declined, with the message of the acquirer', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.refuses(reference, '777', 'Відмова')
    await world.hear(reference)
    await world.work()
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'failed', why: 'declined', reason: 'Відмова' })
    await world.later(15 * MINUTE_MS)
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'failed', why: 'declined', reason: 'Відмова' })
  })

  test('audit C-4: fails it a quarter of an hour later where the page takes another one', async () => {
    const { id } = await refused()
    await world.later(14 * MINUTE_MS)
    expect(await status(id)).toBe('PENDING')
    await world.later(MINUTE_MS)
    expect([await status(id), await world.statuses()]).toEqual(['FAILED', ['Pending', 'Failed']])
  })

  test.each([
    [0, 0],
    [60, 60],
  ])('audit C-4: with retryMinutes %i fails it after so many', async (minutes) => {
    await world.set({ retryMinutes: minutes })
    const { id } = await refused()
    if (minutes > 0) {
      await world.later((minutes - 1) * MINUTE_MS)
      expect(await status(id)).toBe('PENDING')
      await world.later(MINUTE_MS)
    }
    expect(await status(id)).toBe('FAILED')
  })

  test("audit C-4: fails it with the page's end where that is earlier", async () => {
    const { id, reference } = await world.atTheBank()
    world.now += 72 * HOUR_MS - 5 * MINUTE_MS
    world.first.refuses(reference)
    await world.hear(reference)
    await world.work()
    await world.later(5 * MINUTE_MS)
    expect(await status(id)).toBe('FAILED')
  })

  test('audit C-4: another try in time decides instead, and pays it', async () => {
    const { id } = await refused()
    await world.proceed(id)
    await world.later(30 * MINUTE_MS)
    expect(await status(id)).toBe('PENDING')
    const second = (await world.payments(id)).at(-1)!
    world.first.pays(second.id)
    await world.hear(second.id)
    await world.work()
    expect([await status(id), await world.statuses()]).toEqual(['DONE', ['Pending', 'Done']])
  })

  test('audit C-4: money that comes after the failure is in suspense with an alert', async () => {
    const { id, reference } = await refused()
    await world.later(15 * MINUTE_MS)
    world.first.pays(reference)
    await world.hear(reference)
    await world.work()
    expect([
      await status(id),
      await world.balance('merchant'),
      await world.balance('suspense'),
      await world.alerts(),
    ]).toEqual(['FAILED', 0n, 100_00n, ['payment-suspended']])
    expect((await world.forPayer(id)).status).toEqual({ at: 'received' })
  })
})

describe('the payer reads that no money was taken only where that is known', () => {
  test('audit F-7: another amount is received and being checked', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.pays(reference, { units: 99_00n })
    await world.hear(reference)
    await world.work()
    expect((await world.forPayer(id)).status).toEqual({ at: 'received' })
    await world.later(73 * HOUR_MS)
    expect((await world.forPayer(id)).status).toEqual({ at: 'received' })
  })

  test('as much of another currency is in suspense, and credits nothing', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.pays(reference, { ticker: 'KZT' })
    await world.hear(reference)
    await world.work()
    expect(await world.balance('suspense', 'KZT')).toBe(100_00n)
    expect([await world.balance('merchant', 'KZT'), await world.balance('merchant')]).toEqual([0n, 0n])
    expect((await world.forPayer(id)).status).toEqual({ at: 'received' })
  })

  test('audit F-7: a page whose time ran out without a word says that it is not known', async () => {
    const { id } = await world.atTheBank()
    for (let hour = 0; hour < 75; hour += 25) await world.later(25 * HOUR_MS)
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'failed', charged: 'unknown' })
  })

  test('audit F-7: money that was taken and went back is not called untouched', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.pays(reference)
    world.first.reverses(reference, 'all')
    await world.hear(reference)
    await world.work()
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'failed', charged: 'unknown' })
  })
})
