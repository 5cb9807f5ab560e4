import { describe, expect, test } from 'vitest'
import { HOUR_MS, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

describe('callbacks', () => {
  test('F1 one that is forged, of another acquirer or of an unknown payment changes nothing (row A-11)', async () => {
    const { id, reference } = await world.atTheBank()
    const paid = {
      kind: 'succeeded',
      acquirerReference: 'x',
      ticker: 'UAH',
      units: 100_00n,
      feeUnits: 0n,
      maskedCard: undefined,
    } as const
    expect((await world.hear(reference, paid, { signature: 'wrong' })).status).toBe(400)
    expect((await world.callback(world.second, world.first.callback(reference, paid))).status).toBe(400)
    expect((await world.callback(world.first, world.first.callback(reference, paid), 'nobody')).status).toBe(404)
    expect((await world.lookup(id)).status).toBe('PENDING')
    // Signed by another acquirer of ours: its word about an order it never had is nothing.
    expect((await world.callback(world.second, world.second.callback(reference, paid))).status).toBe(200)
    expect((await world.lookup(id)).status).toBe('PENDING')
    expect(await world.alerts()).toEqual(['callback-unknown'])
    await world.work()
    expect(await world.balance('merchant')).toBe(0n)
  })

  test('F1 one that is signed and untrue is found out by asking: PAID goes back to PENDING, and nothing is credited', async () => {
    const { id, reference } = await world.atTheBank()
    await world.hear(reference, {
      kind: 'succeeded',
      acquirerReference: 'x',
      ticker: 'UAH',
      units: 100_00n,
      feeUnits: 0n,
      maskedCard: undefined,
    })
    expect((await world.lookup(id)).status).toBe('PAID')
    await world.work()
    expect((await world.lookup(id)).status).toBe('PAID')
    world.first.refuses(reference)
    await world.later(60_000)
    expect((await world.lookup(id)).status).toBe('PENDING')
    expect(await world.balance('merchant')).toBe(0n)
    expect(await world.statuses()).toEqual(['Pending'])
  })

  test.each<[string, { units?: bigint; ticker?: 'KZT' }]>([
    ['another amount', { units: 1_00n }],
    ['another currency', { ticker: 'KZT' }],
  ])('F2 %s pays nothing, is in suspense and alerts', async (_, wrong) => {
    const { id, reference } = await world.atTheBank()
    const state = world.first.pays(reference, wrong)
    await world.hear(reference, state)
    expect((await world.lookup(id)).status).toBe('PENDING')
    await world.work()
    expect((await world.lookup(id)).status).toBe('PENDING')
    expect(await world.balance('merchant')).toBe(0n)
    expect(await world.balance('suspense', wrong.ticker ?? 'UAH')).toBe(wrong.units ?? 100_00n)
    expect(await world.alerts()).toEqual(['payment-suspended'])
    await expect(world.proceed(id)).rejects.toMatchObject({ reason: 'ended' })
    await world.later(72 * HOUR_MS)
    expect((await world.notices()).at(-1)!.body.error).toEqual({
      code: 3,
      message: 'The amount paid is not the amount asked for',
    })
  })

  test('F2 a genuine callback about another invoice pays that one alone', async () => {
    const [one, two] = [await world.atTheBank(), await world.atTheBank()]
    world.first.pays(two.reference)
    await world.hear(two.reference)
    await world.work()
    expect([(await world.lookup(one.id)).status, (await world.lookup(two.id)).status]).toEqual(['PENDING', 'DONE'])
  })

  test('F3 twice, late and in every order they end in the truth, once', async () => {
    const refusedFirst = ['refused', 'waiting', 'succeeded', 'succeeded']
    const orders = permutations(refusedFirst)
    for (const order of orders) {
      const { id, reference } = await world.atTheBank()
      const before = await world.balance('merchant')
      const states = {
        waiting: { kind: 'waiting' } as const,
        refused: world.first.refuses(reference),
        succeeded: world.first.pays(reference),
      }
      for (const kind of order) {
        await world.hear(reference, states[kind as keyof typeof states])
        await world.work()
        await world.hear(reference, states[kind as keyof typeof states])
      }
      await world.work()
      expect((await world.lookup(id)).status).toBe('DONE')
      expect((await world.balance('merchant')) - before).toBe(98_00n)
      expect((await world.notices()).filter(({ objectId }) => objectId === id).map(({ status }) => status)).toEqual([
        'Pending',
        'Done',
      ])
    }
  })

  test('F3 Failed and then paid: the invoice of the payer is paid', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.refuses(reference)
    await world.hear(reference)
    await world.work()
    world.first.pays(reference)
    await world.hear(reference)
    await world.work()
    expect((await world.lookup(id)).status).toBe('DONE')
  })

  test('ten callbacks and ten workers at once credit once', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.pays(reference)
    const callbacks = Array.from({ length: 10 }, (_, i) => world.hear(reference, undefined, { salt: String(i) }))
    await Promise.all([...callbacks, ...Array.from({ length: 10 }, () => world.work())])
    await world.work()
    expect((await world.lookup(id)).status).toBe('DONE')
    expect(await world.balance('merchant')).toBe(98_00n)
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
  })

  test('one that comes while the acquirer is being asked makes it be asked again', async () => {
    const { id, reference } = await world.atTheBank()
    world.now += 60_000
    const stale = world.first.refuses(reference)
    const ask = world.first.paymentState
    world.first.paymentState = async () => {
      world.first.paymentState = ask
      world.first.pays(reference)
      await world.hear(reference)
      return stale
    }
    await world.work()
    await world.work()
    expect((await world.lookup(id)).status).toBe('DONE')
  })
})

// The result that a payer's browser carries back is signed as a callback is, and its address is not: WayForPay, LiqPay.
test('one callback repeated by its payer in many forms does not have the acquirer asked each time, and is heard within a minute', async () => {
  const { id, reference } = await world.atTheBank()
  const ask = world.first.paymentState
  let asked = 0
  world.first.paymentState = async (...order) => {
    asked += 1
    return ask(...order)
  }
  for (let n = 0; n < 100; n += 1) await world.hear(reference, undefined, { salt: `first ${n}` })
  await world.work()
  asked = 0
  for (let n = 0; n < 20; n += 1) {
    await world.hear(reference, undefined, { salt: `more ${n}` })
    await world.work()
    world.now += 5_000
  }
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThanOrEqual(5)
  world.first.pays(reference)
  await world.hear(reference, undefined, { salt: 'paid' })
  await world.later(60_000)
  expect((await world.lookup(id)).status).toBe('DONE')
})

const permutations = <T>(all: readonly T[]): T[][] =>
  all.length === 0 ? [[]] : all.flatMap((one, i) => permutations(all.toSpliced(i, 1)).map((rest) => [one, ...rest]))
