/**
 * Exchanges where something is wrong, in the whole sandbox: sources that lie over their own protocols, a closed market,
 * withdrawals that fail, fifty connections for the last of an asset. The sandbox is its own, because it hedges.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BursarError } from '@bursar/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_HEDGING: 'on',
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0',
  })
  for (const merchant of sandbox.merchants) await sandbox.credit(merchant, 'USDT', '40000')
  await until('a price', () => estimate().catch(() => undefined))
})
afterAll(() => sandbox?.stop())

const shop = () => sandbox.merchants[0]
const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => sandbox.until(what, look)
const order = { spendTicker: 'USDT', targetTicker: 'BTC', amount: '0.01', side: 'target' } as const
const estimate = () => shop().client.exchange.estimate(order)
const balance = async (ticker: string): Promise<string> => (await shop().client.balances.list([ticker]))[0]!.value
/** Every price that is given while this runs. */
const pricesDuring = async (ms: number): Promise<(number | 'closed')[]> => {
  const seen: (number | 'closed')[] = []
  const end = performance.now() + ms
  while (performance.now() < end) {
    seen.push(
      await estimate().then(
        ({ price }) => Number(price.value),
        (error: BursarError) => (error.code === 2 ? 'closed' : Promise.reject(error)),
      ),
    )
    await sleep(100)
  }
  return seen
}
const notified = async (match: Record<string, unknown>): Promise<Record<string, unknown>[]> =>
  (await sandbox.messages(shop()))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    .filter((body) => Object.entries(match).every(([key, value]) => body[key] === value))

/**
 * Books are read every three seconds. Binance and Kraken state no time for a book: an old book of theirs is found only
 * because its price differs from the others.
 */
const TWO_READINGS_MS = 7_000
const LIES = [
  ['binance', 'one'],
  ['bybit', 'stale'],
  ['kraken', 'zero'],
  ['whitebit', 'times'],
] as const

describe('a source that lies', () => {
  test.each(LIES)('%s, %s: moves no price, and is named', async (source, kind) => {
    const honest = Number((await estimate()).price.value)
    await sandbox.sourceFault({ source, kind, factor: 10 })
    const seen = await pricesDuring(TWO_READINGS_MS)
    expect(seen.filter((price) => price === 'closed')).toEqual([])
    for (const price of seen) expect(Math.abs(Number(price) / honest - 1)).toBeLessThan(0.001)
    expect(await bursar('rates')).toContain(`BTC: ${source} does not count`)
    await sandbox.sourceFault({ source })
  })

  test('all at once, each in its way: no price at all, until they tell the truth; a target waits, or is notified after an hour', async () => {
    const honest = Number((await estimate()).price.value)
    for (const [source, kind] of LIES) await sandbox.sourceFault({ source, kind, factor: 10 })
    const seen = await pricesDuring(TWO_READINGS_MS + 3_000)
    for (const price of seen) if (price !== 'closed') expect(Math.abs(price / honest - 1)).toBeLessThan(0.001)
    expect(seen.at(-1)).toBe('closed')
    await expect(shop().client.exchange.create({ ...order, price: '1000000' })).rejects.toMatchObject({
      code: 6,
      description: expect.stringMatching(/^Not enough liquidity: BTC: \d of 2 sources/) as string,
    })

    const arrived = async (): Promise<string> => {
      const { address } = await shop().client.addresses.create({ blockchain: 'ETHEREUM', target: { ticker: 'BTC' } })
      const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '700')
      return (await sandbox.notified(shop(), { hash, status: 'Done' }))['id'] as string
    }
    const before = await balance('USDT')
    const lost = await arrived()
    await sandbox.advance(3_600_001)
    expect(await sandbox.notified(shop(), { kind: 'Exchange', localId: lost, status: 'Failed' })).toMatchObject({
      failedReason: 'NOT_ENOUGH_LIQUIDITY',
      spendTicker: 'USDT',
      spendAmount: '700',
      targetTicker: 'BTC',
    })
    expect(Number(await balance('USDT')) - Number(before)).toBeCloseTo(700, 6)
    const waiting = await arrived()
    await sleep(1_000)
    expect(await notified({ localId: waiting })).toEqual([])
    for (const [source] of LIES) await sandbox.sourceFault({ source })
    await until('a price', () => estimate().catch(() => undefined))
    await sandbox.advance(15_000)
    expect(await sandbox.notified(shop(), { kind: 'Exchange', localId: waiting, status: 'Done' })).toMatchObject({
      spendAmount: '700',
    })
    expect(await notified({ localId: lost })).toHaveLength(1)
    expect(Number((await estimate()).price.value) / honest).toBeCloseTo(1, 3)
  })
})

describe('an exchange with withdrawal whose withdrawal fails', () => {
  const asked = { ticker: 'USDC', spendTicker: 'USDT', amount: '30', side: 'withdraw', blockchain: 'ETHEREUM' } as const
  const givenUp = async (id: string): Promise<void> => {
    await sandbox.paused('worker', 'payout-chosen')
    await sandbox.kill('worker')
    expect(await bursar('withdrawal', 'give-up', '--yes', shop().id, id)).not.toMatch(/rror/)
    await sandbox.start('worker')
  }

  test('is Failed after Exchanged; the bought amount is on the balance', async () => {
    await sandbox.kill('worker')
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'payout-chosen' })
    const to = await sandbox.outside('ETHEREUM')
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
      localId: 'fails-1',
    })
    await givenUp(id)
    expect(await sandbox.notified(shop(), { id, status: 'Failed' })).toMatchObject({
      kind: 'CryptoExchangeWithdraw',
      exchanged: true,
      localId: 'fails-1',
      failedReason: 'ERRROR_CODE_GENERIC',
    })
    expect((await notified({ id })).map(({ status }) => status)).toEqual(['Exchanged', 'Failed'])
    expect(await balance('USDC')).toBe('30')
    expect(await sandbox.balanceOf('ETHEREUM', 'USDC', to)).toBe('0')
  })

  test('of a target likewise', async () => {
    const to = await sandbox.outside('ETHEREUM')
    const { address } = await shop().client.addresses.create({
      blockchain: 'ETHEREUM',
      target: { ticker: 'USDC', address: to, blockchain: 'ETHEREUM' },
    })
    await sandbox.kill('worker')
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'payout-chosen' })
    const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '50')
    const { id: localId } = await sandbox.notified(shop(), { hash, status: 'Done' })
    const { id, amount } = await sandbox.notified(shop(), {
      kind: 'CryptoExchangeWithdraw',
      localId,
      status: 'Exchanged',
    })
    await givenUp(id as string)
    expect(await sandbox.notified(shop(), { id, status: 'Failed' })).toMatchObject({
      exchanged: true,
      causedBy: 'crypto-replenishment',
      localId,
    })
    expect((await notified({ id })).map(({ status }) => status)).toEqual(['Exchanged', 'Failed'])
    expect(Number(await balance('USDC'))).toBeCloseTo(30 + Number(amount), 6)
  })

  test('to a card in part: the part that the bank refused is on the balance again', async () => {
    const fiat = { ticker: 'UAH', spendTicker: 'USDT', amount: '60000', side: 'withdraw' } as const
    const before = Number(await balance('UAH'))
    // Every third payout to the card is refused. A price may end between its estimate and the order.
    const { id } = await until('an order', () =>
      shop()
        .client.exchange.withdrawals.fiat.estimate(fiat)
        .then(({ withdraw, exchange, price }) => {
          const fees = { fee: withdraw.fee, exchangeFee: exchange.fee }
          return shop().client.exchange.withdrawals.fiat.create({
            ...fiat,
            ...fees,
            to: '4000000000005555',
            price: price.value,
          })
        })
        .catch(() => undefined),
    )
    const done = await sandbox.notified(shop(), { id, status: 'Done' })
    expect(done).toMatchObject({ kind: 'FiatExchangeWithdraw', exchanged: true })
    expect(Number(done['failedAmount'])).toBeGreaterThan(0)
    expect(Number(await balance('UAH')) - before).toBeCloseTo(
      Number(done['failedAmount']) + Number(done['failedFee']),
      2,
    )
  })
})

describe('fifty connections for the last of an asset', () => {
  test('sell exactly the available amount', async () => {
    const held = async (): Promise<number> =>
      Number(
        (
          await sandbox.query<{ units: string }>(
            `select sum(units)::text as units from exchange_inventory where asset = 'BTC'`,
          )
        )[0]!.units,
      )
    await bursar('position', 'fund', 'BTC', `-${(((await held()) - 50_500_000) / 1e8).toFixed(8)}`)
    await estimate()
    // A running worker would buy again the coin that the exchanges sell.
    await sandbox.kill('worker')
    const [before, each] = [await held(), 2_000_000]
    const enough = Math.floor(before / each)
    expect(enough).toBeLessThan(40)
    const orders = Array.from({ length: 50 }, (_, i) =>
      sandbox.merchants[i % 2]!.client.exchange.create({
        ...order,
        amount: '0.02',
        price: '100000',
        localId: `race-${i}`,
      }),
    )
    const outcomes = await Promise.allSettled(orders)
    await sandbox.start('worker')
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(enough)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          status: 400,
          code: 6,
          description: expect.stringMatching(/^Not enough liquidity: there is not that much BTC to sell/) as string,
        })
    }
    const rows = await sandbox.query(`select asset from ledger_accounts group by asset having sum(posted) <> 0
      union all select asset from exchange_inventory i group by asset having sum(units + reserved) <> (select sum(posted) from ledger_accounts a where a.asset = i.asset and kind = 'position')`)
    expect(rows).toEqual([])
    expect(await sandbox.query(`select from exchanges where local_id like 'race-%'`)).toHaveLength(enough)
  })
})
