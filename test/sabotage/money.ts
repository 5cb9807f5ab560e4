/**
 * Faults that create or lose money, by name: a merchant, a payer or the operator ends with other money than is right,
 * without a further order of a person. Not among them: delays, wrong notifications, and guards of permission (stops,
 * approvals, screening), after which the right account is still debited.
 */
const ALL = `
no-balance-check local-id-not-taken hold-ends-twice hold-closed-ignored partial-hold other-merchants-account
accounts-not-locked sum-below-zero
way-back-from-sent reverted-not-released superseded-same-intent release-keeps-fee amount-precision intent-not-derived
next-intent-random withdrawal-fee-not-charged withdrawal-fee-not-income lost-block-stays-in-transit
given-up-while-planned evm-token-contract-paid tron-token-contract-paid
repeat-forgotten-after-acceptance repeat-older-held repeat-twin-paid
unstored-bytes-broadcast unstored-bytes-broadcast-together claim-not-locked-when-stored
claims-not-locked-when-stored-together asked-without-claim asked-without-claim-together failing-receiver-paid-at-once
unconfirmed-credited tier-by-transaction-only tier-by-output credit-before-final inner-credited-unbacked
less-than-held-credited replaced-before-final refused-is-credited orphan-not-taken-back debt-not-repaid
one-balance-taken-twice gas-credited forwarded-payment-lost internal-received-twice cursor-without-guard
parent-not-checked final-of-another-branch cursor-skips-failed-block
wrong-receipt-gas wrong-receipt-blooms status-ignored missing-log-accepted receipt-of-another-block
any-contract-is-a-token reverted-transfers-credited tron-result-ignored tron-lent-energy-credited tron-trc10-credited
tron-rejected-credited tron-header-without-transactions tron-missing-transactions evm-used-nonce-is-ours
refund-of-what-is-queued-refused refund-question-failed-is-refusal two-refunds-at-once refund-more-than-paid
refund-of-unbooked-payment refund-released-by-old-answer amount-of-payment-ignored ticker-of-payment-ignored
payment-refused-for-good chargeback-keeps-money callback-wakes-nothing card-payout-sent-twice
card-payout-timeout-is-unsent card-payout-timeout-is-refusal card-payout-callback-race card-payout-return-not-asked
card-payout-forgotten-order card-payout-random-reference suspense-accepted-while-given-back
quote-used-twice exchange-rounds-up exchange-fee-rounds-down exchange-inverse-price reserved-sold-again
conversion-random-intent
invoice-paid-while-waiting invoice-refunded-twice invoice-free-option invoice-counts-lost-payment claim-decided-twice
claim-stays-sent sent-claim-not-failed invoice-rounding-forgiven-twice invoice-price-rounded-down
link-amount-of-the-form
body-not-signed card-refund-of-old-sum
signer-limit-ignored signer-new-nonce signer-closed-intent signer-changed-intent signer-tron-before-expiry
signer-destination signer-amount signer-token-contract signer-chain-id signer-evm-fee-cap signer-bitcoin-change
signer-old-log signer-answers-early
`

export const CHANGES_MONEY: ReadonlySet<string> = new Set(ALL.trim().split(/\s+/))
