/** The page that leads through a new payout, with the rights of the api. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, withoutScript, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { listedWorld } from '../../../../test/world/listed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { storeFeeRate } from '../../pay-out/withdrawals/terms.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const { edge, memberOf } = useDashboard({ catalogue })
const BITCOIN = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const EVM = '0x52908400098527886E0F7030069857D2E4169EE7'
const BTC = 100_000_000n
const at = (page: string): string => `/app/merchants/${edge.merchant.id}/${page}`
const GUIDE = 'payouts/guide'

beforeAll(async () => {
  await storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)
  const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
  await giveMoney(runtime, { merchantId: edge.merchant.id, asset: 'BTC' }, 3n * BTC)
})

const go = (browser: TestBrowser, does: string, fields: Readonly<Record<string, string>>) =>
  browser.post(`${at(GUIDE)}?lang=en`, { do: does, ...fields })
const assetsIn = ({ text }: { text: string }): string[] =>
  [...text.matchAll(/name="payout-asset" value="([^"]*)"/g)].map(([, value]) => value!)
const requests = async (): Promise<{ to: string; units: bigint; meta: string | null }[]> =>
  (
    await sql<{ to: string; units: bigint; meta: string | null }>`select to_address as "to", units, meta
      from payout_lines where merchant_id = ${edge.merchant.id} order by request_id`.execute(edge.db)
  ).rows

test('leads to an address, an asset, all that is available, and one request, however often it is sent', async () => {
  const maker = await memberOf(edge.merchant.id, 'finance')
  expect((await maker.get(`${at('payouts')}?lang=en`)).text).toContain(at(GUIDE))
  expect(textOf(await maker.get(`${at(GUIDE)}?lang=en`))).toContain('Step 1 of 3')
  const second = await go(maker, 'where', { 'payout-from': 'other', 'payout-to': ` ${BITCOIN} ` })
  expect([second.status, assetsIn(second)]).toEqual([200, ['BTC/BITCOIN']])
  expect(textOf(second)).toContain('available 3 BTC')
  const third = await go(maker, 'what', { 'payout-to': BITCOIN, 'payout-asset': 'BTC/BITCOIN' })
  expect(textOf(third)).toMatch(/Fee now 0\.0000\d+.BTC/)
  expect(textOf(third)).toMatch(/The receiver can get at most 2\.9999\d+.BTC/)
  const chosen = { 'payout-to': BITCOIN, 'payout-asset': 'BTC/BITCOIN', 'payout-meta': 'invoice 7' }
  const checked = await go(maker, 'all', chosen)
  expect(textOf(checked)).toContain('Nothing was stored yet.')
  expect(textOf(checked)).toMatch(/Total now 3.BTC/)
  const amount = fieldOf(checked, 'payout-amount')
  const form = { ...chosen, 'payout-amount': amount, 'form-key': fieldOf(checked, 'form-key') }
  const fees = fieldOf(checked, 'fees')
  const sent = await Promise.all([1, 2].map(() => go(maker, 'ask', { ...form, fees })))
  expect(sent.map(({ status }) => status)).toEqual([303, 303])
  expect(sent[0]!.headers['location']).toBe(sent[1]!.headers['location'])
  const made = await requests()
  expect(made.map(({ to, meta }) => [to, meta])).toEqual([[BITCOIN, 'invoice 7']])
  expect(`2.${made[0]!.units - 2n * BTC}`.replace(/0+$/, '')).toBe(amount)
  const edited = await go(maker, 'edit', form)
  expect([edited.text.includes(`value="${amount}"`), edited.text.includes('value="invoice 7"')]).toEqual([true, true])
})

test('offers only what an address can be paid in, and an address of the book only on its network', async () => {
  const member = await memberOf(edge.merchant.id, 'owner')
  const open = await go(member, 'where', { 'payout-to': EVM })
  expect(assetsIn(open).toSorted()).toEqual(
    catalogue.crypto
      .flatMap(({ ticker, networks }) => [...networks.keys()].map((network) => `${ticker}/${network}`))
      .filter((one) => one.endsWith('/ETHEREUM') || one.endsWith('/BINANCE_SMART_CHAIN'))
      .toSorted(),
  )
  const entry = { do: 'add', 'address-name': 'Supplier', network: 'ETHEREUM', address: EVM }
  expect((await member.post(at('payouts/addresses'), entry)).status).toBe(303)
  const first = await member.get(`${at(GUIDE)}?lang=en`)
  const [, id] = /name="payout-from" value="([0-9a-f-]{36})"/.exec(first.text)!
  const known = await go(member, 'where', { 'payout-from': id! })
  expect(assetsIn(known).length).toBeGreaterThan(0)
  expect(assetsIn(known).every((asset) => asset.endsWith('/ETHEREUM'))).toBe(true)
  const elsewhere = { 'payout-to': EVM, 'payout-network': 'ETHEREUM', 'payout-asset': 'BNB/BINANCE_SMART_CHAIN' }
  expect((await go(member, 'what', elsewhere)).status, 'a network that the entry is not on').toBe(400)
})

test('says what is wrong at the step, and typed text stays', async () => {
  const maker = await memberOf(edge.merchant.id, 'finance')
  const before = (await requests()).length
  const nothing = await go(maker, 'where', {})
  expect([nothing.status, textOf(nothing).includes('Choose an address, or type one.')]).toEqual([400, true])
  const stray = await go(maker, 'where', { 'payout-to': '<b>x', 'payout-amount': '7' })
  expect([stray.status, stray.text.includes('value="&lt;b&gt;x"')]).toEqual([400, true])
  expect(fieldOf(stray, 'payout-amount')).toBe('7')
  const none = await go(maker, 'what', { 'payout-to': BITCOIN, 'payout-amount': '7' })
  expect([none.status, textOf(none).includes('Choose an asset and a network.')]).toEqual([400, true])
  expect(fieldOf(none, 'payout-amount')).toBe('7')
  const chosen = { 'payout-to': BITCOIN, 'payout-asset': 'BTC/BITCOIN' }
  const wrong = await go(maker, 'check', { ...chosen, 'payout-amount': '1,500', 'payout-meta': 'order 7' })
  expect(wrong.status).toBe(400)
  expect(textOf(wrong)).toContain('This amount can not be paid.')
  for (const typed of ['1,500', 'order 7']) expect(wrong.text).toContain(`value="${typed}"`)
  expect((await go(await memberOf(edge.merchant.id, 'viewer'), 'where', { 'payout-to': BITCOIN })).status).toBe(403)
  expect(await requests()).toHaveLength(before)
})

test.each(LANGUAGES)('every step in %s has its texts', async (language) => {
  const maker = await memberOf(edge.merchant.id, 'finance')
  const path = `${at(GUIDE)}?lang=${language}`
  for (const fields of [
    { do: 'start' },
    { do: 'where', 'payout-to': BITCOIN },
    { do: 'what', 'payout-to': BITCOIN, 'payout-asset': 'BTC/BITCOIN' },
  ]) {
    const page = await maker.post(path, fields)
    expect(page.status).toBe(200)
    expect(withoutScript(page.text)).not.toMatch(/undefined|\[object|\bnull\b/)
  }
})
