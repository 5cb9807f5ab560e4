/** Refunds by members through their pages, with the rights of the api; the worker makes what was approved. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import {
  carriedFields,
  fieldOf,
  PASSWORD,
  textOf,
  useDashboard,
  type TestBrowser,
} from '../../../../test/world/dashboard.ts'
import { catalogue, openFiatInvoices, type FiatWorld } from '../../../../test/world/fiat-invoices.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { storeFeeRate } from '../../pay-out/withdrawals/terms.ts'
import { makeClaim, PAYER, runRefunds } from './test-refunds.ts'

const { edge, memberOf, join, codeAt } = useDashboard({ catalogue })
const BTC = 100_000_000n
const PAID = BTC / 4n
let merchantId: string
let [maker, checker] = [{} as TestBrowser, {} as TestBrowser]
const pathOf = (page: string, of = merchantId): string => `/app/merchants/${of}/${page}`
const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
const world = () => ({ db: edge.db, runtime: runtime() })

const freshFee = (): Promise<void> =>
  storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)
beforeAll(freshFee)
// The invoices of claims are inserted raw: their money is in no books.
afterAll(() => emptyTables(edge.db))
beforeEach(async () => {
  merchantId = (await makeMerchant(edge.db, edge.clock.ms)).id
  maker = await memberOf(merchantId, 'finance')
  checker = await memberOf(merchantId, 'approver')
  await giveMoney(runtime(), { merchantId, asset: 'BTC' }, BTC)
})

/** The fields of the form that asks for the refund of a claim. */
const formOf = async (browser: TestBrowser, claim: string): Promise<Record<string, string>> => {
  const page = await browser.get(pathOf(`refunds/claims/${claim}`))
  const [formKey, spend, fee] = ['form-key', 'spend', 'fee'].map((name) => fieldOf(page, name))
  return { do: 'ask', 'form-key': formKey!, spend: spend!, fee: fee!, note: 'sorry' }
}
const askFor = async (browser: TestBrowser, claim: string): Promise<string> => {
  const asked = await browser.post(pathOf(`refunds/claims/${claim}`), await formOf(browser, claim))
  expect(asked.status, textOf(asked)).toBe(303)
  return asked.headers['location'] as string
}
const cardForm = async (browser: TestBrowser, payment: string, amount: string): Promise<Record<string, string>> => {
  const page = await browser.get(pathOf(`refunds/cards/${payment}`))
  const [formKey, refunded] = ['form-key', 'refunded'].map((name) => fieldOf(page, name))
  return { 'form-key': formKey!, refunded: refunded!, 'refund-amount': amount, 'refund-reason': 'damaged' }
}
const askForCard = async (browser: TestBrowser, payment: string, amount: string): Promise<string> => {
  const asked = await browser.post(pathOf(`refunds/cards/${payment}`), await cardForm(browser, payment, amount))
  expect(asked.status, textOf(asked)).toBe(303)
  return asked.headers['location'] as string
}
const approve = async (browser: TestBrowser, path: string) =>
  browser.post(path, { do: 'approve', shown: fieldOf(await browser.get(path), 'shown') })
const made = () => runRefunds(runtime(), catalogue)
const withdrawals = async () =>
  (
    await sql<{ to: string; total: bigint }>`select to_address as "to", units + fee_units as total from withdrawals
      where merchant_id = ${merchantId}`.execute(edge.db)
  ).rows
const cardRefunds = async () =>
  (
    await sql<{ units: bigint; reason: string }>`select units, reason from payment_refunds
      where merchant_id = ${merchantId} order by units`.execute(edge.db)
  ).rows.map(({ units, reason }) => [units, reason])
const stateOf = async (claim: string) =>
  (await sql<{ state: string }>`select state from refund_claims where id = ${claim}`.execute(edge.db)).rows[0]!.state
/** Changes the policy of the merchant as if its owner had done so a day ago. */
const policy = async (rules: object): Promise<void> => {
  const assets = { BTC: { alone: '0', approvals: 1, mostHour: null, mostDay: null } }
  const all = { assets, onlyBook: false, hours: 2 ** 24 - 1, coolingHours: 24, ...rules }
  await sql`insert into payout_policies(merchant_id, version, rules, made_by, made_at, in_force_at)
    select ${merchantId}, coalesce((select max(version) from payout_policies where merchant_id = ${merchantId}), 0) + 1,
      ${JSON.stringify(all)}, (select id from dashboard_people limit 1), ${new Date(0)}, ${new Date(0)}`.execute(
    edge.db,
  )
}
const alone = (units: bigint) => ({
  assets: { BTC: { alone: String(units), approvals: 1, mostHour: null, mostDay: null } },
})

describe('the refund of a claim', () => {
  test('is asked for by one member, approved by another one, and made once by the worker', async () => {
    const { claim, invoice } = await makeClaim(world(), merchantId, PAID)
    const page = await maker.get(pathOf(`refunds/claims/${claim}`))
    for (const text of ['0.25 BTC', PAYER, 'payer@example.com', 'Approvals of other members needed: 1'])
      expect(textOf(page)).toContain(text)
    const path = await askFor(maker, claim)
    expect((await maker.get(path)).text).not.toContain('value="approve"')
    expect((await maker.post(path, { do: 'approve', shown: '00' })).status).toBe(400)
    await made()
    expect(await withdrawals()).toEqual([])

    expect((await checker.get(pathOf('refunds'))).text).toContain(path)
    const shown = fieldOf(await checker.get(path), 'shown')
    const answers = await Promise.all([1, 2].map(() => checker.post(path, { do: 'approve', shown })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400])
    await Promise.all([made(), made()])
    expect(await withdrawals()).toEqual([{ to: PAYER, total: PAID }])
    expect(await stateOf(claim)).toBe('approved')
    expect(textOf(await checker.get(path))).toContain('Approved')
    expect((await checker.get(path)).text).toContain(`payments/crypto/${invoice}`)
  })

  test('is asked for once by a form that is sent twice, and by two members at once', async () => {
    const { claim } = await makeClaim(world(), merchantId, PAID)
    const admin = await memberOf(merchantId, 'admin')
    const [form, other] = [await formOf(maker, claim), await formOf(admin, claim)]
    const path = pathOf(`refunds/claims/${claim}`)
    const [one, again, second] = await Promise.all([
      maker.post(path, form),
      maker.post(path, form),
      admin.post(path, other),
    ])
    const places = [one, again, second].map((answer) => answer!.headers['location'])
    expect(new Set(places.filter((place) => place !== undefined)).size).toBe(1)
    const { rows } = await sql`select from payout_requests where merchant_id = ${merchantId}`.execute(edge.db)
    expect(rows).toHaveLength(1)
    expect(textOf(await admin.post(path, { do: 'refuse', note: '' }))).toContain('A request for this refund is open.')
  })

  test('is not made when more money has arrived than was approved', async () => {
    const { claim, invoice } = await makeClaim(world(), merchantId, PAID)
    const path = await askFor(maker, claim)
    await approve(checker, path)
    await sql`update crypto_invoices set paid_units = paid_units + 1 where id = ${invoice}`.execute(edge.db)
    await made()
    expect([await withdrawals(), await stateOf(claim)]).toEqual([[], 'requested'])
    const page = textOf(await checker.get(path))
    expect(page).toContain('Failed')
    expect(page).toContain('no longer the approved one')
    await approve(checker, await askFor(maker, claim))
    await made()
    expect(await withdrawals()).toEqual([{ to: PAYER, total: PAID + 1n }])
  })

  test('fails when the claim was decided by the operator meanwhile', async () => {
    const { claim } = await makeClaim(world(), merchantId, PAID)
    const path = await askFor(maker, claim)
    await sql`update refund_claims set state = 'refused', decided_at = now() where id = ${claim}`.execute(edge.db)
    await approve(checker, path)
    await made()
    expect(await withdrawals()).toEqual([])
    expect(textOf(await checker.get(path))).toContain('refused already')
  })

  test('counts with payouts in what a member pays alone in a day, and splitting does not help', async () => {
    await policy(alone(PAID + PAID / 2n))
    const [first, second] = [await makeClaim(world(), merchantId, PAID), await makeClaim(world(), merchantId, PAID)]
    const one = await askFor(maker, first.claim)
    expect((await approve(maker, one)).status).toBe(303)
    await made()
    expect(await withdrawals()).toHaveLength(1)
    const two = await askFor(maker, second.claim)
    expect((await maker.get(two)).text).not.toContain('value="approve"')
    expect(textOf(await maker.post(two, { do: 'approve', shown: await shownOf(two) }))).toContain('Another member')
  })

  test('needs an approval at any amount where only the address book is paid', async () => {
    await policy({ ...alone(BTC), onlyBook: true })
    const { claim } = await makeClaim(world(), merchantId, PAID)
    const path = await askFor(maker, claim)
    expect(textOf(await maker.post(path, { do: 'approve', shown: await shownOf(path) }))).toContain('Another member')
    expect((await approve(checker, path)).status).toBe(303)
  })

  test('has the limits of the policy at the time of its approval', async () => {
    const { claim } = await makeClaim(world(), merchantId, PAID)
    const path = await askFor(maker, claim)
    await policy({ assets: { BTC: { alone: '0', approvals: 1, mostHour: null, mostDay: String(PAID - 1n) } } })
    expect(textOf(await approve(checker, path))).toContain('more than the policy allows in a day')
    await policy({ assets: { BTC: { alone: '0', approvals: 2, mostHour: null, mostDay: null } } })
    expect((await approve(checker, path)).headers['location']).toContain('done=counted')
    await made()
    expect(await withdrawals()).toEqual([])
  })

  test('needs a recent proof to be approved and to be refused', async () => {
    const [asked, other] = [await makeClaim(world(), merchantId, PAID), await makeClaim(world(), merchantId, PAID)]
    const path = await askFor(maker, asked.claim)
    const shown = await shownOf(path)
    edge.clock.ms += 6 * 60_000
    await freshFee()
    expect((await checker.post(path, { do: 'approve', shown })).status).toBe(403)
    expect((await maker.post(pathOf(`refunds/claims/${other.claim}`), { do: 'refuse', note: '' })).status).toBe(403)
    expect(await stateOf(other.claim)).toBe('requested')
  })
})

const shownOf = async (path: string): Promise<string> => fieldOf(await checker.get(path), 'shown')

describe('a claim', () => {
  test('is refused once with a note to the payer, and leaves the list of those that wait', async () => {
    const { claim } = await makeClaim(world(), merchantId, PAID)
    const path = pathOf(`refunds/claims/${claim}`)
    expect((await maker.get(pathOf('refunds?status=open'))).text).toContain(path)
    const answers = await Promise.all([1, 2].map(() => maker.post(path, { do: 'refuse', note: 'ask the shop' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400])
    expect(await stateOf(claim)).toBe('refused')
    const { rows } = await sql`select from mails where merchant_id = ${merchantId} and kind = 'claim-answered'`.execute(
      edge.db,
    )
    expect(rows).toHaveLength(1)
    expect((await maker.get(pathOf('refunds?status=open'))).text).not.toContain(path)
    expect((await maker.get(pathOf('refunds?status=refused&asset=BTC&kind=claim'))).text).toContain(path)
    const file = await maker.get(pathOf('refunds/export?status=refused'))
    expect(file.text).toContain(`${claim},`)
    expect(file.text).toContain(',claim,refused,0.25,BTC,')
  })

  test('has the typed note again after a proof', async () => {
    const { claim } = await makeClaim(world(), merchantId, PAID)
    const path = pathOf(`refunds/claims/${claim}`)
    const { browser, seed } = await join(undefined, 'finance', merchantId)
    edge.clock.ms += 6 * 60_000
    await freshFee()
    const asked = await browser.post(path, { do: 'refuse', note: 'ask the shop' })
    expect(asked.status).toBe(403)
    const secret = { do: 'prove-password', next: path, password: PASSWORD, code: codeAt(seed) }
    const proved = await browser.post('/app/security', { ...secret, ...carriedFields(asked) })
    expect((await browser.get(proved.headers['location'] as string)).text).toContain('ask the shop')
    expect(await stateOf(claim)).toBe('requested')
  })

  test('of another merchant is unknown, and a member without the permission decides nothing', async () => {
    const other = (await makeMerchant(edge.db, edge.clock.ms)).id
    const { claim } = await makeClaim(world(), other, PAID)
    for (const path of [pathOf(`refunds/claims/${claim}`), pathOf(`refunds/claims/${claim}`, other)])
      expect((await maker.get(path)).status).toBe(404)
    const form = { do: 'ask', 'form-key': claim, spend: String(PAID), fee: '0', note: '' }
    for (const fields of [form, { do: 'refuse', note: '' }])
      expect((await maker.post(pathOf(`refunds/claims/${claim}`), fields)).status).not.toBe(303)
    expect(await stateOf(claim)).toBe('requested')
    const own = await makeClaim(world(), merchantId, PAID)
    const path = pathOf(`refunds/claims/${own.claim}`)
    for (const role of ['approver', 'support', 'developer', 'viewer'] as const) {
      const member = await memberOf(merchantId, role)
      expect((await member.get(path)).text).not.toContain('value="ask"')
      expect((await member.post(path, form)).status, role).toBe(403)
      expect((await member.post(path, { do: 'refuse', note: '' })).status, role).toBe(403)
    }
  })
})

describe('the refund of a card payment', () => {
  let fiat: FiatWorld
  let payment: string
  let invoice: string
  beforeEach(async () => {
    fiat = await openFiatInvoices({ url: edge.pool.options.connectionString!, pool: edge.pool, db: edge.db })
    fiat.now = edge.clock.ms
    merchantId = fiat.merchantId
    maker = await memberOf(merchantId, 'finance')
    checker = await memberOf(merchantId, 'approver')
    ;({ id: invoice, reference: payment } = await fiat.paidInvoice())
    await giveMoney(runtime(), { merchantId, asset: 'UAH' }, 10_000n)
  })

  test('is asked for in part, approved, and made once; the rest follows', async () => {
    expect((await maker.get(pathOf(`payments/card/${invoice}`))).text).toContain(`refunds/cards/${payment}`)
    const path = await askForCard(maker, payment, '40,5')
    await approve(checker, path)
    await Promise.all([made(), made()])
    expect(await cardRefunds()).toEqual([[4_050n, 'damaged']])
    expect((await maker.get(pathOf('refunds?kind=card'))).text).toContain(`payments/card/${invoice}`)
    await fiat.work()
    await approve(checker, await askForCard(maker, payment, '59.5'))
    await made()
    expect(await cardRefunds()).toEqual([
      [4_050n, 'damaged'],
      [5_950n, 'damaged'],
    ])
  })

  test('says when the balance is smaller than the rest of the payment', async () => {
    const warning = 'A refund above it fails.'
    expect(textOf(await maker.get(pathOf(`refunds/cards/${payment}?lang=en`)))).not.toContain(warning)
    const poor = await openFiatInvoices({ url: edge.pool.options.connectionString!, pool: edge.pool, db: edge.db })
    poor.now = edge.clock.ms
    const { reference } = await poor.paidInvoice()
    const member = await memberOf(poor.merchantId, 'finance')
    const shown = textOf(await member.get(pathOf(`refunds/cards/${reference}?lang=en`, poor.merchantId)))
    expect(shown).toContain(warning)
    expect(shown).toMatch(/Available: \S+/)
  })

  test('is refused for more than the rest, for an unclear amount and without a reason: all problems at once', async () => {
    const form = { ...(await cardForm(maker, payment, '100.01')), 'refund-reason': '' }
    const answer = await maker.post(pathOf(`refunds/cards/${payment}`), form)
    expect(answer.status).toBe(400)
    expect(textOf(answer)).toContain('at most the amount that can be refunded')
    expect(textOf(answer)).toContain('Type a reason')
    expect(answer.text).toContain('value="100.01"')
    const unclear = await maker.post(pathOf(`refunds/cards/${payment}`), await cardForm(maker, payment, '1,500'))
    expect(textOf(unclear)).toContain('unclear')
  })

  test('is made once when two members ask, and a request of an old form is refused', async () => {
    const admin = await memberOf(merchantId, 'admin')
    const [one, other] = [await cardForm(maker, payment, '100'), await cardForm(admin, payment, '100')]
    const page = pathOf(`refunds/cards/${payment}`)
    const asked = await maker.post(page, one)
    expect(textOf(await admin.post(page, other))).toContain('A request for this refund is open.')
    await approve(checker, asked.headers['location'] as string)
    await made()
    expect(textOf(await admin.post(page, other))).toMatch(/at most the amount|has changed/)
    expect(await cardRefunds()).toEqual([[10_000n, 'damaged']])
  })

  test('that the operator has refunded meanwhile fails, and moves no money twice', async () => {
    const path = await askForCard(maker, payment, '100')
    await fiat.refund(payment, 1n)
    await fiat.work()
    await approve(checker, path)
    await made()
    expect(await cardRefunds()).toEqual([[1n, 'asked']])
    expect(textOf(await checker.get(path))).toContain('can still be refunded')
  })

  test('in part, of which the operator has refunded the same part meanwhile, fails', async () => {
    const path = await askForCard(maker, payment, '40')
    await fiat.refund(payment, 4_000n)
    await fiat.work()
    await approve(checker, path)
    await made()
    await fiat.work()
    expect(await cardRefunds()).toEqual([[4_000n, 'asked']])
    expect(textOf(await checker.get(path))).toContain('another refund of payment')
  })

  test('of another merchant is unknown', async () => {
    merchantId = (await makeMerchant(edge.db, edge.clock.ms)).id
    maker = await memberOf(merchantId, 'owner')
    expect((await maker.get(pathOf(`refunds/cards/${payment}`))).status).toBe(404)
    const form = { 'form-key': payment, refunded: '0', 'refund-amount': '1', 'refund-reason': 'x' }
    expect((await maker.post(pathOf(`refunds/cards/${payment}`), form)).status).toBe(404)
  })
})
