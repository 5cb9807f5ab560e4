/**
 * Exchanges with withdrawal and targets, with processes killed, -9: the worker at every named point between pricing a
 * conversion and recording that a node or the bank has its money, the api with orders on the way. Afterwards each is
 * made once and notified once, the receiver has the notified amount, and books, chain and bank agree. The points are
 * read from the sources.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Merchant, type Sandbox } from '../system/sandbox.ts'

const pointsOf = (module: string, files: RegExp): string[] => {
  const folder = new URL(`../../server/src/${module}/`, import.meta.url)
  const texts = readdirSync(folder)
    .filter((file) => files.test(file))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\.pause\('([a-z-]+)'\)/g)].map((match) => match[1]!)))]
}
/** Those that an ordinary payment on an EVM chain passes; a bump needs a transaction that is stuck. */
const SENDING = [
  ...pointsOf('pay-out/withdrawals', /^jobs-evm\.ts$/),
  ...pointsOf('chain/transactions', /^jobs\.ts$/),
].filter((point) => point !== 'bump-planned')
const PAYING = pointsOf('cards/card-payouts', /^jobs.*\.ts$/)
const CONVERTING = pointsOf('exchange/conversions', /^jobs.*\.ts$/)
const CARD = '4242424242424242'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_BITCOIN: '0',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0',
  })
  for (const merchant of sandbox.merchants) await sandbox.credit(merchant, 'USDT', '5000')
  await bursar('merchant', 'set', sandbox.merchants[1].id, 'defaultTarget', 'USDC')
  await sandbox.kill('worker')
})
afterAll(() => sandbox?.stop())

const shop = () => sandbox.merchants[0]
const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => sandbox.until(what, look)
/** The notifications of a merchant, in order, about objects that have this value in a field. */
const notifiedOf = async (merchant: Merchant, field: string, value: string): Promise<Record<string, unknown>[]> =>
  (await sandbox.messages(merchant))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    .filter((body) => body[field] === value)
const killedAt = async (point: string): Promise<void> => {
  await sandbox.paused('worker', point)
  await sandbox.kill('worker')
  await sandbox.start('worker')
  // Rows that the killed worker had claimed are free again when its lease is over.
  await sandbox.advance(120_000)
}
const sentToCards = async (): Promise<number> =>
  ((await sandbox.bankFind()).lines as { type: string; currency: string; amount: string }[])
    .filter(({ type, currency }) => type === 'payout' && currency === 'UAH')
    .reduce((sum, { amount }) => sum - Number(amount), 0)
/** Everything is on the chain, final, and equal to the ledger. */
const agree = async (): Promise<void> => {
  await sandbox.mine('ETHEREUM', 70)
  const answer = await until('the chain agrees', async () => {
    const text = await bursar('reconcile', '--network', 'ETHEREUM', '--full')
    return text.includes('the ledger is consistent, and the chains agree with it') ? text : undefined
  })
  expect(answer).toContain('agree')
  const rows =
    await sandbox.query(`select i.asset from (select asset, sum(units + reserved) as units from exchange_inventory group by asset) i
    where i.units <> (select sum(posted) from ledger_accounts a where a.asset = i.asset and a.kind = 'position')`)
  expect(rows).toEqual([])
}

test('there are points to be killed at', () => {
  expect([SENDING.length, PAYING.length, CONVERTING.length].map((count, i) => count >= [5, 5, 1][i]!)).toEqual([
    true,
    true,
    true,
  ])
})

describe('an exchange with withdrawal whose worker is killed', () => {
  test.each(SENDING)('at %s pays the address once, Exchanged and Done once each', async (point) => {
    const to = await sandbox.outside('ETHEREUM')
    const asked = {
      ticker: 'USDC',
      spendTicker: 'USDT',
      amount: '20',
      side: 'withdraw',
      blockchain: 'ETHEREUM',
    } as const
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
    const { withdraw, exchange, price } = await until('a price', () =>
      shop()
        .client.exchange.withdrawals.crypto.estimate({ ...asked, to })
        .catch(() => undefined),
    )
    const { id } = await shop().client.exchange.withdrawals.crypto.create({
      ...asked,
      to,
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      price: price.value,
      localId: point,
    })
    await killedAt(point)
    await sandbox.notified(shop(), { id, status: 'Done' })
    await sandbox.mine('ETHEREUM', 8)
    expect(Number(await sandbox.balanceOf('ETHEREUM', 'USDC', to))).toBeCloseTo(20 - Number(withdraw.fee), 6)
    expect((await notifiedOf(shop(), 'id', id)).map(({ status }) => status)).toEqual(['Exchanged', 'Done'])
    expect(await sandbox.query('select 1 from withdrawals where to_address ilike $1', [to])).toHaveLength(1)
    await sandbox.kill('worker')
  })

  test('books and chain agree after all of them', async () => {
    await sandbox.start('worker')
    await agree()
    await sandbox.kill('worker')
  })

  test.each(PAYING)('at %s pays the card once at most, and is notified once', async (point) => {
    const before = await sentToCards()
    const asked = { ticker: 'UAH', spendTicker: 'USDT', amount: '1000', side: 'withdraw' } as const
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
    const { withdraw, exchange, price } = await until('a price', () =>
      shop()
        .client.exchange.withdrawals.fiat.estimate(asked)
        .catch(() => undefined),
    )
    const { id } = await shop().client.exchange.withdrawals.fiat.create({
      ...asked,
      to: CARD,
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      price: price.value,
      localId: point,
    })
    await killedAt(point)
    const net = 1_000 - Number(withdraw.fee)
    if (point === 'card-payout-begun') {
      // It may have reached the bank, which answers that it does not know it: a person decides, and until then nothing
      // is sent, and the merchant is not notified.
      await sleep(5_000)
      expect(await sentToCards()).toBe(before)
    } else {
      await sandbox.notified(shop(), { id, status: 'Done' })
      await sandbox.advance(600_000)
      await sleep(1_000)
      expect((await sentToCards()) - before).toBeCloseTo(net, 2)
    }
    expect((await notifiedOf(shop(), 'id', id)).map(({ status }) => status)).toEqual([
      'Exchanged',
      ...(point === 'card-payout-begun' ? [] : ['Done']),
    ])
    await sandbox.kill('worker')
  })
})

/** Money that comes in under a target: the cause of the conversion, the amount, and the target asset. */
interface Entry {
  name: string
  merchant: () => Merchant
  causedBy: string
  /** pays in; @returns the localId that the conversion is notified with */
  come(target: { ticker: 'USDC'; address?: string; blockchain?: 'ETHEREUM' }): Promise<string>
}
const replenished = async (merchant: Merchant, address: string): Promise<string> => {
  const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '40')
  return (await sandbox.notified(merchant, { hash, status: 'Done' }))['id'] as string
}
const ENTRIES: Entry[] = [
  {
    name: 'a permanent address',
    merchant: shop,
    causedBy: 'crypto-replenishment',
    come: async (target) =>
      replenished(shop(), (await shop().client.addresses.create({ blockchain: 'ETHEREUM', target })).address),
  },
  {
    name: 'a rotating address',
    merchant: shop,
    causedBy: 'crypto-replenishment',
    come: async (target) =>
      replenished(
        shop(),
        (await shop().client.rotatingAddresses.create({ blockchain: 'ETHEREUM', duration: 3_600_000, target })).address,
      ),
  },
  {
    name: 'a crypto invoice',
    merchant: shop,
    causedBy: 'crypto-invoice',
    come: async (target) => {
      const { id } = await shop().client.invoices.crypto.create({
        name: 'Order',
        amount: { value: '40', ticker: 'USDT', blockchain: 'ETHEREUM' },
        toPendingImmediate: true,
        target,
      })
      await sandbox.payInvoice(id, 'exact')
      return id
    },
  },
  {
    name: 'a fiat invoice',
    merchant: shop,
    causedBy: 'fiat-invoice',
    come: async (target) => {
      const { id } = await shop().client.invoices.fiat.create({
        name: 'Order',
        amount: { value: '1000', ticker: 'UAH' },
        email: 'payer@example.com',
        toPendingImmediate: true,
        target,
      })
      const reference = await until(
        'a page to pay at',
        async () =>
          (
            await sandbox.query<{ id: string }>(`select id from payments where invoice_id = $1 and state = 'open'`, [
              id,
            ])
          )[0]?.id,
      )
      await sandbox.bank('pay', { reference })
      return id
    },
  },
  {
    name: "a merchant's default",
    merchant: () => sandbox.merchants[1],
    causedBy: 'crypto-replenishment',
    come: async () =>
      replenished(
        sandbox.merchants[1],
        (await sandbox.merchants[1].client.addresses.create({ blockchain: 'ETHEREUM' })).address,
      ),
  },
]
const worker = (point: string): Promise<void> => sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })

describe('a target whose worker is killed', () => {
  const cases = ENTRIES.flatMap((entry) => CONVERTING.map((point) => [entry.name, point, entry] as const))
  test.each(cases)('of %s at %s is converted once and notified once', async (_name, point, { merchant, come }) => {
    await worker(point)
    const arriving = come({ ticker: 'USDC' })
    await killedAt(point)
    const localId = await arriving
    await sandbox.notified(merchant(), { kind: 'Exchange', localId, status: 'Done' })
    await sleep(1_500)
    expect((await notifiedOf(merchant(), 'localId', localId)).filter(({ kind }) => kind === 'Exchange')).toHaveLength(1)
    expect(await sandbox.query(`select 1 from exchanges where local_id = $1`, [localId])).toHaveLength(1)
    expect(await sandbox.query(`select 1 from conversions where state = 'waiting'`)).toEqual([])
    await sandbox.kill('worker')
  })

  // The code is the same wherever the money came in: each entry is killed at one of the points.
  const sent = [...CONVERTING, 'stored-not-broadcast'].flatMap((point, at) =>
    ENTRIES.slice(0, 4)
      .filter((_entry, i) => i % 2 === at % 2)
      .map((entry) => [entry.name, point, entry] as const),
  )
  test.each(sent)(
    'of %s with an address at %s sends its proceeds once',
    async (_name, point, { merchant, causedBy, come }) => {
      const to = await sandbox.outside('ETHEREUM')
      await worker(point)
      const arriving = come({ ticker: 'USDC', address: to, blockchain: 'ETHEREUM' })
      await killedAt(point)
      const localId = await arriving
      const done = await sandbox.notified(merchant(), { kind: 'CryptoExchangeWithdraw', localId, status: 'Done' })
      expect(done).toMatchObject({ causedBy, exchanged: true, ticker: 'USDC', address: to })
      await sandbox.mine('ETHEREUM', 8)
      expect(Number(await sandbox.balanceOf('ETHEREUM', 'USDC', to))).toBeCloseTo(
        Number(done['amount']) - Number(done['fee']),
        6,
      )
      expect((await notifiedOf(merchant(), 'id', done['id'] as string)).map(({ status }) => status)).toEqual([
        'Exchanged',
        'Done',
      ])
      await sandbox.kill('worker')
    },
  )
})

describe('an api that is killed with orders on the way', () => {
  test('has made each once or not at all; asked again, each is made once', async () => {
    await sandbox.start('worker')
    await until('a price', () =>
      shop()
        .client.exchange.estimate({ spendTicker: 'USDT', targetTicker: 'USDC', amount: '10', side: 'spend' })
        .catch(() => undefined),
    )
    const to = await sandbox.outside('ETHEREUM')
    const whole = {
      ticker: 'USDC',
      spendTicker: 'USDT',
      amount: '5',
      side: 'withdraw',
      blockchain: 'ETHEREUM',
      fee: '3',
      exchangeFee: '1',
      price: '0.5',
      to,
    } as const
    const plain = { spendTicker: 'USDT', targetTicker: 'USDC', amount: '5', side: 'target', price: '0.5' } as const
    const quoted = await shop().client.exchange.withdrawals.crypto.estimate({
      ticker: 'USDC',
      spendTicker: 'USDT',
      amount: '5',
      side: 'withdraw',
      blockchain: 'ETHEREUM',
      to,
    })
    const price = String(Number(quoted.price.value) > 1 ? 2 : 0.5)
    const orders = Array.from({ length: 40 }, (_, i) => i).map(
      (i) => (): Promise<{ id: string }> =>
        i % 2 === 0
          ? shop().client.exchange.create({ ...plain, price, localId: `killed-${i}` })
          : shop().client.exchange.withdrawals.crypto.create({
              ...whole,
              price,
              fee: quoted.withdraw.fee,
              exchangeFee: quoted.exchange.fee,
              localId: `killed-${i}`,
            }),
    )
    let answered = 0
    const first = orders.map((order) =>
      order().then(
        (made) => ((answered += 1), made),
        () => undefined,
      ),
    )
    while (answered === 0) await sleep(1)
    await sandbox.kill('api')
    const known = await Promise.all(first)
    await sandbox.start('api')
    await until('the api answers', () =>
      shop()
        .client.balances.list(['USDC'])
        .then(
          () => true,
          () => undefined,
        ),
    )
    const again = await Promise.all(
      orders.map((order) =>
        order().then(
          () => 'made',
          (error: { code?: number; message: string }) =>
            error.code === 0 ? 'was there' : `${error.code} ${error.message}`,
        ),
      ),
    )
    expect(again.filter((outcome) => !['made', 'was there'].includes(outcome))).toEqual([])
    expect(known.filter((made, i) => made !== undefined && again[i] === 'made')).toEqual([])
    const rows = await sandbox.query<{ name: string; count: number }>(`select local_id as name, count(*)::int from (
      select local_id from exchanges union all select local_id from exchange_withdrawals) all_of_them where local_id like 'killed-%' group by 1`)
    expect(rows).toHaveLength(40)
    expect(rows.every(({ count }) => count === 1)).toBe(true)
    await agree()
  })
})
