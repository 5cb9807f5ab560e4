/** Forms of members in which a session ends, or that need a proof: no typed text is lost, and nothing is done. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { carriedFields, fieldOf, PASSWORD, useDashboard } from '../../../../test/world/dashboard.ts'
import { catalogue, openFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const { edge, join, codeAt } = useDashboard({ catalogue })
const HOUR_MS = 3_600_000
let [merchantId, payment] = ['', '']
beforeAll(async () => {
  const fiat = await openFiatInvoices({
    url: edge.pool.options.connectionString!,
    pool: edge.pool,
    db: edge.db,
  })
  fiat.now = edge.clock.ms
  merchantId = fiat.merchantId
  payment = (await fiat.paidInvoice()).reference
})
// The invoices of the world have no money in the books.
afterAll(() => emptyTables(edge.db))

/** The form of a policy has a field for each asset. */
const EVERY_ASSET = Object.fromEntries(
  [...catalogue.crypto, ...catalogue.fiat].map(({ ticker }) => [`approvals-${ticker}`, '1']),
)
const POLICY = { 'alone-BTC': '0,5', 'approvals-BTC': '2', 'day-BTC': '7', cooling: '30', 'from-hour': '6' }
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'invoices/new': { name: 'Order <7>', amount: '12,50', description: 'Tea', meta: 'm-7', email: 'payer@shop.example' },
  'links/new': { name: 'Donation "7"', least: '1,5', most: '90', uses: '12' },
  'payouts/new': { 'payout-to': 'bcrt1-typed', 'payout-amount': '0.75', 'payout-meta': 'invoice 7' },
  'payouts/addresses': { 'address-name': 'Supplier 7', address: 'bcrt1-typed' },
  'payouts/policy': { version: '0', ...POLICY },
  'refunds/cards/': { 'refund-amount': '40,5', 'refund-reason': 'damaged' },
  exchange: { 'exchange-amount': '650,5' },
  settings: { 'setting-shown': 'shown', 'setting-supportEmail': 'help@shop.example' },
}
const pathOf = (page: string): string =>
  `/app/merchants/${merchantId}/${page}${page === 'refunds/cards/' ? payment : ''}`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const notShown = (page: string, typed: Readonly<Record<string, string>>): string[] =>
  Object.entries(typed).flatMap(([name, text]) =>
    new RegExp(`name="${name}"[^>]*value="${escaped(text)}"`).test(page) ? [] : [name],
  )
const rules = async () =>
  (await sql<{ rules: unknown }>`select rules from payout_policies where merchant_id = ${merchantId}`.execute(edge.db))
    .rows

test.each(Object.entries(FORMS))('the session ends in the form of %s', async (page, typed) => {
  const { browser, email, seed } = await join(undefined, 'owner', merchantId)
  edge.clock.ms += 2 * HOUR_MS
  const asked = await browser.post(pathOf(page), { do: 'check', ...typed })
  expect(asked.status).toBe(401)
  const form = { do: 'password', email, password: PASSWORD, code: codeAt(seed), next: fieldOf(asked, 'next') }
  const back = await browser.post('/app/sign-in', { ...form, ...carriedFields(asked) })
  const shown = await browser.get(String(back.headers['location']))
  expect([shown.status, notShown(shown.text, typed)]).toEqual([200, []])
  expect(await rules()).toEqual([])
})

test('a policy is typed once, although its change needs a proof, and is not saved over a later one', async () => {
  const { browser, seed } = await join(undefined, 'owner', merchantId)
  const other = await join(undefined, 'owner', merchantId)
  edge.clock.ms += 6 * 60_000
  const typed = { version: '0', ...POLICY, 'to-hour': '20', addresses: 'book', api: 'free', 'alone-UAH': '5' }
  const refused = await browser.post(pathOf('payouts/policy'), { ...EVERY_ASSET, ...typed })
  expect([refused.status, notShown(refused.text, POLICY)]).toEqual([403, []])
  const proof = { do: 'prove-password', next: pathOf('payouts/policy'), password: PASSWORD, code: codeAt(seed) }
  const proved = await browser.post('/app/security', { ...proof, ...carriedFields(refused) })
  const shown = await browser.get(String(proved.headers['location']))
  expect(notShown(shown.text, { version: '0', ...POLICY })).toEqual([])
  expect(shown.text).toMatch(/<option value="book" selected/)

  const again = { do: 'prove-password', next: '/app/security', password: PASSWORD, code: codeAt(other.seed) }
  await other.browser.post('/app/security', again)
  expect(
    (await other.browser.post(pathOf('payouts/policy'), { ...EVERY_ASSET, ...typed, 'day-BTC': '6' })).status,
  ).toBe(303)
  const stored = await rules()
  const late = await browser.post(pathOf('payouts/policy'), { ...EVERY_ASSET, ...typed })
  expect([late.status, notShown(late.text, POLICY)]).toEqual([400, []])
  expect(await rules()).toEqual(stored)
  const version = fieldOf(late, 'version')
  expect((await browser.post(pathOf('payouts/policy'), { ...EVERY_ASSET, ...typed, version })).status).toBe(303)
})

test('a policy with a typing error is not saved over a later one either, and a long one stays typed', async () => {
  const [mine, other] = [await join(undefined, 'owner', merchantId), await join(undefined, 'owner', merchantId)]
  const version = fieldOf(await mine.browser.get(pathOf('payouts/policy')), 'version')
  const typed = { ...EVERY_ASSET, ...POLICY, 'to-hour': '20', addresses: 'book', api: 'free', version }
  const post = (who: typeof mine, more: Readonly<Record<string, string>>) =>
    who.browser.post(pathOf('payouts/policy'), { ...typed, ...more })
  expect((await post(other, { 'day-BTC': '6' })).status).toBe(303)
  const stored = await rules()
  const wrong = await post(mine, { 'day-BTC': 'nine' })
  expect([wrong.status, fieldOf(wrong, 'version')]).toEqual([400, version])
  expect((await post(mine, { 'day-BTC': '900' })).status).toBe(400)
  expect(await rules()).toEqual(stored)

  edge.clock.ms += 6 * 60_000
  const fields = ['alone-BTC', 'hour-BTC', 'day-BTC', 'api-BTC', 'day-UAH', 'hour-UAH']
  const long = Object.fromEntries(fields.map((name) => [name, `${'0'.repeat(900)}7`]))
  const latest = fieldOf(await mine.browser.get(pathOf('payouts/policy')), 'version')
  const refused = await post(mine, { ...long, version: latest })
  expect([refused.status, notShown(refused.text, { ...long, 'approvals-BTC': '2' })]).toEqual([400, []])
})

test('the reason of a refusal is typed once, although the session ends, and the request is refused with it', async () => {
  const [maker, checker] = [await join(undefined, 'finance', merchantId), await join(undefined, 'approver', merchantId)]
  const form = await maker.browser.get(pathOf('refunds/cards/'))
  const [formKey, refunded] = [fieldOf(form, 'form-key'), fieldOf(form, 'refunded')]
  const refund = { 'refund-amount': '40', 'refund-reason': 'damaged', 'form-key': formKey, refunded }
  const request = String((await maker.browser.post(pathOf('refunds/cards/'), refund)).headers['location'])
  const typed = { reason: 'not "ours" <7>' }
  const stored = async () =>
    (await sql`select state, reason from payout_requests where merchant_id = ${merchantId}`.execute(edge.db)).rows

  edge.clock.ms += 2 * HOUR_MS
  const asked = await checker.browser.post(request, { do: 'refuse', ...typed })
  expect(asked.status).toBe(401)
  const { email, seed } = checker
  const signIn = { do: 'password', email, password: PASSWORD, code: codeAt(seed), next: fieldOf(asked, 'next') }
  const back = await checker.browser.post('/app/sign-in', { ...signIn, ...carriedFields(asked) })
  const shown = await checker.browser.get(String(back.headers['location']))
  expect([shown.status, notShown(shown.text, typed), await stored()]).toEqual([
    200,
    [],
    [{ state: 'waiting', reason: null }],
  ])

  edge.clock.ms += 6 * 60_000
  const unproved = await checker.browser.post(request, { do: 'approve', shown: '', ...typed })
  expect([unproved.status, notShown(unproved.text, typed)]).toEqual([403, []])
  expect(carriedFields(unproved)['draft-reason']).toBe(typed.reason)
  expect((await checker.browser.post(request, { do: 'refuse', ...typed })).status).toBe(303)
  expect(await stored()).toEqual([{ state: 'refused', reason: typed.reason }])
})
