import { beforeAll, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { giveMoney, spendMoney } from '../../../../test/world/ledger.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { readStatement, type StatementRange } from './statement.ts'

const { db } = useDb()
const DAY = 86_400_000
const MINUTE = 60_000
const START = Date.UTC(2026, 0, 10, 12)
let now = START
const runtime = createTestRuntime(db, () => now)
const owned = { merchantId: '', asset: 'USDT' }

const day = (n: number): Date => new Date(Date.UTC(2026, 0, n))
const read = (range: Partial<StatementRange>, after?: string, limit = 50) =>
  readStatement(
    db,
    { merchantId: owned.merchantId, ticker: 'USDT' },
    { timeFrom: null, timeTo: null, ...range },
    after,
    limit,
  )

beforeAll(async () => {
  owned.merchantId = (await makeMerchant(db, START)).id
  // One entry each day, from the 10th on: 100, then 1 less each day.
  await giveMoney(runtime, owned, 100n)
  for (let n = 1; n < 10; n += 1) {
    now = START + n * DAY
    await spendMoney(runtime, owned, 1n)
  }
})

describe('a statement', () => {
  test('of all days opens with nothing and closes with the balance', async () => {
    expect(await read({})).toMatchObject({ next: null, closing: 91n, opening: 0n, rows: { length: 10 } })
  })

  test('of some days opens with the balance before them, and closes with that of their end', async () => {
    const statement = await read({ timeFrom: day(13), timeTo: day(16) })
    expect(statement).toMatchObject({ next: null, closing: 95n, opening: 98n })
    expect(statement.rows.map(({ postedAfter }) => postedAfter)).toEqual([95n, 96n, 97n])
  })

  test('has, on its pages together, the same entries: the first page closes it, the last one opens it', async () => {
    const range = { timeFrom: day(12), timeTo: day(18) }
    const whole = await read(range)
    const pages = [await read(range, undefined, 2)]
    while (pages.at(-1)!.next !== null) pages.push(await read(range, pages.at(-1)!.next!, 2))
    expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
    expect(pages.map(({ closing }) => closing)).toEqual([93n, ...pages.slice(1).map(() => null)])
    expect(pages.map(({ opening }) => opening)).toEqual([...pages.slice(1).map(() => null), 99n])
  })

  test('opens and closes with the right balance where a page ends in the minutes around the end of a day', async () => {
    const merchantId = (await makeMerchant(db, START)).id
    const busy = { merchantId, asset: 'USDT' }
    const midnight = day(30).getTime()
    now = midnight - 60 * 60_000
    await giveMoney(runtime, busy, 100n)
    for (const minutes of [-4, -3, -2, -1, 1, 2, 3]) {
      now = midnight + minutes * 60_000
      await spendMoney(runtime, busy, 1n)
    }
    const ask = (range: Partial<StatementRange>, after: string | undefined, limit: number) =>
      readStatement(db, { merchantId, ticker: 'USDT' }, { timeFrom: null, timeTo: null, ...range }, after, limit)
    for (const limit of [1, 2, 3, 4, 5, 50])
      for (const range of [{ timeFrom: day(30) }, { timeTo: day(30) }]) {
        const pages = [await ask(range, undefined, limit)]
        while (pages.at(-1)!.next !== null) pages.push(await ask(range, pages.at(-1)!.next!, limit))
        const [opening, closing] = 'timeFrom' in range ? [96n, 93n] : [0n, 96n]
        expect({ limit, range, opening: pages.at(-1)!.opening, closing: pages[0]!.closing }).toEqual({
          limit,
          range,
          opening,
          closing,
        })
        const entries = pages.flatMap(({ rows }) => rows.map(({ postedAfter }) => postedAfter))
        expect(entries).toEqual('timeFrom' in range ? [93n, 94n, 95n] : [96n, 97n, 98n, 99n, 100n])
      }
  })

  test('has each entry on one day, on which its amount counts too, where times around midnight are out of order', async () => {
    const merchantId = (await makeMerchant(db, START)).id
    const mixed = { merchantId, asset: 'USDT' }
    const midnight = day(30).getTime()
    now = midnight - 60 * MINUTE
    await giveMoney(runtime, mixed, 100n)
    // Seconds around midnight, in the order of the entries: each amount is another power of two.
    const seconds = [-100, -50, 40, -20, 30, -90, -10, 60, 90]
    for (const [i, second] of seconds.entries()) {
      now = midnight + second * 1_000
      await giveMoney(runtime, mixed, 1_000n * 2n ** BigInt(i))
    }
    const ask = (range: Partial<StatementRange>, after?: string, limit = 50) =>
      readStatement(db, { merchantId, ticker: 'USDT' }, { timeFrom: null, timeTo: null, ...range }, after, limit)
    const whole = await ask({})
    for (const limit of [1, 2, 3, 50]) {
      const read = async (range: Partial<StatementRange>) => {
        const pages = [await ask(range, undefined, limit)]
        while (pages.at(-1)!.next !== null) pages.push(await ask(range, pages.at(-1)!.next!, limit))
        const rows = pages.flatMap((page) => page.rows)
        return { rows, opening: pages.at(-1)!.opening!, closing: pages[0]!.closing! }
      }
      const [before, after] = [await read({ timeTo: day(30) }), await read({ timeFrom: day(30), timeTo: day(31) })]
      for (const { rows, opening, closing } of [before, after])
        expect(rows.reduce((sum, { posted }) => sum + posted, opening)).toBe(closing)
      expect(after.opening).toBe(before.closing)
      expect([...after.rows, ...before.rows]).toEqual(whole.rows)
      // The day begins with its first entry: entries of the day before that follow it are listed with it.
      expect(before.rows.map(({ at }) => (at.getTime() - midnight) / 1_000)).toEqual([-50, -100, -3_600])
    }
  })

  test('of days without entries has the balance as of then', async () => {
    expect(await read({ timeFrom: day(25), timeTo: day(26) })).toMatchObject({ closing: 91n, opening: 91n, rows: [] })
    expect(await read({ timeTo: day(5) })).toMatchObject({ closing: 0n, opening: 0n, rows: [], next: null })
  })
})
