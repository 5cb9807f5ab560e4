/**
 * The operator's command for refunds without a known end, as it is typed; the acquirer is LiqPay's emulator.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { findOrder, giveBackOutside, payByCard, placeOrder } from '../../../../sandbox/acquirers/emulator/payments.ts'
import type { Emulator } from '../../../../sandbox/acquirers/emulator/start.ts'
import { startLiqPay } from '../../../../sandbox/acquirers/liqpay/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { openFiatInvoices, type FiatWorld } from '../../../../test/world/fiat-invoices.ts'
import { listActions } from '../../platform/operators/index.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const database = useDb()
const folder = mkdtempSync(join(tmpdir(), 'bursar-cli-'))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 })
  return join(folder, name)
}
let world: FiatWorld
let emulator: Emulator
beforeAll(async () => {
  emulator = await startLiqPay({ publicKey: 'i1', privateKey: 'priv', version: 3 }, { port: 0 })
  world = await openFiatInvoices(database)
})
afterAll(async () => {
  await emulator.stop()
  rmSync(folder, { recursive: true })
})
afterEach(() => void vi.restoreAllMocks())

const bursar = (...args: string[]) => {
  const account = {
    name: 'first',
    kind: 'liqpay',
    publicKey: 'i1',
    privateKeyFile: file('liqpay', 'priv'),
    url: emulator.url,
    payIn: { UAH: { least: '1', most: '1000' } },
  }
  const assets = {
    crypto: [],
    fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2, payIn: { fee: { fixed: '1', bps: 100 } } }],
  }
  return captured(() =>
    runCommand(args, {
      DATABASE_URL: database.url,
      BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
      BURSAR_LOG_LEVEL: 'silent',
      BURSAR_PUBLIC_URL: 'https://pay.example',
      BURSAR_ASSETS_FILE: file('assets.json', JSON.stringify(assets)),
      BURSAR_ACQUIRERS_FILE: file('acquirers.json', JSON.stringify({ accounts: [account] })),
    }),
  )
}

/** A payment that the books and the emulator have, and a refund of 50 that was sent and whose answer was lost. */
const lostRefund = async () => {
  const { reference } = await world.atTheBank()
  world.first.pays(reference)
  await world.callback(world.first, world.first.callback(reference))
  await world.work()
  const { context } = emulator
  const placed = placeOrder(context, {
    kind: 'payment',
    reference,
    currency: 'UAH',
    units: 100_00n,
    description: 'd',
    callbackUrl: '',
    returnUrl: 'https://shop.example/',
  })
  if ('refusal' in placed) throw new Error(placed.refusal)
  payByCard(context, placed.order, context.dialect.cards[0]!.number)
  world.first.troubles.push({ at: 'refund', error: 'sent' })
  const refund = await world.refund(reference, 50_00n)
  await world.work()
  return { reference, id: refund.id }
}

test('a refund is ended by a person with its outcome and a reason; one that its acquirer shows is not refused', async () => {
  const { reference, id } = await lostRefund()
  expect(await bursar('payment', 'resolve-refund', id, 'no', 'flag')).toMatchObject({ code: 2 })
  expect((await bursar('payment', 'resolve-refund', '--yes', id, '--refused')).code).toBe(2)
  expect((await bursar('payment', 'resolve-refund', '--yes', world.runtime.newId(), '--refused', 'why')).err).toContain(
    'there is no refund',
  )
  giveBackOutside(emulator.context, findOrder(emulator.context, reference, 'payment')!, 50_00n)
  expect(
    (await bursar('payment', 'resolve-refund', '--yes', id, '--refused', 'not', 'in', 'the', 'cabinet')).err,
  ).toContain('first shows refund')
  expect(await world.balance('merchant')).toBe(98_00n)
  expect(
    await bursar('payment', 'resolve-refund', '--yes', id, '--done', 'seen', 'in', 'the', 'cabinet'),
  ).toMatchObject({ code: 0, out: 'posted as refunded\n' })
  expect(await world.balance('merchant')).toBe(48_00n)
  const actions = await listActions(world.db, { most: 2, command: 'payment' })
  expect(actions).toMatchObject([{ outcome: 'done' }, { outcome: 'begun' }])
  for (const action of actions)
    expect(action).toMatchObject({
      command: 'payment resolve-refund',
      login: expect.stringMatching(/./),
      arguments: { REFUND_ID: id, REASON: 'seen in the cabinet', '--done': true },
    })
})

test('a refund of which its acquirer shows nothing is refused by a person, and the money is back', async () => {
  const { id } = await lostRefund()
  const before = await world.balance('merchant')
  const { code, out } = await bursar(
    'payment',
    'resolve-refund',
    '--yes',
    id,
    '--refused',
    'not',
    'in',
    'the',
    'cabinet',
  )
  expect({ code, out }).toEqual({ code: 0, out: 'refused; the money is back on its account\n' })
  expect([await world.balance('merchant'), await world.alerts()]).toEqual([before, ['refund-refused']])
})
