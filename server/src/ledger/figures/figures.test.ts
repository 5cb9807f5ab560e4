import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { giveMoney, spendMoney } from '../../../../test/world/ledger.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { countDays } from './counting.ts'
import { createFigureJob, dailyBalancesOf, receivedOf } from './index.ts'

const { db } = useDb()
const START = Date.UTC(2026, 0, 10, 23, 59)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
let now = START
const runtime = createTestRuntime(db, () => now)
const count = (): Promise<void> => runUntilIdle([createFigureJob(runtime, 1)])
const shop = async (): Promise<{ merchantId: string; asset: string }> => ({
  merchantId: (await makeMerchant(db, START)).id,
  asset: 'USDT',
})
const CAUSES = ['funding', 'adjustment']
const received = (merchantId: string, since = '2026-01-01') => receivedOf(db, merchantId, since, CAUSES)
const balances = (merchantId: string, since = '2026-01-01') => dailyBalancesOf(db, merchantId, since, ['USDT', 'BTC'])

beforeAll(() => {
  now = START
})

describe('figures of days', () => {
  test('have what was received on each day, and the balance at its end', async () => {
    const owned = await shop()
    now = START
    await giveMoney(runtime, owned, 100n)
    await giveMoney(runtime, owned, 5n)
    await spendMoney(runtime, owned, 20n)
    now = START + 2 * DAY
    await giveMoney(runtime, owned, 7n)
    await count()
    expect(await received(owned.merchantId)).toEqual([
      { day: '2026-01-10', asset: 'USDT', entries: 2, units: 105n },
      { day: '2026-01-12', asset: 'USDT', entries: 1, units: 7n },
    ])
    expect(await balances(owned.merchantId)).toEqual([
      { day: '2026-01-10', asset: 'USDT', units: 85n },
      { day: '2026-01-12', asset: 'USDT', units: 92n },
    ])
    expect(await received(owned.merchantId, '2026-01-11')).toHaveLength(1)
    // Days without entries have the balance of the newest day before them.
    expect(await balances(owned.merchantId, '2026-01-11')).toHaveLength(2)
    expect(await balances(owned.merchantId, '2026-01-13')).toEqual([{ day: '2026-01-12', asset: 'USDT', units: 92n }])
    expect(await receivedOf(db, owned.merchantId, '2026-01-01', ['deposit'])).toEqual([])
  })

  test('count each entry once, in runs that end anywhere, and by two workers', async () => {
    const owned = await shop()
    now = START
    for (let i = 0; i < 5; i += 1) {
      await giveMoney(runtime, owned, 10n)
      await Promise.all([count(), count()])
    }
    await count()
    expect(await received(owned.merchantId)).toEqual([{ day: '2026-01-10', asset: 'USDT', entries: 5, units: 50n }])
    expect(await balances(owned.merchantId)).toEqual([{ day: '2026-01-10', asset: 'USDT', units: 50n }])
  })

  test('list an entry whose time is a little earlier on the day of the entry before it', async () => {
    const owned = await shop()
    now = START + 2 * MINUTE
    await giveMoney(runtime, owned, 3n)
    await count()
    now = START
    await giveMoney(runtime, owned, 4n)
    await count()
    expect(await received(owned.merchantId)).toEqual([{ day: '2026-01-11', asset: 'USDT', entries: 2, units: 7n }])
    expect(await balances(owned.merchantId)).toEqual([{ day: '2026-01-11', asset: 'USDT', units: 7n }])
  })

  test('of a long history are counted in transactions of a bounded number of entries', async () => {
    const owned = await shop()
    now = START
    for (let i = 0; i < 5; i += 1) await giveMoney(runtime, owned, 1n)
    const { rows } = await sql<{ before: number }>`select id - 1 as before from ledger_accounts
      where merchant_id = ${owned.merchantId} and kind = 'merchant'`.execute(db)
    const { before } = rows[0]!
    const step = () => inTransaction(db, (tx) => countDays(tx, before, 2))
    expect([await step(), await balances(owned.merchantId)]).toMatchObject([before, [{ units: 2n }]])
    expect([await step(), await received(owned.merchantId)]).toMatchObject([before, [{ entries: 4, units: 4n }]])
    await step()
    expect(await received(owned.merchantId)).toMatchObject([{ entries: 5, units: 5n }])
    await step()
    expect(await received(owned.merchantId)).toMatchObject([{ entries: 5, units: 5n }])
  })

  test('are counted behind many accounts of other kinds', async () => {
    const owned = [await shop(), await shop()] as const
    now = START
    await giveMoney(runtime, owned[0], 1n)
    // Raw: accounts of many merchants, without their money.
    await sql`insert into ledger_accounts (merchant_id, asset, kind, bounded)
      select gen_random_uuid(), 'USDT', 'fees', false from generate_series(1, 501)`.execute(db)
    await giveMoney(runtime, owned[1], 2n)
    await count()
    expect(await received(owned[0].merchantId)).toMatchObject([{ units: 1n }])
    expect(await received(owned[1].merchantId)).toMatchObject([{ units: 2n }])
  })
})
