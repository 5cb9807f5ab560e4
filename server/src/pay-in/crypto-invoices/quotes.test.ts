import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LONGEST_AGE_MS } from '../../market/rates/queries.ts'
import { GRACE_MS } from './quoting.ts'
import { HOUR, MINUTE, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'
import { E18 } from '../../../../test/world/deposits.ts'

const world = useCryptoInvoices()
const BTC = { ticker: 'BTC', blockchain: 'BITCOIN' }
const USD100 = { value: '100', ticker: 'USD' }
const create = async (more: Record<string, unknown> = {}): Promise<string> => {
  const id = await world.create({ amount: BTC, baseAmount: USD100, ...more })
  await world.proceed(id)
  return id
}

describe('a price in fiat', () => {
  test('becomes an amount when the payer continues, not before, and is notified with both', async () => {
    const id = await world.create({ baseAmount: { value: '1000', ticker: 'UAH' } })
    expect(await world.lookup(id)).toMatchObject({ amount: null, baseAmount: { value: '1000', ticker: 'UAH' } })
    expect((await world.find(id)).options.map(({ ticker, amount }) => [ticker, amount])).toEqual([
      ['BTC', '0.0005'],
      ['ETH', '0.0125'],
      ['USDT', '25'],
      ['USDT', '25'],
    ])
    world.prices.set('BTC', 40_000n * E18)
    await world.proceed(id, BTC)
    expect(await world.lookup(id)).toMatchObject({ amount: { value: '0.000625', ...BTC }, price: '1600000' })
    expect((await world.notices())[0]).toMatchObject({
      status: 'PENDING',
      amount: '0.000625',
      baseTicker: 'UAH',
      baseAmount: '1000',
      price: '1600000',
    })
    await world.confirm(await world.payment(id, '0.000625'))
    expect((await world.notices()).at(-1)).toMatchObject({
      status: 'DONE',
      amount: '0.000625',
      paidAmount: '0.000625',
      paidPrice: '1000',
      price: '1600000',
    })
  })

  test('audit F-9.10: is an option of the payer for as long as docs/integrating/crypto-invoices.md says', async () => {
    const [first, second] = [await create(), await create()]
    const { missing } = await world.find(first)
    world.prices.set('BTC', 25_000n * E18)
    world.now += world.settings.quoteMs
    await world.tick()
    world.now += GRACE_MS
    const inTime = await world.payment(first, missing!.text)
    await world.poolHas('BITCOIN', [inTime.transaction])
    world.now += 1
    const late = await world.payment(second, missing!.text)
    await world.poolHas('BITCOIN', [inTime.transaction, late.transaction])
    await world.confirm(inTime, late)
    expect([(await world.lookup(first)).status, (await world.lookup(second)).status]).toEqual(['PAID', 'PENDING'])
    const minutes = (LONGEST_AGE_MS + world.settings.quoteMs + GRACE_MS) / MINUTE
    expect(readFileSync(new URL('../../../../docs/integrating/crypto-invoices.md', import.meta.url), 'utf8')).toContain(
      `${minutes} minutes in all`,
    )
  })

  test('in EUR is rounded up to cents of a stablecoin, and paid in full by it', async () => {
    const id = await world.create({
      amount: { ticker: 'USDT', blockchain: 'ETHEREUM' },
      baseAmount: { value: '99.99', ticker: 'EUR' },
    })
    await world.proceed(id)
    expect(await world.lookup(id)).toMatchObject({ amount: { value: '107.99' }, price: '0.9259259259' })
    await world.confirm(await world.payment(id, '107.99'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '107.99', paidPrice: '99.99' })
  })

  test('is the paid price of an invoice that is paid exactly, though its amount is rounded up', async () => {
    const create = (): Promise<string> =>
      world.create({
        amount: { ticker: 'USDT', blockchain: 'ETHEREUM' },
        baseAmount: { value: '1001', ticker: 'UAH' },
        toPendingImmediate: true,
      })
    const [exact, over] = [await create(), await create()]
    expect(await world.lookup(exact)).toMatchObject({ amount: { value: '25.03' } })
    await world.confirm(await world.payment(exact, '25.03'), await world.payment(over, '26.03'))
    expect(await world.lookup(exact)).toMatchObject({ status: 'PAID', paidAmount: '25.03', paidPrice: '1001' })
    expect(await world.lookup(over)).toMatchObject({ status: 'PAID', paidAmount: '26.03', paidPrice: '1041.2' })
  })

  test('is not quoted without a fresh price of both: nothing changes, and the page says so', async () => {
    const id = await world.create({ amount: BTC, baseAmount: USD100 })
    world.prices.delete('BTC')
    await expect(world.proceed(id)).rejects.toMatchObject({ reason: 'no-price' })
    expect((await world.find(id)).options).toMatchObject([{ ticker: 'BTC', unpriced: true, amount: null }])
    const euros = await world.create({ amount: BTC, baseAmount: { value: '1', ticker: 'EUR' } })
    world.prices.set('BTC', 50_000n * E18)
    world.prices.delete('EUR')
    await expect(world.proceed(euros)).rejects.toMatchObject({ reason: 'no-price' })
    expect(await world.lookup(euros)).toMatchObject({ status: 'CREATED' })
    expect(await world.notified()).toEqual([])
  })

  test('too small for a network is not offered on it', async () => {
    const id = await world.create({ baseAmount: { value: '1', ticker: 'USD' } })
    expect((await world.find(id)).options.map(({ ticker }) => ticker)).toEqual(['USDT', 'USDT'])
    await expect(world.proceed(id, BTC)).rejects.toMatchObject({ reason: 'ticker-refused' })
  })

  test('is quoted anew after its minutes, on the business clock, for the missing part only', async () => {
    const id = await create()
    expect(await world.lookup(id)).toMatchObject({ amount: { value: '0.002' } })
    await world.confirm(await world.payment(id, '0.001'))
    world.prices.set('BTC', 40_000n * E18)
    world.now += 15 * MINUTE - 1
    await world.tick()
    expect(await world.find(id)).toMatchObject({
      asked: { text: '0.002' },
      missing: { text: '0.001' },
      price: { stale: false },
    })
    world.now += 1
    expect(await world.find(id)).toMatchObject({ price: { stale: true } })
    await world.tick()
    expect(await world.find(id)).toMatchObject({
      asked: { text: '0.00225' },
      missing: { text: '0.00125' },
      price: { stale: false, rate: '40000', paid: '50' },
    })
    world.now += 10 * MINUTE
    await world.confirm(await world.payment(id, '0.00125'))
    expect(await world.lookup(id)).toMatchObject({
      status: 'PAID',
      paidAmount: '0.00225',
      paidPrice: '100',
      price: '40000',
    })
  })

  test('without a fresh price stays as it was, stale, and is quoted when there is one', async () => {
    const id = await create()
    world.now += HOUR
    world.prices.delete('BTC')
    await world.tick()
    expect(await world.find(id)).toMatchObject({ price: { stale: true, rate: '50000' } })
    world.prices.set('BTC', 25_000n * E18)
    await world.tick()
    expect(await world.find(id)).toMatchObject({ price: { stale: false, rate: '25000' }, asked: { text: '0.004' } })
  })

  test('a payment sent while a quote was shown counts at it, seen a little later', async () => {
    const id = await create()
    world.now += 15 * MINUTE
    world.prices.set('BTC', 40_000n * E18)
    await world.tick()
    world.now += 2 * MINUTE
    await world.confirm(await world.payment(id, '0.002'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '0.002', paidPrice: '100' })
  })

  test('a payment seen long after counts at the price of that time: better for the payer, or not enough', async () => {
    const id = await create({ duration: 2 * HOUR })
    world.now += 3 * HOUR
    await world.tick()
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED' })
    world.prices.set('BTC', 40_000n * E18)
    await world.confirm(await world.payment(id, '0.002'))
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED', paidAmount: '0.002', paidPrice: '80' })
    world.prices.set('BTC', 100_000n * E18)
    await world.confirm(await world.payment(id, '0.0002'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidPrice: '100' })
  })

  test('a payment seen while no price is known is credited, and valued when one is known', async () => {
    const id = await create({ duration: 2 * HOUR })
    world.now += 3 * HOUR
    await world.tick()
    world.prices.delete('BTC')
    await world.confirm(await world.payment(id, '0.0025'))
    await world.tick()
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED', paidAmount: '0.0025', paidPrice: '0' })
    world.prices.set('BTC', 40_000n * E18)
    await world.tick()
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidPrice: '100' })
    expect((await world.notified()).filter((one) => one === 'CryptoInvoice DONE')).toHaveLength(1)
  })

  test('paid too much shows the requested amount below the paid amount', async () => {
    const id = await create()
    await world.confirm(await world.payment(id, '0.003'))
    expect((await world.notices()).at(-1)).toMatchObject({
      status: 'DONE',
      amount: '0.002',
      paidAmount: '0.003',
      paidPrice: '150',
    })
  })

  test('is not asked for anew when all of it has been seen', async () => {
    const id = await create()
    const paid = await world.payment(id, '0.002')
    await world.poolHas('BITCOIN', [paid.transaction])
    world.now += HOUR
    world.prices.set('BTC', 10_000n * E18)
    await world.tick()
    expect(await world.find(id)).toMatchObject({ asked: { text: '0.002' }, missing: { text: '0' }, toSend: null })
    await world.confirm(paid)
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID' })
  })
})
