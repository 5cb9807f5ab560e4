/** How the simulation is run for a fault: with few chains, so that a run ends soon, and with more of one subject. */
import type { Network } from '@bursar/chainkit'
import type { Subject } from '../../test/simulation/run.ts'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'

/** Faults that show on other chains than their file says. */
const SHOWS_ON: Readonly<Record<string, readonly Network[]>> = {
  // Only Bitcoin's deposits are credited before their block is final.
  'unconfirmed-credited': ['BITCOIN'],
  'tier-by-transaction-only': ['BITCOIN'],
  'tier-by-output': ['BITCOIN'],
  'replaced-before-final': ['BITCOIN'],
  'orphan-not-taken-back': ['BITCOIN'],
  'orphan-notified-again': ['BITCOIN'],
  'debt-not-repaid': ['BITCOIN'],
  'take-back-below-zero': ['BITCOIN'],
  'one-balance-taken-twice': ['BITCOIN'],
  // Only Bitcoin's payments are seen before they are in a block.
  'invoice-paid-while-waiting': ['BITCOIN'],
  'invoice-counts-lost-payment': ['BITCOIN'],
  // Gas is sent to the addresses of TRON; on EVM chains a batch needs none.
  'gas-credited': ['TRON'],
  'inner-credited-unbacked': ['TRON'],
  'less-than-held-credited': ['TRON'],
  // Its deposit addresses are sent coin for their gas; on Ethereum a batch needs none.
  'staked-offered-to-cold-storage': ['TRON'],
  'top-ups-not-subtracted': ['BINANCE_SMART_CHAIN'],
  'sweep-coin-in-flight': ['BINANCE_SMART_CHAIN'],
  // Its tokens have a unit that is worth less than the last digit of a price.
  'invoice-rounding-forgiven-twice': ['BINANCE_SMART_CHAIN'],
  // Tokens of Ethereum have fewer decimals than in the ledger, because of the other chain.
  'amount-precision': ['ETHEREUM', 'BINANCE_SMART_CHAIN'],
}

/** Faults that another subject shows than their file is about. */
const SHOWS_BY: Readonly<Record<string, Subject>> = {
  // A payment of ours whose receiver refuses the coin.
  'status-ignored': 'payouts',
  'accounts-not-locked': 'requests',
  'equal-requests-not-locked': 'requests',
  'applied-item-judged-again': 'requests',
  'delivered-inside-while-stopped': 'workers',
  'count-read-late': 'workers',
  'count-not-compared': 'workers',
  'tron-count-not-compared': 'workers',
  'import-not-counted': 'cold',
  'staked-offered-to-cold-storage': 'cold',
  'top-ups-not-subtracted': 'workers',
  'sweep-coin-in-flight': 'workers',
  'unstored-bytes-broadcast': 'workers',
  'unstored-bytes-broadcast-together': 'workers',
  'claim-not-locked-when-stored': 'workers',
  'claims-not-locked-when-stored-together': 'workers',
  'asked-without-claim': 'workers',
  'asked-without-claim-together': 'workers',
  'permission-for-all-groups': 'workers',
  'amount-precision': 'greedy',
  'tron-result-ignored': 'blocks',
  'tron-trc10-credited': 'blocks',
  'tron-rejected-credited': 'blocks',
  'tron-token-contract-paid': 'payouts',
  'forwarded-payment-lost': 'blocks',
  'final-of-another-branch': 'blocks',
  'receipt-of-another-block': 'blocks',
  'refund-of-unbooked-payment': 'answers',
  'refund-of-what-is-queued-refused': 'answers',
  'refund-released-by-old-answer': 'answers',
  'callback-wakes-nothing': 'answers',
  'card-payout-callback-race': 'answers',
  'card-payout-return-not-asked': 'answers',
  'link-amount-of-the-form': 'links',
  'link-used-once-more': 'links',
  'invoice-rounding-forgiven-twice': 'links',
  'invoice-price-rounded-down': 'links',
  'claim-stays-sent': 'claims',
  'sent-claim-not-failed': 'claims',
  'claim-refund-of-another-sum': 'claims',
  'parts-not-added-up': 'members',
  'looser-policy-at-once': 'policies',
  'removed-address-known': 'policies',
  'day-not-added-up': 'policies',
  'card-refund-of-old-sum': 'members',
  'card-of-an-ended-request': 'members',
}

/** Those on which it shows, else those that its name or file names, else one where any fault does. */
export const chainsOf = ({ name, file }: Pick<Sabotage, 'name' | 'file'>): readonly Network[] => {
  const text = `${name} ${file}`
  if (SHOWS_ON[name] !== undefined) return SHOWS_ON[name]
  if (text.includes('tron')) return ['TRON']
  return text.includes('bitcoin') ? ['BITCOIN'] : ['ETHEREUM']
}

/** The subject of the simulation that the file of a fault is about: a run has more of its actions. */
export const subjectOf = ({ name, file }: Pick<Sabotage, 'name' | 'file'>): Subject | undefined => {
  if (SHOWS_BY[name] !== undefined) return SHOWS_BY[name]
  if (file.startsWith('signer/')) return 'signer'
  if (file.startsWith('server/src/merchants/webhooks/')) return 'webhooks'
  if (file.startsWith('server/src/ledger/')) return 'orders'
  if (/^server\/src\/(pay-out|chain\/transactions)\//.test(file)) return 'payouts'
  if (/^server\/src\/(cards|pay-in\/fiat-invoices|adapters\/acquirers)\//.test(file)) return 'cards'
  if (/^server\/src\/(exchange|market|adapters\/venues)\//.test(file)) return 'exchange'
  return /^server\/src\/(pay-in|chain\/watcher|adapters\/chains|risk)\//.test(file) ? 'payers' : undefined
}
