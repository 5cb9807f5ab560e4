import { beforeAll, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { giveMoney, spendMoney } from '../../../../test/world/ledger.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createFigureJob } from '../../ledger/figures/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { endedMonths, readMonth } from './months.ts'

const { db } = useDb()
const OCTOBER = endedMonths(Date.UTC(2026, 10, 15))[0]!
const MINUTE = 60_000
let now = OCTOBER.from.getTime()
const runtime = createTestRuntime(db, () => now)
const at = (day: number, hour = 0): number => Date.UTC(2026, 9, day, hour)
const shop = async (): Promise<{ merchantId: string; asset: string; ticker: string }> => {
  const { id: merchantId } = await makeMerchant(db, at(1))
  return { merchantId, asset: 'USDT', ticker: 'USDT' }
}
const count = (): Promise<void> => runUntilIdle([createFigureJob(runtime, 1)])

describe('the months of statements', () => {
  test('are the last twelve, the newest first', () => {
    const names = endedMonths(Date.UTC(2026, 2, 1, 12)).map(({ name }) => name)
    expect(names).toHaveLength(12)
    expect([names[0], names[2], names[11]]).toEqual(['2026-02', '2025-12', '2025-03'])
    expect(OCTOBER).toEqual({ name: '2026-10', from: new Date(at(1)), to: new Date(at(32)) })
  })

  test('end five minutes late, because times of entries may be out of order', () => {
    const end = Date.UTC(2026, 10, 1)
    expect([end + 5 * MINUTE - 1, end + 5 * MINUTE].map((ms) => endedMonths(ms)[0]!.name)).toEqual([
      '2026-09',
      '2026-10',
    ])
  })
})

describe('a balance in a month', () => {
  const owned = { merchantId: '', asset: 'USDT', ticker: 'USDT' }
  beforeAll(async () => {
    owned.merchantId = (await shop()).merchantId
    // Each day 3,000 are credited and 300 debited, from two days before October to two days behind it.
    for (let day = -1; day <= 33; day += 1) {
      for (const hour of [6, 12, 18]) {
        now = at(day, hour)
        await giveMoney(runtime, owned, 1_000n)
      }
      now = at(day, 20)
      await spendMoney(runtime, owned, 300n)
    }
  })

  test('has its changes, oldest first, and sums by cause that lead from the opening to the closing balance', async () => {
    const month = (await readMonth(db, owned, OCTOBER))!
    expect(month.opening).toBe(2n * 2_700n)
    expect(month.closing).toBe(33n * 2_700n)
    expect(month.credits).toEqual([{ cause: 'adjustment', entries: 93, units: 93_000n }])
    expect(month.debits).toEqual([{ cause: 'adjustment', entries: 31, units: -9_300n }])
    expect(month.changes).toHaveLength(124)
    expect(month.changes![0]!.at).toEqual(new Date(at(1, 6)))
    expect(month.changes!.at(-1)!.postedAfter).toBe(month.closing)
  })

  test('without entries has the balance that it had', async () => {
    const idle = await shop()
    now = at(5)
    await giveMoney(runtime, idle, 70n)
    const [october, september] = [OCTOBER, endedMonths(at(15))[0]!]
    const november = endedMonths(Date.UTC(2026, 11, 15))[0]!
    expect(await readMonth(db, idle, september)).toMatchObject({ opening: 0n, closing: 0n, changes: [] })
    expect(await readMonth(db, idle, october)).toMatchObject({ opening: 0n, closing: 70n })
    expect(await readMonth(db, idle, november)).toMatchObject({ opening: 70n, closing: 70n, credits: [], debits: [] })
  })

  test('with too many entries has no list of them, and its sums once they are counted', async () => {
    const busy = await shop()
    now = at(0, 23)
    await giveMoney(runtime, busy, 5n)
    for (let i = 0; i < 500; i += 1) {
      now = at(1, 1) + i * MINUTE
      await (i % 5 === 4 ? spendMoney(runtime, busy, 1n) : giveMoney(runtime, busy, 2n))
    }
    expect((await readMonth(db, busy, OCTOBER))!.changes).toHaveLength(500)
    now = at(31, 23)
    await giveMoney(runtime, busy, 1n)
    expect(await readMonth(db, busy, OCTOBER)).toBeUndefined()
    await count()
    now = at(33)
    await giveMoney(runtime, busy, 9n)
    await count()
    expect(await readMonth(db, busy, OCTOBER)).toEqual({
      opening: 5n,
      closing: 5n + 800n - 100n + 1n,
      credits: [{ cause: 'adjustment', entries: 401, units: 801n }],
      debits: [{ cause: null, entries: null, units: -100n }],
      changes: null,
    })
  })
})
