/**
 * The worker is killed at every named point between choosing a payout and recording that a node has it; afterwards
 * exactly one payment is on the chain. The points are read from the source, so that a new one is tested without anyone
 * thinking of it.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Network, type Sandbox } from '../system/sandbox.ts'

const sources = ['chain/transactions', 'pay-out/withdrawals'].flatMap((module) => {
  const folder = new URL(`../../server/src/${module}/`, import.meta.url)
  return readdirSync(folder)
    .filter((file) => /^jobs.*\.ts$/.test(file))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
})
const points = [
  ...new Set(sources.flatMap((text) => [...text.matchAll(/\.pause\('([a-z-]+)'\)/g)].map((match) => match[1]!))),
]

/**
 * Which network passes a point; a bump needs a transaction that is stuck, a renewal, or giving up, one that has
 * expired, an end by proof one that was superseded, a move between hot addresses an uneven pool: they have tests of
 * their own.
 */
const NETWORKS: Record<string, readonly Network[]> = {
  'batch-chosen': ['BITCOIN'],
  'payout-chosen': ['ETHEREUM', 'TRON'],
  'rebalance-chosen': [],
  'bump-planned': [],
  'renewal-planned': [],
  'lapse-proven': [],
  'superseded-proven': [],
}
const cases = points.flatMap((point) =>
  (NETWORKS[point] ?? (['BITCOIN', 'ETHEREUM', 'TRON'] as const)).map((network) => [point, network] as const),
)
const ASSETS: Record<Network, { ticker: string; amount: string }> = {
  BITCOIN: { ticker: 'BTC', amount: '0.003' },
  ETHEREUM: { ticker: 'USDT', amount: '4' },
  BINANCE_SMART_CHAIN: { ticker: 'BNB', amount: '0.1' },
  TRON: { ticker: 'TRX', amount: '5' },
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0.5',
  })
  for (const [ticker, amount] of [
    ['BTC', '1'],
    ['USDT', '1000'],
    ['TRX', '500'],
  ] as const)
    await sandbox.credit(sandbox.merchants[0], ticker, amount)
  await sandbox.kill('worker')
})
afterAll(() => sandbox?.stop())

test('there are points to be killed at', () => {
  expect(points.length).toBeGreaterThanOrEqual(6)
})

describe('killed', () => {
  test.each(cases)('C1 C2 %s on %s: one payment', async (point, blockchain) => {
    const [shop] = sandbox.merchants
    const { ticker, amount } = ASSETS[blockchain]
    const to = await sandbox.outside(blockchain)
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
    const { id } = await shop.client.withdrawals.crypto.create({ ticker, blockchain, to, amount })
    await sandbox.paused('worker', point)
    await sandbox.kill('worker')
    await sandbox.start('worker')
    // Rows that the killed worker had claimed are free again when its lease is over.
    await sandbox.advance(60_000)
    await sandbox.notified(shop, { id, status: 'Done' })
    expect(await sandbox.balanceOf(blockchain, ticker, to)).toBe(amount)
    await sandbox.mine(blockchain, 8)
    expect(await sandbox.balanceOf(blockchain, ticker, to)).toBe(amount)
    await sandbox.kill('worker')
  })
})
