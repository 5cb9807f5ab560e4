/** The operator's commands for card payouts, as they are typed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createPayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import { CARD, openCardPayouts, type CardPayoutWorld } from '../../../../test/world/card-payouts.ts'
import { useDb } from '../../../../test/world/database.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const database = useDb()
const folder = mkdtempSync(join(tmpdir(), 'bursar-cli-'))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 })
  return join(folder, name)
}
const bank = createPayoutAcquirer('bank', { UAH: { least: 1_00n, most: 14_500_00n } })
let here: CardPayoutWorld
beforeAll(async () => {
  here = await openCardPayouts(database, [bank])
})
afterAll(async () => {
  await here.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => void vi.restoreAllMocks())

const bursar = (...args: string[]) => {
  const assets = { crypto: [], fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2 }] }
  const env = {
    DATABASE_URL: database.url,
    BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
    BURSAR_ASSETS_FILE: file('assets.json', JSON.stringify(assets)),
    BURSAR_LOG_LEVEL: 'silent',
  }
  return captured(() => runCommand(args, env))
}

test('an unclear payment is listed with its reference and is settled by a person, with a reason', async () => {
  const shop = await here.merchant('UAH', 5_000n)
  bank.next = ['vanishes', 'vanishes']
  await here.payOut(shop, { amount: '1000' })
  await here.later(1_000)
  await here.payOut(shop, { amount: '1500' })
  await here.work()
  const { out } = await bursar('card-payouts', '--json')
  const [first, second] = (JSON.parse(out) as { parts: Record<string, string>[] }).parts
  expect((await bursar('card-payouts')).out).toMatch(/^part id .*amount +ticker\n.* 1000 +UAH\n.* 1500 +UAH\n$/)
  expect([first, second]).toMatchObject([
    { state: 'waiting', account: 'bank', amount: '1000', ticker: 'UAH' },
    { state: 'waiting', amount: '1500' },
  ])
  expect(out).not.toContain(CARD)

  expect(await bursar('card-payout', 'resolve', first!.reference!, 'no', 'flag')).toMatchObject({ code: 2 })
  expect(await bursar('card-payout', 'resolve', '--yes', first!.reference!, '--paid')).toMatchObject({ code: 2 })
  expect((await bursar('card-payout', 'resolve', '--yes', 'nonsense', '--paid', 'why')).err).toContain(
    'there is no order with this reference',
  )
  expect((await bursar('card-payout', 'give-up', '--yes', first!.partId!)).err).toContain('it is waiting')
  expect(
    await bursar('card-payout', 'resolve', '--yes', first!.reference!, '--paid', 'seen', 'in', 'its', 'cabinet'),
  ).toMatchObject({ code: 0, out: 'posted as paid\n' })
  expect(
    await bursar('card-payout', 'resolve', '--yes', second!.reference!, '--refused', 'told', 'by', 'phone'),
  ).toMatchObject({ code: 0 })
  expect((await here.notices(shop)).map(({ status, amount }) => [status, amount])).toEqual([
    ['Done', '1000'],
    ['Failed', '1500'],
  ])
  expect(await here.available(shop)).toBe(5_000_00n - 1_010_00n)
  expect((await bursar('card-payouts')).out).toBe('no part is open\n')
})
