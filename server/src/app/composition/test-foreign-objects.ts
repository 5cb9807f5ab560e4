/** Two merchants for the walk over routes, and for each route the ids of the other merchant's objects. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { fieldOf, type TestBrowser, type useDashboard } from '../../../../test/world/dashboard.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { fillListed, LISTED, OTHER } from '../../../../test/world/listed.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { readLogo, showDraft, storeDraft } from '../../merchants/logos/index.ts'
import { plainPicture, pngFile } from '../../merchants/logos/test-pictures.ts'
import { emit } from '../../merchants/webhooks/index.ts'
import { nowOf } from '../../people/access/index.ts'
import { storeFeeRate } from '../../pay-out/withdrawals/terms.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { idIn, INVOICE, LINK, send } from './test-invoicing.ts'
import { makeClaim } from './test-refunds.ts'

const TO = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const PAYOUT = {
  'payout-asset': 'BTC/BITCOIN',
  'payout-to': TO,
  'payout-amount': '0.5',
  'payout-meta': 'secret-payout',
}

export type Fields = Readonly<Record<string, string>>
/** Parameters of a route, without the merchant. */
interface Row {
  /** values of the path's parameters, each set an object of the other merchant */
  paths?: readonly Fields[]
  /** queries with ids of the other merchant; the answer may be a page of the caller's merchant */
  queries?: readonly Fields[]
  /** forms with ids of the other merchant */
  forms?: readonly Fields[]
  /** forms for the caller's own merchant, with the key of a form of the other merchant */
  acting?: readonly Fields[]
}

export interface ForeignWorld {
  /** an owner of `LISTED` */
  thief: TestBrowser
  /** an owner of `OTHER` */
  victim: TestBrowser
  /** by the method and the path of a route, without the part that all pages of a merchant have */
  rows: Readonly<Record<string, Row>>
}

const at = (merchantId: string, page: string): string => `/app/merchants/${merchantId}/${page}`

/** Gives the other merchant an object of each kind, whose texts contain `secret-`. */
export const openForeignWorld = async ({
  edge,
  inviteTo,
  memberOf,
  newAddress,
}: Pick<ReturnType<typeof useDashboard>, 'edge' | 'inviteTo' | 'memberOf' | 'newAddress'>): Promise<ForeignWorld> => {
  /** The first cell of a row that belongs to the other merchant. */
  const idOf = async (text: string): Promise<string> => {
    const { rows: found } = await sql<{ id: string }>`${sql.raw(text)}`.execute(edge.db)
    if (found[0] === undefined) throw new Error(`no row: ${text}`)
    return String(found[0].id)
  }
  for (const [id, name] of [
    [LISTED, 'Thief'],
    [OTHER, 'Victim'],
  ] as const)
    await makeMerchant(edge.db, edge.clock.ms, { id, name })
  await withoutTriggers(edge.db, (tx) => fillListed(tx, 1, 60))
  const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
  for (const merchantId of [LISTED, OTHER]) await giveMoney(runtime, { merchantId, asset: 'BTC' }, 1_000_000_000n)
  await storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)
  const thief = await memberOf(LISTED, 'owner')
  const victim = await memberOf(OTHER, 'owner')
  const made = async (page: string, fields: Fields): Promise<{ id: string; key: string }> => {
    const sent = await send(victim, at(OTHER, page), fields)
    if (sent.status !== 303) throw new Error(`${page} is answered ${sent.status}: ${sent.text}`)
    return { id: idIn(sent), key: sent.key }
  }
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
  const createdAt = new Date(edge.clock.ms)
  await withoutTriggers(edge.db, async (tx) => {
    // Raw: a payment takes an acquirer; nothing but its identifier is tested.
    await sql`insert into payments(merchant_id, id, invoice_id, acquirer, tried, ticker, units, description, language,
        return_url, expires_at, state, paid_ticker, paid_units, fee_units, masked_card, created_at, updated_at)
      values (${OTHER}, ${payment}, ${card.id}, 'first', '{first}', 'UAH', 100, 'secret-payment', 'en', '', ${createdAt}, 'credited',
        'UAH', 100, 0, 'secret-card', ${createdAt}, ${createdAt})`.execute(tx)
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
  const rows: ForeignWorld['rows'] = {
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
    'GET live': {},
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
  return { thief, victim, rows }
}
