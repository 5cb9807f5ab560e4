import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { fundWithdrawal } from '../../../../test/world/withdrawal.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createSignerLimitsJob } from '../../app/composition/signing.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import { checkLargest, readDayLimits, storeSignerLimits, withinLimits } from './limits.ts'
import { findById } from './store.ts'
import { tronCatalogue as catalogue } from '../../../../test/world/tron.ts'
import type { Place, Withdrawal } from './withdrawal.ts'

const database = useDatabase({ template: migrated })
const MINUTE = 60_000
const [SHOP, OTHER] = [randomUUID(), randomUUID()]
let pool: pg.Pool
let runtime: Runtime
let now: number

beforeAll(() => {
  pool = createPool({ url: database.url })
  const clock = { now: () => now, business: () => now } as Runtime['clock']
  runtime = { db: createDb(pool), clock, newId: () => uuidv7(now, randomBytes(10)), log: pino({ enabled: false }) }
})
afterAll(() => pool.end())
beforeEach(async () => {
  now = Date.UTC(2026, 10, 22)
  await emptyTables(runtime.db)
  for (const id of [SHOP, OTHER]) await makeMerchant(runtime.db, now, { id })
  await storeSignerLimits(
    runtime.db,
    [{ network: 'TRON', asset: 'TRX', perPayment: 1_000n, perHour: 200n, perDay: 600n }],
    new Date(now),
  )
})

const waiting = async (merchantId: string, units: bigint, ticker = 'TRX'): Promise<Withdrawal> => {
  const id = await fundWithdrawal(runtime, { merchantId, ticker, blockchain: 'TRON', to: 'x', units, fee: 0n })
  return (await findById(runtime.db, merchantId, id))!
}
const passing = async (...all: Withdrawal[]): Promise<bigint[]> =>
  (await withinLimits(runtime, all)).map(({ units }) => units)
const alerts = async (): Promise<string[]> =>
  (await sql<{ text: string }>`select text from alerts where resolved_at is null`.execute(runtime.db)).rows.map(
    ({ text }) => text,
  )
const percent = (merchantId: string, settings: object) =>
  sql`update merchants set settings = settings || ${JSON.stringify(settings)}::jsonb where id = ${merchantId}`.execute(
    runtime.db,
  )

describe("a merchant's hour and day", () => {
  test("audit S-11: are half of the signer's limit, and one merchant leaves the rest to others", async () => {
    const [first, second, third] = [await waiting(SHOP, 60n), await waiting(SHOP, 40n), await waiting(SHOP, 1n)]
    const other = await waiting(OTHER, 100n)
    expect(await passing(first, second, third, other)).toEqual([60n, 40n, 100n])
    expect(await alerts()).toEqual([expect.stringContaining(`1 withdrawal(s) of TRX on TRON of merchant ${SHOP} wait`)])
    now += 61 * MINUTE
    expect(await passing(third)).toEqual([1n])
    expect(await alerts()).toEqual([])
  })

  test('audit S-11: a withdrawal above the limit waits a minute and does not block the withdrawals after it', async () => {
    const [large, small] = [await waiting(SHOP, 101n), await waiting(SHOP, 100n)]
    expect(await passing(large, small)).toEqual([100n])
    const { rows } = await sql`select units, not_before as "notBefore" from withdrawals order by units`.execute(
      runtime.db,
    )
    expect(rows).toEqual([
      { units: 100n, notBefore: new Date(now) },
      { units: 101n, notBefore: new Date(now + MINUTE) },
    ])
  })

  test('audit S-11: the day counts too, and failed withdrawals do not', async () => {
    for (const units of [100n, 100n, 100n]) {
      expect(await passing(await waiting(SHOP, units))).toEqual([units])
      now += 61 * MINUTE
    }
    const more = await waiting(SHOP, 1n)
    expect(await passing(more)).toEqual([])
    await sql`update withdrawals set state = 'failed' where units = 100 and id = (select id from withdrawals where units = 100 limit 1)`.execute(
      runtime.db,
    )
    expect(await passing(more)).toEqual([1n])
  })

  test('one that has passed passes again and counts once', async () => {
    const withdrawal = await waiting(SHOP, 100n)
    for (let round = 0; round < 3; round++) expect(await passing(withdrawal)).toEqual([100n])
    expect(await passing(await waiting(SHOP, 1n))).toEqual([])
  })

  test('audit S-11: are settings of the merchant', async () => {
    await percent(SHOP, { withdrawalHourPercent: 100, withdrawalDayPercent: 100 })
    await percent(OTHER, { withdrawalHourPercent: 1 })
    expect(await passing(await waiting(SHOP, 200n), await waiting(OTHER, 3n), await waiting(OTHER, 2n))).toEqual([
      200n,
      2n,
    ])
  })

  test('two workers let one merchant have its hour once', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => waiting(SHOP, 50n)))
    const passed = await Promise.all(all.map((one) => withinLimits(runtime, [one])))
    expect(passed.flat()).toHaveLength(2)
  })

  test('an asset without limits of the signer has none here', async () => {
    expect(await passing(await waiting(SHOP, 10_000n, 'USDT'))).toEqual([10_000n])
  })
})

describe('an amount above the limit of a payment, of an hour or of a day', () => {
  const asset = catalogue.findCrypto('TRX')!
  const place = (internal = false): Place => ({
    where: { asset, on: asset.networks.get('TRON')! },
    to: 'x',
    asSent: 'x',
    internal,
  })
  const refusalOf = async (merchantId: string, units: bigint, at = place()): Promise<unknown> => {
    try {
      checkLargest(at, merchantId, units, await readDayLimits(runtime.db))
      return undefined
    } catch (error) {
      if (error instanceof ApiRefusal) return { code: error.code, message: error.message }
      throw error
    }
  }

  test('audit S-11: is refused with code 7 at once, with an amount that would do', async () => {
    await storeSignerLimits(
      runtime.db,
      [{ network: 'TRON', asset: 'TRX', perPayment: 600n, perHour: 600n, perDay: 600n }],
      new Date(now),
    )
    expect(await refusalOf(SHOP, 300n)).toBeUndefined()
    expect(await refusalOf(SHOP, 301n)).toEqual({
      code: 7,
      message: expect.stringMatching(/^Withdraw amount too high: at most 0\.0003 TRX leave on TRON in a day/) as string,
    })
    expect(await refusalOf(SHOP, 10_000n, place(true))).toBeUndefined()
    await percent(SHOP, { withdrawalHourPercent: 100, withdrawalDayPercent: 100 })
    expect(await refusalOf(SHOP, 600n)).toBeUndefined()
    expect(await refusalOf(OTHER, 301n)).toMatchObject({ code: 7 })
  })

  test('audit S-11: more than fits into an hour is refused too, and does not wait for an hour that never comes', async () => {
    expect(await refusalOf(SHOP, 100n)).toBeUndefined()
    expect(await refusalOf(SHOP, 101n)).toEqual({
      code: 7,
      message: expect.stringMatching(/at most 0\.0001 TRX leave on TRON in an hour/) as string,
    })
    await percent(SHOP, { withdrawalHourPercent: 90 })
    expect(await refusalOf(SHOP, 180n)).toBeUndefined()
    expect(await refusalOf(SHOP, 181n)).toMatchObject({ code: 7 })
    expect(await passing(await waiting(SHOP, 180n))).toEqual([180n])
  })

  test('audit S-11: more than the signer pays at once is refused too', async () => {
    await storeSignerLimits(
      runtime.db,
      [{ network: 'TRON', asset: 'TRX', perPayment: 50n, perHour: 200n, perDay: 600n }],
      new Date(now),
    )
    expect(await refusalOf(SHOP, 50n)).toBeUndefined()
    expect(await refusalOf(SHOP, 51n)).toEqual({
      code: 7,
      message: expect.stringMatching(/at most 0\.00005 TRX leave on TRON in one payment/) as string,
    })
    expect(await refusalOf(SHOP, 10_000n, place(true))).toBeUndefined()
  })

  test("audit S-11: the signer's limits are stored with the values of its policy, in ledger units", async () => {
    const limit = { maxPerIntent: '1000000', maxPerHour: '5000000', maxPerDay: '9000000' }
    const policy = { networks: { TRON: { assets: { TRX: limit, GONE: limit } } } }
    const signer = {
      status: async () =>
        ({ policy }) as unknown as Awaited<ReturnType<Parameters<typeof createSignerLimitsJob>[2]['status']>>,
    }
    await createSignerLimitsJob(runtime, catalogue, signer).run(new AbortController().signal)
    const scaled = 10n ** BigInt(asset.scale - asset.networks.get('TRON')!.decimals)
    expect((await readDayLimits(runtime.db)).signer).toEqual(
      new Map([['TRON/TRX', { payment: 1_000_000n * scaled, hour: 5_000_000n * scaled, day: 9_000_000n * scaled }]]),
    )
  })
})
