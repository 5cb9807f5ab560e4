/** Requests of payouts: their amounts, fees and refusals. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import { CARD, openCardPayouts, type CardPayoutWorld } from '../../../../test/world/card-payouts.ts'
import { useDb } from '../../../../test/world/database.ts'

// A localId is taken by an order that no module stores.
const database = useDb({ breaks: ['local-id-once'] })
const bank = createPayoutAcquirer('bank', {
  UAH: { least: 1_00n, most: 14_500_00n },
  KZT: { least: 1_000_00n, most: 150_000_00n },
})
let here: CardPayoutWorld
let shop: string
beforeAll(async () => {
  here = await openCardPayouts(database, [bank])
  shop = await here.merchant('UAH', 100_000n)
})
afterAll(() => here.close())
const key = (name: string, fingerprint = 'f') => ({ answerKeys: [{ key: name, fingerprint }] })

describe('the fee', () => {
  const fee = (query: Record<string, string>) => here.ask('getFiatWithdrawalFee', shop, { query })
  test.each([
    ['UAH', '1000', '10'],
    ['UAH', '0.01', '0.01'],
    ['UAH', '100.000000', '1'],
    ['KZT', '20000', '110'],
    ['KZT', '100000', '510'],
  ])('of %s %s is %s: the tariff, rounded up', async (ticker, amount, value) => {
    expect(await fee({ ticker, amount })).toEqual({ status: 200, body: { value } })
  })

  test('of a ticker that is not paid out is refused with code 0 and names those that are', async () => {
    expect(await fee({ ticker: 'USDT', amount: '1' })).toEqual({
      status: 400,
      body: { code: 0, description: 'ticker must be one of UAH, KZT; got "USDT"', field: 'ticker' },
    })
  })

  test('is at least the current one; a higher fee of the request is charged', async () => {
    const before = await here.available(shop)
    expect(await here.payOut(shop, { amount: '1000', fee: '9.99' })).toMatchObject({
      status: 400,
      body: { code: 2, field: 'fee', description: 'Fee less than required: the current fee is 10 UAH' },
    })
    expect((await here.payOut(shop, { amount: '1000', fee: '12.5' })).status).toBe(200)
    expect(before - (await here.available(shop))).toBe(1_012_50n)
  })
})

describe('refused, with the limits in the words', () => {
  const cases: [string, 'payOut' | 'batch', Record<string, unknown>, Record<string, unknown>][] = [
    [
      'too little',
      'payOut',
      { amount: '999.99' },
      { code: 5, description: 'Withdraw amount too low: a card payout is UAH 1000 to 14500' },
    ],
    [
      'too much',
      'payOut',
      { amount: '14500.01' },
      { code: 7, description: 'Withdraw amount too high: a card payout is UAH 1000 to 14500' },
    ],
    [
      'too little KZT',
      'payOut',
      { ticker: 'KZT', amount: '19999' },
      { code: 5, description: 'Withdraw amount too low: a card payout is KZT 20000 to 150000' },
    ],
    ['more KZT than the acquirer takes at once', 'payOut', { ticker: 'KZT', amount: '299000' }, { code: 7 }],
    [
      'a small batch',
      'batch',
      { ticker: 'UAH', amount: '999' },
      { code: 5, description: 'Withdraw amount too low: a batch of card payouts is UAH 1000 to 7250000' },
    ],
    ['a batch beyond what parts can carry', 'batch', { ticker: 'UAH', amount: '7250001' }, { code: 7 }],
    [
      'a large batch of KZT',
      'batch',
      { amount: '299000.01' },
      { code: 7, description: 'Withdraw amount too high: a batch of card payouts is KZT 20000 to 299000' },
    ],
    ['more than there is', 'batch', { ticker: 'UAH', amount: '1000000' }, { code: 1 }],
    [
      'a finer amount',
      'payOut',
      { amount: '1000.001' },
      { code: 3, field: 'amount', description: 'amount has more decimals than the 2 of UAH' },
    ],
    ['no amount', 'payOut', { amount: '0.00' }, { code: 3, field: 'amount' }],
    [
      'another currency',
      'payOut',
      { ticker: 'USD', amount: '1000' },
      { code: 3, field: 'ticker', description: 'ticker must be one of UAH, KZT; got "USD"' },
    ],
    ['a wrong check digit', 'payOut', { amount: '1000', to: '4111111111111112' }, { code: 8, field: 'to' }],
    ['zeros', 'payOut', { amount: '1000', to: '0000000000000000' }, { code: 8, field: 'to' }],
    ['the card in meta', 'payOut', { amount: '1000', meta: 'for 4111 1111-1111 1111' }, { code: 3, field: 'meta' }],
    ['the card in localId', 'payOut', { amount: '1000', localId: `to-${CARD}` }, { code: 3, field: 'localId' }],
  ]
  test.each(cases)('%s', async (_what, how, body, expected) => {
    const before = await here.available(shop)
    const answer = await here[how](shop, body)
    expect(answer).toMatchObject({ status: 400, body: expected })
    expect(String(answer.body.description)).not.toContain(String(body.to ?? CARD))
    expect(await here.available(shop)).toBe(before)
  })

  test('all ends of the limits are allowed', async () => {
    const rich = await here.merchant('UAH', 1_000_000n)
    for (const amount of ['1000', '14500']) expect((await here.payOut(rich, { amount })).status).toBe(200)
    for (const amount of ['1000', '14500.01', '300000'])
      expect((await here.batch(rich, { ticker: 'UAH', amount })).status).toBe(200)
    const tenge = await here.merchant('KZT', 1_000_000n)
    for (const amount of ['20000', '299000']) expect((await here.batch(tenge, { amount })).status).toBe(200)
  })
})

describe('once', () => {
  test('fifty requests for the last balance: one payout, and the books hold', async () => {
    const poor = await here.merchant('UAH', 1_010n)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => here.payOut(poor, { amount: '1000', localId: `n${i}` }, key(`sig:${i}`))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(49)
    expect(await here.available(poor)).toBe(0n)
  })

  test('fifty requests with one localId: one payout, and the others name it', async () => {
    const rich = await here.merchant('UAH', 100_000n)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        here[i % 2 === 0 ? 'payOut' : 'batch'](
          rich,
          { ticker: 'UAH', amount: '1000', localId: 'same' },
          key(`sig:${i}`),
        ),
      ),
    )
    const [won, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    const lost = answers.filter(({ status }) => status !== 200)
    for (const { body } of lost)
      expect(body).toMatchObject({
        code: 0,
        field: 'localId',
        description: expect.stringContaining(String(won!.body.id)) as string,
      })
    expect(await here.available(rich)).toBe(100_000_00n - 1_010_00n)
  })

  test('a localId of another operation is taken here too', async () => {
    const rich = await here.merchant('UAH', 100_000n)
    const id = randomUUID()
    // Raw: the order of another module needs its counterparties.
    await sql`insert into local_ids(merchant_id, local_id, operation, object_id) values (${rich}, 'elsewhere', 'createExchange', ${id})`.execute(
      here.db,
    )
    expect(await here.batch(rich, { ticker: 'UAH', amount: '1000', localId: 'elsewhere' })).toMatchObject({
      status: 400,
      body: { code: 0 },
    })
    expect(await here.available(rich)).toBe(100_000_00n)
  })

  test('the same request again gets the first answer, refusals too; the same key with another request does not', async () => {
    const rich = await here.merchant('UAH', 3_000n)
    const first = await Promise.all(
      Array.from({ length: 20 }, () =>
        here.batch(rich, { ticker: 'UAH', amount: '1000', localId: 'x' }, key('sig:same')),
      ),
    )
    expect(new Set(first.map(({ body }) => body.id)).size).toBe(1)
    expect(await here.available(rich)).toBe(3_000_00n - 1_010_00n)
    const refused = await here.payOut(rich, { amount: '2000' }, key('key:k'))
    expect(refused).toMatchObject({ status: 400, body: { code: 1 } })
    expect(await here.payOut(rich, { amount: '2000' }, key('key:k'))).toEqual({
      ...refused,
      body: { code: 1, description: refused.body.description },
    })
    expect(await here.payOut(rich, { amount: '1000' }, key('key:k', 'other'))).toMatchObject({
      status: 409,
      body: { code: 103 },
    })
    expect(await here.available(rich)).toBe(3_000_00n - 1_010_00n)
  })
})

test('where no acquirer pays out, every ticker is refused and says why', async () => {
  const bare = await openCardPayouts(database, [])
  const answer = await bare.payOut(shop, { amount: '1000' })
  expect(answer).toMatchObject({ status: 400, body: { code: 3, field: 'ticker' } })
  await bare.close()
})

test('audit C-1: a single payout of KZT is 20000 to 299000, in one payment, and parts of a batch stay below 14500', async () => {
  const wide = await openCardPayouts(database, [
    createPayoutAcquirer('wide', { KZT: { least: 1_00n, most: 299_000_00n } }),
  ])
  const rich = await wide.merchant('KZT', 1_000_000n)
  for (const amount of ['20000', '299000'])
    expect((await wide.payOut(rich, { ticker: 'KZT', amount })).status).toBe(200)
  for (const amount of ['19999.99', '299000.01'])
    expect(await wide.payOut(rich, { ticker: 'KZT', amount })).toMatchObject({
      status: 400,
      body: { description: expect.stringContaining('KZT 20000 to 299000') as string },
    })
  expect((await wide.batch(rich, { amount: '100000' })).status).toBe(200)
  const { rows } = await sql<{
    units: bigint
  }>`select units from card_payout_parts where merchant_id = ${rich} order by units desc`.execute(wide.db)
  expect(rows.slice(0, 2).map(({ units }) => units)).toEqual([299_000_00n, 20_000_00n])
  expect(rows.slice(2).every(({ units }) => units <= 14_500_00n)).toBe(true)
  await wide.close()
})
