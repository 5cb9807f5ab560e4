/** The rows of a young and of an old installation, for growth.slow.test.ts: work that is done, and what is open. */
import type { Network } from '@bursar/chainkit'
import { isLong } from '../../../../test/setup/cases.ts'

/**
 * The long tier: 10,000 rows against a million. The smaller ones stand in the same ratio of twenty and more to each
 * other.
 */
export const [YOUNG, OLD] = isLong ? [10_000, 1_000_000] : [500, 10_000]
/** Months that the events of the old installation are of, each a partition. */
export const MONTHS = 48
export const EVENTS_FROM = '2027-01-01'
export const NETWORKS: readonly Network[] = ['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON']
export const MERCHANT = '00000000-0000-4000-8000-000000000001'
export const HEIGHT = 2_000_000
export const DONE = `'${MERCHANT}'::uuid`
const NETWORK = "(array['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'])[1 + i % 4]"
const COIN = "(array['BTC', 'ETH', 'BNB', 'TRX'])[1 + i % 4]"
/** Tables that get longer for as long as an installation works, with rows whose work is done. */
export const HISTORY: Record<string, Record<string, string>> = {
  addresses: { merchant_id: DONE, family: "(array['BITCOIN', 'EVM', 'EVM', 'TRON'])[1 + i % 4]", blockchain: NETWORK },
  deposits: {
    merchant_id: DONE,
    network: NETWORK,
    asset: COIN,
    state: "'credited'",
    told: "'Done'",
    block_height: 'i',
    block_hash: "'h' || i",
    fee_units: '0',
    address: "'t' || i",
  },
  fundings: { network: NETWORK, asset: COIN, booked: 'true', block_height: 'i' },
  custody_addresses: {
    network: NETWORK,
    asset: COIN,
    booked: '0',
    touched: 'false',
    compared_height: '1',
    compared_at: "timestamptz '2026-05-31'",
  },
  withdrawals: { merchant_id: DONE, blockchain: NETWORK, ticker: COIN, state: "'final'", fee_units: '0' },
  outgoing: {
    network: NETWORK,
    purpose: "'payout'",
    state: "'final'",
    senders: "array['s' || i]",
    keys: "'{}'",
    mined_height: 'i',
    mined_hash: "'h' || i",
    succeeded: 'true',
    network_fee: '1',
  },
  outgoing_attempts: {
    network: NETWORK,
    hash: "'h' || i",
    outgoing_id:
      "(lpad(to_hex(hashtext('outgoing')::bit(32)::bigint), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid",
  },
  utxos: { network: "'BITCOIN'", block_height: 'i', spent_by: "'h' || i", spent_height: 'i', account: "'deposit'" },
  house_transfers: { network: NETWORK, asset: COIN, block_height: 'i' },
  sweeps: { network: "'ETHEREUM'", asset: "'ETH'", state: "'final'", way: "'transfer'" },
  ledger_transfers: { merchant_id: DONE, kind: "'post'", cause_kind: "'deposit'" },
  ledger_entries: { account_id: '1 + i % 8', version: '1 + i / 8', held: '0', held_after: '0' },
  ledger_seals: { account_id: '1 + i % 8', version: '1 + i / 8' },
  events: {
    merchant_id: DONE,
    sequence: 'i',
    kind: "'CryptoDeposit'",
    status: "'Done'",
    created_at: `timestamptz '${EVENTS_FROM}' + i * interval '${MONTHS * 30} days' / ${OLD}`,
  },
  local_ids: { merchant_id: DONE },
  request_answers: { merchant_id: DONE, key: "'local:' || i", status: '200' },
  alerts: { resolved_at: 'now()' },
  network_costs: { network: NETWORK, asset: COIN, operation: "'payout'", day: "date '2020-01-01' - (i % 2000)::int" },
  crypto_invoices: { merchant_id: DONE, state: "'expired'" },
  conversions: { merchant_id: DONE, state: "'done'" },
  exchanges: { merchant_id: DONE, state: "'done'", side: "'spend'" },
  exchange_withdrawals: { merchant_id: DONE, kind: "'crypto'" },
  refund_claims: { merchant_id: DONE, state: "'sent'" },
  payout_requests: { merchant_id: DONE, kind: "'one'", state: "'placed'" },
  payout_lines: { merchant_id: DONE, state: "'placed'" },
  payout_addresses: { merchant_id: DONE },
  payment_links: { merchant_id: DONE },
  payer_erasures: { merchant_id: DONE, ended_at: 'now()' },
}

const PAYEES = [
  'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
]

/** Open objects are as many in an old installation as in a young one. */
export const OPEN: [table: string, columns: Record<string, string>][] = [
  ['deposits', { ...HISTORY['deposits'], state: "'pending'", told: "'Pending'", block_height: `${HEIGHT}` }],
  [
    'withdrawals',
    { ...HISTORY['withdrawals'], state: "'requested'", to_address: `(array['${PAYEES.join("', '")}'])[1 + i % 4]` },
  ],
]
