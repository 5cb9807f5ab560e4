import { describe, expect, test } from 'vitest'
import { setSetting } from '../../merchants/accounts/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { E18 } from '../../../../test/world/deposits.ts'
import { HOUR, SHOP, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'

const world = useCryptoInvoices()

const USDT = { value: '100', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' }
const allow = (percent: number, usd: number): Promise<void> =>
  world.db.transaction().execute(async (tx) => {
    for (const [name, value] of [
      ['shortfallPercent', percent],
      ['shortfallUsd', usd],
    ] as const)
      await setSetting(tx, SHOP, { name, value: String(value) }, { actor: 'test' }, momentOf(world.runtime))
  })
const create = (): Promise<string> => world.create({ amount: USDT, toPendingImmediate: true })
const pay = async (id: string, amount: string): Promise<string> => {
  await world.confirm(await world.payment(id, amount))
  return String((await world.lookup(id))['status'])
}

describe('an amount that is short by the fee of an exchange', () => {
  test('is not enough by default', async () => {
    expect(await pay(await create(), '99.99')).toBe('PENDING')
  })

  test('is enough up to the percentage and the worth that the merchant accepts', async () => {
    await allow(2, 2)
    expect(await pay(await create(), '98')).toBe('PAID')
    expect(await pay(await create(), '97.99')).toBe('PENDING')
    await allow(10, 2)
    expect(await pay(await create(), '98')).toBe('PAID')
    expect(await pay(await create(), '97.99')).toBe('PENDING')
    await allow(1, 50)
    expect(await pay(await create(), '99')).toBe('PAID')
    expect(await pay(await create(), '98.99')).toBe('PENDING')
  })

  test('is paid with the amount that arrived, of which the merchant is notified', async () => {
    await allow(2, 2)
    const id = await create()
    await pay(id, '98.5')
    const done = (await world.notices()).filter(({ status }) => status === 'DONE')
    expect(done).toMatchObject([{ id, amount: '100', paidAmount: '98.5' }])
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', amount: { value: '100' }, paidAmount: '98.5' })
  })

  test('is not enough while another payment is under way, which may bring the rest', async () => {
    await allow(2, 2)
    const id = await world.create({
      amount: { value: '0.01', ticker: 'BTC', blockchain: 'BITCOIN' },
      toPendingImmediate: true,
    })
    const rest = await world.payment(id, '0.0001')
    await world.poolHas('BITCOIN', [rest.transaction])
    expect(await pay(id, '0.00997')).toBe('PENDING')
    await world.confirm(rest)
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '0.01007' })
  })

  test('is enough once the asset has a price again, if it had none when the payment was credited', async () => {
    await allow(2, 2)
    const price = world.prices.get('USDT')!
    world.prices.delete('USDT')
    const [short, shorter] = [await create(), await create()]
    expect([await pay(short, '99'), await pay(shorter, '97')]).toEqual(['PENDING', 'PENDING'])
    await world.tick()
    expect((await world.lookup(short))['status']).toBe('PENDING')
    world.prices.set('USDT', price)
    await world.tick()
    expect(await world.lookup(short)).toMatchObject({ status: 'PAID', paidAmount: '99' })
    expect((await world.lookup(shorter))['status']).toBe('PENDING')
    expect((await world.notified()).filter((one) => one === 'CryptoInvoice DONE')).toHaveLength(1)
  })

  test('is judged once at a new price: an amount that is worth too much waits for the payer again', async () => {
    await allow(2, 2)
    world.prices.delete('USDT')
    const id = await create()
    await pay(id, '98.5')
    world.prices.set('USDT', 10n * E18)
    await world.tick()
    expect((await world.lookup(id))['status']).toBe('PENDING')
    world.prices.set('USDT', E18)
    await world.tick()
    expect((await world.lookup(id))['status']).toBe('PENDING')
  })

  test('is shown as enough as soon as it is seen, if the merchant will accept it', async () => {
    await allow(2, 2)
    const [short, shorter] = [await create(), await create()]
    const isEnough = async (id: string): Promise<boolean> => (await world.find(id)).enough
    expect(await isEnough(short)).toBe(false)
    await world.mine('BINANCE_SMART_CHAIN', [(await world.payment(short, '98')).transaction])
    await world.mine('BINANCE_SMART_CHAIN', [(await world.payment(shorter, '97.99')).transaction])
    expect([await isEnough(short), await isEnough(shorter)]).toEqual([true, false])
    const price = world.prices.get('USDT')!
    world.prices.delete('USDT')
    expect(await isEnough(short)).toBe(false)
    world.prices.set('USDT', price)
    await world.settle('BINANCE_SMART_CHAIN')
    expect((await world.lookup(short))['status']).toBe('PAID')
    expect((await world.lookup(shorter))['status']).toBe('PENDING')
  })

  test('that comes after the invoice expired makes it paid, as the whole amount would', async () => {
    await allow(2, 2)
    const id = await create()
    expect(await pay(id, '40')).toBe('PENDING')
    world.now += 73 * HOUR
    await world.tick()
    expect((await world.lookup(id)).status).toBe('EXPIRED')
    expect(await pay(id, '59')).toBe('PAID')
  })
})
