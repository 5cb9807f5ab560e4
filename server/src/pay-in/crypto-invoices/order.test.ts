import type { ChainTransaction, Network } from '@bursar/chainkit'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { HOUR, MINUTE, useCryptoInvoices, type World } from '../../../../test/world/crypto-invoices.ts'
import { E18 } from '../../../../test/world/deposits.ts'

const world = useCryptoInvoices()
type Step =
  | { do: 'send'; cents: number; wrong: boolean; pooled: boolean }
  | { do: 'mine' }
  | { do: 'settle' }
  | { do: 'reorganise'; depth: number; drop: boolean }
  | { do: 'wait'; minutes: number }
  | { do: 'close' }
  | { do: 'price'; usd: number | null }
  | { do: 'tick' }
  | { do: 'judge'; clear: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      cents: fc.integer({ min: 10, max: 9_000 }),
      wrong: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      pooled: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.constant({ do: 'mine' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'settle' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 3 }),
      drop: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(5, 20, 1_500) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'close' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), usd: fc.constantFrom(null, 1, 2, 3) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'tick' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('judge' as const), clear: fc.boolean() }) },
)

/** Screening, or an operator, decides about the oldest held deposit. One that was rejected before stays so. */
const judge = async (clear: boolean): Promise<void> => {
  const {
    rows: [held],
  } = await sql<{
    merchantId: string
    id: string
    told: string
  }>`select merchant_id as "merchantId", id, told from deposits
    where state = 'held' order by created_at, id limit 1`.execute(world.db)
  if (!held) return
  await world.act(async (tx, moment) =>
    clear && held.told !== 'Failed'
      ? (await world.deposits.clear(tx, { ...held, compliance: COMPLIANCE }, moment))!
      : (await world.deposits.reject(tx, held, moment))!,
  )
}
const COMPLIANCE = { risky: false } as unknown as Parameters<World['deposits']['clear']>[1]['compliance']

/** Drives one invoice through a history and checks what must hold after every step. */
const live = async (base: boolean, holding: boolean, steps: readonly Step[]): Promise<void> => {
  await world.reset()
  world.holding = holding
  const amount = { ticker: 'BTC', blockchain: 'BITCOIN' }
  const id = await world.create(
    base ? { amount, baseAmount: { value: '100', ticker: 'USD' } } : { amount: { ...amount, value: '100' } },
  )
  world.prices.set('BTC', E18)
  await world.proceed(id)
  const network: Network = 'BITCOIN'
  const pool: ChainTransaction[] = []
  const blocks: ChainTransaction[][] = []
  const mine = async (): Promise<void> => {
    const next = pool.splice(0)
    await world.mine(network, next)
    blocks.push(next)
  }
  await mine()
  const notified = async () => {
    const notices = await world.notices()
    const mine = notices.filter((body) => body.id === id)
    const done = notices.filter((body) => body.kind === 'Replenish' && body.status === 'Done')
    return { mine: mine.map(({ status }) => status as string), last: mine.at(-1)!, done }
  }
  const check = async (): Promise<void> => {
    const {
      rows: [sums],
    } = await sql<{ credited: bigint; waiting: bigint }>`select
        coalesce(sum(units) filter (where state = 'credited'), 0) as credited,
        coalesce(sum(units) filter (where state in ('pending', 'held', 'orphaned') and (fail_reason is null or fail_reason = 'AML_REJECTED')), 0) as waiting
      from deposits where asset = 'BTC'`.execute(world.db)
    const view = await world.find(id)
    expect(view.paid.units).toBe(sums!.credited)
    expect(view.waiting.units).toBe(sums!.waiting)
    const { mine: statuses } = await notified()
    expect(statuses.filter((status) => status === 'DONE').length).toBe(view.state === 'paid' ? 1 : 0)
    expect(statuses.filter((status) => status === 'EXPIRED').length).toBeLessThanOrEqual(1)
    if (view.state === 'expired') expect(statuses.at(-1)).toBe('EXPIRED')
  }
  for (const one of steps) {
    switch (one.do) {
      case 'send': {
        const { transaction } = await world.payment(id, (one.cents / 100).toFixed(2))
        pool.push(one.wrong ? { ...transaction, succeeded: false } : transaction)
        if (one.pooled) await world.poolHas(network, pool)
        break
      }
      case 'mine':
        await mine()
        break
      case 'settle':
        await world.settle(network, 0)
        break
      case 'reorganise': {
        const depth = Math.min(one.depth, blocks.length)
        await world.orphan(network, 99 + blocks.length - depth + 1)
        const lost = blocks.splice(blocks.length - depth).flat()
        // A transaction that is left out comes back only as another one that spends the same coin.
        pool.push(...lost.map((tx) => (one.drop ? { ...tx, hash: `${tx.hash}'`, transfers: [] } : tx)))
        for (let i = 0; i < depth; i += 1) await mine()
        break
      }
      case 'wait':
        world.now += one.minutes * MINUTE
        break
      case 'close':
        await world.close(id)
        break
      case 'price':
        if (one.usd === null) world.prices.delete('BTC')
        else world.prices.set('BTC', BigInt(one.usd) * E18)
        break
      case 'tick':
        await world.tick()
        break
      case 'judge':
        await judge(one.clear)
        break
    }
    await check()
  }
  // The world comes to rest: everything that can be mined is, and time is over.
  world.prices.set('BTC', E18)
  await mine()
  await world.settle(network, 99 + blocks.length)
  for (let i = 0; i < steps.length; i += 1) await judge(i % 2 === 0)
  world.now += 400 * HOUR
  await world.settle(network, 99 + blocks.length)
  await world.tick()
  await world.tick()
  await check()
  const { mine: statuses, last, done } = await notified()
  expect(['paid', 'expired']).toContain((await world.find(id)).state)
  expect(statuses[0]).toBe('PENDING')
  expect(statuses.length).toBeGreaterThan(1)
  // Every credited unit was notified: by an end of the invoice, or by itself.
  const { rows } = await sql<{
    id: string
    units: bigint
    state: string
  }>`select id, units, state from deposits where asset = 'BTC' and fail_reason is null`.execute(world.db)
  const credited = rows.filter(({ state }) => state === 'credited')
  const single = new Set(done.map((body) => body.id))
  const { rows: counted } = await sql<{
    id: string
    told: boolean
  }>`select deposit_id as id, told from crypto_invoice_payments`.execute(world.db)
  for (const { id: deposit } of credited) expect(counted.find((payment) => payment.id === deposit)?.told).toBe(true)
  expect(new Set(done.map((body) => body.id)).size).toBe(done.length)
  const alone = credited.filter((deposit) => !single.has(deposit.id)).reduce((sum, { units }) => sum + units, 0n)
  const byEnd = BigInt(Math.round(Number(last.paidAmount) * 1e8))
  expect(alone <= byEnd).toBe(true)
  expect(await auditLedger(world.db)).toEqual([])
}

test.each([
  ['priced in crypto', false, false],
  ['priced in fiat', true, false],
  ['priced in crypto, of a merchant that has money held', false, true],
] as const)(
  'an invoice %s: in any history of payments the paid amount is the credited amount, and each end is notified once',
  async (_, base, holding) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24, size: 'max' }), (steps) =>
        live(base, holding, steps),
      ),
      { numRuns: cases(10), endOnFailure: false },
    )
  },
)
