/** Every table that has rows of a merchant is in its archive, or has a reason here. */
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rowsIn, textsOf } from '../../../../test/world/archive.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { listedWorld } from '../../../../test/world/listed.ts'
import { box, newId } from '../../../../test/world/merchant.ts'
import { listRoutes } from '../../app/composition/lists.ts'
import { createTargetKeeper } from '../../exchange/conversions/index.ts'
import { addAdditionalKey } from '../../merchants/accounts/index.ts'
import { readLogo, storeDraft } from '../../merchants/logos/index.ts'
import { plainPicture, pngFile } from '../../merchants/logos/test-pictures.ts'
import { addEndpoint } from '../../merchants/webhooks/index.ts'
import { createLink } from '../../pay-in/payment-links/index.ts'
import { addAddress, changePolicy, readPolicy, removeAddress, listAddresses } from '../../pay-out/requests/index.ts'
import { BTC, NOW, now, RULES, TO, usePayouts } from '../../pay-out/requests/test-payouts.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { archiveOf } from './archive.ts'
import { verifyArchive } from './verifying.ts'

const { db, asked, approve, memberOf } = usePayouts()
const folder = temporaryFolder('archive-contents')

/** The tables of the archive that have the rows of a table of the database. */
const ARCHIVED: Readonly<Record<string, readonly string[]>> = {
  addresses: ['addresses'],
  api_keys: ['additional-keys'],
  card_payouts: ['card-payouts'],
  conversions: ['conversions'],
  crypto_invoice_payments: ['crypto-invoice-payments'],
  crypto_invoices: ['crypto-invoices'],
  dashboard_audit: ['audit'],
  dashboard_invitations: ['members'],
  dashboard_members: ['members'],
  deposits: ['deposits'],
  events: ['notifications'],
  exchange_withdrawals: ['exchanges'],
  exchanges: ['exchanges'],
  fiat_invoices: ['fiat-invoices'],
  ledger_accounts: ['balances', 'statement'],
  ledger_transfers: ['entries'],
  merchant_keys: ['keys'],
  merchant_logos: ['logos'],
  payment_links: ['payment-links'],
  payment_refunds: ['card-refunds'],
  payments: ['card-payments'],
  payout_addresses: ['payout-addresses'],
  payout_approvals: ['payout-approvals'],
  payout_lines: ['payout-lines'],
  payout_policies: ['payout-policies'],
  payout_requests: ['payout-requests'],
  refund_claims: ['refund-claims'],
  screenings: ['screenings'],
  targets: ['targets'],
  webhook_endpoints: ['webhook-endpoints'],
  withdrawals: ['withdrawals'],
}

/** Why a table is not in the archive. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  capital_grants: 'the cause of an entry of the operator: entries has it',
  card_holds: 'when card money becomes available: balances has the held amount, entries the holds',
  card_payout_attempts: 'orders at acquirers, which are the operator’s: card-payouts has the result',
  card_payout_parts: 'the sealed card number, and parts whose sums card-payouts has',
  daily_balances: 'computed of entries, for a chart',
  daily_figures: 'computed of entries, for a chart',
  endpoint_streams: 'the state of deliveries: each notification has its own state in notifications',
  event_attempts: 'single attempts of deliveries, which are deleted after a time',
  event_heads: 'the number of the newest notification: notifications has it',
  event_spans: 'which months the operator has archived',
  event_streams: 'the state of deliveries: notifications shows it',
  exchange_quotes: 'prices that were promised for seconds: exchanges has the price that was paid',
  freezes: 'stops of the operator, with its reasons',
  local_ids: 'the localId of each order is in its table',
  lost_payment_repeats: 'a case of the operator after a restore',
  mail_digests: 'hashes of mails, against repetitions',
  mails: 'mails that wait, and that are deleted when they are old',
  merchant_audit: 'commands of the operator, with its logins',
  merchant_endings: 'the state of leaving: settings shows the merchant, `bursar merchant status` its state',
  network_costs: 'network fees that the operator paid',
  payer_erasures: 'addresses of payers that must not be written once more',
  payout_api_sums: 'sums of a day, computed of withdrawals, card-payouts and exchanges',
  payout_cards: 'the sealed numbers of cards of requests that wait: payout-requests has the masked number',
  refused_requests: 'a log of refused requests, which is deleted after 30 days',
  request_answers: 'answers to repeated requests, which are deleted after days',
  request_counts: 'counts of requests, which are deleted after eight days',
  reserve_leaves: 'proofs of reserves: the operator gives each merchant its own',
  screening_decisions: 'decisions of the operator, with its reasons: screenings has the result',
  screening_findings: 'findings of lists, with notes of the operator: screenings has the result',
  sweeps: 'how the operator moves its coins',
  tron_loans: 'how the operator moves its coins',
  webhook_tests: 'test notifications, which report nothing',
  withdrawal_approvals: 'approvals of people of the operator to the signer',
}

const filesOf = async (merchantId: string): Promise<Map<string, string>> => {
  const world = listedWorld(db)
  const { publicUrl } = world
  const later = (): number => NOW + 3_600_000
  const deps = {
    db,
    clock: { now: later, business: later },
    catalogue: RULES.catalogue,
    publicUrl,
    lists: listRoutes(world),
  }
  const path = join(folder, `${merchantId}.zip`)
  await writeFile(path, archiveOf(deps, merchantId))
  expect((await verifyArchive(path)).problems).toEqual([])
  return textsOf(path)
}

test('every table with a merchant_id is in the archive, or is left out with a reason', async () => {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_attribute a
    join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'merchant_id' and not a.attisdropped order by 1`.execute(db)
  expect(rows.map(({ name }) => name)).toEqual([...Object.keys(ARCHIVED), ...Object.keys(LEFT_OUT)].toSorted())
  const { merchantId } = await asked()
  const texts = await filesOf(merchantId)
  for (const name of Object.values(ARCHIVED).flat()) expect(texts.has(`${name}.jsonl`), name).toBe(true)
})

test('the work of members is in the archive, without secrets and without rows of another merchant', async () => {
  const [{ merchantId, maker, checker, id }, other] = [await asked(), await asked()]
  const owner = await memberOf(merchantId, 'owner')
  await approve(checker, merchantId, id)
  const { secret, url } = await inTransaction(db, async (tx) => {
    const { version } = await readPolicy(tx, merchantId, now.real)
    const rule = { alone: 0n, approvals: 2, mostHour: null, mostDay: 5n * BTC, api: BTC / 4n }
    const rules = { assets: new Map([['BTC', rule]]), onlyBook: true, hours: 2 ** 24 - 1, coolingHours: 48 }
    await changePolicy(tx, owner, { merchantId, rules: { ...rules, isApiLimited: true }, version }, now)
    await addAddress(tx, owner, { merchantId, name: '=Supplier', blockchain: 'BITCOIN', address: TO }, RULES, now)
    const [address] = await listAddresses(tx, merchantId)
    await removeAddress(tx, owner, { merchantId, id: address!.id }, now)
    const link = {
      kind: 'crypto',
      ticker: 'BTC',
      name: 'Donations',
      description: null,
      amount: null,
      least: null,
      most: null,
      language: null,
      expiresAt: null,
      mostUses: null,
    } as const
    await createLink(tx, owner, { merchantId, key: randomUUID(), link }, randomBytes, now)
    const key = { merchantId, name: 'Till', scopes: ['read', 'invoices'], addresses: ['192.0.2.0/24'] } as const
    const made = await addAdditionalKey(
      tx,
      { ...key, expiresAt: null, createdBy: 'cli:test', formId: null },
      { box, random: randomBytes },
      { real: now.real, newId },
    )
    const endpoint = {
      merchantId,
      id: randomUUID(),
      url: 'https://shop.example/hooks',
      description: 'Till',
      kinds: null,
    }
    await addEndpoint(tx, { ...endpoint, createdBy: 'cli:test' }, { box, random: randomBytes }, now.moment)
    return { secret: made.secret!, url: endpoint.url }
  })
  const invoice = newId()
  await createTargetKeeper(db, RULES)({ merchantId, kind: 'crypto-invoice', id: invoice }, { ticker: 'BTC' })
  const logo = await readLogo(pngFile(plainPicture(64, 32, [1, 2, 3, 255])))
  await inTransaction(db, (tx) => storeDraft(tx, logo, { merchantId, by: 'person:test', at: now.real }))
  const texts = await filesOf(merchantId)
  expect(rowsIn(texts.get('logos.jsonl')!)).toEqual([
    {
      state: 'draft',
      mediaType: 'image/png',
      width: 64,
      height: 32,
      hash: logo.hash,
      uploadedAt: now.real.getTime(),
      picture: logo.bytes.toString('base64'),
    },
  ])
  expect(texts.get('logos.csv')).not.toContain(logo.bytes.toString('base64'))
  expect(rowsIn(texts.get('payout-requests.jsonl')!)).toMatchObject([
    { id, kind: 'one', state: 'placed', maker: maker.person.email, decidedBy: checker.person.email },
  ])
  const lines = rowsIn(texts.get('payout-lines.jsonl')!)
  expect(lines).toMatchObject([{ requestId: id, number: 1, to: TO, amount: '1', reference: 'salary', state: 'placed' }])
  expect(rowsIn(texts.get('payout-approvals.jsonl')!)).toMatchObject([{ requestId: id, by: checker.person.email }])
  expect(rowsIn(texts.get('payout-addresses.jsonl')!)).toMatchObject([
    { name: '=Supplier', address: TO, addedBy: owner.person.email, removedBy: owner.person.email },
  ])
  expect(texts.get('payout-addresses.csv')).toContain(`'=Supplier`)
  expect(rowsIn(texts.get('payout-policies.jsonl')!)).toContainEqual(
    expect.objectContaining({ ticker: 'BTC', approvals: 2, mostDay: '5', api: '0.25', isApiLimited: true }),
  )
  expect(rowsIn(texts.get('payment-links.jsonl')!)).toMatchObject([{ name: 'Donations', ticker: 'BTC' }])
  expect(rowsIn(texts.get('additional-keys.jsonl')!)).toMatchObject([
    { name: 'Till', scopes: 'read invoices', addresses: '192.0.2.0/24' },
  ])
  expect(rowsIn(texts.get('webhook-endpoints.jsonl')!)).toMatchObject([{ url, isOn: true, kinds: null }])
  expect(rowsIn(texts.get('targets.jsonl')!)).toMatchObject([
    { ownerKind: 'crypto-invoice', ownerId: invoice, ticker: 'BTC' },
  ])
  const all = [...texts.values()].join('\n')
  for (const secretText of [secret, 'whsec_', 'sealed', other.merchantId, other.id, other.maker.person.email])
    expect(all).not.toContain(secretText)
})
