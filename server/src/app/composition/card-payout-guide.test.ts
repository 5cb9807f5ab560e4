/** Payouts to cards by two people, from the guided payout to the acquirer, with the rights of the api. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createPaymentAcquirer } from '../../../../test/world/acquirer-payments.ts'
import { createPayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import { CARD_CATALOGUE } from '../../../../test/world/catalogue.ts'
import { fieldOf, textOf, useDashboard, withoutScript, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { giveMoney, spendableOf } from '../../../../test/world/ledger.ts'
import { cardBox, makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createRoutingTable } from '../../cards/acquiring/index.ts'
import { createSendingJob } from '../../cards/card-payouts/index.ts'
import { countCardsOfRequests, createPlacingJob } from '../../pay-out/requests/index.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { runRefunds } from './test-refunds.ts'

const { edge, memberOf } = useDashboard({ catalogue: CARD_CATALOGUE })
const CARD = '4242424242424242'
const MASKED = '424242******4242'
const HOUR_MS = 3_600_000
const noRefund = () => Promise.reject(new Error('there is no refund'))
const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
const at = (page: string, merchantId = edge.merchant.id): string => `/app/merchants/${merchantId}/${page}`
const go = (browser: TestBrowser, does: string, fields: Readonly<Record<string, string>>) =>
  browser.post(`${at('payouts/guide')}?lang=en`, { do: does, ...fields })
const place = () => runRefunds(runtime(), CARD_CATALOGUE)
const made = async (): Promise<
  { masked: string; units: bigint; fee: bigint; localId: string; meta: string | null }[]
> =>
  (
    await sql<{ masked: string; units: bigint; fee: bigint; localId: string; meta: string | null }>`select
        masked_card as masked, units, fee_units as fee, local_id as "localId", meta
      from card_payouts where merchant_id = ${edge.merchant.id} order by created_at, id`.execute(edge.db)
  ).rows
const waitingCards = async (): Promise<number> =>
  (await countCardsOfRequests(edge.db)).reduce((sum, { count }) => sum + Number(count), 0)

beforeAll(() => giveMoney(runtime(), { merchantId: edge.merchant.id, asset: 'UAH' }, 10_000_00n))
beforeEach(async () => {
  // Requests of the test before have ended.
  edge.clock.ms += 80 * HOUR_MS
  await place()
  expect(await waitingCards()).toBe(0)
})

/** Goes through the steps to the checked payout. @returns its form */
const check = async (
  maker: TestBrowser,
  { card = '4242 4242 4242-4242', amount = '1500,5', meta = 'salary' } = {},
): Promise<Record<string, string>> => {
  const second = await go(maker, 'card', {})
  expect(textOf(second)).toContain('Step 2 of 3')
  const third = await go(maker, 'card-what', { 'payout-card': card, 'payout-currency': 'UAH' })
  expect([third.status, textOf(third).includes(MASKED), third.text.includes(CARD)]).toEqual([200, true, false])
  const carried = { 'payout-currency': 'UAH', 'payout-card-sealed': fieldOf(third, 'payout-card-sealed') }
  const typed = { ...carried, 'payout-amount': amount, 'payout-meta': meta }
  const checked = await go(maker, 'card-check', typed)
  expect(checked.status, textOf(checked)).toBe(200)
  const form = { ...typed, 'form-key': fieldOf(checked, 'form-key'), fees: fieldOf(checked, 'fees') }
  return { ...form, text: textOf(checked) }
}
const ask = async (maker: TestBrowser, given: Parameters<typeof check>[1] = {}): Promise<string> => {
  const { text: _, ...form } = await check(maker, given)
  const asked = await go(maker, 'card-ask', form)
  expect(asked.status).toBe(303)
  return String(asked.headers['location']).split('?')[0]!
}
const approve = async (browser: TestBrowser, path: string) =>
  browser.post(path, { do: 'approve', shown: fieldOf(await browser.get(path), 'shown') })

test('a card is chosen and checked with its fee, requested once, approved by another member, and paid once', async () => {
  const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
  expect(textOf(await maker.get(`${at('payouts/guide')}?lang=en`))).toContain('To a bank card')
  const { text, ...form } = await check(maker)
  expect(text).toMatch(/Fee now ₴15\.01/)
  expect(text).toMatch(/Total now ₴1,515\.51/)
  expect(text).toContain('Approvals needed: 1')
  expect(await waitingCards()).toBe(0)
  const sent = await Promise.all([1, 2].map(() => go(maker, 'card-ask', form)))
  expect(sent.map(({ status }) => status)).toEqual([303, 303])
  expect(sent[0]!.headers['location']).toBe(sent[1]!.headers['location'])
  expect([await waitingCards(), await made()]).toEqual([1, []])

  const path = String(sent[0]!.headers['location']).split('?')[0]!
  const shown = await checker.get(`${path}?lang=en`)
  for (const part of ['Payout to a card', MASKED, maker.email, 'salary']) expect(textOf(shown)).toContain(part)
  expect(shown.text).not.toContain(CARD)
  expect(textOf(shown)).not.toContain('not in the address book')
  const approved = await approve(checker, path)
  expect(approved.headers['location']).toBe(`${path}?done=placing`)
  expect(textOf(await checker.get(`${path}?done=placing&lang=en`))).toContain('The payout to the card is being made.')
  await Promise.all([place(), place()])
  const id = path.split('/').at(-1)!
  const payout = { masked: MASKED, units: 1_500_50n, fee: 15_01n, localId: `payout-${id}`, meta: 'salary' }
  expect([await made(), await waitingCards()]).toEqual([[payout], 0])
  const after = await checker.get(`${path}?lang=en`)
  expect(after.text).toContain(at('payouts/made/card/'))
  expect((await approve(checker, path).catch(() => undefined))?.status).toBeUndefined()

  const acquirer = createPayoutAcquirer('first', { UAH: { least: 1n, most: 100_000_000n } })
  const sending = createSendingJob(
    {
      runtime: runtime(),
      catalogue: CARD_CATALOGUE,
      acquirers: new Map([['first', acquirer]]),
      routing: createRoutingTable([acquirer]),
      cards: cardBox,
      callbackUrl: () => 'https://pay.example/callbacks/first',
      pause: async () => {},
    },
    1,
  )
  await runUntilIdle([sending])
  expect([...acquirer.orders.values()].map(({ card, units }) => [card, units])).toEqual([[CARD, 1_500_50n]])
  expect(await spendableOf(edge.db, { merchantId: edge.merchant.id, asset: 'UAH' })).toBe(10_000_00n - 1_515_51n)
})

test('an amount above one payment is refused, because its parts would depend on the limits of the day', async () => {
  const maker = await memberOf(edge.merchant.id, 'finance')
  const third = await go(maker, 'card-what', { 'payout-card': CARD, 'payout-currency': 'UAH' })
  const carried = { 'payout-currency': 'UAH', 'payout-card-sealed': fieldOf(third, 'payout-card-sealed') }
  const refused = await go(maker, 'card-check', { ...carried, 'payout-amount': '16000', 'payout-meta': '' })
  expect([refused.status, textOf(refused).includes('Withdraw amount too high')]).toEqual([400, true])
})

test('all problems of a step are shown at once; the number is typed once, and is not shown again', async () => {
  const maker = await memberOf(edge.merchant.id, 'finance')
  const nothing = await go(maker, 'card-what', { 'payout-card': '4242 4242 4242 4241' })
  expect(nothing.status).toBe(400)
  for (const part of ['This is no number of a payment card.', 'Choose a currency.'])
    expect(textOf(nothing)).toContain(part)
  expect(nothing.text).toContain('value="4242 4242 4242 4241"')
  const third = await go(maker, 'card-what', { 'payout-card': CARD, 'payout-currency': 'UAH' })
  const sealed = { 'payout-currency': 'UAH', 'payout-card-sealed': fieldOf(third, 'payout-card-sealed') }
  const typed = { ...sealed, 'payout-amount': '1,500', 'payout-meta': `card ${CARD}` }
  const wrong = await go(maker, 'card-check', typed)
  expect(wrong.status).toBe(400)
  for (const part of ['This amount can not be paid.', 'has the number of the card'])
    expect(textOf(wrong)).toContain(part)
  expect(wrong.text).toContain('value="1,500"')
  const low = await go(maker, 'card-check', { ...sealed, 'payout-amount': '7' })
  expect([low.status, textOf(low).includes('Withdraw amount too low')]).toEqual([400, true])
  const back = await go(maker, 'card-back', sealed)
  expect([textOf(back).includes(`keep the card ${MASKED}`), back.text.includes(CARD)]).toEqual([true, false])
  const again = await go(maker, 'card-what', { ...sealed, 'payout-card-sealed': fieldOf(back, 'payout-card-sealed') })
  expect([again.status, textOf(again).includes(MASKED)]).toEqual([200, true])

  // The sealed number is for this session and this merchant.
  const colleague = await memberOf(edge.merchant.id, 'finance')
  expect((await go(colleague, 'card-what', sealed)).status).toBe(400)
  const other = (await makeMerchant(edge.db, edge.clock.ms)).id
  const stranger = await memberOf(other, 'owner')
  expect((await stranger.post(at('payouts/guide'), { do: 'card-check', ...sealed })).status).toBe(404)
  const viewer = await memberOf(edge.merchant.id, 'viewer')
  expect((await go(viewer, 'card-ask', sealed)).status).toBe(403)
  expect(await waitingCards()).toBe(0)
})

test('a number is erased when its request was refused, withdrawn or has expired', async () => {
  const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
  const [refused, withdrawn] = [await ask(maker), await ask(maker)]
  await ask(maker)
  expect(await waitingCards()).toBe(3)
  expect((await checker.post(refused, { do: 'refuse', reason: 'wrong card' })).status).toBe(303)
  expect((await maker.post(withdrawn, { do: 'withdraw' })).status).toBe(303)
  await place()
  expect(await waitingCards()).toBe(1)
  edge.clock.ms += 73 * HOUR_MS
  await place()
  expect(await waitingCards()).toBe(0)
})

/** Tables with a row that has the number. */
const tablesWith = async (number: string): Promise<string[]> => {
  const { rows } = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(edge.db)
  const found: string[] = []
  for (const { name } of rows) {
    const { rows: some } = await sql`select from ${sql.table(name)} t where t::text like ${`%${number}%`}`.execute(
      edge.db,
    )
    if (some.length > 0) found.push(name)
  }
  return found
}

test('a number is in no table but sealed, is sealed again with the newest key, and is then paid', async () => {
  const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
  const [before, path] = [await made(), await ask(maker, { amount: '1000' })]
  expect([await tablesWith(CARD), await tablesWith(MASKED)]).toEqual([[], expect.arrayContaining(['payout_lines'])])
  const ring = createSecretRing([10, 9].map((byte) => new Uint8Array(32).fill(byte)))
  const job = createPlacingJob(
    {
      runtime: runtime(),
      rules: { catalogue: CARD_CATALOGUE, bitcoinChain: 'regtest' },
      refunds: { claim: noRefund, card: noRefund },
      toCards: {
        rules: { catalogue: CARD_CATALOGUE, routing: createRoutingTable([createPaymentAcquirer('first')]) },
        cards: ring,
        stops: () => Promise.resolve([]),
      },
    },
    1,
  )
  expect((await countCardsOfRequests(edge.db))[0]!.prefix).toBe(cardBox.newest)
  await runUntilIdle([job])
  expect((await countCardsOfRequests(edge.db))[0]!.prefix).toBe(ring.newest)
  await approve(checker, path)
  await runUntilIdle([job])
  expect([(await made()).length - before.length, await tablesWith(CARD)]).toEqual([1, []])
})

test('a request whose card was erased just before its approval fails, and nothing is paid', async () => {
  const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
  const [before, path] = [await made(), await ask(maker)]
  edge.clock.ms += 73 * HOUR_MS
  await place()
  edge.clock.ms -= 73 * HOUR_MS
  await approve(checker, path)
  await place()
  expect(textOf(await checker.get(`${path}?lang=en`))).toMatch(/Failed.*the number of the card was erased/)
  expect(await made()).toEqual(before)
})

test('a payout that the balance can not pay fails with its reason, and one that only the book allows is refused', async () => {
  const [maker, owner] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'owner')]
  const before = await made()
  const { text } = await check(maker, { amount: '14500' })
  expect(text).toContain('Your available balance is smaller than this total.')
  const path = await ask(maker, { amount: '14500' })
  await approve(owner, path)
  await place()
  expect(textOf(await owner.get(`${path}?lang=en`))).toMatch(/Failed.*[Nn]ot enough/)
  await place()
  expect([await made(), await waitingCards()]).toEqual([before, 0])

  const tickers = [...CARD_CATALOGUE.crypto, ...CARD_CATALOGUE.fiat].map(({ ticker }) => ticker)
  const rules = Object.fromEntries(tickers.map((ticker) => [`approvals-${ticker}`, '1']))
  const policy = { version: '0', addresses: 'book', cooling: '24', api: 'free', 'from-hour': '0', 'to-hour': '0' }
  expect((await owner.post(at('payouts/policy'), { ...rules, ...policy })).status).toBe(303)
  const { text: _, ...form } = await check(maker)
  const asked = await go(maker, 'card-ask', form)
  expect([asked.status, textOf(asked).includes('The policy allows addresses of the address book only')]).toEqual([
    400,
    true,
  ])
  expect(await waitingCards()).toBe(0)
})

test.each(LANGUAGES)('every step in %s has its texts', async (language) => {
  const maker = await memberOf(edge.merchant.id, 'finance')
  const path = `${at('payouts/guide')}?lang=${language}`
  const card = { 'payout-card': CARD, 'payout-currency': 'UAH' }
  for (const fields of [
    { do: 'card' },
    { do: 'card-what', ...card },
    { do: 'card-check', ...card, 'payout-amount': '1500' },
  ]) {
    const page = await maker.post(path, fields)
    expect(page.status).toBe(200)
    expect(withoutScript(page.text)).not.toMatch(/undefined|\[object|\bnull\b/)
  }
})
