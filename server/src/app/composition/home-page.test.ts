/** The first page about a merchant as its members see it. */
import { execFile } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { NOW } from '../../../../test/world/edge.ts'
import { spendMoney } from '../../../../test/world/ledger.ts'
import { fillListed, LISTED, listedWorld, OTHER } from '../../../../test/world/listed.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { setPrices } from '../../../../test/world/prices.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createFigureJob } from '../../ledger/figures/index.ts'
import { applyAll } from '../../ledger/postings/index.ts'
import { setSetting } from '../../merchants/accounts/index.ts'
import { nowOf, type Role } from '../../people/access/index.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'

const run = promisify(execFile)
const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const { edge, browse, join, signInWith, memberOf, statements } = useDashboard({ catalogue })
const DAY = 86_400_000
const E18 = 10n ** 18n
let [member, stranger]: TestBrowser[] = []
const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
const at = (query = '', merchantId: string = LISTED): string => `/app/merchants/${merchantId}/home?lang=en${query}`

beforeAll(async () => {
  for (const id of [LISTED, OTHER]) await makeMerchant(edge.db, NOW, { id })
  await withoutTriggers(edge.db, async (tx) => {
    await fillListed(tx, 1, 90)
    await sql`update crypto_invoices set state = 'paid', refunded = false where state = 'expired'`.execute(tx)
    await sql`delete from event_streams`.execute(tx)
    await sql`update deposits set state = 'credited' where state = 'held'`.execute(tx)
    await sql`update withdrawals set halted = false, barred = null`.execute(tx)
    await sql`delete from refund_claims`.execute(tx)
  })
  member = await memberOf(LISTED, 'owner')
  stranger = await memberOf(OTHER, 'owner')
})
// What was inserted raw is in no books.
afterAll(() => emptyTables(edge.db))

/** A deposit's credit in the ledger. @param units ledger units */
const receive = async (merchantId: string, asset: string, units: bigint): Promise<void> => {
  const id = randomUUID()
  const entry = (kind: 'merchant' | 'clearing', posted: bigint) => ({
    account: { merchantId, asset, kind },
    posted,
    held: 0n,
  })
  const entries = [entry('merchant', units), entry('clearing', -units)]
  await inTransaction(edge.db, (tx) =>
    applyAll(tx, [
      {
        transfer: {
          id,
          merchantId,
          kind: 'post',
          cause: { kind: 'deposit', id },
          entries,
          at: new Date(edge.clock.ms),
        },
      },
    ]),
  )
}
const count = (): Promise<void> => runUntilIdle([createFigureJob(runtime(), 1)])
/** Rows of the table of a chart. */
const rowsOf = (text: string, id: string): string[][] => {
  const chart = text.split(`aria-labelledby="${id}"`)[1]!.split('</section>')[0]!
  return [...chart.matchAll(/<tr><td>([^<]*)<\/td><td class="num">([^<]*)<\/td>/g)].map(([, day, value]) => [
    day!,
    value!.replaceAll('\u00a0', ' '),
  ])
}

describe('the first steps', () => {
  test('have a snippet whose signature is that of the contract, and end when they are done', async () => {
    const { id: merchantId, privateKey } = edge.merchant
    const owner = await memberOf(merchantId, 'owner')
    const page = await owner.get(at('', merchantId))
    const text = textOf(page)
    expect(text).toContain('First steps')
    expect(text).toContain(merchantId)
    const lines = /<pre tabindex="0">(KEY=[^]*?)<\/pre>/.exec(page.text)![1]!
    const script = lines
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replace('KEY=...', `KEY='${privateKey}'`)
      .replace(/\ncurl [^]*/, '\necho "$NOW $SIGNATURE $BODY"')
    const { stdout } = await run('sh', ['-c', script])
    const [, now, signature, body] = /^(\d+) (\w+) (.*)\n$/.exec(stdout)!
    const message = `POST/merchants/invoices/crypto${body!}${now!}`
    expect(signature).toBe(createHmac('sha256', privateKey).update(message).digest('hex'))

    const moment = nowOf(runtime()).moment
    const set = { name: 'notificationsUrl', value: 'https://shop.example/hook' }
    await inTransaction(edge.db, (tx) => setSetting(tx, merchantId, set, { actor: 'test' }, moment))
    await memberOf(merchantId, 'viewer')
    expect(textOf(await owner.get(at('', merchantId)))).toContain('First steps')
    // Raw: any invoice of the merchant.
    await withoutTriggers(edge.db, (tx) =>
      sql`update crypto_invoices set merchant_id = ${merchantId}
        where id = (select id from crypto_invoices where merchant_id = ${LISTED} limit 1)`.execute(tx),
    )
    expect(textOf(await owner.get(at('', merchantId)))).not.toContain('First steps')
  })

  test('offer to a viewer no page that the role may not open', async () => {
    const { id } = await makeMerchant(edge.db, NOW)
    const page = await (await memberOf(id, 'viewer')).get(at('', id))
    expect(page.text).not.toMatch(/webhooks\/url|\/webhooks"/)
  })
})

describe('what needs a member', () => {
  test('is counted with a link, and is that of the merchant', async () => {
    expect(textOf(await member!.get(at()))).toContain('Nothing waits for you.')
    await withoutTriggers(edge.db, async (tx) => {
      await sql`update crypto_invoices set state = 'expired', paid_units = 1, created_at = ${new Date(edge.clock.ms)}
        where id in (select id from crypto_invoices where merchant_id = ${LISTED} limit 3)`.execute(tx)
      await sql`update deposits set state = 'held', hold_until_verified = true
        where id in (select id from deposits where merchant_id = ${LISTED} limit 2)`.execute(tx)
      await sql`update withdrawals set halted = true, state = 'requested'
        where id in (select id from withdrawals where merchant_id = ${LISTED} limit 1)`.execute(tx)
      await sql`insert into event_streams(merchant_id, object_id, next_sequence, last_sequence, next_at, own_lane, attempts, since, until)
        select ${LISTED}, gen_random_uuid(), 1, 1, now(), true, 3, now(), now() from generate_series(1, 120)`.execute(
        tx,
      )
      await sql`insert into refund_claims(merchant_id, id, invoice_id, state, refund_address, requested_at)
        select merchant_id, gen_random_uuid(), id, 'requested', 'x', now() from crypto_invoices where merchant_id = ${LISTED} limit 4`.execute(
        tx,
      )
    })
    const text = textOf(await member!.get(at()))
    expect(text).toContain('Refunds that payers request 4')
    expect(text).toContain('Underpaid invoices of the last 30 days 3')
    expect(text).toContain('Deposits that are held until they are checked 2')
    expect(text).toContain('Stopped withdrawals: ask the operator 1')
    expect(text).toContain('Objects with failing webhooks ≥ 100')
    expect(textOf(await stranger!.get(at('', OTHER)))).toContain('Nothing waits for you.')
    edge.clock.ms += 31 * DAY
    member = await memberOf(LISTED, 'owner')
    expect(textOf(await member.get(at()))).not.toContain('Underpaid invoices')
  })

  test.each<[Role, boolean, boolean]>([
    ['finance', true, false],
    ['support', false, true],
    ['viewer', true, false],
  ])('%s sees money: %s, webhooks: %s', async (role, money, webhooks) => {
    const text = textOf(await (await memberOf(LISTED, role)).get(at()))
    expect([text.includes('Value of all balances'), text.includes('Received')]).toEqual([money, money])
    expect(text.includes('Objects with failing webhooks')).toBe(webhooks)
    expect(text).toContain('Deposits that are held')
  })
})

describe('the charts', () => {
  test('show what was received on each day, and the balance at its end, at the prices of now', async () => {
    const { id } = await makeMerchant(edge.db, NOW)
    edge.clock.ms = Date.UTC(2027, 2, 1, 12)
    await receive(id, 'USDT', 4n * 10n ** BigInt(catalogue.find('USDT')!.scale))
    await count()
    edge.clock.ms += 3 * DAY
    await receive(id, 'USDT', 10n * 10n ** BigInt(catalogue.find('USDT')!.scale))
    await receive(id, 'BTC', 10n ** BigInt(catalogue.find('BTC')!.scale))
    await spendMoney(runtime(), { merchantId: id, asset: 'USDT' }, 5n * 10n ** BigInt(catalogue.find('USDT')!.scale))
    await count()
    edge.clock.ms += DAY
    await setPrices(runtime(), { USDT: E18, BTC: 1_000n * E18 })
    const owner = await memberOf(id, 'owner')
    const { text } = await owner.get(at('&days=7', id))
    expect(rowsOf(text, 'received')).toEqual([
      ['2027-03-05', '$0'],
      ['2027-03-04', '$1,010 (payments: 2)'],
      ['2027-03-03', '$0'],
      ['2027-03-02', '$0'],
      ['2027-03-01', '$4 (payments: 1)'],
      ['2027-02-28', '$0'],
      ['2027-02-27', '$0'],
    ])
    expect(rowsOf(text, 'balance').map(([, value]) => value)).toEqual([
      '$1,009',
      '$1,009',
      '$4',
      '$4',
      '$4',
      '$0',
      '$0',
    ])
    expect(text.match(/<rect /g)).toHaveLength(2)
    expect(rowsOf((await owner.get(at('&days=90', id))).text, 'received')).toHaveLength(90)
    // A balance from before the chart goes on in it.
    edge.clock.ms += 40 * DAY
    await setPrices(runtime(), { USDT: E18, BTC: 1_000n * E18 })
    const later = await (await memberOf(id, 'owner')).get(at('&days=7', id))
    expect(rowsOf(later.text, 'balance').map(([, value]) => value)).toEqual(Array(7).fill('$1,009'))
  })

  test('need at most ten statements and 60 kB, in every language and length', async () => {
    member = await memberOf(LISTED, 'owner')
    for (const lang of LANGUAGES)
      for (const days of ['7', '30', '90', 'x', '-1']) {
        statements.length = 0
        const page = await member.get(`/app/merchants/${LISTED}/home?lang=${lang}&days=${days}&in=UAH`)
        const counted = statements.filter((text) => !/^\s*(set|begin|commit)\b/i.test(text))
        expect([lang, days, page.status, counted.length <= 10]).toEqual([lang, days, 200, true])
        expect(gzipSync(page.text).length).toBeLessThan(60_000)
      }
  })
})

describe('a sign-in', () => {
  test('of a person with one merchant arrives at its first page, with several at the list', async () => {
    const { id } = await makeMerchant(edge.db, NOW)
    const { email, codes } = await join(undefined, 'viewer', id)
    expect((await signInWith(browse(), email, codes[0]!)).headers['location']).toBe(`/app/merchants/${id}/home`)
    const { id: second } = await makeMerchant(edge.db, NOW)
    await sql`insert into dashboard_members(merchant_id, person_id, role, added_at)
      select ${second}, id, 'viewer', now() from dashboard_people where address = ${email}`.execute(edge.db)
    expect((await signInWith(browse(), email, codes[1]!)).headers['location']).toBe('/app')
  })

  test('is needed, and the merchant must be one of the person', async () => {
    expect((await browse().get(at())).headers['location']).toContain('/app/sign-in')
    expect((await memberOf(OTHER).then((browser) => browser.get(at()))).status).toBe(404)
  })
})
