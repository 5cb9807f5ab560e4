/**
 * Random histories of payers, acquirers, callbacks, workers that die and time, judged by an auditor with books of its
 * own.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import type { PaymentAcquirer } from '../../../../test/world/acquirer-payments.ts'
import { useDb } from '../../../../test/world/database.ts'
import { HOUR_MS, openFiatInvoices, type FiatWorld } from '../../../../test/world/fiat-invoices.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { FiatPayerRefusal } from './index.ts'

const database = useDb()

const POINTS = [
  'payment-asked-not-sent',
  'payment-made-not-stored',
  'payment-not-asked',
  'payment-answer-not-stored',
  'fiat-invoice-run-out',
] as const

type Step =
  | { do: 'proceed' | 'pays' | 'paysWrong' | 'refuses' | 'reverses' | 'callback' | 'repeat' | 'forge'; pick: number }
  /** the card is refused, and the payer tries another one */
  | { do: 'again'; pick: number }
  | { do: 'work'; dieAt: (typeof POINTS)[number] | null }
  | { do: 'later'; ms: number }
  | { do: 'trouble'; at: 'create' | 'state'; error: 'refusal' | 'not-sent' | 'sent' | 'lost'; pick: number }

const pick = fc.nat(20)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('proceed', 'pays', 'paysWrong', 'refuses', 'reverses', 'callback', 'repeat', 'forge' as const),
    pick,
  }) as fc.Arbitrary<Step>,
  { arbitrary: fc.record({ do: fc.constantFrom('again' as const), pick }), weight: 2 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom('work' as const),
      dieAt: fc.option(fc.constantFrom(...POINTS), { freq: 4 }),
    }),
    weight: 2,
  },
  fc.record({ do: fc.constantFrom('later' as const), ms: fc.constantFrom(20_000, 130_000, HOUR_MS, 30 * HOUR_MS) }),
  fc.record({
    do: fc.constantFrom('trouble' as const),
    at: fc.constantFrom('create' as const, 'state' as const),
    error: fc.constantFrom('refusal' as const, 'not-sent' as const, 'sent' as const, 'lost' as const),
    pick,
  }),
)

/** Every order that reached an acquirer. */
const ordersOf = (world: FiatWorld): { acquirer: PaymentAcquirer; reference: string }[] =>
  [world.first, world.second].flatMap((acquirer) =>
    [...acquirer.orders.keys()].map((reference) => ({ acquirer, reference })),
  )

const ALIVE = { do: 'work', dieAt: null } as const

const take = async (world: FiatWorld, ids: readonly string[], one: Step): Promise<void> => {
  if (one.do === 'later') return void (world.now += one.ms)
  if (one.do === 'work') {
    world.killAt = one.dieAt ?? undefined
    await world.work()
    world.killAt = undefined
    return
  }
  if (one.do === 'trouble') {
    const acquirer = one.pick % 2 === 0 ? world.first : world.second
    acquirer.troubles.push({ at: one.at, error: one.at === 'state' && one.error === 'refusal' ? 'sent' : one.error })
    return
  }
  if (one.do === 'proceed') {
    await world.proceed(ids[one.pick % ids.length]!).catch((error: unknown) => {
      if (!(error instanceof FiatPayerRefusal)) throw error
    })
    return
  }
  if (one.do === 'again') {
    for (const part of ['proceed', ALIVE, 'refuses', 'callback', ALIVE, 'proceed', ALIVE] as const) {
      await take(world, ids, typeof part === 'string' ? { do: part, pick: one.pick } : part)
    }
    return
  }
  const orders = ordersOf(world)
  if (orders.length === 0) return
  const { acquirer, reference } = orders[one.pick % orders.length]!
  const { state } = acquirer.orders.get(reference)!
  // An acquirer says nothing else after its last word, except that it takes money back; refused may still become paid.
  const isOpen = state.kind === 'waiting' || state.kind === 'refused'
  if (one.do === 'pays' && isOpen) acquirer.pays(reference)
  if (one.do === 'paysWrong' && isOpen) acquirer.pays(reference, { units: 99_00n })
  if (one.do === 'refuses' && state.kind === 'waiting') acquirer.refuses(reference)
  if (one.do === 'reverses' && state.kind === 'succeeded') acquirer.reverses(reference, 'all')
  if (one.do === 'callback')
    await world.callback(acquirer, acquirer.callback(reference, undefined, { salt: String(one.pick) }))
  if (one.do === 'repeat') await world.callback(acquirer, acquirer.callback(reference))
  if (one.do === 'forge')
    expect((await world.callback(acquirer, acquirer.callback(reference, undefined, { signature: 'no' }))).status).toBe(
      400,
    )
}

/**
 * All words are heard in the end: workers live, acquirers answer, everybody calls; and maybe every page that is open
 * gets paid.
 */
const settle = async (world: FiatWorld, allPay: boolean): Promise<void> => {
  for (const { acquirer, reference } of allPay ? ordersOf(world) : []) {
    if (['waiting', 'refused'].includes(acquirer.orders.get(reference)!.state.kind)) acquirer.pays(reference)
  }
  for (const acquirer of [world.first, world.second]) acquirer.troubles.length = 0
  for (let i = 0; i < 4; i += 1) {
    for (const { acquirer, reference } of ordersOf(world))
      await world.callback(acquirer, acquirer.callback(reference, undefined, { salt: `end ${i}` }))
    await world.later(200_000)
  }
}

const judge = async (world: FiatWorld, ids: readonly string[]): Promise<void> => {
  expect(await auditLedger(world.db)).toEqual([])
  let [atAcquirers, paidIn] = [0n, 0n]
  const succeeded: Record<string, number> = {}
  for (const { acquirer, reference } of ordersOf(world)) {
    const { state } = acquirer.orders.get(reference)!
    const payment = (await Promise.all(ids.map((id) => world.payments(id)))).flat().find(({ id }) => id === reference)!
    if (state.kind === 'succeeded') {
      atAcquirers += state.units - 50n
      paidIn += state.units
      expect(payment.state).toMatch(/^(credited|suspended)$/)
      if (payment.state === 'credited') succeeded[payment.invoiceId] = (succeeded[payment.invoiceId] ?? 0) + 1
    } else if (state.kind === 'reversed') {
      // A payment that was never posted leaves nothing; a posted one leaves the cost.
      if (payment.paidUnits !== null) atAcquirers -= 50n
      expect(payment.state).toBe('reversed')
    } else {
      expect(payment.paidUnits).toBeNull()
    }
  }
  expect(-(await world.balance('acquirer:first')) - (await world.balance('acquirer:second'))).toBe(atAcquirers)
  const [merchant, suspense, fees, owed] = await Promise.all(
    (['merchant', 'suspense', 'fees', 'receivable'] as const).map((kind) => world.balance(kind)),
  )
  expect(merchant! + suspense! + fees! + owed!).toBe(paidIn)
  for (const id of ids) {
    expect(succeeded[id] ?? 0).toBeLessThanOrEqual(1)
    const notified = (await world.notices()).filter(({ objectId }) => objectId === id).map(({ status }) => status)
    expect(['', 'Pending', 'Pending,Done', 'Pending,Failed', 'Failed']).toContain(notified.join())
    if (succeeded[id] === 1) expect(notified.at(-1)).toBe('Done')
  }
}

test('in any history and order, money is where the acquirers say, once, and everything is notified once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
      fc.boolean(),
      async (steps, allPay) => {
        const world = await openFiatInvoices(database)
        try {
          const ids = [await world.create(), await world.create()]
          for (const one of steps) await take(world, ids, one)
          await settle(world, allPay)
          await judge(world, ids)
        } finally {
          await emptyTables(world.db)
        }
      },
    ),
    { numRuns: cases(12), endOnFailure: true },
  )
})
