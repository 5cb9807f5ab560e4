/** Rows of the lists by their number, inserted raw: for tests of the lists and of the pages that show them. */
import { sql } from 'kysely'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import type { Db, Tx } from '../../server/src/platform/db/index.ts'
import { fill } from '../setup/filling.ts'
import { createTestRuntime } from './runtime.ts'
import type { listRoutes } from '../../server/src/app/composition/lists.ts'

/** The column of `deposits` with the status of the newest notification. */
export const NOTIFIED_STATUS = 'told'

/** The time of row 0, ms; each row is a minute later than the row before it. */
export const LISTED_SINCE = Date.UTC(2026, 0, 1)
export const MINUTE = 60_000
/** The merchants: the second has every fifth row. */
export const [LISTED, OTHER] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const

const on = (decimals: number) => ({ decimals, minDeposit: '0', minWithdrawal: '0' })

const HEX = `lpad(to_hex(${LISTED_SINCE} + i::bigint * ${MINUTE}), 12, '0')`
/** A UUID of version 7 of the row's time. */
const ID = `(substr(${HEX}, 1, 8) || '-' || substr(${HEX}, 9) || '-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`
const AT = `to_timestamp((${LISTED_SINCE} + i::bigint * ${MINUTE}) / 1000.0)`
const ROW = {
  merchant_id: `(case when i % 5 = 0 then '${OTHER}' else '${LISTED}' end)::uuid`,
  id: ID,
  created_at: AT,
}
const NETWORK = "(array['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'])[1 + i % 4]"
const ASSET = "(array['BTC', 'ETH', 'USDT', 'USDT'])[1 + i % 4]"
const META = `case when i % 3 = 0 then null when i % 41 = 1 then '=cmd|"x", ' || i else 'meta ' || i / 4 end`
const EMAIL = "case when i % 4 > 0 then 'payer' || i / 8 || '@example.com' end"
/** A UUID of an object of this kind, one for each number. */
const uuidOf = (kind: string, number: string): string =>
  `('00000000-0000-4000-${kind.padEnd(4, '0')}-' || lpad(to_hex(${number}), 12, '0'))::uuid`

const accountOf = (merchantId: string): string => `(select id from ledger_accounts where merchant_id = '${merchantId}')`

/** Tables in the order of filling, with the SQL of their columns. */
export const LISTED_ROWS: readonly (readonly [table: string, columns: Readonly<Record<string, string>>])[] = [
  [
    'deposits',
    {
      ...ROW,
      network: NETWORK,
      asset: ASSET,
      transaction: "'tx' || i / 8",
      index: "'o:' || i",
      address: "'address' || i / 40 || 'n' || i % 4",
      senders: "array['from' || i]",
      units: 'i * 1000',
      fee_units: '0',
      state: "case i % 7 when 1 then 'failed' when 2 then 'pending' else 'credited' end",
      [NOTIFIED_STATUS]: "case i % 7 when 1 then 'Failed' when 2 then 'Pending' else 'Done' end",
      fail_reason: "case i % 7 when 1 then 'REORGANIZED' end",
      block_height: 'i',
      meta: META,
    },
  ],
  [
    'withdrawals',
    {
      ...ROW,
      blockchain: NETWORK,
      ticker: ASSET,
      to_address: "'to' || i / 20",
      to_as_sent: "case when i % 13 = 0 then 'TO' || i / 20 end",
      units: 'i * 1000',
      fee_units: '7',
      local_id: "case when i % 2 = 0 then 'local-' || i end",
      meta: META,
      state: "case i % 7 when 1 then 'failed' when 2 then 'requested' else 'final' end",
      done_sent: 'i % 7 > 2',
      outgoing_id: `case when i % 7 <> 2 then ${uuidOf('a', 'i / 2')} end`,
    },
  ],
  [
    'local_ids',
    { merchant_id: ROW.merchant_id, local_id: "'local-' || i", operation: "'createCryptoWithdrawal'", object_id: ID },
  ],
  [
    'outgoing',
    {
      id: uuidOf('a', 'i'),
      network: NETWORK,
      purpose: "'payout'",
      state: "case when i % 2 = 0 then 'final' else 'broadcast' end",
      senders: "array['hot' || i]",
      attempt: '1',
      mined_hash: "case when i % 2 = 0 then '0xmined' || i end",
      mined_height: 'i',
      succeeded: 'case when i % 2 = 0 then true end',
    },
  ],
  [
    'outgoing_attempts',
    {
      outgoing_id: uuidOf('a', 'i'),
      attempt: '1',
      network: NETWORK,
      hash: "case when i % 2 = 0 then '0xmined' || i else 'signed' || i end",
      network_fee: '1',
    },
  ],
  [
    'crypto_invoices',
    {
      ...ROW,
      state: "(array['created', 'registered', 'pending', 'paid', 'paid', 'paid', 'expired'])[1 + i % 7]",
      name: "'Order ' || i",
      meta: META,
      email: EMAIL,
      ticker: ASSET,
      blockchain: NETWORK,
      units: 'i * 1000',
      address: "'invoice' || i",
      address_id: uuidOf('5', 'i'),
      client_expires_at: AT,
      expires_at: AT,
      moved_at: AT,
    },
  ],
  [
    'addresses',
    {
      merchant_id: ROW.merchant_id,
      id: uuidOf('5', 'i'),
      family: "(array['BITCOIN', 'EVM', 'EVM', 'TRON'])[1 + i % 4]",
      blockchain: NETWORK,
      address: "'invoice' || i",
    },
  ],
  [
    'refund_claims',
    {
      merchant_id: ROW.merchant_id,
      invoice_id: ID,
      state: "(array['requested', 'refused'])[1 + i % 2]",
      refund_address: "'refund' || i",
      decided_at: `case when i % 2 = 1 then ${AT} end`,
    },
  ],
  [
    'fiat_invoices',
    {
      ...ROW,
      // Ids of fiat invoices are random.
      id: 'md5(i::text)::uuid',
      state: "(array['created', 'pending', 'paid', 'done', 'done', 'done', 'failed'])[1 + i % 7]",
      name: "'Order ' || i",
      meta: META,
      email: EMAIL,
      ticker: "case when i % 2 = 0 then 'UAH' else 'KZT' end",
      units: 'i * 1000',
      paid_units: 'i * 1000',
      fee_units: '5',
      masked_card: "'411111******1111'",
      expires_at: AT,
      updated_at: AT,
    },
  ],
  [
    'payment_links',
    {
      ...ROW,
      token: "left(md5('link ' || i), 22)",
      kind: "case when i % 3 = 0 then 'card' else 'crypto' end",
      name: "'Link ' || i",
      ticker: "case when i % 3 = 0 then 'UAH' when i % 2 = 0 then 'USDT' else 'USD' end",
      amount: "case when i % 2 = 0 then i || '.50' end",
      local_id: "case when i % 2 = 0 then 'local-' || i end",
      expires_at: `case when i % 5 = 1 then ${AT} end`,
      stopped_at: `case when i % 7 = 2 then ${AT} end`,
    },
  ],
  [
    'card_payouts',
    {
      ...ROW,
      kind: "case when i % 3 = 0 then 'batch' else 'single' end",
      ticker: "case when i % 4 < 2 then 'UAH' else 'KZT' end",
      units: 'i * 1000',
      fee_units: '7',
      masked_card: "'411111******1111'",
      sealed_card: "case when i % 7 = 1 then 'v1.00000000.' || i end",
      local_id: "case when i % 2 = 0 then 'local-' || i end",
      meta: META,
      open_parts: 'case when i % 7 = 1 then 1 else 0 end',
    },
  ],
  [
    'card_payout_parts',
    {
      merchant_id: ROW.merchant_id,
      payout_id: ID,
      number: '0',
      id: uuidOf('6', 'i'),
      ticker: "case when i % 4 < 2 then 'UAH' else 'KZT' end",
      units: 'i * 1000',
      fee_units: '7',
      state:
        "(array['refused', 'waiting', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded'])[1 + i % 7]",
    },
  ],
  [
    'exchanges',
    {
      ...ROW,
      spend_ticker: ASSET,
      target_ticker: "case when i % 4 = 0 then 'USDT' else 'BTC' end",
      side: "'spend'",
      exchange_units: 'i * 1000',
      fee_units: '7',
      target_units: 'i',
      pair_first: "'BTC'",
      pair_second: "'USDT'",
      price: 'i',
      state: "case when i % 7 = 1 then 'failed' else 'done' end",
      failed_reason: "case when i % 7 = 1 then 'ERRROR_CODE_GENERIC' end",
      local_id: "case when i % 2 = 0 and i % 3 > 0 then 'local-' || i end",
      meta: META,
    },
  ],
  [
    'exchange_withdrawals',
    {
      ...ROW,
      // Its withdrawal's id; only every third exchange has one.
      id: `case when i % 3 = 0 then ${ID} else ${uuidOf('7', 'i')} end`,
      exchange_id: `case when i % 3 = 0 then ${ID} else ${uuidOf('8', 'i')} end`,
      kind: "'crypto'",
      local_id: "'local-' || i",
    },
  ],
  [
    'ledger_transfers',
    {
      merchant_id: `(case when i % 5 = 0 then '${OTHER}' else '${LISTED}' end)::uuid`,
      id: uuidOf('9', 'i'),
      kind: "(array['post', 'hold', 'capture', 'release'])[1 + i % 4]",
      cause_kind: "'withdrawal'",
      created_at: AT,
    },
  ],
  [
    'ledger_entries',
    {
      // Versions of each account have no gaps: of five rows, the first is of the other merchant.
      account_id: `case when i % 5 = 0 then ${accountOf(OTHER)} else ${accountOf(LISTED)} end`,
      version: 'case when i % 5 = 0 then i / 5 else i - i / 5 end',
      transfer_id: uuidOf('9', 'i'),
      posted: 'case when i % 4 = 1 then 0 when i % 2 = 0 then -i else i end',
      held: 'case when i % 4 = 1 then i else 0 end',
      posted_after: '1000000 + i',
      held_after: 'i',
    },
  ],
]

/** The balances of both merchants, which the entries are of. */
const ACCOUNTS = {
  merchant_id: `(case when i = 1 then '${LISTED}' else '${OTHER}' end)::uuid`,
  asset: "'USDT'",
  kind: "'merchant'",
  bounded: 'true',
}

/** Tables that the slow test makes large; each of the others is read as one of them. */
export const LARGE_LISTED: readonly string[] = ['deposits', 'withdrawals', 'ledger_transfers', 'ledger_entries']

/** Inserts rows `from` to `to` of every table, or of these. */
export const fillListed = async (tx: Tx, from: number, to: number, tables?: readonly string[]): Promise<void> => {
  if (from === 1) await fill(tx, 'ledger_accounts', 1, 2, ACCOUNTS)
  for (const [table, columns] of LISTED_ROWS)
    if (tables?.includes(table) ?? true) await fill(tx, table, from, to, columns)
  await sql`update ledger_accounts a
    set version = (select coalesce(max(e.version), 0) from ledger_entries e where e.account_id = a.id)`.execute(tx)
}

/** The parts of the routes of lists. */
export const listedWorld = (db: Db): Parameters<typeof listRoutes>[0] => ({
  runtime: createTestRuntime(db, () => LISTED_SINCE + 2_000_000 * MINUTE),
  publicUrl: 'https://pay.example',
  catalogue: createCatalogue({
    crypto: [
      { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: on(8) } },
      { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: on(18) } },
      {
        ticker: 'USDT',
        name: 'Tether',
        networks: { BINANCE_SMART_CHAIN: { ...on(18), contract: '0xusdt' }, TRON: { ...on(6), contract: 'Tusdt' } },
      },
    ],
    fiat: [
      { ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 },
      { ticker: 'KZT', name: 'Tenge', scale: 2 },
    ],
  }),
})
