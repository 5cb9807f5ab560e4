/**
 * A walk over every route of the dashboard with the ids of another merchant, in each position of path, query and form:
 * nothing is shown, and nothing changes. The routes are those of the production list, so that a new one needs a row.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { fieldOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { fillListed, LISTED, listedWorld, OTHER } from '../../../../test/world/listed.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { readLogo, showDraft, storeDraft } from '../../merchants/logos/index.ts'
import { plainPicture, pngFile } from '../../merchants/logos/test-pictures.ts'
import { emit } from '../../merchants/webhooks/index.ts'
import { nowOf } from '../../people/access/index.ts'
import { storeFeeRate } from '../../pay-out/withdrawals/terms.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createDashboard } from './people.ts'
import { idIn, INVOICE, LINK, send } from './test-invoicing.ts'
import { makeClaim } from './test-refunds.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const { edge, inviteTo, memberOf, newAddress, routes, deps } = useDashboard({ catalogue })
const TO = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const PAYOUT = {
  'payout-asset': 'BTC/BITCOIN',
  'payout-to': TO,
  'payout-amount': '0.5',
  'payout-meta': 'secret-payout',
}
/** Stands in texts of the other merchant's objects: an answer to a stranger does not contain it. */
const MARK = /secret-|Victim/

type Fields = Readonly<Record<string, string>>
/** What a route takes beside the merchant. */
interface Row {
  /** values of the path's parameters, each set an object of the other merchant */
  paths?: readonly Fields[]
  /** queries with ids of the other merchant; the answer may be a page of one's own */
  queries?: readonly Fields[]
  /** forms with ids of the other merchant */
  forms?: readonly Fields[]
  /** forms that act for one's own merchant, with a key that a form of the other merchant had */
  acting?: readonly Fields[]
}

// The rows that are inserted raw are in no books.
afterAll(() => emptyTables(edge.db))

let thief: TestBrowser & { email: string }
let victim: TestBrowser & { email: string }
let rows: Readonly<Record<string, Row>>

/** The first cell of a row that belongs to the other merchant. */
const idOf = async (text: string): Promise<string> => {
  const { rows: found } = await sql<{ id: string }>`${sql.raw(text)}`.execute(edge.db)
  if (found[0] === undefined) throw new Error(`no row: ${text}`)
  return String(found[0].id)
}
const at = (merchantId: string, page: string): string => `/app/merchants/${merchantId}/${page}`
const made = async (page: string, fields: Fields): Promise<{ id: string; key: string }> => {
  const sent = await send(victim, at(OTHER, page), fields)
  expect(sent.status, sent.text).toBe(303)
  return { id: idIn(sent), key: sent.key }
}

beforeAll(async () => {
  for (const [id, name] of [
    [LISTED, 'Thief'],
    [OTHER, 'Victim'],
  ] as const)
    await makeMerchant(edge.db, edge.clock.ms, { id, name })
  await withoutTriggers(edge.db, (tx) => fillListed(tx, 1, 60))
  const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
  for (const merchantId of [LISTED, OTHER]) await giveMoney(runtime, { merchantId, asset: 'BTC' }, 1_000_000_000n)
  await storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)
  thief = await memberOf(LISTED, 'owner')
  victim = await memberOf(OTHER, 'owner')
  const crypto = await made('invoices/new', { ...INVOICE, name: 'secret-crypto' })
  const card = await made('invoices/new', { ...INVOICE, name: 'secret-card', money: 'card:UAH', amount: '100' })
  const link = await made('links/new', { ...LINK, name: 'secret-link' })
  await victim.post(at(OTHER, 'payouts/addresses'), {
    do: 'add',
    'address-name': 'secret-address',
    network: 'BITCOIN',
    address: TO,
  })
  const checked = await victim.post(at(OTHER, 'payouts/new'), { do: 'check', ...PAYOUT })
  const ask = { do: 'ask', 'form-key': fieldOf(checked, 'form-key'), fees: fieldOf(checked, 'fees'), ...PAYOUT }
  const asked = await victim.post(at(OTHER, 'payouts/new'), ask)
  const request = idIn(asked)
  const checker = await memberOf(OTHER, 'approver')
  const shown = fieldOf(await checker.get(at(OTHER, `payouts/requests/${request}`)), 'shown')
  const keyForm = fieldOf(await victim.get(at(OTHER, 'keys')), 'form')
  const key = { do: 'create', 'key-name': 'secret-key', 'key-read': '1', 'key-addresses': '', 'key-days': '90' }
  await victim.post(at(OTHER, 'keys'), { ...key, form: keyForm })
  const hook = { 'endpoint-url': 'https://thief.example/', 'endpoint-description': '', 'endpoint-all': '1' }
  const endpoint = randomUUID()
  const secretHook = { 'endpoint-url': 'https://shop.example/secret-hook', 'endpoint-description': 'secret-endpoint' }
  await victim.post(at(OTHER, 'webhooks/endpoints/new'), { ...hook, ...secretHook, form: endpoint })
  const invited = (await inviteTo(newAddress(), 'viewer', OTHER)).split('/').at(-1)!
  const body = { kind: 'Replenish', status: 'Done', note: 'secret-event' }
  const event = { merchantId: OTHER, objectId: randomUUID(), kind: 'Replenish', status: 'Done', body }
  await inTransaction(edge.db, (tx) => emit(tx, [event], nowOf(runtime).moment))
  const of = `where merchant_id = '${OTHER}' limit 1`
  const [withdrawal, cardPayout] = [
    await idOf(`select id from withdrawals ${of}`),
    await idOf(`select id from card_payouts ${of}`),
  ]
  const [deposit, address, apiKey, invitation, audit, sequence, person] = [
    await idOf(`select id from deposits ${of}`),
    await idOf(`select id from payout_addresses ${of}`),
    await idOf(`select id from api_keys ${of}`),
    await idOf(`select id from dashboard_invitations where used_at is null and merchant_id = '${OTHER}'`),
    await idOf(`select id from dashboard_audit where merchant_id = '${OTHER}' order by at desc limit 1`),
    await idOf(`select sequence as id from events ${of}`),
    await idOf(`select person_id as id from dashboard_members where merchant_id = '${OTHER}' and role = 'owner'`),
  ]
  const payment = randomUUID()
  await withoutTriggers(edge.db, async (tx) => {
    // Raw: a payment takes an acquirer; nothing but its identifier is tested.
    await sql`insert into payments(merchant_id, id, invoice_id, acquirer, tried, ticker, units, description, language,
        return_url, expires_at, state, paid_ticker, paid_units, fee_units, masked_card, created_at, updated_at)
      values (${OTHER}, ${payment}, ${card.id}, 'first', '{first}', 'UAH', 100, 'secret-payment', 'en', '', now(), 'credited',
        'UAH', 100, 0, 'secret-card', now(), now())`.execute(tx)
  })
  const logo = await readLogo(pngFile(plainPicture(64, 32, [1, 2, 3, 255])))
  for (const show of [true, false])
    await inTransaction(edge.db, async (tx) => {
      await storeDraft(tx, logo, { merchantId: OTHER, by: `person:${person}`, at: new Date(edge.clock.ms) })
      if (show) await showDraft(tx, OTHER)
    })
  const { claim } = await makeClaim({ db: edge.db, runtime }, OTHER, 1_000n, { name: 'secret-claim' })
  const session = await idOf(`select id from dashboard_sessions where person_id = '${person}'`)
  const seen = fieldOf(await victim.get(at(OTHER, `webhooks/${sequence}`)), 'seen')
  const objects = [
    { kind: 'crypto', id: crypto.id },
    { kind: 'card', id: card.id },
  ]
  const edit = { money: 'crypto:USDT', amount: '9', name: 'stolen' }
  const mailing = { 'mail-to': 'payer@example.com', 'mail-key': randomUUID() }
  rows = {
    'GET /app': {},
    'GET /app/sign-in': {},
    'POST /app/sign-in': {},
    'POST /app/sign-out': {},
    'GET /app/join/{token}': {},
    'POST /app/join/{token}': { paths: [{ token: invited }], forms: [{ do: 'accept' }] },
    'GET /app/security': {},
    'POST /app/security': {
      forms: [
        { do: 'end-session', id: session },
        { do: 'remove-passkey', id: session },
      ],
    },
    'GET team': {},
    'POST team': {
      forms: [
        { do: 'resend', id: invitation },
        { do: 'withdraw', id: invitation },
        { do: 'change-role', id: person, role: 'viewer' },
        { do: 'remove', id: person },
      ],
    },
    'GET keys': {},
    'POST keys': { forms: [{ do: 'revoke', id: apiKey }], acting: [{ ...key, form: keyForm }] },
    'GET audit': { queries: [{ before: audit }] },
    'GET home': {},
    'GET invoices/new': {},
    'POST invoices/new': {
      acting: [
        { ...INVOICE, key: crypto.key },
        { ...INVOICE, key: crypto.id },
        { ...INVOICE, key: card.id, money: 'card:UAH', amount: '100' },
      ],
    },
    'GET invoices/{kind}/{id}': { paths: objects },
    'POST invoices/{kind}/{id}': { paths: objects, forms: [mailing] },
    'GET invoices/{kind}/{id}/print': { paths: objects },
    'GET links': {},
    'GET links/new': {},
    'POST links/new': {
      acting: [
        { ...LINK, key: link.key },
        { ...LINK, key: link.id },
      ],
    },
    'GET links/{id}': { paths: [{ id: link.id }] },
    'POST links/{id}': { paths: [{ id: link.id }], forms: [{ do: 'stop' }, { do: 'start' }, edit] },
    'GET links/{id}/mail': { paths: [{ id: link.id }] },
    'POST links/{id}/mail': { paths: [{ id: link.id }], forms: [mailing] },
    'GET links/{id}/print': { paths: [{ id: link.id }] },
    'GET payments': { queries: [{ link: link.id }, { q: crypto.id }, { q: deposit }, { after: deposit }] },
    'GET payments/export': { queries: [{ link: link.id }, { q: crypto.id }, { q: deposit }] },
    'GET payments/{kind}/{id}': { paths: [...objects, { kind: 'deposit', id: deposit }] },
    'GET balances': {},
    'GET balances/{ticker}': { queries: [{ after: deposit }] },
    'GET balances/{ticker}/export': {},
    'GET balances/{ticker}/month': {},
    'GET exchange': { queries: [{ after: deposit }, { done: deposit }] },
    'GET exchange/export': {},
    'POST exchange': { forms: [{ do: 'price' }, { do: 'exchange', 'exchange-key': deposit }] },
    'GET refunds': { queries: [{ after: deposit }] },
    'GET refunds/export': {},
    'GET refunds/claims/{id}': { paths: [{ id: claim }] },
    'POST refunds/claims/{id}': {
      paths: [{ id: claim }],
      forms: [
        { do: 'ask', 'form-key': randomUUID(), spend: '1000', fee: '0' },
        { do: 'refuse', note: 'stolen' },
      ],
    },
    'GET refunds/cards/{id}': { paths: [{ id: payment }] },
    'POST refunds/cards/{id}': {
      paths: [{ id: payment }],
      forms: [{ 'form-key': randomUUID(), refunded: '0', 'refund-amount': '1', 'refund-reason': 'stolen' }],
    },
    'GET payers/erase': {},
    'POST payers/erase': {},
    'GET payouts': { queries: [{ after: request }] },
    'GET payouts/made': { queries: [{ after: withdrawal }, { kind: 'card', after: withdrawal }] },
    'GET payouts/made/export': {},
    'GET payouts/made/{kind}/{id}': {
      paths: [
        { kind: 'chain', id: withdrawal },
        { kind: 'card', id: cardPayout },
      ],
    },
    'GET payouts/new': { queries: [{ address }] },
    'POST payouts/new': { acting: [ask] },
    'GET payouts/guide': { queries: [{ address }] },
    'POST payouts/guide': { forms: [{ do: 'where', 'payout-from': address }], acting: [ask] },
    'GET payouts/file': {},
    'POST payouts/file': { forms: [{ 'form-key': ask['form-key'] }] },
    'GET payouts/file/example': {},
    'GET payouts/requests/{id}': { paths: [{ id: request }] },
    'POST payouts/requests/{id}': {
      paths: [{ id: request }],
      forms: [{ do: 'approve', shown }, { do: 'refuse', reason: 'stolen' }, { do: 'withdraw' }],
    },
    'GET payouts/addresses': {},
    'POST payouts/addresses': { forms: [{ do: 'remove', id: address }] },
    'GET payouts/policy': {},
    'POST payouts/policy': {},
    'GET webhooks': { queries: [{ after: sequence }] },
    'POST webhooks': {},
    'GET webhooks/url': {},
    'POST webhooks/url': {},
    'GET webhooks/endpoints': {},
    'GET webhooks/endpoints/new': {},
    'POST webhooks/endpoints/new': { acting: [{ ...hook, form: endpoint }] },
    'GET webhooks/endpoints/{endpoint}': { paths: [{ endpoint }], queries: [{ after: `${sequence}.1` }] },
    'POST webhooks/endpoints/{endpoint}': {
      paths: [{ endpoint }],
      forms: [{ do: 'wake' }, { do: 'test', id: randomUUID() }],
    },
    'GET webhooks/endpoints/{endpoint}/change': { paths: [{ endpoint }] },
    'POST webhooks/endpoints/{endpoint}/change': {
      paths: [{ endpoint }],
      forms: [{ do: 'change', ...hook }, { do: 'replace', form: randomUUID() }, { do: 'remove' }],
    },
    'GET webhooks/{sequence}': { paths: [{ sequence }] },
    'POST webhooks/{sequence}': { paths: [{ sequence }], forms: [{ seen }, { seen: '0', endpoint }] },
    'GET requests': { queries: [{ after: '1-x' }] },
    'GET settings': {},
    'POST settings': {},
    'GET settings/logo': {},
    'POST settings/logo': {
      forms: [
        { do: 'publish', hash: logo.hash },
        { do: 'remove', hash: logo.hash },
        { do: 'discard', hash: logo.hash },
      ],
    },
    'GET settings/preview': { queries: [{ logo: 'draft' }] },
    'GET archive': {},
    'POST archive': {},
  }
})

const PREFIX = '/app/merchants/{merchant}/'
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path.replace(PREFIX, '')}`
const fillIn = (path: string, merchant: string, given: Fields = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'merchant' ? merchant : (given[name] ?? (name === 'ticker' ? 'BTC' : 'none')),
  )
const pages = () => routes.filter(({ path }) => path.startsWith('/app'))

/** A digest of each table. Sessions note when they were used. @param merchantId only the rows of this merchant */
const digests = async (merchantId?: string): Promise<Record<string, string>> => {
  const { rows: tables } = await sql<{ name: string; owned: boolean }>`select t.tablename as name, exists (
      select from information_schema.columns c where c.table_name = t.tablename and c.column_name = 'merchant_id') as owned
    from pg_tables t where schemaname = 'public' and tablename <> 'dashboard_sessions' order by 1`.execute(edge.db)
  const asked = tables.filter(({ owned }) => merchantId === undefined || owned)
  const { rows: found } = await sql<Record<string, string>>`select ${sql.join(
    asked.map(
      ({ name }) =>
        sql`(select md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) from ${sql.table(name)} t
          ${merchantId === undefined ? sql`` : sql`where merchant_id::text = ${merchantId}`}) as ${sql.ref(name)}`,
    ),
  )}`.execute(edge.db)
  return found[0]!
}

test('each route of production has a row, and no other', () => {
  const production = createDashboard(
    {
      ...deps,
      acquirers: { byName: new Map(), table: deps.table },
      cardKeys: null,
      wallet: { bitcoinChain: 'regtest' },
    } as unknown as Parameters<typeof createDashboard>[0],
    [randomBytes(32)],
    new Map(),
    deps.trading,
    deps.documents,
  )
  expect(Object.keys(rows).toSorted()).toEqual(production.map(nameOf).toSorted())
  expect(pages().map(nameOf).toSorted()).toEqual(production.map(nameOf).toSorted())
  for (const route of production) {
    const { paths = [], forms = [] } = rows[nameOf(route)]!
    const params = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const ids = params.filter((name) => !['merchant', 'ticker', 'token'].includes(name))
    expect(paths.length > 0, `${nameOf(route)} has objects`).toBe(
      ids.length > 0 || (params[0] === 'token' && forms.length > 0),
    )
  }
})

test('a member of the merchant sees each object, so that the ids below are good ones', async () => {
  for (const route of pages().filter(({ method, path }) => method === 'GET' && path.startsWith(PREFIX)))
    for (const given of rows[nameOf(route)]!.paths ?? [{}]) {
      const path = fillIn(route.path, OTHER, given)
      expect(`${(await victim.get(path)).status} ${path}`).toBe(`200 ${path}`)
    }
})

test('the merchant of another person does not exist, in any route', async () => {
  const before = await digests()
  for (const route of pages().filter(({ path }) => path.startsWith(PREFIX))) {
    const { paths = [{}], forms = [], acting = [] } = rows[nameOf(route)]!
    for (const given of paths) {
      const path = fillIn(route.path, OTHER, given)
      const sent = route.method === 'GET' ? [undefined] : [{}, ...forms, ...acting]
      for (const form of sent) {
        const answer = await (form === undefined ? thief.get(path) : thief.post(path, form))
        expect(`${answer.status} ${route.method} ${path}`).toBe(`404 ${route.method} ${path}`)
        expect(answer.text).not.toMatch(MARK)
      }
    }
  }
  expect(await digests()).toEqual(before)
})

test("objects of another merchant are unknown below one's own, in paths and queries", async () => {
  const before = await digests()
  for (const route of pages().filter(({ method }) => method === 'GET')) {
    const { paths = [], queries = [] } = rows[nameOf(route)]!
    for (const given of paths) {
      const path = fillIn(route.path, LISTED, given)
      const answer = await thief.get(path)
      expect(`${answer.status} ${path}`).toBe(`404 ${path}`)
      expect(answer.text).not.toMatch(MARK)
    }
    for (const query of queries) {
      const path = `${fillIn(route.path, LISTED)}?${new URLSearchParams(query).toString()}`
      const answer = await thief.get(path)
      expect(answer.status, path).toBeLessThan(500)
      expect(answer.text, path).not.toMatch(MARK)
    }
  }
  expect(await digests()).toEqual(before)
})

test("forms below one's own merchant change nothing by ids of another one", async () => {
  const before = await digests()
  for (const route of pages().filter(({ method }) => method === 'POST')) {
    const { paths = [{}], forms = [] } = rows[nameOf(route)]!
    for (const given of paths)
      for (const form of forms) {
        const path = fillIn(route.path, LISTED, given)
        const answer = await thief.post(path, form)
        const text = `${JSON.stringify(form)} to ${path}`
        expect(answer.text, text).not.toMatch(MARK)
        expect([200, 303, 400, 403, 404, 409], text).toContain(answer.status)
        expect(await digests(), text).toEqual(before)
      }
  }
})

test("a form that acts for one's own merchant with a key of another one leaves the other's objects alone", async () => {
  const before = await digests(OTHER)
  for (const route of pages().filter(({ method }) => method === 'POST'))
    for (const form of rows[nameOf(route)]!.acting ?? []) {
      const path = fillIn(route.path, LISTED)
      const answer = await thief.post(path, form)
      const text = `${JSON.stringify(form)} to ${path}`
      expect(answer.text.replaceAll(form['payout-meta'] ?? form['key-name'] ?? '-', ''), text).not.toMatch(MARK)
      expect(answer.status, text).toBeLessThan(500)
      if (answer.status === 303) {
        const next = await thief.get(String(answer.headers['location']))
        expect(next.status, text).toBe(200)
        expect(next.text.replaceAll(form['payout-meta'] ?? '-', ''), text).not.toMatch(MARK)
      }
      expect(await digests(OTHER), text).toEqual(before)
    }
})
