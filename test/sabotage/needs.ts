/** Faults that the simulation misses, by name: the condition under which it finds each. */
const UNREACHABLE = 'a second fault: no code makes the request that this guard refuses'
const NO_EVENT = 'a second fault: no code raises this event in this state'
const SIGNING = 'a second fault: no signature is requested either while a stop is in force'
const COLD = 'transfers to cold storage'
const LAST_COIN = 'withdrawals of nearly all that a hot address has'
const TOP_UPS = 'coin that is sent to deposit addresses on EVM chains for gas'
const WAITING = 'a measure of waiting: PostgreSQL ends a deadlock, and the work is done a little later'

export const NEEDS: Readonly<Record<string, string>> = {
  'hold-ends-twice': UNREACHABLE,
  'hold-closed-ignored': UNREACHABLE,
  'partial-hold': UNREACHABLE,
  'other-merchants-account': UNREACHABLE,
  'sum-below-zero': UNREACHABLE,
  'internal-received-twice': UNREACHABLE,
  'addresses-locked-before-accounts': WAITING,
  'heads-locked-before-addresses': WAITING,
  'addresses-locked-in-any-order': WAITING,
  'way-back-from-sent': NO_EVENT,
  'given-up-while-planned': NO_EVENT,
  'card-payout-sent-twice': NO_EVENT,
  'stop-ignored-at-planning': SIGNING,
  'delivered-inside-while-stopped': 'a stop made while a job delivers: the job chooses nothing that is stopped',
  'import-not-counted': COLD,
  'staked-offered-to-cold-storage': COLD,
  'count-read-late': LAST_COIN,
  'count-not-compared': LAST_COIN,
  'in-flight-not-subtracted': LAST_COIN,
  'tron-count-not-compared': LAST_COIN,
  'top-ups-not-subtracted': TOP_UPS,
  'sweep-coin-in-flight': TOP_UPS,
  'amount-precision': 'a comparison of refusals with the balance: the multiple is more than any merchant has',
  'complete-without-report': 'an installation without a screening provider',
  'any-contract-is-a-token': 'a second fault: deposits leave out contracts that the catalogue does not have',
  'tron-infos-without-limit': 'a block with a gigabyte of infos',
  'inner-credited-unbacked': 'a node that lists transfers that have not happened',
  'less-than-held-credited': 'a node that lists transfers that have not happened',
  'tron-lent-energy-credited': 'a contract on TRON that lends energy',
  'tron-trc10-credited': 'TRC-10 tokens',
  'broken-finality-goes-on': 'a branch that replaces final blocks',
  'forwarded-payment-lost': 'a withdrawal to a contract that pays a deposit address',
  'bitcoin-relay-fee-ignored': 'a node with a relay fee above its estimate',
  'bitcoin-old-nodes-increment': 'nodes that do not relay small replacements',
  'bitcoin-guess-not-marked': 'a comparison of the fees that are charged',
  'position-bound-ignored': 'limits of positions that a run reaches',
  'exchange-fee-rounds-down': 'a fee of exchanges',
  'invoice-rounding-forgiven-twice': 'invoices in another currency than they are paid in',
  'claim-decided-twice': 'operators who decide on underpaid invoices',
}
