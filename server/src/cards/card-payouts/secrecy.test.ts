/**
 * The number of a card is in no table but sealed, in no log and in no notification; and nowhere at all once the payout
 * has ended.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createPayoutAcquirer, type Behaviour } from '../../../../test/world/acquirer-payouts.ts'
import { CARD, catalogue, MASKED, openCardPayouts, type CardPayoutWorld } from '../../../../test/world/card-payouts.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createCommitter } from '../../ledger/postings/index.ts'
import { useEdge } from '../../../../test/world/edge.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { cardPayoutRoutes, createResealingJob } from './index.ts'
import { createOrderPolicy } from '../../pay-out/requests/index.ts'

// A payout is marked as ended, for its card to be erased.
const database = useDb({ breaks: ['card-payout-hold', 'card-payout-notified'] })
const HOUR = 3_600_000
/** A number as a careless writer may put it. */
const FORMS = [
  CARD,
  CARD.match(/.{4}/g)!.join(' '),
  CARD.match(/.{4}/g)!.join('-'),
  Buffer.from(CARD).toString('hex'),
  Buffer.from(CARD).toString('base64').slice(0, -2),
]
const holds = (text: string): boolean => FORMS.some((form) => text.includes(form))
const bank = createPayoutAcquirer('bank', { UAH: { least: 1_00n, most: 14_500_00n } })
const [older, newer] = [randomBytes(32), randomBytes(32)]
let here: CardPayoutWorld
beforeAll(async () => {
  here = await openCardPayouts(database, [bank], [older])
})
afterAll(() => here.close())

/** Every row of every table, as text. */
const dump = async (db: CardPayoutWorld['db']): Promise<string[]> => {
  const { rows: tables } = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(db)
    found.push(...rows.map(({ text }) => `${name} ${text}`))
  }
  return found
}

test('the search finds a number that is there', async () => {
  await sql`create table careless(note text)`.execute(here.db)
  await sql`insert into careless values (${`to ${CARD}`})`.execute(here.db)
  expect((await dump(here.db)).filter(holds)).toEqual([`careless ("to ${CARD}")`])
  await sql`drop table careless`.execute(here.db)
})

describe('any outcome of a payout', () => {
  const all: Behaviour[] = [
    'pays',
    'refuses',
    'refuses-elsewhere',
    'drops',
    'vanishes',
    'unreachable',
    'breaks',
    'waits',
  ]
  test.each(all)('that %s', async (behaviour) => {
    const shop = await here.merchant('UAH', 100_000n)
    bank.next = [behaviour]
    const { body } = await here.batch(shop, { ticker: 'UAH', amount: '40000' })
    await here.payOut(shop, { amount: '1000', meta: 'your-info' })
    expect((await dump(here.db)).filter(holds)).toEqual([])
    const { rows } = await sql<{
      sealed: string | null
    }>`select sealed_card as sealed from card_payouts where id = ${body.id}`.execute(here.db)
    expect(rows[0]!.sealed).toMatch(/^v1\./)
    await here.work()
    await here.later(2 * HOUR, 4)
    expect((await dump(here.db)).filter(holds)).toEqual([])
    expect(here.logged.filter(holds)).toEqual([])
    if (behaviour === 'breaks') expect(here.logged.join('')).toContain(MASKED)
    const { rows: stored } = await sql<{
      sealed: string | null
      open: number
    }>`select sealed_card as sealed, open_parts as open from card_payouts
      where merchant_id = ${shop}`.execute(here.db)
    for (const { sealed, open } of stored) expect(sealed === null).toBe(open === 0)
    expect(stored.filter(({ open }) => open === 0).length).toBeGreaterThan(0)
  })

  test.each(['refuses', 'refuses-elsewhere'] as const)('that %s, in words that name the card', async (behaviour) => {
    const { payOut } = bank
    onTestFinished(() => void (bank.payOut = payOut))
    bank.payOut = async (order) => {
      const state = await payOut(order)
      return state.kind === 'refused' ? { ...state, message: `no money for ${order.card}` } : state
    }
    const shop = await here.merchant('UAH', 100_000n)
    bank.next = [behaviour]
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    const dumped = await dump(here.db)
    expect(dumped.filter(holds)).toEqual([])
    expect(dumped.join('\n')).toContain(`no money for ${MASKED}`)
    expect(here.logged.filter(holds)).toEqual([])
  })

  test('nothing sealed is left when all have ended', async () => {
    for (const [reference, { state }] of bank.orders) if (state.kind === 'waiting') bank.end(reference, 'pays')
    await here.later(HOUR)
    const { rows } = await sql<{
      id: string
    }>`select payout_id as id from card_payout_parts where state in ('sending', 'waiting')`.execute(here.db)
    const { rows: sealed } = await sql<{
      id: string
    }>`select id from card_payouts where sealed_card is not null`.execute(here.db)
    expect(sealed.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
    expect(sealed).toHaveLength(2)
  })
})

test('a sealed number opens in its own row only, and with its own key only', async () => {
  const shop = await here.merchant('UAH', 10_000n)
  bank.next = ['waits', 'waits']
  const [a, b] = [
    await here.payOut(shop, { amount: '1000' }),
    await here.payOut(shop, { amount: '2000', to: '5555555555554444' }),
  ]
  await sql`update card_payouts set sealed_card = (select sealed_card from card_payouts where id = ${a.body.id}) where id = ${b.body.id}`.execute(
    here.db,
  )
  const before = bank.orders.size
  await here.work()
  expect(bank.orders.size).toBe(before + 1)
  const { rows } = await sql<{
    state: string
  }>`select state from card_payout_parts where payout_id = ${b.body.id}`.execute(here.db)
  expect(rows).toEqual([{ state: 'planned' }])
  await sql`update card_payouts set sealed_card = null, open_parts = 0 where id = ${b.body.id}`.execute(here.db)
  await sql`update card_payout_parts set next_step_at = 'infinity' where payout_id = ${b.body.id}`.execute(here.db)
})

test('keys are changed while payouts wait: the newest seals again the cards of an older one, which may then go', async () => {
  const shop = await here.merchant('UAH', 10_000n)
  const { body } = await here.payOut(shop, { amount: '1000' })
  const both = createSecretRing([newer, older])
  const without = { runtime: here.runtime, cards: createSecretRing([newer]) }
  await createResealingJob(without, 1).run(new AbortController().signal)
  const sealedOf = async () =>
    (
      await sql<{ sealed: string }>`select sealed_card as sealed from card_payouts where id = ${body.id}`.execute(
        here.db,
      )
    ).rows[0]!.sealed
  expect((await sealedOf()).startsWith(here.ring.newest)).toBe(true)
  expect(here.logged.join('')).toContain('sealed with a key that is missing')
  await createResealingJob({ runtime: here.runtime, cards: both }, 1).run(new AbortController().signal)
  expect((await sealedOf()).startsWith(both.newest)).toBe(true)
  here.deps.cards = createSecretRing([newer])
  await here.work()
  expect([...bank.orders.values()].at(-1)).toMatchObject({ card: CARD, units: 1_000_00n })
})

describe('through the edge', () => {
  const edge = useEdge()

  test('a signed request leaves the number in no answer, no stored answer and no log, and is one payout however often it comes', async () => {
    const committer = createCommitter({ url: (edge.pool.options as { connectionString: string }).connectionString })
    const shop = edge.merchant.id
    const entries = (['merchant', 'capital'] as const).map((kind, i) => ({
      account: { merchantId: shop, asset: 'UAH', kind },
      posted: 5_000_00n * (i === 0 ? 1n : -1n),
      held: 0n,
    }))
    const { newId } = here.runtime
    await committer.submit({
      transfer: {
        id: newId(),
        merchantId: shop,
        kind: 'post',
        cause: { kind: 'funding', id: newId() },
        entries,
        at: new Date(),
      },
    })
    const runtime = { ...here.runtime, db: edge.db }
    const [route] = cardPayoutRoutes({
      runtime,
      committer,
      rules: { catalogue, routing: here.deps.routing },
      cards: here.ring,
      random: () => 0,
      orderPolicy: createOrderPolicy(runtime),
    })
    edge.answer = (request) => route!.handle(request)
    const body = JSON.stringify({ ticker: 'UAH', to: CARD, amount: '1000', localId: 'one' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => edge.call('POST', '/merchants/withdrawals/fiat', body)),
    )
    const keyed = await edge.call('POST', '/merchants/withdrawals/fiat', body.replace('one', 'two'), {
      headers: ['idempotency-key', 'k1'],
    })
    const refused = await edge.call(
      'POST',
      '/merchants/withdrawals/fiat',
      body.replace('one', 'three').replace('"1000"', '"14000"'),
    )
    edge.answer = undefined
    await committer.close()
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]!.status).toBe(200)
    expect(keyed.status).toBe(200)
    expect(refused).toMatchObject({ status: 400, body: { code: 1 } })
    const { rows } = await sql`select 1 from card_payouts`.execute(edge.db)
    expect(rows).toHaveLength(2)
    const { rows: stored } = await sql`select 1 from request_answers`.execute(edge.db)
    expect(stored.length).toBeGreaterThanOrEqual(4)
    expect((await dump(edge.db)).filter(holds)).toEqual([])
    expect(edge.logged.filter(holds)).toEqual([])
    expect([...answers, keyed, refused].map(({ text }) => text).filter(holds)).toEqual([])
  })
})
