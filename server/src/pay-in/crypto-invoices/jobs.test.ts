/** An invoice that a defect keeps from being worked on: those behind it in the line are worked on all the same. */
import { expect, test } from 'vitest'
import { poison } from '../../../../test/setup/poison.ts'
import { HOUR, MINUTE, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'
import { E18 } from '../../../../test/world/deposits.ts'

const world = useCryptoInvoices()
const three = async (more: Record<string, unknown>): Promise<[string, string, string]> => {
  const ids = [] as unknown as [string, string, string]
  for (let i = 0; i < 3; i += 1) {
    const id = await world.create({
      amount: { ticker: 'BTC', blockchain: 'BITCOIN' },
      baseAmount: { value: '100', ticker: 'USD' },
      ...more,
    })
    await world.proceed(id)
    ids.push(id)
    world.now += 1_000
  }
  return ids
}
const statuses = async (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await world.lookup(id)).status))

test('whose time is over: the others end, and it ends when it can', async () => {
  const ids = await three({ duration: HOUR })
  const cure = await poison(world.db, 'crypto_invoices', ids[0])
  world.now += 2 * HOUR
  await expect(world.tick()).rejects.toThrow('poisoned')
  expect(await statuses(ids)).toEqual(['REGISTERED', 'EXPIRED', 'EXPIRED'])
  await cure()
  await world.tick()
  expect(await statuses(ids)).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED'])
  expect((await world.notified()).filter((one) => one === 'CryptoInvoice EXPIRED')).toHaveLength(3)
})

test('whose quote is over: the others are quoted anew', async () => {
  const ids = await three({})
  const cure = await poison(world.db, 'crypto_invoices', ids[0])
  world.prices.set('BTC', 40_000n * E18)
  world.now += 16 * MINUTE
  await expect(world.tick()).rejects.toThrow('poisoned')
  const amounts = async () =>
    Promise.all(ids.map(async (id) => ((await world.lookup(id)).amount as { value: string }).value))
  expect(await amounts()).toEqual(['0.002', '0.0025', '0.0025'])
  await cure()
  await world.tick()
  expect(await amounts()).toEqual(['0.0025', '0.0025', '0.0025'])
})

test('killed at invoices-quoted: each has its new quote once, and the next worker leaves it', async () => {
  const ids = await three({})
  world.prices.set('BTC', 40_000n * E18)
  world.now += 16 * MINUTE
  world.killAt = 'invoices-quoted'
  await expect(world.tick()).rejects.toThrow('killed at invoices-quoted')
  world.killAt = null
  world.prices.set('BTC', 20_000n * E18)
  await world.tick()
  const amounts = await Promise.all(ids.map(async (id) => ((await world.lookup(id)).amount as { value: string }).value))
  expect(amounts).toEqual(['0.0025', '0.0025', '0.0025'])
})
