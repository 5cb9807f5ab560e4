import { afterAll, describe, expect, test } from 'vitest'
import { versionOf, type PageView } from '@bursar/checkout'
import { catalogue, HOUR, MINUTE, SHOP, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'
import { E18, START } from '../../../../test/world/deposits.ts'
import { setSetting } from '../../merchants/accounts/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createInvoices } from '../crypto-invoices/index.ts'
import { DEFAULT_DEPOSIT_POLICY } from '../deposits/index.ts'
import { createDocumentMaker } from '../../merchants/documents/index.ts'
import { createCryptoPages, createSellers, type SentForm, type Visit } from './index.ts'

const documents = createDocumentMaker()
const world = useCryptoInvoices()
const SETTINGS = { accent: '#112233', supportUrl: 'https://shop.example/help', supportEmail: 'help@shop.example' }
const sellers = createSellers({ find: () => ({ settings: SETTINGS }) as never })
const chainIds = new Map([
  ['ETHEREUM', 31_337n],
  ['BINANCE_SMART_CHAIN', 56n],
] as const)
const pages = createCryptoPages({
  runtime: world.runtime,
  catalogue,
  chainIds,
  depositPolicy: DEFAULT_DEPOSIT_POLICY,
  invoices: createInvoices(world.settings),
  claimTokens: world.settings.claimTokens,
  sellers,
  documents,
  networkFees: async () => (_ticker, network) =>
    network === 'BITCOIN' ? 1_230_000_000_000_000_000n : network === 'ETHEREUM' ? 1n : undefined,
})
afterAll(() => documents.close())

const VISIT: Visit = { language: 'uk', claim: undefined, returned: false, rest: false, fee: undefined }
const FORM: SentForm = { verb: 'proceed', email: undefined, value: undefined, choice: undefined, address: undefined }
const USDT = { value: '100', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' }
const see = async (id: string, visit: Partial<Visit> = {}): Promise<PageView> =>
  (await pages.find(id, { ...VISIT, ...visit }))!
const send = (id: string, form: Partial<SentForm>, visit: Partial<Visit> = {}) =>
  pages.act(id, { ...FORM, ...form }, { ...VISIT, ...visit })
const claimOf = (id: string): string => world.settings.claimTokens.of(id)
const underpaid = async (): Promise<string> => {
  const id = await world.create({ amount: USDT })
  await send(id, { email: 'payer@example.com' })
  await world.confirm(await world.payment(id, '40'))
  world.now += 73 * HOUR
  await world.tick()
  return id
}

describe('the page of a crypto invoice', () => {
  test('leads from the details to the address, a part, the whole and the receipt', async () => {
    const id = await world.create({
      amount: USDT,
      description: 'Two books',
      redirectUrl: 'https://shop.example/thanks',
    })
    expect(await see(id)).toMatchObject({
      seller: {
        name: 'Shop Ltd',
        url: 'https://shop.example',
        accent: '#112233',
        support: { url: 'https://shop.example/help', email: 'help@shop.example' },
      },
      name: 'Order 7',
      description: 'Two books',
      returnTo: 'https://shop.example/thanks',
      now: START,
      state: {
        at: 'open',
        asked: { value: '100', ticker: 'USDT' },
        email: 'ask',
        options: [{ blockchain: 'BINANCE_SMART_CHAIN', networkName: 'BNB Smart Chain (BEP-20)' }],
        until: START + 48 * HOUR,
      },
    })
    expect(await send(id, {})).toEqual([{ field: 'email', why: 'missing' }])
    expect(await send(id, { email: 'a@b@c' })).toEqual([{ field: 'email', why: 'malformed' }])
    expect((await see(id)).state.at).toBe('open')
    expect(await send(id, { email: 'payer@example.com' })).toEqual([])
    const { state } = await see(id)
    expect(state).toMatchObject({
      at: 'pay',
      missing: '100',
      send: '100',
      paid: '0',
      payments: [],
      quote: undefined,
      to: { isToken: true, networkName: 'BNB Smart Chain (BEP-20)' },
    })
    const address = state.at === 'pay' ? state.to.address : ''
    expect(state).toMatchObject({
      to: {
        uri: `ethereum:0xbusdt@56/transfer?address=${address}&uint256=${100n * E18}`,
        wallet: { href: `ethereum:0xbusdt@56/transfer?address=${address}&uint256=${100n * E18}`, app: undefined },
      },
    })
    expect(await see(id, { fee: '1,5' })).toMatchObject({ exchangeFee: '1,5', keep: { fee: '1,5' } })

    await world.confirm(await world.payment(id, '40'))
    expect((await see(id)).state).toMatchObject({
      at: 'pay',
      paid: '40',
      missing: '60',
      send: '60',
      payments: [{ value: '40', status: 'credited' }],
      to: { uri: expect.stringContaining(`uint256=${60n * E18}`) as string },
    })
    const rest = await world.payment(id, '60')
    await world.mine('BINANCE_SMART_CHAIN', [rest.transaction])
    expect((await see(id)).state).toMatchObject({
      at: 'confirming',
      paid: '100',
      payments: [{}, { value: '60', status: 'waiting' }],
    })
    expect(await pages.receipt(id, VISIT)).toBeUndefined()
    await world.settle('BINANCE_SMART_CHAIN')
    expect((await see(id)).state).toMatchObject({
      at: 'paid',
      paid: { value: '100' },
      over: undefined,
      closed: false,
      receipt: `/invoices/crypto/${id}/receipt.pdf`,
    })
    const receipt = await pages.receipt(id, VISIT)
    expect(receipt!.pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(await send(id, { email: 'late@example.com' })).toEqual([{ field: 'form', why: 'gone' }])
  })

  test('lets the payer choose the open parts of the amount, and reports a wrong choice', async () => {
    const id = await world.create({})
    expect((await see(id)).state).toMatchObject({
      at: 'open',
      asked: undefined,
      amountEntry: { ticker: undefined },
      options: [
        { ticker: 'BTC', least: '0.0001', wait: { least: 10, most: 60 }, fee: { value: '1.23', ticker: 'USD' } },
        { blockchain: 'ETHEREUM', wait: { least: 15, most: 15 }, fee: { value: '0.01', ticker: 'USD' } },
        {},
        {},
      ],
    })
    const email = 'payer@example.com'
    expect(await send(id, {})).toEqual([
      { field: 'email', why: 'missing' },
      { field: 'choice', why: 'missing' },
      { field: 'value', why: 'missing' },
    ])
    expect(await send(id, { email: 'a@b@c', choice: 'BTC:BITCOIN' })).toEqual([
      { field: 'email', why: 'malformed' },
      { field: 'value', why: 'missing' },
    ])
    expect(await send(id, { email, value: '1' })).toEqual([{ field: 'choice', why: 'missing' }])
    expect(await send(id, { email, value: '1', choice: 'DOGE:BITCOIN' })).toEqual([{ field: 'choice', why: 'missing' }])
    expect(await send(id, { email, choice: 'BTC:BITCOIN' })).toEqual([{ field: 'value', why: 'missing' }])
    expect(await send(id, { email, choice: 'BTC:BITCOIN', value: '1e3' })).toEqual([
      { field: 'value', why: 'malformed' },
    ])
    expect(await send(id, { email, choice: 'BTC:BITCOIN', value: '0.00009' })).toEqual([
      {
        field: 'value',
        why: 'limits',
        least: { value: '0.0001', ticker: 'BTC' },
        most: undefined,
      },
    ])
    expect(await send(id, { email, choice: 'BTC:BITCOIN', value: '0,5' })).toEqual([])
    expect((await see(id)).state).toMatchObject({
      at: 'pay',
      to: { uri: expect.stringMatching(/^bitcoin:\w+\?amount=0\.5$/) as string, isToken: false },
    })
  })

  test("lists the assets of the merchant's order first, and the others as they were", async () => {
    const tickersOf = async (): Promise<string[]> => {
      const { state } = await see(await world.create({}))
      return state.at === 'open' ? state.options.map(({ ticker }) => ticker) : []
    }
    expect(await tickersOf()).toEqual(['BTC', 'ETH', 'USDT', 'USDT'])
    await world.db
      .transaction()
      .execute((tx) =>
        setSetting(
          tx,
          SHOP,
          { name: 'assetOrder', value: 'USDT,DOGE,ETH' },
          { actor: 'test' },
          momentOf(world.runtime),
        ),
      )
    expect(await tickersOf()).toEqual(['USDT', 'USDT', 'ETH', 'BTC'])
  })

  test('of a price in fiat shows an estimate, then a rate that is renewed, or that no rate is known', async () => {
    world.prices.delete('ETH')
    const id = await world.create({ baseAmount: { value: '4000', ticker: 'UAH' }, email: 'payer@example.com' })
    expect((await see(id)).state).toMatchObject({
      at: 'open',
      asked: { value: '4000', ticker: 'UAH' },
      email: 'known',
      options: [{ ticker: 'BTC', about: '0.002' }, { ticker: 'USDT', about: '100' }, { ticker: 'USDT' }],
    })
    await send(id, { choice: 'USDT:ETHEREUM' })
    const until = START + 15 * MINUTE
    expect((await see(id)).state).toMatchObject({
      at: 'pay',
      base: { value: '4000', ticker: 'UAH' },
      quote: { price: '40', until, over: false },
      ratesAway: false,
    })
    const prices = new Map(world.prices)
    world.prices.clear()
    world.now = until + 1
    await world.tick()
    expect((await see(id)).state).toMatchObject({ at: 'pay', quote: { over: true }, ratesAway: false })
    world.now += MINUTE
    expect((await see(id)).state).toMatchObject({ at: 'pay', quote: { over: true }, ratesAway: true })
    for (const [ticker, usd] of prices) world.prices.set(ticker, usd)
    await world.tick()
    expect((await see(id)).state).toMatchObject({ at: 'pay', quote: { over: false } })
    world.prices.clear()
    expect((await see(await world.create({ baseAmount: { value: '4000', ticker: 'UAH' } }))).state).toMatchObject({
      at: 'open',
      ratesAway: true,
      options: [],
    })
  })

  test('shows a surplus, an accepted lesser amount, and payments that do not count', async () => {
    const over = await world.create({ amount: USDT, toPendingImmediate: true })
    await world.confirm(await world.payment(over, '150'))
    expect((await see(over)).state).toMatchObject({ at: 'paid', paid: { value: '150' }, over: '50', closed: false })
    const closed = await world.create({ amount: USDT, toPendingImmediate: true })
    await world.confirm(await world.payment(closed, '40'))
    await world.close(closed)
    expect((await see(closed)).state).toMatchObject({ at: 'paid', paid: { value: '40' }, closed: true })
    const other = await world.create({ amount: USDT, toPendingImmediate: true })
    await world.confirm(await world.payment(other, '25', { network: 'ETHEREUM' }))
    const view = await see(other)
    expect(view.state).toMatchObject({ at: 'pay', payments: [] })
    expect(view.wrongAsset).toMatchObject([{ value: '25', ticker: 'USDT', networkName: 'Ethereum (ERC-20)' }])
  })

  test('asks for nothing more where the merchant accepts a payment that is a little short', async () => {
    const id = await world.create({ amount: USDT, toPendingImmediate: true })
    const short = await world.payment(id, '99')
    await world.mine('BINANCE_SMART_CHAIN', [short.transaction])
    expect((await see(id)).state).toMatchObject({ at: 'pay', missing: '1', send: '1' })
    await world.db.transaction().execute(async (tx) => {
      await setSetting(tx, SHOP, { name: 'shortfallPercent', value: '1' }, { actor: 'test' }, momentOf(world.runtime))
    })
    expect((await see(id)).state).toMatchObject({ at: 'confirming', paid: '99', short: '1' })
    await world.settle('BINANCE_SMART_CHAIN')
    expect((await see(id)).state).toMatchObject({ at: 'paid', paid: { value: '99' }, closed: true })
  })

  test('that expired shows that; an underpaid one shows a payer with the link the next steps', async () => {
    const empty = await world.create({ amount: USDT, toPendingImmediate: true })
    const id = await underpaid()
    expect((await see(empty)).state).toEqual({ at: 'expired', asked: { value: '100', ticker: 'USDT' } })
    expect((await see(id)).state).toMatchObject({ at: 'underpaid', paid: '40', missing: '60', claim: 'mailed' })
    expect((await see(id, { claim: 'forged' })).state).toMatchObject({ at: 'underpaid', claim: 'mailed' })
    expect((await see(id, { claim: 'forged' })).keep).toEqual({})
    const claim = claimOf(id)
    expect(await see(id, { claim })).toMatchObject({
      keep: { claim },
      state: {
        at: 'underpaid',
        claim: { canPayRest: true, networkName: 'BNB Smart Chain (BEP-20)', refund: undefined },
      },
    })
    expect(await send(id, { verb: 'refund', address: '0xabc' })).toEqual([{ field: 'form', why: 'gone' }])
    expect(await send(id, { verb: 'refund', address: 'nonsense' }, { claim })).toEqual([
      {
        field: 'address',
        why: 'malformed',
      },
    ])
    expect(await send(id, { verb: 'refund' }, { claim })).toEqual([{ field: 'address', why: 'missing' }])
    expect(await send(id, { verb: 'refund', address: '0xabc' }, { claim })).toEqual([])
    expect((await see(id, { claim })).state).toMatchObject({
      claim: { canPayRest: false, refund: { address: '0xabc', status: 'asked' } },
    })
  })

  test('takes the rest from the holder of the link, which makes it paid', async () => {
    const id = await underpaid()
    const claim = claimOf(id)
    expect(await send(id, { verb: 'payRest' }, { claim })).toEqual([])
    const after = pages.after({ ...FORM, verb: 'payRest' }, { ...VISIT, claim })
    expect(await see(id, after)).toMatchObject({
      keep: { claim, rest: '1' },
      state: { at: 'pay', send: '60', until: undefined },
    })
    expect((await see(id, { rest: true })).state.at).toBe('underpaid')
    await world.confirm(await world.payment(id, '60'))
    expect((await see(id, after)).state).toMatchObject({ at: 'paid', paid: { value: '100' } })
  })

  test('whose money came too late says where it is', async () => {
    const id = await world.create({ amount: USDT, toPendingImmediate: true })
    world.now += 73 * HOUR
    await world.tick()
    await world.confirm(await world.payment(id, '40'))
    expect((await see(id)).state).toMatchObject({ at: 'late', paid: { value: '40', ticker: 'USDT' } })
  })

  test('has another version whenever it shows something else, and the same when it does not', async () => {
    const id = await world.create({ amount: USDT })
    const open = versionOf(await see(id))
    world.now += MINUTE
    expect(versionOf(await see(id))).toBe(open)
    await send(id, { email: 'payer@example.com' })
    expect(versionOf(await see(id))).not.toBe(open)
  })

  test('of an unknown invoice is not found', async () => {
    expect(await pages.find(crypto.randomUUID(), VISIT)).toBeUndefined()
    expect(await pages.receipt(crypto.randomUUID(), VISIT)).toBeUndefined()
    expect(await send(crypto.randomUUID(), { email: 'payer@example.com' })).toEqual([{ field: 'form', why: 'gone' }])
  })
})
