/**
 * The owning module of each table, and the rights of each database role on each table and sequence. `bursar migrate`
 * applies the rights; a table or sequence without a row here fails `npm run check`. The lint (tools/lint/tables.ts)
 * checks every statement: only the owner writes a table; other modules read it through the owner's exports, or by a row
 * of tools/lint/foreign-reads.ts.
 *
 * Letters are those of PostgreSQL (manual, "Privileges"): `r` select, `a` insert, `w` update, `d` delete, `U` usage of
 * a sequence. Columns in parentheses limit the letter before them. `p` selects all columns except those that the row
 * lists as secret. A role that a row does not name has no rights.
 *
 * Every process shows metrics of the whole installation, so api and watcher may read the tables that these count. Row
 * locks (`for update`, `for share`) need `w` on at least one column. Tables of history have no `w` and no `d` in any
 * row.
 */
export interface Grant {
  /** serves merchants and payers, and so is exposed to the internet: its rights are listed one by one */
  api?: string
  worker?: string
  watcher?: string
  /** the commands of `bursar`, in addition to the rights of the three roles above */
  operator?: string
  /** columns that the read-only role can't read, nor any role with `p` */
  secret?: readonly string[]
}

export interface TableGrant extends Grant {
  /** the one module that writes the table, as `district/module` */
  owner: string
}

/** Tables whose rows no role may change or delete. */
export const HISTORY = [
  'adjustment_signatures',
  'adjustments',
  'capital_grants',
  'dashboard_audit',
  'event_archives',
  'event_spans',
  'events',
  'ledger_anchors',
  'ledger_entries',
  'ledger_seals',
  'ledger_transfers',
  'merchant_audit',
  'operator_actions',
  'payout_approvals',
  'payout_policies',
  'reserve_leaves',
  'reserve_reports',
  'screening_decisions',
  'withdrawal_approvals',
] as const

const MAILING = 'r(merchant_id, about, kind, recipient, mailbox, audience, created_at)a'
const POSTING = { entries: 'ra', accounts: 'ra(merchant_id, asset, kind, bounded)w(posted, held, version)' }
/** Columns of a new order. Those of later states are missing: no role can insert an order that is partly paid. */
const PLACED_WITHDRAWAL =
  '(merchant_id, id, intent_id, ticker, blockchain, to_address, to_as_sent, units, fee_units, local_id, meta, state, internal, hold_id, told_as, api_key_id, not_before, created_at, updated_at)'
const PLACED_PART =
  '(merchant_id, payout_id, number, id, ticker, units, fee_units, state, next_step_at, created_at, updated_at)'

export const GRANTS: Readonly<Record<string, TableGrant>> = {
  acquirer_callbacks: { owner: 'cards/acquiring', api: 'raw(times)', worker: 'rd' },
  acquirer_health: { owner: 'cards/acquiring', api: 'r', worker: 'rawd' },
  acquirer_statement_lines: { owner: 'cards/acquiring', worker: 'raw' },
  address_stock: { owner: 'chain/addresses', api: 'rawd', worker: 'rw(era)d' },
  addresses: {
    owner: 'chain/addresses',
    api: 'ra',
    worker: 'rw(replenished_at, leased_until)',
    watcher: 'rw(replenished_at, leased_until)',
  },
  adjustment_signatures: { owner: 'treasury/adjustments', worker: 'r', operator: 'a' },
  adjustments: { owner: 'treasury/adjustments', worker: 'r', operator: 'a' },
  alert_notices: { owner: 'platform/runtime', worker: 'rawd' },
  alert_receivers: { owner: 'platform/runtime', worker: 'raw', operator: 'r' },
  alerts: {
    owner: 'platform/runtime',
    api: 'raw(text, detail, resolved_at)',
    worker: 'raw(text, detail, resolved_at)',
    watcher: 'raw(text, detail, resolved_at)',
  },
  // Members make and revoke additional keys on a page of the api.
  api_keys: {
    owner: 'merchants/accounts',
    api: 'raw(revoked_at, last_used_at, last_used_from)',
    worker: 'r',
    operator: 'w',
    secret: ['sealed'],
  },
  audit_findings: { owner: 'treasury/auditing', worker: 'raw' },
  audited_accounts: { owner: 'treasury/auditing', worker: 'raw' },
  backups: { owner: 'platform/runtime', api: 'r', worker: 'r', watcher: 'r', operator: 'a' },
  business_clock: { owner: 'platform/runtime', api: 'r', worker: 'r', watcher: 'r' },
  // Capital granted without a second person's signature: written only by a sandbox, as the owner of its database.
  capital_grants: { owner: 'treasury/reconciliation', worker: 'r' },
  card_holds: { owner: 'cards/acquiring', api: 'r', worker: 'raw' },
  card_payout_attempts: { owner: 'cards/card-payouts', api: 'rw(next_ask_at, epoch, called_at)', worker: 'raw' },
  card_payout_parts: { owner: 'cards/card-payouts', api: `ra${PLACED_PART}`, worker: 'raw' },
  card_payouts: { owner: 'cards/card-payouts', api: 'pa', worker: 'raw', secret: ['sealed_card'] },
  cold_fees: { owner: 'treasury/cold', worker: 'r', watcher: 'rad' },
  cold_previous: { owner: 'treasury/cold', worker: 'rad', watcher: 'rad' },
  cold_transfers: { owner: 'treasury/cold', api: 'r', worker: 'raw', watcher: 'raw' },
  conversions: { owner: 'exchange/conversions', api: 'rw(next_at, released_at)', worker: 'raw', watcher: 'raw' },
  crypto_invoice_payments: { owner: 'pay-in/crypto-invoices', api: 'raw', worker: 'raw', watcher: 'raw' },
  crypto_invoices: { owner: 'pay-in/crypto-invoices', api: 'raw', worker: 'raw', watcher: 'raw' },
  custody_addresses: { owner: 'ledger/address-balances', api: 'r', worker: 'raw', watcher: 'raw' },
  custody_recent: { owner: 'ledger/address-balances', worker: 'rawd', watcher: 'rawd' },
  custody_totals: { owner: 'ledger/address-balances', api: 'r', worker: 'raw', watcher: 'raw', operator: 'd' },
  custody_rounds: { owner: 'treasury/reconciliation', api: 'r', worker: 'raw', watcher: 'r' },
  daily_balances: { owner: 'ledger/figures', api: 'r', worker: 'raw(version, posted)' },
  daily_figures: { owner: 'ledger/figures', api: 'r', worker: 'raw(entries, units)' },
  dashboard_attempts: { owner: 'people/access', api: 'raw' },
  dashboard_audit: { owner: 'people/access', api: 'ra' },
  dashboard_challenges: { owner: 'people/access', api: 'raw(expires_at)d' },
  dashboard_invitations: {
    owner: 'people/access',
    api: 'raw(used_at, withdrawn_at)',
    secret: ['token_hash'],
  },
  dashboard_members: { owner: 'people/access', api: 'raw(role, added_at, removed_at)' },
  dashboard_passkeys: { owner: 'people/access', api: 'raw(counter, used_at)d' },
  dashboard_passwords: {
    owner: 'people/access',
    api: 'raw(hash, sealed_seed, last_step, changed_at)',
    operator: 'd',
    secret: ['hash', 'sealed_seed'],
  },
  dashboard_people: { owner: 'people/access', api: 'ra' },
  dashboard_recovery_codes: { owner: 'people/access', api: 'raw(used_at)d', secret: ['code_hash'] },
  dashboard_sessions: {
    owner: 'people/access',
    api: 'raw(token_hash, seen_at, proved_at, ended_at)',
    secret: ['token_hash'],
  },
  deposit_ancestry: { owner: 'pay-in/deposits', worker: 'rad', watcher: 'r' },
  deposits: { owner: 'pay-in/deposits', api: 'r', worker: 'raw', watcher: 'raw' },
  derivation_counters: { owner: 'chain/addresses', api: 'raw', worker: 'raw', watcher: 'r' },
  endpoint_attempts: { owner: 'merchants/webhooks', api: 'r', worker: 'rad' },
  endpoint_streams: { owner: 'merchants/webhooks', api: 'raw', worker: 'rawd', watcher: 'raw' },
  event_archives: { owner: 'merchants/webhooks', worker: 'r' },
  event_attempts: { owner: 'merchants/webhooks', api: 'r', worker: 'rad' },
  event_heads: { owner: 'merchants/webhooks', api: 'raw', worker: 'raw', watcher: 'raw' },
  event_partitions: { owner: 'platform/db', api: 'r', worker: 'r', watcher: 'r' },
  event_spans: { owner: 'merchants/webhooks', api: 'ra', worker: 'ra', watcher: 'ra' },
  event_streams: { owner: 'merchants/webhooks', api: 'raw', worker: 'rawd', watcher: 'raw' },
  // Roles have rights on `events` only, not on its partitions.
  events: { owner: 'merchants/webhooks', api: 'ra', worker: 'ra', watcher: 'ra' },
  exchange_inventory: { owner: 'exchange/exchanges', api: 'raw', worker: 'raw', watcher: 'r' },
  exchange_quotes: { owner: 'exchange/exchanges', api: 'rawd', worker: 'rawd' },
  exchange_withdrawals: { owner: 'exchange/exchange-withdrawals', api: 'ra', worker: 'ra', watcher: 'r' },
  exchanges: { owner: 'exchange/exchanges', api: 'ra', worker: 'ra', watcher: 'r' },
  fee_rates_seen: { owner: 'treasury/consolidation', worker: 'rad' },
  fiat_invoices: { owner: 'pay-in/fiat-invoices', api: 'raw', worker: 'raw' },
  free_nonces: { owner: 'chain/transactions', worker: 'rad' },
  freezes: {
    owner: 'ledger/stops',
    api: 'r',
    worker: 'raw(lifted_at, lifted_by, lifted_reason)',
    watcher: 'raw(lifted_at, lifted_by, lifted_reason)',
  },
  fundings: { owner: 'treasury/reconciliation', api: 'r', worker: 'raw', watcher: 'rawd' },
  heartbeats: { owner: 'platform/process', api: 'raw(seen_at)d', worker: 'raw(seen_at)d', watcher: 'raw(seen_at)d' },
  hedge_fills: { owner: 'exchange/hedging', api: 'r', worker: 'ra', watcher: 'r' },
  hedge_flows: { owner: 'exchange/hedging', api: 'r', worker: 'raw', watcher: 'r' },
  hedge_orders: { owner: 'exchange/hedging', api: 'r', worker: 'raw', watcher: 'r' },
  hedge_stops: { owner: 'exchange/hedging', worker: 'ra', operator: 'w(lifted_at, lifted_by)' },
  hot_moves: { owner: 'pay-out/withdrawals', worker: 'ra', watcher: 'r' },
  hot_wallets: { owner: 'chain/transactions', worker: 'raw', watcher: 'rw' },
  house_addresses: {
    owner: 'chain/addresses',
    api: 'r',
    worker: 'raw(stolen_at)',
    watcher: 'raw(stolen_at)',
    operator: 'd',
  },
  house_transfers: { owner: 'treasury/sweeps', worker: 'r', watcher: 'rad' },
  installation: {
    owner: 'platform/runtime',
    api: 'raw(timeline)',
    worker: 'raw(timeline)',
    watcher: 'raw(timeline)',
    operator: 'w(identity, restores, restored_at)',
  },
  ledger_accounts: {
    owner: 'ledger/postings',
    api: POSTING.accounts,
    worker: POSTING.accounts,
    watcher: POSTING.accounts,
  },
  ledger_anchors: { owner: 'ledger/postings', worker: 'ra' },
  ledger_checkpoints: { owner: 'ledger/postings', worker: 'raw' },
  ledger_entries: { owner: 'ledger/postings', api: POSTING.entries, worker: POSTING.entries, watcher: POSTING.entries },
  ledger_seals: { owner: 'ledger/postings', worker: 'ra' },
  // Row security limits the transfers of the api: see API_TRANSFERS.
  ledger_transfers: {
    owner: 'ledger/postings',
    api: POSTING.entries,
    worker: POSTING.entries,
    watcher: POSTING.entries,
  },
  // The statement of every posting refers to this table, even when it writes no row.
  local_ids: { owner: 'ledger/postings', api: 'ra', worker: 'ra', watcher: 'ra' },
  lost_payment_repeats: { owner: 'pay-out/withdrawals', worker: 'rawd', operator: 'rawd' },
  lost_payments: { owner: 'pay-out/withdrawals', api: 'r', worker: 'r', operator: 'raw' },
  mail_digests: { owner: 'merchants/mail', worker: 'rawd' },
  mail_service: { owner: 'merchants/mail', api: 'r', worker: 'raw', watcher: 'r' },
  // Queueing a mail reads the recent mails to its address; only the worker reads the contents.
  mails: {
    owner: 'merchants/mail',
    api: MAILING,
    worker: 'rawd',
    watcher: MAILING,
    secret: ['data', 'recipient', 'mailbox'],
  },
  market_legs: { owner: 'market/rates', api: 'r', worker: 'raw', watcher: 'r' },
  merchant_audit: { owner: 'merchants/accounts', api: 'a', operator: 'ra' },
  merchant_endings: { owner: 'merchants/accounts', api: 'r', worker: 'r', watcher: 'r', operator: 'raw(state, since)' },
  merchant_keys: {
    owner: 'merchants/accounts',
    api: 'rw(first_used_at)',
    worker: 'r',
    operator: 'raw',
    secret: ['sealed'],
  },
  merchant_logos: { owner: 'merchants/logos', api: 'rawd', worker: 'r', operator: 'd' },
  merchants: { owner: 'merchants/accounts', api: 'rw(settings)', worker: 'r', watcher: 'r', operator: 'raw' },
  network_costs: { owner: 'treasury/costs', api: 'r', worker: 'raw', watcher: 'r' },
  network_cost_totals: { owner: 'treasury/costs', api: 'r', worker: 'raw', watcher: 'r', operator: 'd' },
  network_costs_counted: { owner: 'treasury/costs', worker: 'raw' },
  network_fees: { owner: 'pay-out/withdrawals', api: 'r', worker: 'raw', watcher: 'r' },
  official_rates: { owner: 'market/rates', api: 'r', worker: 'raw' },
  operator_actions: { owner: 'platform/operators', worker: 'r', operator: 'ra' },
  outgoing: { owner: 'chain/transactions', api: 'r', worker: 'raw', watcher: 'raw' },
  outgoing_rivals: { owner: 'chain/transactions', worker: 'ra', watcher: 'rad' },
  outgoing_attempts: { owner: 'chain/transactions', api: 'r', worker: 'rawd', watcher: 'rawd' },
  payer_erasures: { owner: 'dashboard/payers', api: 'ra', worker: 'rw(emails, ended_at)' },
  payment_links: {
    owner: 'pay-in/payment-links',
    api: 'raw(name, description, amount, least, most, language, expires_at, most_uses, stopped_at)',
  },
  payment_refunds: { owner: 'cards/acquiring', api: 'r', worker: 'raw' },
  payments: { owner: 'cards/acquiring', api: 'raw', worker: 'raw' },
  payout_addresses: { owner: 'pay-out/requests', api: 'raw(removed_by, removed_at)' },
  payout_api_sums: { owner: 'pay-out/requests', api: 'raw(units)d' },
  payout_approvals: { owner: 'pay-out/requests', api: 'ra' },
  payout_cards: { owner: 'pay-out/requests', api: 'a', worker: 'rw(sealed_card)d', secret: ['sealed_card'] },
  payout_lines: {
    owner: 'pay-out/requests',
    api: 'raw(state, alone, withdrawal_id, reason, ended_at)',
    worker: 'rw(state, withdrawal_id, reason, ended_at)',
  },
  payout_policies: { owner: 'pay-out/requests', api: 'ra' },
  payout_requests: {
    owner: 'pay-out/requests',
    api: 'raw(state, decided_by, decided_at, reason)',
    worker: 'rw(state, decided_by, decided_at, reason, not_before)',
  },
  people: { owner: 'treasury/adjustments', worker: 'r', operator: 'aw(removed_by, removed_at)' },
  position_limits: { owner: 'exchange/exchanges', api: 'r', worker: 'r', watcher: 'r', operator: 'raw' },
  rates: { owner: 'market/rates', api: 'r', worker: 'raw', watcher: 'r' },
  refund_claims: {
    owner: 'pay-in/crypto-invoices',
    api: 'raw(state, units, note, decided_at)',
    worker: 'raw',
    watcher: 'raw',
  },
  refused_requests: { owner: 'merchants/refused-requests', api: 'ra', worker: 'rd' },
  request_answers: { owner: 'platform/api', api: 'raw', worker: 'rad', watcher: 'a' },
  request_counts: {
    owner: 'merchants/request-counts',
    api: 'raw(requests, refused, total_ms, slowest_ms)',
    worker: 'rd',
  },
  reserve_leaves: { owner: 'treasury/reserves', operator: 'ra' },
  reserve_reports: { owner: 'treasury/reserves', operator: 'ra' },
  schema_migrations: { owner: 'platform/db', api: 'r', worker: 'r', watcher: 'r' },
  restores: { owner: 'platform/runtime', worker: 'r', operator: 'raw' },
  screening_decisions: { owner: 'risk/screening', api: 'r', worker: 'r', operator: 'a' },
  screening_findings: { owner: 'risk/screening', worker: 'raw' },
  screening_list_entries: { owner: 'risk/screening', worker: 'r', operator: 'a' },
  screening_lists: { owner: 'risk/screening', api: 'r', worker: 'r', operator: 'aw' },
  screenings: { owner: 'risk/screening', api: 'r', worker: 'raw', watcher: 'raw' },
  signer_limits: { owner: 'pay-out/withdrawals', api: 'r', worker: 'rawd' },
  signer_log: { owner: 'chain/transactions', worker: 'raw', operator: 'raw' },
  state_changes: { owner: 'treasury/reconciliation', api: 'ra', worker: 'rawd', watcher: 'ra' },
  state_counts: { owner: 'treasury/reconciliation', api: 'r', worker: 'raw', watcher: 'r', operator: 'd' },
  sweeps: { owner: 'treasury/sweeps', api: 'r', worker: 'raw', watcher: 'raw' },
  targets: { owner: 'exchange/conversions', api: 'ra', worker: 'r', watcher: 'r' },
  tron_loans: { owner: 'treasury/sweeps', worker: 'raw', watcher: 'raw' },
  untraced_blocks: { owner: 'chain/watcher', worker: 'rw', watcher: 'raw' },
  utxos: { owner: 'chain/transactions', worker: 'raw', watcher: 'raw' },
  venue_balances: { owner: 'exchange/hedging', api: 'r', worker: 'raw', watcher: 'r' },
  watch_blocks: { owner: 'chain/watcher', worker: 'r', watcher: 'rad' },
  watch_cursors: { owner: 'chain/watcher', api: 'r', worker: 'rw(updated_at)', watcher: 'raw' },
  // Notifications of every role look for endpoints. Members change them on a page of the api.
  webhook_endpoints: {
    owner: 'merchants/webhooks',
    api: 'raw',
    worker: 'rd',
    watcher: 'r',
    operator: 'aw',
    secret: ['sealed', 'sealed_before'],
  },
  webhook_tests: { owner: 'merchants/webhooks', api: 'ra', worker: 'rwd' },
  withdrawal_approvals: { owner: 'pay-out/withdrawals', worker: 'r', operator: 'ra' },
  withdrawals: {
    owner: 'pay-out/withdrawals',
    api: `ra${PLACED_WITHDRAWAL}`,
    worker: `ra${PLACED_WITHDRAWAL}w`,
    watcher: 'rw',
  },
}

export const SEQUENCES: Readonly<Record<string, Grant>> = {
  event_claims: { worker: 'U' },
}

/**
 * Transfers that the api may insert, as `kind cause`: those of requests of merchants and payers. The other roles may
 * insert any.
 */
export const API_TRANSFERS: readonly (readonly [kind: string, cause: string])[] = [
  ['hold', 'withdrawal'],
  ['hold', 'card-payout'],
  ['post', 'exchange'],
]
