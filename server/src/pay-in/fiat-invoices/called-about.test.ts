import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { inTransaction } from '../../platform/db/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { acceptPayment, resolveDispute } from '../../cards/acquiring/index.ts'
import { HOUR_MS, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

const DAY_MS = 24 * HOUR_MS
const refused = async (): Promise<string> => {
  const { id, reference } = await world.atTheBank()
  world.first.refuses(reference)
  await world.hear(reference)
  await world.work()
  expect((await world.payments(id))[0]!.state).toBe('refused')
  return reference
}
const resolve = (id: string, units: bigint) =>
  world.act((tx, moment) => resolveDispute(tx, id, units, 'operator: seen in the console', moment))

describe('a callback that its acquirer does not confirm at once', () => {
  test('audit F-4: paid with another card after a refusal, one unclear answer, and the money is posted later', async () => {
    const reference = await refused()
    const state = world.first.pays(reference)
    const given = world.first.callback(reference, state)
    world.first.orders.get(reference)!.state = { kind: 'waiting', reason: 'processing' }
    await world.callback(world.first, given)
    await world.work()
    world.first.orders.get(reference)!.state = state
    for (let i = 0; i < 3; i += 1) await world.later(60_000)
    expect((await world.balance('merchant')) + (await world.balance('suspense'))).toBeGreaterThan(0n)
  })

  test('audit F-4: an answer that is still the old one is no end of asking', async () => {
    const reference = await world.paid()
    const paidState = world.first.orders.get(reference)!.state
    world.first.reverses(reference, 'all')
    const given = world.first.callback(reference)
    world.first.orders.get(reference)!.state = paidState
    await world.callback(world.first, given)
    for (let i = 0; i < 5; i += 1) await world.later(10 * 60_000)
    expect(await world.balance('merchant')).toBe(98_00n)
    world.first.reverses(reference, 'all')
    await world.later(HOUR_MS)
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([0n, ['payment-reversed']])
  })

  test('audit F-4: a chargeback called about, one unclear answer, is taken back', async () => {
    const reference = await world.paid()
    const entry = world.first.orders.get(reference)!
    const reversed = world.first.reverses(reference, 'all')
    entry.state = { kind: 'waiting', reason: 'refund in processing' }
    await world.hear(reference, reversed)
    await world.work()
    entry.state = reversed
    await world.later(60_000)
    expect(await world.alerts()).toEqual(['payment-reversed'])
  })

  test('audit F-4: is queried for two weeks, ever more rarely, and then the operator is alerted', async () => {
    const reference = await world.paid()
    const { asked } = world.first
    await world.hear(reference, world.first.reverses(reference, 'all'))
    world.first.orders.get(reference)!.state = { kind: 'waiting' }
    for (let day = 0; day < 14; day += 1) await world.later(DAY_MS)
    expect(await world.alerts()).toEqual([])
    await world.later(2 * DAY_MS)
    expect(await world.alerts()).toEqual(['payment-unconfirmed'])
    const { asked: then } = world.first
    expect(then - asked).toBeLessThan(60)
    for (let day = 0; day < 14; day += 1) await world.later(DAY_MS)
    expect(world.first.asked).toBe(then)
  })

  test("audit F-4: a refused payment whose page takes other cards is asked for until the page's end, without any call", async () => {
    const reference = await refused()
    world.first.pays(reference)
    for (let i = 0; i < 3; i += 1) await world.later(HOUR_MS)
    expect((await world.balance('merchant')) + (await world.balance('suspense'))).toBeGreaterThan(0n)
    const other = await refused()
    for (let day = 0; day < 5; day += 1) await world.later(DAY_MS)
    const { asked } = world.first
    for (let day = 0; day < 5; day += 1) await world.later(DAY_MS)
    expect([world.first.asked, world.first.orders.has(other)]).toEqual([asked, true])
  })

  test('a chargeback that its callback does not show is taken back although the first query gets no answer', async () => {
    const reference = await world.paid()
    const paidState = world.first.orders.get(reference)!.state
    world.first.reverses(reference, 'all')
    world.first.troubles.push({ at: 'state', error: 'sent' })
    // As Freedom Pay's: the callback says "paid" again, and only the answer to a query has the sums.
    await world.hear(reference, paidState, { salt: 'went back' })
    await world.work()
    expect(await world.balance('merchant')).toBe(98_00n)
    await world.later(HOUR_MS)
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([0n, ['payment-reversed']])
  })

  test('a refused payment whose page takes other cards is queried on after a query without an answer', async () => {
    const reference = await refused()
    world.first.troubles.push({ at: 'state', error: 'sent' })
    await world.later(60_000)
    expect(world.first.troubles).toEqual([])
    world.first.pays(reference)
    for (let i = 0; i < 3; i += 1) await world.later(HOUR_MS)
    expect((await world.balance('merchant')) + (await world.balance('suspense'))).toBeGreaterThan(0n)
  })
})

describe('money that went back without us', () => {
  test('audit F-8: a part that the acquirer reports leaves the merchant, once', async () => {
    const reference = await world.paid()
    world.first.reverses(reference, 1_00n)
    for (let i = 0; i < 3; i += 1) {
      await world.hear(reference, undefined, { salt: String(i) })
      await world.later(60_000)
    }
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([97_00n, ['refund-foreign']])
    world.first.reverses(reference, 'all')
    await world.hear(reference)
    await world.work()
    expect([await world.balance('merchant'), await world.balance('fees')]).toEqual([0n, 0n])
    expect(await world.alerts()).toEqual(['payment-reversed', 'refund-foreign'])
  })

  test('audit F-8: our own refund is not taken from the merchant a second time', async () => {
    const [reference] = [await world.paid(), await world.paid()]
    await world.refund(reference!, 30_00n)
    await world.work()
    world.first.reverses(reference!, 40_00n)
    await world.hear(reference!)
    await world.work()
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([156_00n, ['refund-foreign']])
  })

  test("audit F-8: an unknown sum takes nothing, and the payment's money is held until a person decides", async () => {
    const [reference] = [await world.paid(), await world.paid()]
    world.first.reverses(reference!)
    await world.hear(reference!)
    await world.work()
    expect([await world.balance('merchant'), await world.alerts(), await available()]).toEqual([
      196_00n,
      ['payment-disputed'],
      98_00n,
    ])
    await expect(resolve(reference!, 101_00n)).rejects.toThrow('10000 minor units of UAH are left')
    await resolve(reference!, 1_00n)
    expect([await world.balance('merchant'), await world.alerts(), await available()]).toEqual([
      195_00n,
      ['refund-foreign'],
      195_00n,
    ])
  })

  test('audit F-8: an unknown sum that was nothing, or all', async () => {
    const [one, other] = [await world.paid(), await world.paid()]
    for (const reference of [one, other]) {
      world.first.reverses(reference)
      await world.hear(reference)
    }
    await world.work()
    expect(await available()).toBe(0n)
    await resolve(one, 0n)
    expect(await available()).toBe(98_00n)
    await resolve(other, 100_00n)
    expect([await world.balance('merchant'), await available(), await world.balance('receivable')]).toEqual([
      98_00n,
      98_00n,
      0n,
    ])
    expect(await world.alerts()).toEqual(['payment-reversed'])
  })
})

const available = async (): Promise<bigint> => {
  const { rows } = await sql<{ posted: bigint; held: bigint }>`select posted, held from ledger_accounts
    where kind = 'merchant' and merchant_id = ${world.merchantId}`.execute(world.db)
  return rows.reduce((sum, { posted, held }) => sum + posted - held, 0n)
}

describe('a card that was refused and is called paid', () => {
  /**
   * The first card was refused, the payer paid by another one, and the acquirer's answers are a moment behind its call.
   */
  const calledPaid = async () => {
    const { id, reference } = await world.atTheBank()
    world.first.refuses(reference)
    await world.hear(reference)
    await world.work()
    const state = world.first.pays(reference)
    const given = world.first.callback(reference)
    world.first.orders.get(reference)!.state = { kind: 'waiting', reason: 'processing' }
    await world.callback(world.first, given)
    await world.work()
    return {
      id,
      reference,
      confirm: () => {
        world.first.orders.get(reference)!.state = state
      },
    }
  }

  test('audit F-7: its page does not say that no money was taken, and is not sent to pay again', async () => {
    const { id } = await calledPaid()
    expect((await world.forPayer(id)).status).toEqual({ at: 'checking' })
    await world.proceed(id)
    expect(await world.payments(id)).toHaveLength(1)
  })

  test('audit C-4: Failed is not notified in the hour after the call, and the money pays the invoice', async () => {
    const { confirm } = await calledPaid()
    for (let i = 0; i < 19; i += 1) {
      await world.later(3 * 60_000)
      expect(await world.statuses()).toEqual(['Pending'])
    }
    confirm()
    await world.later(HOUR_MS)
    expect([await world.statuses(), await world.balance('merchant')]).toEqual([['Pending', 'Done'], 98_00n])
  })

  test('audit C-4: a call that is not confirmed within the hour keeps the invoice no longer, and the money is seen all the same', async () => {
    const { id, confirm } = await calledPaid()
    await world.later(61 * 60_000)
    expect(await world.statuses()).toEqual(['Pending', 'Failed'])
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'failed', charged: 'unknown' })
    confirm()
    await world.later(DAY_MS)
    expect([await world.balance('suspense'), await world.alerts()]).toEqual([100_00n, ['payment-suspended']])
  })

  test('audit F-4: a call that the first answer denies is not forgotten: the acquirer is asked on, and its money is seen', async () => {
    Object.assign(world.first, { capabilities: { ...world.first.capabilities, takesOtherCards: false } })
    const { id, reference } = await world.atTheBank()
    const state = world.first.pays(reference)
    const given = world.first.callback(reference)
    world.first.refuses(reference)
    await world.callback(world.first, given)
    await world.work()
    expect([(await world.payments(id))[0]!.state, await world.statuses()]).toEqual(['refused', ['Pending']])
    world.first.orders.get(reference)!.state = state
    await world.later(10 * 60_000)
    expect([await world.statuses(), await world.balance('merchant')]).toEqual([['Pending', 'Done'], 98_00n])
  })
})

test('audit F-4: money that came again after it was taken back, as after a dispute that was won, raises an alert', async () => {
  const reference = await world.paid()
  world.first.reverses(reference, 'all')
  await world.hear(reference)
  await world.work()
  world.first.pays(reference)
  await world.hear(reference, undefined, { salt: 'won' })
  await world.later(60_000)
  expect([await world.balance('merchant'), await world.alerts()]).toEqual([
    0n,
    ['payment-contradicted', 'payment-reversed'],
  ])
  const { asked } = world.first
  await world.later(DAY_MS)
  expect(world.first.asked).toBe(asked)
})

test('audit F-4: so is money that came again after it went back before it was ever posted', async () => {
  const { reference } = await world.atTheBank()
  world.first.pays(reference)
  world.first.reverses(reference, 'all')
  await world.hear(reference)
  await world.work()
  world.first.pays(reference)
  await world.hear(reference, undefined, { salt: 'again' })
  await world.work()
  expect(await world.alerts()).toEqual(['payment-contradicted'])
  const { rows } = await sql<{ text: string }>`select text from alerts where resolved_at is null`.execute(world.db)
  expect(rows[0]!.text).toContain('never posted; it now says that it has 10000 minor units of UAH again')
})

test('of a payment that is refunded before it is posted, an unknown rest raises an alert; a known one does not', async () => {
  const open = async (backUnits: 'all' | undefined): Promise<string> => {
    const { reference } = await world.atTheBank()
    world.first.pays(reference)
    world.first.reverses(reference, backUnits)
    await world.hear(reference)
    await world.work()
    return reference
  }
  await open('all')
  expect(await world.alerts()).toEqual([])
  const reference = await open(undefined)
  expect([await world.alerts(), await world.balance('merchant')]).toEqual([['payment-unconfirmed'], 0n])
  const { rows } = await sql<{ text: string }>`select text from alerts where resolved_at is null`.execute(world.db)
  expect(rows[0]!.text).toContain(`payment ${reference} of merchant`)
  expect(rows[0]!.text).toContain('at most 10000 minor units of UAH')
  await inTransaction(world.db, (tx) => resolveAlert(tx, 'payment-unconfirmed', reference, new Date()))
  await world.hear(reference, undefined, { salt: 'again' })
  await world.work()
  expect(await world.alerts()).toEqual([])
})

test('audit F-8: money in suspense of which an unknown sum went back is not given to the merchant before that is known', async () => {
  const { reference } = await world.atTheBank()
  world.first.pays(reference, { units: 90_00n })
  await world.hear(reference)
  await world.work()
  world.first.reverses(reference, undefined)
  await world.hear(reference)
  await world.work()
  const accept = () => world.act((tx, moment) => acceptPayment(tx, reference, world.subscriber, moment))
  await expect(accept()).rejects.toThrow('went-back')
  await resolve(reference, 0n)
  await accept()
  expect(await world.balance('merchant')).toBe(88_10n)
  await world.work()
  expect(await world.alerts()).toEqual(['payment-disputed'])
})

test('audit F-4: a signed callback that is repeated with other bytes fills no table, and a later one is looked at within a minute', async () => {
  const reference = await world.paid()
  for (let i = 0; i < 120; i += 1) await world.hear(reference, undefined, { salt: `repeated ${i}` })
  expect(
    (await sql<{ n: number }>`select count(*)::integer as n from acquirer_callbacks`.execute(world.db)).rows[0]!.n,
  ).toBe(100)
  await world.work()
  world.first.reverses(reference, 'all')
  await world.hear(reference)
  await world.later(60_000)
  expect(await world.balance('merchant')).toBe(0n)
})
