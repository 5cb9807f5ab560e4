/** Several workers look at one exposure at once, and plan from what each of them has read. */
import { beforeEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createHedgeJob, newestOrders } from './index.ts'
import { BTC, createHedgeWorld, SOUND, type HedgeWorld } from './test-world.ts'

const { db } = useDb({ max: 10 })
let world: HedgeWorld
beforeEach(async () => {
  await emptyTables(db)
  world = await createHedgeWorld(db, { leastUsdt: '50', mostUsdt: '20000', mostUsdtPerHour: '60000' })
})

/** A worker that has read the exposures and waits for the venue's balances while `meanwhile` happens. */
const planWhile = async (meanwhile: () => Promise<unknown>): Promise<void> => {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const balances = async () => {
    const all = await world.venue.balances()
    reached.resolve()
    await go.promise
    return all
  }
  const worker = createHedgeJob({ ...world.deps, venue: { ...world.venue, balances } }, 1_000).run(
    new AbortController().signal,
  )
  await reached.promise
  await meanwhile()
  go.resolve()
  await worker
}
const bought = async () =>
  (await newestOrders(db, { venue: 'test', asset: 'BTC' }, 10)).map(({ side, amount, state }) => [side, amount, state])

test('audit F-5: two workers hedge one exposure once', async () => {
  await world.sell('USDT', 'BTC', '0.1')
  await planWhile(() => world.place())
  expect([await world.exposure('BTC'), await bought()]).toEqual([0n, [['buy', BTC_E18 / 10n, 'filled']]])
  expect(await world.sound()).toMatchObject(SOUND)
})

test('audit F-5: an exposure that merchants have made smaller meanwhile is planned anew', async () => {
  await world.sell('USDT', 'BTC', '0.1')
  await planWhile(() => world.sell('BTC', 'USDT', '3250'))
  expect(await bought()).toEqual([])
  await world.place()
  const exposure = await world.exposure('BTC')
  expect(exposure > -BTC / 1_000n && exposure <= 0n).toBe(true)
})

test('audit F-5: one that has grown is still hedged as planned, and the rest after it', async () => {
  await world.sell('USDT', 'BTC', '0.1')
  await planWhile(() => world.sell('USDT', 'BTC', '0.1'))
  expect(await world.exposure('BTC')).toBe(-BTC / 10n)
})

const BTC_E18 = 10n ** 18n
