/**
 * Card payouts in the whole sandbox: real processes, the bank over HTTP with its callbacks, workers killed at every
 * named point.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

/** Every third payout to it is refused. */
const THIRD = '4000000000005555'
const GOOD = '4242424242424242'
const MASKED = '424242******4242'
const jobs = new URL('../../server/src/cards/card-payouts/', import.meta.url)
const points = [
  ...new Set(
    readdirSync(jobs)
      .filter((file) => /^jobs.*\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(new URL(file, jobs), 'utf8').matchAll(/\.pause\('([a-z-]+)'\)/g)].map((match) => match[1]!),
      ),
  ),
]
const sandbox = useSharedSandbox()
beforeAll(async () => {
  for (const [ticker, amount] of [
    ['KZT', '201020'],
    ['UAH', '50000'],
  ] as const)
    await sandbox.credit(sandbox.merchants[0], ticker, amount)
})

const shop = () => sandbox.merchants[0]
const balance = async (ticker: string): Promise<number> =>
  Number((await shop().client.balances.list([ticker]))[0]!.value)
const sent = async (currency: string): Promise<number> =>
  ((await sandbox.bankFind()).lines as { type: string; currency: string; amount: string }[])
    .filter((line) => line.type === 'payout' && line.currency === currency)
    .reduce((sum, { amount }) => sum - Number(amount), 0)

test('a batch of 100,000 KZT of which parts fail: notification, bank and balance agree', async () => {
  const [before, sentBefore] = [await balance('KZT'), await sent('KZT')]
  const { value: fee } = await shop().client.withdrawals.fiat.fee({ ticker: 'KZT', amount: '100000' })
  const { id } = await shop().client.withdrawals.fiat.batch.create({
    ticker: 'KZT',
    to: THIRD,
    amount: '100000',
    localId: 'b1',
  })
  const done = await sandbox.notified(shop(), { id, status: 'Done' })
  expect(done).toMatchObject({ kind: 'WithdrawBatch', amount: '100000', fee, to: '400000******5555', localId: 'b1' })
  expect(Number(done.failedAmount)).toBeGreaterThan(0)
  expect(Number(done.paidAmount) + Number(done.failedAmount)).toBe(100_000)
  expect((await sent('KZT')) - sentBefore).toBeCloseTo(Number(done.paidAmount), 2)
  expect(await balance('KZT')).toBeCloseTo(before - Number(done.paidAmount) - Number(done.paidFee), 2)
  const batch = await shop().client.withdrawals.fiat.batch.get(id)
  expect(batch).toMatchObject({ status: 'DONE', paidAmount: done.paidAmount, failedAmount: done.failedAmount })
  expect(batch.transactions.length).toBeGreaterThanOrEqual(7)
})

describe('a worker that is killed', () => {
  test.each(points)('at %s: one payment at most, and the merchant is notified once', async (point) => {
    const before = await sent('UAH')
    await sandbox.kill('worker')
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
    const { id } = await shop().client.withdrawals.fiat.create({
      ticker: 'UAH',
      to: GOOD,
      amount: '1000',
      localId: point,
    })
    await sandbox.paused('worker', point)
    await sandbox.kill('worker')
    await sandbox.start('worker')
    // Rows that the killed worker had claimed are free again when its lease is over.
    await sandbox.advance(120_000)
    if (point === 'card-payout-begun') {
      await sleep(5_000)
      expect(await sent('UAH')).toBe(before)
      return
    }
    expect(await sandbox.notified(shop(), { id, status: 'Done' })).toMatchObject({
      kind: 'Withdraw',
      cardNumber: MASKED,
      to: MASKED,
      amount: '1000',
    })
    await sandbox.advance(600_000)
    await sleep(1_000)
    expect((await sent('UAH')) - before).toBe(1_000)
    const notified = (await sandbox.messages(shop())).filter(({ body }) => body.includes(id))
    expect(notified).toHaveLength(1)
  })
})

test('the bank calls again, wrongly and out of order: one payment, notified once', async () => {
  const before = await sent('UAH')
  for (const fault of [
    { duplicate: 3 },
    { reorder: true },
    { badSignature: true },
    { answer: 'cut' },
    { answer: 'held' },
  ]) {
    await sandbox.bank('next', fault)
    const { id } = await shop().client.withdrawals.fiat.create({ ticker: 'UAH', to: GOOD, amount: '1000' })
    await sandbox.notified(shop(), { id, status: 'Done' })
  }
  expect((await sent('UAH')) - before).toBe(5_000)
})

test('no number of a card is left in any table, log or file of the sandbox', async () => {
  const found: string[] = []
  const look = (where: string, text: string): void => {
    if ([THIRD, GOOD].some((card) => text.includes(card))) found.push(where)
  }
  look('logs', sandbox.logs())
  for (const file of readdirSync(join(sandbox.dir, 'logs')))
    look(file, readFileSync(join(sandbox.dir, 'logs', file), 'utf8'))
  await withClient(sandbox.database, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    )
    for (const { name } of rows) {
      const dump = await client.query<{ text: string }>(
        `select t::text as text from ${client.escapeIdentifier(name)} t`,
      )
      look(name, dump.rows.map(({ text }) => text).join('\n'))
    }
    const sealed = await client.query<{ sealed: number; open: number }>(`select count(sealed_card)::int as sealed,
      count(*) filter (where open_parts > 0)::int as open from card_payouts where merchant_id = '${shop().id}'`)
    expect(sealed.rows[0]!.sealed).toBe(sealed.rows[0]!.open)
    expect(sealed.rows[0]!.open).toBe(1)
  })
  for (const { body } of await sandbox.messages(shop())) look('a notification', body)
  expect(found).toEqual([])
})
