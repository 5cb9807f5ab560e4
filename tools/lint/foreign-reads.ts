/** A module that reads other modules' tables in its own SQL, because the statement can't be split. */
export interface ForeignRead {
  by: string
  tables: readonly string[]
  why: string
}

/** Ordered by module, then by first table. The lint fails for an unused row. */
export const FOREIGN_READS: readonly ForeignRead[] = [
  {
    by: 'app/cli',
    tables: ['card_payout_attempts', 'payments'],
    why: 'smoke: the newest orders at an acquirer, of either kind',
  },
  {
    by: 'app/composition',
    tables: [
      'api_keys',
      'card_payouts',
      'conversions',
      'crypto_invoices',
      'deposits',
      'event_streams',
      'fiat_invoices',
      'payment_refunds',
      'payout_requests',
      'refund_claims',
      'withdrawals',
    ],
    why: 'everything that a leaving merchant has open, in one snapshot',
  },
  {
    by: 'app/composition',
    tables: [
      'card_payouts',
      'crypto_invoices',
      'exchanges',
      'fiat_invoices',
      'local_ids',
      'merchant_keys',
      'withdrawals',
    ],
    why: 'which key signed the request for an object of any kind',
  },
  {
    by: 'cards/acquiring',
    tables: ['ledger_transfers'],
    why: 'payments without a line in a statement, by the time of their posting',
  },
  {
    by: 'cards/card-payouts',
    tables: ['acquirer_statement_lines'],
    why: 'payouts without a line in a statement of their acquirer',
  },
  {
    by: 'chain/addresses',
    tables: ['installation'],
    why: 'a counter moves on by the number of restores in the statement that takes an index',
  },
  {
    by: 'chain/transactions',
    tables: ['addresses', 'house_addresses'],
    why: 'whose key spends a coin or takes a nonce, in the statement that stores it',
  },
  {
    by: 'chain/transactions',
    tables: ['watch_cursors'],
    why: 'coins and conflicts of final blocks',
  },
  {
    by: 'chain/watcher',
    tables: ['deposits', 'outgoing'],
    why: 'the rows that a rewind would reverse, and the blocks that only stored rows name',
  },
  {
    by: 'exchange/exchanges',
    tables: ['ledger_accounts'],
    why: 'the position of every asset, compared in one snapshot with inventory and orders',
  },
  {
    by: 'ledger/address-balances',
    tables: ['house_addresses'],
    why: 'records depend on the purpose of an address, as the trigger on them does',
  },
  {
    by: 'ledger/figures',
    tables: ['ledger_accounts', 'ledger_entries', 'ledger_transfers'],
    why: 'entries are counted by day in the statement that reads them',
  },
  {
    by: 'ledger/postings',
    tables: ['request_answers'],
    why: 'guard 1 of a posting: stored answers are read with the other rows that a batch is judged by',
  },
  {
    by: 'merchants/webhooks',
    tables: ['event_partitions'],
    why: 'months of events are archived and watched',
  },
  {
    by: 'pay-in/deposits',
    tables: ['crypto_invoices'],
    why: 'the list of deposits that pay no invoice, in the statement that examines a bounded number of rows',
  },
  {
    by: 'pay-in/deposits',
    tables: ['watch_cursors'],
    why: 'confirmations and finality of a deposit, in the statement that shows or ends it',
  },
  {
    by: 'pay-out/from-deposit-addresses',
    tables: ['addresses', 'custody_addresses', 'deposits', 'watch_cursors'],
    why: 'which deposit address may pay: its final balance, in one statement',
  },
  {
    by: 'pay-out/withdrawals',
    tables: ['merchants'],
    why: "the rest of the signer's limit under a merchant's own percentage, summed with its withdrawals",
  },
  {
    by: 'pay-out/withdrawals',
    tables: ['outgoing', 'outgoing_attempts'],
    why: 'withdrawals and hot moves joined with the transactions that carry them',
  },
  {
    by: 'pay-out/withdrawals',
    tables: ['utxos', 'watch_cursors'],
    why: 'who has spent a coin in a final block, while its payment is not in these books',
  },
  {
    by: 'people/access',
    tables: ['merchants'],
    why: 'invitations and memberships of merchants that are not disabled, with their names',
  },
  {
    by: 'platform/db',
    tables: ['business_clock'],
    why: 'partitions are made for months of business time, before any module runs',
  },
  {
    by: 'risk/screening',
    tables: ['deposits', 'withdrawals'],
    why: "the screenings of an internal sender's money at the time of the withdrawal",
  },
  {
    by: 'treasury/adjustments',
    tables: ['deposits', 'watch_cursors', 'withdrawals'],
    why: 'a rejected deposit, whether it is final, and its returned amount, joined with signed adjustments',
  },
  {
    by: 'treasury/adjustments',
    tables: ['ledger_accounts', 'ledger_entries', 'ledger_transfers'],
    why: 'adjustments whose postings differ from the signed text',
  },
  {
    by: 'treasury/adjustments',
    tables: ['payments'],
    why: 'suspense that suspended payments speak for; cards is a district beside treasury',
  },
  {
    by: 'treasury/auditing',
    tables: [
      'adjustment_signatures',
      'adjustments',
      'capital_grants',
      'card_payout_parts',
      'card_payouts',
      'deposits',
      'exchanges',
      'ledger_accounts',
      'ledger_entries',
      'ledger_transfers',
      'payment_refunds',
      'payments',
      'withdrawals',
    ],
    why: 'the audit proves each entry by its cause, and trusts the answer of no module',
  },
  {
    by: 'treasury/cold',
    tables: ['hot_wallets', 'outgoing', 'outgoing_attempts'],
    why: 'transfers joined with the transactions that make them, and with the nonces before theirs',
  },
  {
    by: 'treasury/consolidation',
    tables: ['addresses', 'deposits', 'outgoing', 'outgoing_attempts', 'utxos'],
    why: 'coins, the deposits that made them, their owners, and the transactions that compete for them',
  },
  {
    by: 'treasury/costs',
    tables: ['ledger_accounts', 'ledger_entries', 'ledger_transfers', 'outgoing', 'withdrawals'],
    why: "costs are counted of the ledger's own entries, in the statement that remembers how far",
  },
  {
    by: 'treasury/invariants',
    tables: [
      'alerts',
      'card_payout_attempts',
      'card_payout_parts',
      'card_payouts',
      'crypto_invoice_payments',
      'crypto_invoices',
      'custody_addresses',
      'deposits',
      'endpoint_streams',
      'event_archives',
      'event_heads',
      'event_streams',
      'events',
      'exchange_inventory',
      'exchange_withdrawals',
      'exchanges',
      'fiat_invoices',
      'fundings',
      'ledger_accounts',
      'ledger_entries',
      'ledger_transfers',
      'local_ids',
      'outgoing',
      'payment_refunds',
      'payments',
      'watch_blocks',
      'webhook_endpoints',
      'withdrawals',
    ],
    why: 'an invariant joins rows of several modules in one snapshot, and trusts the answer of no module',
  },
  {
    by: 'treasury/reconciliation',
    tables: ['addresses', 'house_transfers', 'watch_cursors'],
    why: 'the balances at addresses of a first seed, and the final transfers from it to the second, by their addresses',
  },
  {
    by: 'treasury/reconciliation',
    tables: ['cold_transfers', 'house_addresses', 'outgoing', 'withdrawals'],
    why: 'the amounts that are about to leave the hot wallet, by their senders',
  },
  {
    by: 'treasury/reconciliation',
    tables: ['custody_addresses', 'outgoing_attempts', 'utxos'],
    why: 'the balances that addresses should have had at a block: without deposits of later blocks, with our payments in them',
  },
  {
    by: 'treasury/reconciliation',
    tables: ['custody_totals', 'network_cost_totals', 'network_costs'],
    why: 'totals are compared with the sums of their rows',
  },
  {
    by: 'treasury/reconciliation',
    tables: ['deposits', 'ledger_accounts'],
    why: 'balances of the ledger and amounts that are not posted yet, in one snapshot',
  },
  {
    by: 'treasury/reserves',
    tables: ['ledger_accounts', 'merchants'],
    why: 'a proof of reserves reads all balances in one snapshot',
  },
  {
    by: 'treasury/sweeps',
    tables: ['addresses', 'custody_addresses', 'deposits', 'watch_cursors'],
    why: 'the balances worth a sweep: final balances of addresses, in one statement',
  },
  {
    by: 'treasury/sweeps',
    tables: ['outgoing'],
    why: 'sweeps and loans of energy joined with the transactions that make them',
  },
]
