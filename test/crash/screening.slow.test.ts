/**
 * The worker is killed, -9, at every named point of screening; afterwards every deposit is credited once or not at all,
 * as it was judged, a withdrawal to a listed address has not left, and the ledger equals the chain. The points are read
 * from the source.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Merchant, type Sandbox } from '../system/sandbox.ts'

const pointsOf = (file: string): string[] =>
  [...readFileSync(new URL(`../../server/src/${file}`, import.meta.url), 'utf8').matchAll(/pause\('([a-z-]+)'\)/g)].map(
    (match) => match[1]!,
  )
const POINTS = pointsOf('risk/screening/jobs.ts')
const HALTED = pointsOf('app/composition/rescreening.ts')
const folder = mkdtempSync(join(tmpdir(), 'bursar-crash-screening-'))
let sandbox: Sandbox
let shop: Merchant
let market: Merchant
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_SCREENING: 'on',
    BURSAR_BLOCK_SECONDS_BITCOIN: '0',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0',
    BURSAR_BLOCK_SECONDS_TRON: '0',
  })
  ;[shop, market] = sandbox.merchants
  await sandbox.credit(shop, 'USDT', '1000')
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await sandbox?.stop()
})

const query = <T extends object>(text: string, values: unknown[] = []): Promise<T[]> => sandbox.query<T>(text, values)
const until = <T>(what: string, find: () => Promise<T | undefined | false>): Promise<T> => sandbox.until(what, find)
const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
const balance = async ({ client }: Merchant): Promise<number> =>
  Number((await client.balances.list(['USDT']))[0]!.value)
/**
 * The notifications of a merchant, each once: one that the killed worker was just sending comes again under its id.
 */
const statuses = async (merchant: Merchant, id: string): Promise<unknown[]> => {
  const notified = new Map(
    (await sandbox.messages(merchant)).map(({ headers, body }) => [
      headers['webhook-id'],
      JSON.parse(body) as Record<string, unknown>,
    ]),
  )
  return [...notified.values()].filter((body) => body['id'] === id).map(({ status }) => status)
}
const agrees = () =>
  until('the chains agree', async () =>
    (await bursar('reconcile', '--network', 'ETHEREUM', '--full')).includes(
      'the ledger is consistent, and the chains agree with it',
    ),
  )
const killedAt = async (point: string, meanwhile: () => Promise<void>): Promise<void> => {
  await sandbox.kill('worker')
  await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
  await meanwhile()
  await sandbox.paused('worker', point)
  await sandbox.kill('worker')
  await sandbox.start('worker')
}

/** The judgement is stored right before the last point: only there does a dead worker leave another state for each. */
const held = POINTS.flatMap((point, at) =>
  (['clean', 'sanctioned'] as const)
    .filter((_verdict, i) => at === POINTS.length - 1 || i === at % 2)
    .map((verdict) => [point, verdict] as const),
)

describe('the worker, killed', () => {
  test.each(held)(
    'at %s of a held deposit that is %s: it is credited once, or waits in quarantine',
    async (point, verdict) => {
      const before = await balance(market)
      let hash = ''
      await killedAt(point, async () => {
        const { address } = await market.client.addresses.create({ blockchain: 'ETHEREUM' })
        await sandbox.verdict(address, verdict)
        hash = await sandbox.pay('ETHEREUM', 'USDT', address, '10')
      })
      const id = (await sandbox.notified(market, { hash, status: 'Pending' }))['id'] as string
      if (verdict === 'clean') await sandbox.notified(market, { id, status: 'Verified' })
      else
        await until(
          'it is found risky',
          async () =>
            (await query(`select from screenings where subject_id = $1 and state = 'risky'`, [id])).length === 1,
        )
      await sleep(2_500)
      expect(await statuses(market, id)).toEqual(verdict === 'clean' ? ['Pending', 'Done', 'Verified'] : ['Pending'])
      expect(await balance(market)).toBe(verdict === 'clean' ? before + 10 : before)
      await agrees()
    },
  )

  test.each([...POINTS, ...HALTED])(
    'at %s, over a withdrawal that is to be judged again: it is given back once',
    async (point) => {
      const before = await until('there is money', async () => (await balance(shop)) >= 10 && balance(shop))
      const to = await sandbox.outside('ETHEREUM')
      await sandbox.kill('worker')
      await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'payout-chosen' })
      const { id } = await shop.client.withdrawals.crypto.create({
        ticker: 'USDT',
        blockchain: 'ETHEREUM',
        to,
        amount: '10',
      })
      await sandbox.paused('worker', 'payout-chosen')
      // Only its payouts are paused: by itself it would judge again after the import below, and hold the lease when it
      // is killed.
      if (POINTS.includes(point)) await sandbox.kill('worker')
      const file = join(folder, 'sanctioned_addresses_ETH.txt')
      writeFileSync(file, to)
      expect(
        await bursar('screening', 'import', '--force', '--date', new Date().toISOString().slice(0, 10), file),
      ).toContain('destinations of 1 withdrawals')
      // A withdrawal that was judged while a transaction was planned for it waits again: the judgement itself could
      // not give its money back.
      if (HALTED.includes(point))
        await query(
          `update screenings set state = 'risky', report = '{"riskScore":1,"flags":["listed"],"signals":{},"risky":true,"providers":[],"madeAt":0}' where subject_id = $1`,
          [id],
        )
      await killedAt(point, async () => {})
      expect(await sandbox.notified(shop, { id, status: 'Failed' })).toMatchObject({ failReason: 'AML_REJECTED' })
      await sleep(1_500)
      expect([await statuses(shop, id), await balance(shop), await sandbox.balanceOf('ETHEREUM', 'USDT', to)]).toEqual([
        ['Failed'],
        before,
        '0',
      ])
      await agrees()
    },
  )
})
