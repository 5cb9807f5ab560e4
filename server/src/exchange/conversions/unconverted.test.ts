import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { cryptoExchangeWithdrawNotice, exchangeNotice } from '@bursar/contract'
import { giveBalance, marketsAt, PRICES } from '../../../../test/world/exchange.ts'
import { E18, OUTSIDE, useConversions } from './test-conversions.ts'

const { db, world, run, received, balance, notices, states, target } = useConversions()
const ajv = new Ajv()

describe("money that can't be converted stays on the balance and is notified", () => {
  test('at once when it never will be: too little', async () => {
    const id = await received('ETH', 10n ** 14n, await target({ ticker: 'USDT' }))
    await run()
    const [notice, ...more] = await notices()
    expect(more).toEqual([])
    expect(ajv.compile(exchangeNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      kind: 'Exchange',
      status: 'Failed',
      failedReason: 'AMOUNT_TOO_LOW',
      localId: id,
      spendAmount: '0.0001',
    })
    expect(await balance('ETH')).toBe(10n ** 14n)
  })

  test('because its withdrawal would be refused: then nothing is exchanged either', async () => {
    await received('ETH', 12n * 10n ** 14n, await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }))
    await run()
    const [notice] = await notices()
    expect(ajv.compile(cryptoExchangeWithdrawNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      kind: 'CryptoExchangeWithdraw',
      status: 'Failed',
      exchanged: false,
      causedBy: 'crypto-replenishment',
      address: OUTSIDE,
    })
    expect([await balance('ETH'), await balance('USDT')]).toEqual([12n * 10n ** 14n, 0n])
  })

  test('because the merchant has spent it', async () => {
    await received('ETH', E18, await target({ ticker: 'USDT' }))
    await giveBalance(db, world.merchant, 'ETH', -E18)
    await run()
    expect((await notices())[0]).toMatchObject({ status: 'Failed', failedReason: 'NOT_ENOUGH_BALANCE' })
  })

  test('while the exchange is closed it waits, for an hour', async () => {
    await received('ETH', E18, await target({ ticker: 'USDT' }))
    world.usdtMarkets = { open: new Map(), closed: new Map([['ETH', 'it jumped']]) }
    await run()
    expect(await states()).toEqual([{ state: 'waiting', reason: null }])
    world.now += 20_000
    world.usdtMarkets = marketsAt(PRICES, world.now)
    await run()
    expect(await states()).toEqual([{ state: 'done', reason: null }])

    await received('ETH', E18, await target({ ticker: 'USDT' }))
    world.usdtMarkets = { open: new Map(), closed: new Map() }
    await run()
    world.now += 3_600_001
    await run()
    expect((await states()).map(({ state }) => state)).toContain('failed')
    expect((await notices()).at(-1)).toMatchObject({ status: 'Failed', failedReason: 'NOT_ENOUGH_LIQUIDITY' })
    expect(await balance('ETH')).toBe(E18)
  })
})
