/** Faults that the simulation misses, by name: the condition under which it finds each. */
const UNREACHABLE = 'a second fault: no code makes the request that this guard refuses'
const NO_EVENT = 'a second fault: no code raises this event in this state'
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
  'complete-without-report': 'an installation without a screening provider',
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
