/**
 * Exchanges in the whole sandbox: prices come over the sources' own protocols, money leaves and arrives on balances.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()
beforeAll(async () => {
  await sandbox.credit(sandbox.merchants[0], 'USDT', '2000')
  await priced('USDT', 'BTC')
})

const merchant = () => sandbox.merchants[0]
const balance = async (ticker: string): Promise<string> => (await merchant().client.balances.list([ticker]))[0]!.value
const estimate = () =>
  merchant().client.exchange.estimate({ spendTicker: 'USDT', targetTicker: 'BTC', amount: '0.01', side: 'target' })
const eventually = <T>(look: () => Promise<T | undefined>): Promise<T> =>
  sandbox.until('what is refused at first', () => look().catch(() => undefined))
/** Once there is a price, and the owner's money is in the position. */
const priced = (spendTicker: string, targetTicker: string) =>
  eventually(() => merchant().client.exchange.estimate({ spendTicker, targetTicker, amount: '10', side: 'spend' }))

describe('an exchange', () => {
  test('at the estimated price is Done, and notified', async () => {
    const { price, spend } = await estimate()
    expect(price.pair).toEqual(['BTC', 'USDT'])
    const { id } = await merchant().client.exchange.create({
      spendTicker: 'USDT',
      targetTicker: 'BTC',
      amount: '0.01',
      side: 'target',
      price: price.value,
      localId: 'x-1',
    })
    expect(await sandbox.notified(merchant(), { id, status: 'Done' })).toMatchObject({
      kind: 'Exchange',
      targetAmount: '0.01',
      spendAmount: spend.amount,
      price: price.value,
      localId: 'x-1',
    })
    expect(await balance('BTC')).toBe('0.01')
    expect(Number(await balance('USDT'))).toBeCloseTo(2000 - Number(spend.amount), 6)
  })

  test('follows the market; a promise of before the move is void', async () => {
    const before = await estimate()
    await sandbox.rates({ BTC: '68000' })
    const after = await eventually(async () => {
      const now = await estimate()
      return Number(now.price.value) > Number(before.price.value) * 1.03 ? now : undefined
    })
    expect(Number(after.price.value)).toBeCloseTo(68_000 * 1.0004 * (1 / 0.996), -2)
    await expect(
      merchant().client.exchange.create({
        spendTicker: 'USDT',
        targetTicker: 'BTC',
        amount: '0.01',
        side: 'target',
        price: before.price.value,
      }),
    ).rejects.toMatchObject({ code: 3 })
  })

  test('one source that lies moves nothing; too few that agree close the market, and it opens again', async () => {
    const honest = Number((await estimate()).price.value)
    await sandbox.sourceFault({ source: 'kraken', kind: 'one' })
    await sleep(6_500)
    expect(Number((await estimate()).price.value)).toBeCloseTo(honest, 0)
    for (const source of ['binance', 'bybit', 'whitebit'])
      await sandbox.sourceFault({ source, kind: source === 'bybit' ? 'stale' : 'html' })
    await eventually(
      async () =>
        await estimate().then(
          () => undefined,
          (error: { code: number; message: string }) => (error.code === 2 ? error : undefined),
        ),
    )
    for (const source of ['kraken', 'binance', 'bybit', 'whitebit']) await sandbox.sourceFault({ source })
    await priced('USDT', 'BTC')
  })
})

describe('an exchange with withdrawal', () => {
  test('is Exchanged at once, Done when it is mined, and pays to the unit', async () => {
    const to = await sandbox.outside('ETHEREUM')
    const asked = {
      ticker: 'USDC',
      spendTicker: 'USDT',
      amount: '50',
      side: 'withdraw',
      blockchain: 'ETHEREUM',
    } as const
    await priced('USDT', 'USDC')
    const { withdraw, exchange, price } = await merchant().client.exchange.withdrawals.crypto.estimate({ ...asked, to })
    const { id } = await merchant().client.exchange.withdrawals.crypto.create({
      ...asked,
      to,
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      price: price.value,
      localId: 'xw-1',
    })
    const notified = {
      kind: 'CryptoExchangeWithdraw',
      ticker: 'USDC',
      amount: '50',
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      to,
      address: to,
      localId: 'xw-1',
      exchanged: true,
    }
    expect(await sandbox.notified(merchant(), { id, status: 'Exchanged' })).toMatchObject(notified)
    const done = await sandbox.notified(merchant(), { id, status: 'Done' })
    expect(done).toMatchObject(notified)
    expect(done['hash']).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await merchant().client.withdrawals.find('xw-1')).toMatchObject({ id, status: 'Done', localId: 'xw-1' })
    expect(Number(await sandbox.balanceOf('ETHEREUM', 'USDC', to))).toBeCloseTo(50 - Number(withdraw.fee), 6)
    const all = (await sandbox.messages(merchant())).map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    expect(all.filter((body) => body['id'] === id).map(({ status }) => status)).toEqual(['Exchanged', 'Done'])
  })
})

describe('an exchange with payout to a card', () => {
  const CARD = '4111111111111111'
  test('is Exchanged at once and Done when every part has ended, and tells the number nowhere', async () => {
    const asked = { ticker: 'UAH', spendTicker: 'USDT', amount: '20000', side: 'withdraw' } as const
    const { withdraw, exchange, price } = await eventually(() =>
      merchant().client.exchange.withdrawals.fiat.estimate(asked),
    )
    const { id } = await merchant().client.exchange.withdrawals.fiat.create({
      ...asked,
      to: CARD,
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      price: price.value,
      localId: 'xf-1',
    })
    const notified = {
      kind: 'FiatExchangeWithdraw',
      ticker: 'UAH',
      amount: '20000',
      fee: withdraw.fee,
      to: '411111******1111',
      exchanged: true,
      localId: 'xf-1',
    }
    expect(await sandbox.notified(merchant(), { id, status: 'Exchanged' })).toMatchObject(notified)
    const done = await sandbox.notified(merchant(), { id, status: 'Done' })
    expect(done).toMatchObject({ ...notified, failedAmount: '0', failedFee: '0' })
    expect(Number(done['paidAmount']) + Number(done['paidFee'])).toBe(20_000)
    expect((await merchant().client.withdrawals.fiat.batch.get(id)).status).toBe('DONE')
    await expect(
      merchant().client.exchange.withdrawals.fiat.create({
        ...asked,
        to: '4111111111111112',
        fee: withdraw.fee,
        exchangeFee: exchange.fee,
        price: '50',
      }),
    ).rejects.toMatchObject({ code: 8 })
    expect(JSON.stringify(await sandbox.messages(merchant()))).not.toContain(CARD)
  })
})

describe('money that arrives where there is a target', () => {
  test('becomes it and is sent on', async () => {
    const to = await sandbox.outside('BINANCE_SMART_CHAIN')
    const { address } = await merchant().client.addresses.create({
      blockchain: 'ETHEREUM',
      target: { ticker: 'USDC', address: to, blockchain: 'BINANCE_SMART_CHAIN' },
    })
    const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '40')
    const { id } = await sandbox.notified(merchant(), { hash, status: 'Done' })
    const done = await sandbox.notified(merchant(), { kind: 'CryptoExchangeWithdraw', localId: id, status: 'Done' })
    expect(done).toMatchObject({
      causedBy: 'crypto-replenishment',
      spendTicker: 'USDT',
      spendAmount: '40',
      ticker: 'USDC',
      blockchain: 'BINANCE_SMART_CHAIN',
      exchanged: true,
    })
    expect(Number(await sandbox.balanceOf('BINANCE_SMART_CHAIN', 'USDC', to))).toBeCloseTo(
      Number(done['amount']) - Number(done['fee']),
      8,
    )
  })
})
