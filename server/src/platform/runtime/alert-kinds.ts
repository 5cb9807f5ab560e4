/**
 * All kinds of alerts. A kind without a row here does not compile where it is raised or resolved. `bursar alerts` uses
 * the list to know which alerts an operator ends; it has the properties that rules of a monitoring system need.
 */

/**
 * Urgency of an alert:
 * - critical: an amount may be wrong or lost, or a kind of payment or deposit is not processed at all. A person must
 *   look now
 * - warning: something waits or will soon; the rest works. A person must look within a day
 */
type Severity = 'critical' | 'warning'

export interface AlertRow {
  severity: Severity
  /**
   * cause: it reports a condition and ends with it; ending it by hand would hide the condition. Operator: it reports an
   * event, and ends when an operator has looked (`bursar alerts end`) or, for a few kinds, when its cause is gone
   */
  ends: 'cause' | 'operator'
  /** file in docs/operating/ that says what to do; null where the alert's own text does */
  page: string | null
  /** the condition or event, in one clause */
  cause: string
}

const row =
  (severity: Severity, ends: AlertRow['ends']) =>
  (page: string | null, cause: string): AlertRow => ({ severity, ends, page, cause })
const critical = row('critical', 'cause')
const warning = row('warning', 'cause')
const criticalEvent = row('critical', 'operator')
const warningEvent = row('warning', 'operator')

const KINDS = {
  // platform, processes, mail and webhooks
  'backup-old': critical('backup.md', 'the newest good backup, or the newest drill, is too old'),
  'clock-moved': critical(null, 'the business clock of the database is ahead of the real one'),
  'database-promoted': criticalEvent('recovery.md', 'the database is another copy than before: commits may be lost'),
  'event-partitions': critical(null, 'a coming month has no partition for notifications'),
  'job-failing': critical('production.md', 'a background job fails or makes no progress'),
  'mail-not-sent': warning('mail.md', 'the mail server takes no mail'),
  'no-process': critical('production.md', 'no process of a role, or no signer, has reported for a minute'),
  'webhooks-exhausted': warning(null, "a merchant's webhook endpoint has not accepted a notification for over 8 hours"),

  // chains and their nodes
  'branches-alternate': critical('chain-trouble.md', 'the node shows two branches of the chain in turn'),
  'chain-stale': critical('halted-chain.md', 'the chain has not grown for too long'),
  'final-transaction-changed': criticalEvent('chain-trouble.md', 'a final transaction of ours has changed'),
  'final-transaction-lost': critical('chain-trouble.md', 'final transactions of ours are in no block any more'),
  'finality-broken': criticalEvent('chain-trouble.md', 'blocks that were final are no longer part of the chain'),
  'finality-stalled': critical('chain-trouble.md', 'no block becomes final'),
  'head-old': warning('chain-trouble.md', 'the newest block of the node of TRON is old: nothing is sent'),
  'lost-transaction-refused': criticalEvent('chain-trouble.md', 'the node refuses a lost transaction of ours'),
  'node-left-out': warning('chain-trouble.md', 'one of several nodes fails, lags or contradicts the others'),
  'node-unavailable': critical('chain-trouble.md', 'the node gives no answer that can be used'),
  'node-unfit': critical('chain-trouble.md', 'the node does not meet a requirement of a role'),
  'unknown-internal-transaction': criticalEvent(
    'chain-trouble.md',
    'TRON shows an unknown kind of internal transaction',
  ),
  'unproven-block': warningEvent('chain-trouble.md', 'a block may be shown without all of its transactions'),
  'untraced-block': warning('chain-trouble.md', 'blocks do not show the coin that contracts sent'),
  'watcher-failing': critical(null, 'the watcher fails at a block'),
  'watcher-stopped': critical('chain-trouble.md', 'the chain of the node and the books have no recent block in common'),
  'issuer-destroyed': criticalEvent('tokens.md', 'the issuer of a token has destroyed money of ours'),
  'issuer-fee': criticalEvent('tokens.md', 'the issuer of a token takes or changes a fee of transfers'),
  'issuer-froze': critical('tokens.md', 'the issuer of a token has frozen an address of ours'),
  'issuer-moved': criticalEvent('tokens.md', 'the issuer of a token has replaced its contract'),
  'issuer-paused': critical('tokens.md', 'the issuer of a token has stopped all transfers'),

  // our own transactions
  broadcast: warning('recovery.md', 'nodes do not accept a signed transaction of ours'),
  'fees-unknown': warning('bitcoin.md', 'the node has no fee estimate'),
  'nonce-ahead': critical('recovery.md', 'the chain has used nonces that the database did not assign'),
  overtaken: criticalEvent('recovery.md', 'a foreign transaction spent the nonce or coin of one of ours'),
  'overtaken-unclear': critical(
    'recovery.md',
    'a nonce or coin of a payment is used, and the payment may still be mined',
  ),
  stuck: warning('bitcoin.md', "an unconfirmed transaction can't be given a higher fee"),

  // deposits and invoices
  'address-not-ours': criticalEvent('recovery.md', 'an address that was handed out is not derived from our keys'),
  'deposit-not-held': critical(
    'chain-trouble.md',
    'an address holds less coin than contracts have sent to it, according to the node',
  ),
  'deposit-returned': criticalEvent(null, 'a deposit that was notified as Failed is in a block'),
  'deposit-reversed': criticalEvent(null, 'a credited deposit is in no block any more'),
  'refund-claim': warning(null, 'a payer claims a refund that an operator has to pay'),
  'small-deposits-short': warning(
    null,
    'suspense holds less than the small deposits that were added up to one deposit',
  ),

  // withdrawals
  'fee-above-cap': warning('sweeps.md', 'the network fee of a payment or sweep is above its cap'),
  'hot-wallet-short': critical('sweeps.md', 'the hot wallet has too little for the waiting payments'),
  'merchant-limit': warning('withdrawal-limits.md', 'withdrawals wait because of a limit of their merchant'),
  'payments-revert': warning('tokens.md', 'the gas estimate of every payment of an asset fails'),
  'payments-lost': critical('recovery.md', 'the log of the signer has payments that a restored copy lacks'),
  'payout-fee-too-high': warning('bitcoin.md', 'the fee of a Bitcoin payout is above its cap'),
  'payout-recalled': warning('bitcoin.md', 'the coins of a refused payout are taken back'),
  'payout-refused': warning('bitcoin.md', 'nodes refuse a payment before it is sent'),
  'receivers-fail': warning('recovery.md', 'many payments of a merchant failed in the contracts of their receivers'),
  'withdrawal-impossible': warningEvent(
    'recovery.md',
    'the money of a withdrawal was returned, because its receiver refuses payments',
  ),
  'withdrawal-repeats-lost': critical(
    'recovery.md',
    'a withdrawal equals a payment that a restored copy lacks: paying it may pay twice',
  ),
  'withdrawal-reverted': warningEvent(
    null,
    'a payment was mined without effect; amount and fee of its withdrawal are back on the balance',
  ),
  'withdrawal-signed-before': critical(
    'recovery.md',
    'the signer knows a transaction of a withdrawal that the books lack',
  ),

  // our own coins
  'cold-impossible': warningEvent('hot-and-cold.md', "the excess of the hot wallet can't be sent to cold storage"),
  'cold-offered': warning('hot-and-cold.md', 'a transfer to cold storage waits for its signature'),
  'cold-reverted': warningEvent(null, 'a transfer to cold storage was mined without effect'),
  'custody-shortage': critical('money-shown.md', 'addresses hold less than the books say'),
  'custody-surplus': warning('money-shown.md', 'addresses hold more than the books say'),
  'custody-suspended': warning(
    'money-shown.md',
    'money that our addresses hold, and that no deposit or payment explains, is in suspense',
  ),
  'full-comparison-old': warning('bitcoin.md', 'some addresses have not been compared with the chain for too long'),
  'hot-low': warning('hot-and-cold.md', 'the hot wallet is below its floor'),
  'restored-funding': warningEvent(
    'recovery.md',
    'a restored copy, or the books of a stolen seed, can not explain money, which is in suspense',
  ),
  'runway-short': warning('hot-and-cold.md', 'the coin for network fees lasts for a short time only'),
  'sweep-contract': warning(
    'sweeps.md',
    "sweeps by delegation are stopped: their contracts differ or can't be deployed",
  ),
  'first-seed-deposits': warning('rotation.md', 'deposits at addresses of a stolen first seed wait for a decision'),
  'first-seed-gas': warning('rotation.md', 'the old hot address has too little coin for sweeps or transfers'),
  'sweep-dear': warning('sweeps.md', 'a sweep would cost more than its cap'),
  'sweep-failing': warning('sweeps.md', 'the sweeps of an address fail'),
  'sweep-refused': warning('sweeps.md', 'the contract of a token refuses a sweep'),
  'sweep-treasury': critical('sweeps.md', 'the treasury in the policy of the signer is not the hot wallet'),
  'books-unproved': critical(
    'recovery.md',
    'the balance of an account does not follow from its entries, or a credit has no cause',
  ),
  'invariant-broken': critical('recovery.md', 'rows of the database break an invariant of the books'),
  'payment-without-hold': critical('recovery.md', 'a payment has no hold in the ledger that covers it'),

  // cards
  'acquirer-missing': critical('acquirer-statements.md', 'open payments are at an acquirer that is not configured'),
  'acquirer-refuses-payouts': critical(null, 'an acquirer refuses all payouts of our account'),
  'acquirer-unreachable': critical('acquirer-statements.md', 'an acquirer does not answer'),
  'callback-unknown': warningEvent('acquirer-statements.md', 'a signed callback is about an order that is not known'),
  'card-payout-contradiction': criticalEvent('card-numbers.md', 'an acquirer contradicts the end of a card payout'),
  'card-payout-mismatch': critical('card-numbers.md', 'an acquirer paid another amount than was ordered'),
  'card-payout-no-route': warning('card-numbers.md', 'no acquirer is configured for a card payout'),
  'card-payout-not-taken-up': warning(null, "a card payout can't be sent"),
  'card-payout-returned': warningEvent('card-numbers.md', 'the money of a card payout came back'),
  'card-payout-unknown': critical('card-numbers.md', 'the outcome of a card payout is unknown'),
  'payment-contradicted': criticalEvent('acquirer-statements.md', 'an acquirer contradicts the end of a card payment'),
  'payment-disputed': warning('acquirer-statements.md', 'a payer disputes a card payment'),
  'payment-not-taken': critical('acquirer-statements.md', 'no acquirer takes card payments of an asset'),
  'payment-reversed': criticalEvent('acquirer-statements.md', 'an acquirer took back the money of a card payment'),
  'payment-suspended': warning('acquirer-statements.md', 'the money of a card payment is in suspense'),
  'payment-unconfirmed': warningEvent(
    'acquirer-statements.md',
    'a callback contradicts a payment and the acquirer does not confirm it, or a paid one has had no callback',
  ),
  'refund-foreign': warningEvent('acquirer-statements.md', 'an acquirer reports a refund that was not ordered here'),
  'refund-refused': warningEvent('acquirer-statements.md', 'an acquirer refused a refund'),
  'refund-stuck': warning('acquirer-statements.md', 'a refund has not ended for too long'),
  'statement-differs': critical('acquirer-statements.md', 'the statement of an acquirer differs from the books'),

  // screening
  screening: warning(null, 'risky money waits for a decision'),
  'screening-finding': warning(null, 'a sender of credited money was listed later'),
  'screening-list-old': warning(null, 'a list of sanctions is old'),
  'screening-waiting': warning('screening.md', 'money waits too long for a judgement'),

  // exchange
  'hedge-failing': warning('hedging.md', "orders on a venue do not fill, or can't be begun"),
  'hedge-unknown': critical('hedging.md', 'the outcome of an order on a venue is unknown'),
  'market-closed': warning('exchange.md', 'an asset is closed for exchange: its sources disagree or are missing'),
  'position-limit-near': warning('hedging.md', 'a limit of a position is nearly used, or exceeded'),
  'price-jump': warning('exchange.md', 'the price of an asset has jumped'),
  'prices-disagree': warning('exchange.md', 'the sources of a price disagree'),
  'venue-balance-low': warning('hedging.md', 'a balance on a venue is too low for orders'),
  'venue-drift': critical('hedging.md', 'a balance on a venue differs from the books'),
  'venue-unreachable': warning('hedging.md', 'a venue does not answer'),

  // the signer
  'signer-needs-approval': warning('approvals.md', 'a payment waits for approvals'),
} satisfies Record<string, AlertRow>

/** Prefix of the kinds that the signer's refusals raise; a code of `signer/src/protocol/refusal.ts` follows. */
const SIGNER = 'signer-'
const SIGNER_REFUSES: AlertRow = critical('recovery.md', 'the signer refuses to sign')

export type AlertKind = keyof typeof KINDS | `${typeof SIGNER}${string}`

/** Kinds with a row of their own; the other kinds of the signer's refusals share the row of `signer-*`. */
export const ALERT_KINDS: Readonly<Record<string, AlertRow>> = { ...KINDS, [`${SIGNER}*`]: SIGNER_REFUSES }

/** The row of a kind; undefined for a kind that this build does not know. */
export const alertRowOf = (kind: string): AlertRow | undefined =>
  ALERT_KINDS[kind] ?? (kind.startsWith(SIGNER) ? SIGNER_REFUSES : undefined)

/** Kinds of alerts that an operator may end. */
export const ENDED_BY_OPERATORS: readonly string[] = Object.entries(ALERT_KINDS)
  .filter(([, { ends }]) => ends === 'operator')
  .map(([kind]) => kind)

/** Kinds of alerts that are not critical. */
export const WARNING_KINDS: readonly string[] = Object.entries(ALERT_KINDS)
  .filter(([, { severity }]) => severity === 'warning')
  .map(([kind]) => kind)
