import { cryptoInvoiceNotice, operations } from '@bursar/contract'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { auditLedger } from '../../ledger/postings/index.ts'
import { HOUR, MINUTE, OTHER, SHOP, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'
import { START } from '../../../../test/world/deposits.ts'

const world = useCryptoInvoices()

const schema = operations.find(({ id }) => id === 'getCryptoInvoice')!.response!

const USDT = { value: '100', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' }

const fits = (body: Record<string, unknown>): void =>
  expect([...Value.Errors(cryptoInvoiceNotice.statuses[body.status as string]!, body)]).toEqual([])

describe('an invoice in crypto', () => {
  test('is created without an address, registered when the payer continues, pending with its first payment, paid when all is credited', async () => {
    const id = await world.create({
      amount: USDT,
      meta: 'order 7',
      description: 'Two books',
      redirectUrl: 'https://shop.example/thanks',
    })
    const created = await world.lookup(id)
    expect([...Value.Errors(schema, created)]).toEqual([])
    expect(created).toEqual({
      id,
      merchantId: SHOP,
      company: { name: 'Shop Ltd', url: 'https://shop.example' },
      name: 'Order 7',
      description: 'Two books',
      meta: 'order 7',
      status: 'CREATED',
      url: `https://pay.example/invoices/crypto/${id}`,
      createdAt: START,
      expiredAt: START + 72 * HOUR,
      clientExpiredAt: START + 48 * HOUR,
      amount: USDT,
      paidAmount: '0',
    })
    expect(await world.notified()).toEqual([])
    expect(await world.find(id)).toMatchObject({
      state: 'created',
      destination: null,
      asked: { text: '100' },
      options: [{ ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN', amount: '100' }],
    })

    await world.proceed(id, { email: 'payer@example.com', language: 'uk' })
    await world.proceed(id)
    const { address } = await world.lookup(id)
    expect(address).toMatch(/^0x/)
    expect(await world.lookup(id)).toMatchObject({ status: 'REGISTERED', email: 'payer@example.com' })
    expect(await world.notified()).toEqual(['CryptoInvoice PENDING'])

    const first = await world.payment(id, '40')
    const height = await world.mine(first.network, [first.transaction])
    expect(await world.lookup(id)).toMatchObject({ status: 'PENDING', paidAmount: '0' })
    expect(await world.find(id)).toMatchObject({
      waiting: { text: '40' },
      missing: { text: '60' },
      toSend: { text: '60' },
      payments: [{ state: 'waiting', counts: true, amount: '40' }],
    })
    await world.settle(first.network, height)
    expect(await world.lookup(id)).toMatchObject({ status: 'PENDING', paidAmount: '40' })
    await world.confirm(await world.payment(id, '60'))
    const paid = await world.lookup(id)
    expect([...Value.Errors(schema, paid)]).toEqual([])
    expect(paid).toMatchObject({ status: 'PAID', paidAmount: '100', fee: '0' })
    expect(await world.notified()).toEqual(['CryptoInvoice PENDING', 'CryptoInvoice DONE'])
    const [pending, done] = await world.notices()
    const common = {
      id,
      ticker: 'USDT',
      blockchain: 'BINANCE_SMART_CHAIN',
      merchantId: SHOP,
      amount: '100',
      name: 'Order 7',
      description: 'Two books',
      meta: 'order 7',
      email: 'payer@example.com',
      address,
      expiredAt: START + 72 * HOUR,
      time: START,
      kind: 'CryptoInvoice',
    }
    expect(pending).toEqual({ ...common, paidAmount: '0', status: 'PENDING' })
    expect(done).toEqual({ ...common, paidAmount: '100', fee: '0', status: 'DONE' })
    for (const body of [pending!, done!]) fits(body)
    expect(await world.balance('USDT')).toBe(100n * 10n ** 18n)
    expect(await auditLedger(world.db)).toEqual([])
    expect(await world.mails()).toMatchObject([
      {
        kind: 'receipt',
        recipient: 'payer@example.com',
        data: { receipt: { amount: '100', paidAmount: '100', payments: [{ amount: '40' }, { amount: '60' }] } },
      },
    ])
  })

  test('carries the deposit fees of its payments', async () => {
    const id = await world.create({ amount: { value: '100', ticker: 'USDT', blockchain: 'ETHEREUM' } })
    await world.proceed(id)
    await world.confirm(await world.payment(id, '100'))
    expect((await world.notices()).at(-1)).toMatchObject({ status: 'DONE', paidAmount: '100', fee: '1' })
    expect(await world.balance('USDT')).toBe(99n * 10n ** 18n)
  })

  test('B15 paid too much is PAID with more than was asked for', async () => {
    const id = await world.create({ amount: USDT })
    await world.proceed(id)
    await world.confirm(await world.payment(id, '150'))
    expect((await world.notices()).at(-1)).toMatchObject({ status: 'DONE', amount: '100', paidAmount: '150' })
    expect(await world.find(id)).toMatchObject({
      state: 'paid',
      over: { text: '50' },
      missing: { text: '0' },
      toSend: null,
    })
  })

  test('the payer chooses the parts that the merchant left open, among the offered ones', async () => {
    const id = await world.create({})
    expect(await world.lookup(id)).toMatchObject({ amount: null })
    const { options, choosesValue } = await world.find(id)
    expect(choosesValue).toBe(true)
    expect(options.map(({ ticker, blockchain, minimum }) => `${ticker} ${blockchain} ${minimum}`)).toEqual([
      'BTC BITCOIN 0.0001',
      'ETH ETHEREUM 0.001',
      'USDT ETHEREUM 1',
      'USDT BINANCE_SMART_CHAIN 1',
    ])
    for (const [choice, reason] of [
      [{}, 'choose-ticker'],
      [{ ticker: 'DOGE' }, 'ticker-refused'],
      [{ ticker: 'USDT' }, 'choose-blockchain'],
      [{ ticker: 'USDT', blockchain: 'TRON' }, 'blockchain-refused'],
      [{ ticker: 'BTC' }, 'choose-value'],
      [{ ticker: 'BTC', value: '1e3' }, 'value-invalid'],
      [{ ticker: 'BTC', value: '0.000000001' }, 'value-invalid'],
      [{ ticker: 'BTC', value: '0' }, 'value-invalid'],
      [{ ticker: 'BTC', value: '-1' }, 'value-invalid'],
      [{ ticker: 'BTC', value: '1.500' }, 'value-invalid'],
      [{ ticker: 'BTC', value: '0.00009' }, 'value-too-small'],
      [{ ticker: 'BTC', value: '1', email: 'a@b@c' }, 'email-invalid'],
      [{ ticker: 'USDT', blockchain: 'ETHEREUM', value: '1.0000001' }, 'value-invalid'],
    ] as const) {
      await expect(world.proceed(id, choice)).rejects.toMatchObject({ reason })
    }
    expect(await world.lookup(id)).toMatchObject({ status: 'CREATED', amount: null })
    await world.proceed(id, { ticker: 'USDT', blockchain: 'ETHEREUM', value: '12,5' })
    expect(await world.lookup(id)).toMatchObject({
      status: 'REGISTERED',
      amount: { value: '12.5', ticker: 'USDT', blockchain: 'ETHEREUM' },
    })
  })

  test('the payer does not change the parts that the merchant fixed', async () => {
    const id = await world.create({ amount: USDT })
    await world.proceed(id, { ticker: 'BTC', blockchain: 'BITCOIN', value: '0.001' })
    expect(await world.lookup(id)).toMatchObject({ amount: USDT })
  })

  test('toPendingImmediate has the address at once where nothing is left to choose', async () => {
    const id = await world.create({ amount: USDT, toPendingImmediate: true })
    expect(await world.lookup(id)).toMatchObject({ status: 'REGISTERED', address: expect.stringMatching(/^0x/) })
    const priced = await world.create({
      amount: { ticker: 'BTC', blockchain: 'BITCOIN' },
      baseAmount: { value: '100', ticker: 'USD' },
      toPendingImmediate: true,
    })
    expect(await world.lookup(priced)).toMatchObject({ status: 'REGISTERED', amount: { value: '0.002' } })
    world.prices.clear()
    const refused = await world.call('createCryptoInvoice', {
      body: {
        name: 'x',
        amount: { ticker: 'BTC', blockchain: 'BITCOIN' },
        baseAmount: { value: '100', ticker: 'USD' },
        toPendingImmediate: true,
      },
    })
    expect(refused).toMatchObject({ status: 503, body: { code: 107 } })
  })
})

describe('money that does not match the invoice', () => {
  test('B15 another asset, the other EVM network and too little are ordinary deposits: notified, shown, not counted', async () => {
    const id = await world.create({ amount: USDT })
    await world.proceed(id)
    await world.confirm(
      await world.payment(id, '100', { network: 'ETHEREUM' }),
      await world.payment(id, '2', { ticker: 'ETH', network: 'ETHEREUM' }),
      await world.payment(id, '0.5'),
    )
    expect(await world.lookup(id)).toMatchObject({ status: 'REGISTERED', paidAmount: '0' })
    expect((await world.notified()).toSorted()).toEqual([
      'CryptoInvoice PENDING',
      'Replenish Done',
      'Replenish Done',
      'Replenish Failed',
      'Replenish Pending',
      'Replenish Pending',
      'Replenish Pending',
    ])
    expect(
      (await world.find(id)).payments.map(({ ticker, blockchain, counts, state }) => [
        ticker,
        blockchain,
        counts,
        state,
      ]),
    ).toEqual([
      ['USDT', 'ETHEREUM', false, 'credited'],
      ['ETH', 'ETHEREUM', false, 'credited'],
      ['USDT', 'BINANCE_SMART_CHAIN', false, 'too-small'],
    ])
    await world.confirm(await world.payment(id, '100'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '100' })
    expect(await world.balance('USDT')).toBe(199n * 10n ** 18n)
  })

  test('a rest below the smallest credited amount is shown as that amount', async () => {
    const id = await world.create({ amount: USDT })
    await world.proceed(id)
    await world.confirm(await world.payment(id, '99.5'))
    expect(await world.find(id)).toMatchObject({ missing: { text: '0.5' }, toSend: { text: '1' } })
    await world.confirm(await world.payment(id, '1'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '100.5' })
  })
})

describe('the end of its time', () => {
  test('unpaid is EXPIRED, notified with the known values; the page shows the end earlier', async () => {
    const untouched = await world.create({})
    const registered = await world.create({ amount: USDT, duration: 100 * HOUR })
    await world.proceed(registered)
    world.now += 72 * HOUR - 1
    await world.tick()
    expect(await world.lookup(untouched)).toMatchObject({ status: 'CREATED' })
    world.now += 1
    await world.tick()
    expect(await world.lookup(untouched)).toMatchObject({ status: 'EXPIRED' })
    expect(await world.lookup(registered)).toMatchObject({
      status: 'REGISTERED',
      clientExpiredAt: START + (100 * HOUR * 2) / 3,
    })
    await expect(world.proceed(untouched, { ticker: 'BTC', value: '1' })).rejects.toMatchObject({ reason: 'ended' })
    world.now += 28 * HOUR
    await world.tick()
    const expired = (await world.notices()).filter(({ status }) => status === 'EXPIRED')
    expect(expired).toHaveLength(2)
    for (const body of expired) fits(body)
    expect(expired.find(({ id }) => id === untouched)).toMatchObject({ ticker: '', blockchain: '', amount: '0' })
    await world.tick()
    expect((await world.notices()).filter(({ status }) => status === 'EXPIRED')).toHaveLength(2)
  })

  test('waits for a payment that was seen in time, which makes it PAID', async () => {
    const id = await world.create({ amount: USDT })
    await world.proceed(id)
    world.now += 72 * HOUR - MINUTE
    const paid = await world.payment(id, '100')
    await world.mine(paid.network, [paid.transaction])
    world.now += 5 * HOUR
    await world.tick()
    expect(await world.lookup(id)).toMatchObject({ status: 'PENDING' })
    await world.settle(paid.network)
    await world.tick()
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID' })
    expect(await world.notified()).toEqual(['CryptoInvoice PENDING', 'CryptoInvoice DONE'])
  })

  test('comes after all when the payment it waited for is replaced', async () => {
    const id = await world.create({ amount: { value: '1', ticker: 'BTC', blockchain: 'BITCOIN' } })
    await world.proceed(id)
    const { transaction } = await world.payment(id, '1')
    await world.poolHas('BITCOIN', [transaction])
    world.now += 80 * HOUR
    await world.tick()
    expect(await world.lookup(id)).toMatchObject({ status: 'PENDING' })
    await world.mine('BITCOIN', [{ ...transaction, hash: 'other', transfers: [] }])
    await world.settle('BITCOIN')
    await world.tick()
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED', paidAmount: '0' })
    expect(await world.notified()).toEqual(['CryptoInvoice PENDING', 'CryptoInvoice EXPIRED'])
  })

  test('late money is credited and notified as a deposit, the lookup shows it, and the rest makes it PAID with one DONE', async () => {
    const id = await world.create({ amount: USDT, email: 'payer@example.com' })
    await world.proceed(id)
    await world.confirm(await world.payment(id, '30'))
    world.now += 73 * HOUR
    await world.tick()
    expect((await world.notices()).at(-1)).toMatchObject({ status: 'EXPIRED', paidAmount: '30' })
    await world.confirm(await world.payment(id, '20'))
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED', paidAmount: '50' })
    expect(await world.notified()).toEqual([
      'CryptoInvoice PENDING',
      'CryptoInvoice EXPIRED',
      'Replenish Pending',
      'Replenish Done',
    ])
    await world.confirm(await world.payment(id, '50'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '100' })
    expect((await world.notified()).slice(4)).toEqual(['Replenish Pending', 'Replenish Done', 'CryptoInvoice DONE'])
    await world.confirm(await world.payment(id, '5'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '105' })
    expect((await world.notified()).slice(7)).toEqual(['Replenish Pending', 'Replenish Done'])
    expect((await world.mails()).map(({ kind }) => kind)).toEqual(['underpaid', 'receipt'])
  })

  test('a second payment that confirms after the first has paid all is notified as a deposit', async () => {
    const id = await world.create({ amount: USDT })
    await world.proceed(id)
    const [one, two] = [await world.payment(id, '100'), await world.payment(id, '25')]
    const height = await world.mine(one.network, [one.transaction])
    await world.mine(two.network, [two.transaction])
    await world.settle(one.network, height)
    expect((await world.notices()).at(-1)).toMatchObject({ status: 'DONE', paidAmount: '100' })
    await world.settle(two.network)
    expect(await world.notified()).toEqual(['CryptoInvoice PENDING', 'CryptoInvoice DONE', 'Replenish Done'])
    expect(await world.lookup(id)).toMatchObject({ paidAmount: '125' })
  })
})

describe('closing', () => {
  test('accepts the credited amount as enough, from PENDING and from EXPIRED', async () => {
    for (const late of [false, true]) {
      const id = await world.create({ amount: USDT })
      await world.proceed(id)
      await world.confirm(await world.payment(id, '30'))
      if (late) {
        world.now += 73 * HOUR
        await world.tick()
      }
      const closed = await world.close(id)
      expect([...Value.Errors(schema, closed)]).toEqual([])
      expect(closed).toMatchObject({ id, status: 'PAID', paidAmount: '30' })
      expect((await world.notices()).at(-1)).toMatchObject({ id, status: 'DONE', amount: '100', paidAmount: '30' })
      expect(await world.close(id)).toMatchObject({ code: 100 })
    }
  })

  test('is refused with nothing credited, and unknown to other merchants', async () => {
    const id = await world.create({ amount: USDT })
    expect(await world.close(id)).toMatchObject({ code: 100 })
    await world.proceed(id)
    const paid = await world.payment(id, '30')
    await world.mine(paid.network, [paid.transaction])
    expect(await world.close(id)).toMatchObject({
      code: 100,
      description: expect.stringContaining('nothing is credited'),
    })
    for (const operation of ['getCryptoInvoice', 'closeCryptoInvoice']) {
      expect(await world.call(operation, { merchantId: OTHER, params: { id } })).toMatchObject({
        status: 404,
        body: { code: 101 },
      })
      expect(await world.call(operation, { params: { id: SHOP } })).toMatchObject({ status: 404, body: { code: 101 } })
    }
  })

  test('a payment on its way then is notified as a deposit when it comes', async () => {
    const id = await world.create({ amount: USDT })
    await world.proceed(id)
    await world.confirm(await world.payment(id, '30'))
    const more = await world.payment(id, '70')
    await world.mine(more.network, [more.transaction])
    await world.close(id)
    await world.settle(more.network)
    expect(await world.notified()).toEqual(['CryptoInvoice PENDING', 'CryptoInvoice DONE', 'Replenish Done'])
    expect(await world.lookup(id)).toMatchObject({ paidAmount: '100' })
  })
})
