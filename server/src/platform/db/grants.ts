/**
 * What each database role may do with each table and sequence. `bursar migrate` makes the database say the same; a
 * table or sequence that has no row here fails `npm run check`.
 *
 * Letters are PostgreSQL's own (manual, "Privileges"): `r` select, `a` insert, `w` update, `d` delete, `U` usage of a
 * sequence. Columns in parentheses limit the letter before them to these. `p` selects every column but those that the
 * row lists as secret. A role that a row leaves out may do nothing with it.
 *
 * Every process shows the metrics of the whole, so that api and watcher read what those count.
 * Row locks (`for update`, `for share`) need `w` on a column at least. What is history has no `w` and no `d` in any
 * row.
 */
export interface Grant {
  /** answers merchants and payers, and so what the internet reaches: its rights are listed one by one */
  api?: string
  worker?: string
  watcher?: string
  /** the commands of `bursar`, beyond what the three above may */
  operator?: string
  /** columns that the read-only role doesn't see, nor one that has `p` */
  secret?: readonly string[]
}

/** A table whose rows nothing changes and nothing removes. */
export const HISTORY = [
  'adjustment_signatures',
  'adjustments',
  'capital_grants',
  'event_archives',
  'event_spans',
  'events',
  'ledger_anchors',
  'ledger_entries',
  'ledger_seals',
  'ledger_transfers',
  'merchant_audit',
  'operator_actions',
  'reserve_leaves',
  'reserve_reports',
  'screening_decisions',
  'withdrawal_approvals',
] as const

const MAILING = 'r(merchant_id, about, kind, recipient, mailbox, audience, created_at)a'
const POSTING = { entries: 'ra', accounts: 'ra(merchant_id, asset, kind, bounded)w(posted, held, version)' }
/** What an order is written with. Later states are not in it: no role inserts an order that is half paid. */
const PLACED_WITHDRAWAL =
  '(merchant_id, id, intent_id, ticker, blockchain, to_address, to_as_sent, units, fee_units, local_id, meta, state, internal, hold_id, told_as, api_key_id, not_before, created_at, updated_at)'
const PLACED_PART =
  '(merchant_id, payout_id, number, id, ticker, units, fee_units, state, next_step_at, created_at, updated_at)'

export const GRANTS: Readonly<Record<string, Grant>> = {
  acquirer_callbacks: { api: 'raw(times)', worker: 'rd' },
  acquirer_health: { api: 'r', worker: 'rawd' },
  acquirer_statement_lines: { worker: 'raw' },
  address_stock: { api: 'rawd', worker: 'rw(era)d' },
  addresses: { api: 'ra', worker: 'rw(replenished_at, leased_until)', watcher: 'rw(replenished_at, leased_until)' },
  adjustment_signatures: { worker: 'r', operator: 'a' },
  adjustments: { worker: 'r', operator: 'a' },
  alerts: {
    api: 'raw(text, detail, resolved_at)',
    worker: 'raw(text, detail, resolved_at)',
    watcher: 'raw(text, detail, resolved_at)',
  },
  audit_findings: { worker: 'raw' },
  audited_accounts: { worker: 'raw' },
  business_clock: { api: 'r', worker: 'r', watcher: 'r' },
  // The owner's gifts, which no second person signs: the sandbox alone writes them, as the owner of its database.
  capital_grants: { worker: 'r' },
  card_holds: { api: 'r', worker: 'raw' },
  card_payout_attempts: { api: 'rw(next_ask_at, epoch, called_at)', worker: 'raw' },
  card_payout_parts: { api: `ra${PLACED_PART}`, worker: 'raw' },
  card_payouts: { api: 'pa', worker: 'raw', secret: ['sealed_card'] },
  cold_fees: { worker: 'r', watcher: 'rad' },
  cold_previous: { worker: 'rad', watcher: 'rad' },
  cold_transfers: { api: 'r', worker: 'raw', watcher: 'raw' },
  conversions: { api: 'rw(next_at, released_at)', worker: 'raw', watcher: 'raw' },
  crypto_invoice_payments: { api: 'raw', worker: 'raw', watcher: 'raw' },
  crypto_invoices: { api: 'raw', worker: 'raw', watcher: 'raw' },
  custody_addresses: { api: 'r', worker: 'raw', watcher: 'raw' },
  custody_recent: { worker: 'rawd', watcher: 'rawd' },
  custody_totals: { api: 'r', worker: 'raw', watcher: 'raw', operator: 'd' },
  custody_rounds: { api: 'r', worker: 'raw', watcher: 'r' },
  deposit_ancestry: { worker: 'rad', watcher: 'r' },
  deposits: { api: 'r', worker: 'raw', watcher: 'raw' },
  derivation_counters: { api: 'raw', worker: 'raw', watcher: 'r' },
  event_archives: { operator: 'r' },
  event_attempts: { api: 'r', worker: 'rad' },
  event_heads: { api: 'raw', worker: 'raw', watcher: 'raw' },
  event_partitions: { api: 'r', worker: 'r', watcher: 'r' },
  event_spans: { api: 'ra', worker: 'ra', watcher: 'ra' },
  event_streams: { api: 'raw', worker: 'rawd', watcher: 'raw' },
  // A right to `events` is one to read and write through it: no role has any to a partition.
  events: { api: 'ra', worker: 'ra', watcher: 'ra' },
  exchange_inventory: { api: 'raw', worker: 'raw', watcher: 'r' },
  exchange_quotes: { api: 'rawd', worker: 'rawd' },
  exchange_withdrawals: { api: 'ra', worker: 'ra', watcher: 'r' },
  exchanges: { api: 'ra', worker: 'ra', watcher: 'r' },
  fee_rates_seen: { worker: 'rad' },
  fiat_invoices: { api: 'raw', worker: 'raw' },
  free_nonces: { worker: 'rad' },
  freezes: {
    api: 'r',
    worker: 'raw(lifted_at, lifted_by, lifted_reason)',
    watcher: 'raw(lifted_at, lifted_by, lifted_reason)',
  },
  fundings: { api: 'r', worker: 'raw', watcher: 'rawd' },
  heartbeats: { api: 'raw(seen_at)d', worker: 'raw(seen_at)d', watcher: 'raw(seen_at)d' },
  hedge_fills: { api: 'r', worker: 'ra', watcher: 'r' },
  hedge_flows: { api: 'r', worker: 'raw', watcher: 'r' },
  hedge_orders: { api: 'r', worker: 'raw', watcher: 'r' },
  hedge_stops: { worker: 'ra', operator: 'w(lifted_at, lifted_by)' },
  hot_moves: { worker: 'ra', watcher: 'r' },
  hot_wallets: { worker: 'raw', watcher: 'rw' },
  house_addresses: { api: 'r', worker: 'ra', watcher: 'ra', operator: 'd' },
  house_transfers: { worker: 'r', watcher: 'rad' },
  installation: {
    api: 'raw(timeline)',
    worker: 'raw(timeline)',
    watcher: 'raw(timeline)',
    operator: 'w(identity, restores, restored_at)',
  },
  ledger_accounts: { api: POSTING.accounts, worker: POSTING.accounts, watcher: POSTING.accounts },
  ledger_anchors: { worker: 'ra' },
  ledger_checkpoints: { worker: 'raw' },
  ledger_entries: { api: POSTING.entries, worker: POSTING.entries, watcher: POSTING.entries },
  ledger_seals: { worker: 'ra' },
  // Whose transfers of what kind: TRANSFERS below.
  ledger_transfers: { api: POSTING.entries, worker: POSTING.entries, watcher: POSTING.entries },
  // Every posting names them in its statement, also one that has none to write.
  local_ids: { api: 'ra', worker: 'ra', watcher: 'ra' },
  mail_digests: { worker: 'rawd' },
  mail_service: { api: 'r', worker: 'raw', watcher: 'r' },
  // Who is mailed counts what went there lately; what a mail says is the worker's to read.
  mails: { api: MAILING, worker: 'rawd', watcher: MAILING, secret: ['data', 'recipient', 'mailbox'] },
  market_legs: { api: 'r', worker: 'raw', watcher: 'r' },
  merchant_audit: { operator: 'ra' },
  merchant_keys: { api: 'rw(first_used_at)', worker: 'r', operator: 'raw', secret: ['sealed'] },
  merchants: { api: 'r', worker: 'r', watcher: 'r', operator: 'raw' },
  network_costs: { api: 'r', worker: 'raw', watcher: 'r' },
  network_cost_totals: { api: 'r', worker: 'raw', watcher: 'r', operator: 'd' },
  network_costs_counted: { worker: 'raw' },
  network_fees: { api: 'r', worker: 'raw', watcher: 'r' },
  official_rates: { api: 'r', worker: 'raw' },
  operator_actions: { worker: 'r', operator: 'ra' },
  outgoing: { api: 'r', worker: 'raw', watcher: 'raw' },
  outgoing_rivals: { worker: 'ra', watcher: 'rad' },
  outgoing_attempts: { api: 'r', worker: 'rawd', watcher: 'rawd' },
  payment_refunds: { api: 'r', worker: 'raw' },
  payments: { api: 'raw', worker: 'raw' },
  people: { worker: 'r', operator: 'aw(removed_by, removed_at)' },
  position_limits: { api: 'r', worker: 'r', watcher: 'r', operator: 'raw' },
  rates: { api: 'r', worker: 'raw', watcher: 'r' },
  refund_claims: { api: 'ra', worker: 'raw', watcher: 'raw' },
  request_answers: { api: 'raw', worker: 'rad', watcher: 'a' },
  reserve_leaves: { operator: 'ra' },
  reserve_reports: { operator: 'ra' },
  schema_migrations: { api: 'r', worker: 'r', watcher: 'r' },
  screening_decisions: { api: 'r', worker: 'r', operator: 'a' },
  screening_findings: { worker: 'raw' },
  screening_list_entries: { worker: 'r', operator: 'a' },
  screening_lists: { api: 'r', worker: 'r', operator: 'aw' },
  screenings: { api: 'r', worker: 'raw', watcher: 'raw' },
  signer_limits: { api: 'r', worker: 'rawd' },
  signer_log: { worker: 'raw', operator: 'raw' },
  state_changes: { api: 'ra', worker: 'rawd', watcher: 'ra' },
  state_counts: { api: 'r', worker: 'raw', watcher: 'r', operator: 'd' },
  sweeps: { api: 'r', worker: 'raw', watcher: 'raw' },
  targets: { api: 'ra', worker: 'r', watcher: 'r' },
  tron_loans: { worker: 'raw', watcher: 'raw' },
  untraced_blocks: { worker: 'rw', watcher: 'raw' },
  utxos: { worker: 'raw', watcher: 'raw' },
  venue_balances: { api: 'r', worker: 'raw', watcher: 'r' },
  watch_blocks: { worker: 'r', watcher: 'rad' },
  watch_cursors: { api: 'r', worker: 'rw(updated_at)', watcher: 'raw' },
  withdrawal_approvals: { worker: 'r', operator: 'ra' },
  withdrawals: { api: `ra${PLACED_WITHDRAWAL}`, worker: `ra${PLACED_WITHDRAWAL}w`, watcher: 'rw' },
}

export const SEQUENCES: Readonly<Record<string, Grant>> = {
  event_claims: { worker: 'U' },
}

/**
 * Transfers that the api may insert, as `kind cause`: those of what merchants and payers ask for. The other roles
 * insert any.
 */
export const API_TRANSFERS: readonly (readonly [kind: string, cause: string])[] = [
  ['hold', 'withdrawal'],
  ['hold', 'card-payout'],
  ['post', 'exchange'],
]
