/** How the reason of a fault begins that another guard of the program makes harmless. */
const SECOND = 'a second fault: '

/** Faults that the simulation misses, by name: the condition under which it finds each. */
const UNREACHABLE = `${SECOND}no code makes the request that this guard refuses`
const NO_EVENT = `${SECOND}no code raises this event in this state`
const SIGNING = `${SECOND}no signature is requested either while a stop is in force`
const TWO_WORKERS = 'two workers at one transaction, of which one stands still between two certain statements'
const ASKED_LATE =
  'a worker that lost its claim before it asks, and a payment that is given back between the question for its intents and the signature: without intents, the signer refuses'
const COLD = 'a payment that is planned from the address whose coin an imported transfer takes'
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
  'delivered-inside-while-stopped': 'a stop made between the choice of the job and its transaction',
  'import-not-counted': COLD,
  'staked-offered-to-cold-storage': 'TRX that the hot address has staked',
  'count-read-late': LAST_COIN,
  'count-not-compared': LAST_COIN,
  'in-flight-not-subtracted': LAST_COIN,
  'tron-count-not-compared': 'coin for a sweep that is planned on TRON while a payment of the rest is stored',
  'top-ups-not-subtracted': TOP_UPS,
  'sweep-coin-in-flight': TOP_UPS,
  'complete-without-report': 'an installation without a screening provider',
  'any-contract-is-a-token': `${SECOND}deposits leave out contracts that the catalogue does not have`,
  'tron-infos-without-limit': 'a block with a gigabyte of infos',
  'inner-credited-unbacked': 'a node that lists transfers that have not happened',
  'less-than-held-credited': 'a node that lists transfers that have not happened',
  // chain/transactions/shown.ts and adapters/chains/tron/internal.ts.
  'tron-result-ignored': `${SECOND}a call that failed has no logs, its inner transfers are marked as rejected, and a payment without its log has had no effect`,
  'broken-finality-goes-on': 'a branch that replaces final blocks',
  'bitcoin-relay-fee-ignored': 'a node with a relay fee above its estimate',
  'bitcoin-old-nodes-increment': 'nodes that do not relay small replacements',
  'bitcoin-guess-not-marked': 'a comparison of the fees that are charged',
  'position-bound-ignored': 'limits of positions that a run reaches',
  // overtaken.test.ts: ends so too when the node counts it as accepted.
  'evm-used-nonce-is-ours': `${SECOND}the final block with the other transaction proves that the payment was not made, and it is made again`,
  // Every order has a key under which its answer is stored (ledger/orders), and the judge looks for it first.
  'applied-item-judged-again': `${SECOND}the order that is judged again finds its stored answer`,
  'unstored-bytes-broadcast': TWO_WORKERS,
  'unstored-bytes-broadcast-together': TWO_WORKERS,
  'claim-not-locked-when-stored': TWO_WORKERS,
  'claims-not-locked-when-stored-together': TWO_WORKERS,
  'asked-without-claim': ASKED_LATE,
  'asked-without-claim-together': ASKED_LATE,
  'permission-for-all-groups': 'a stop made while the signer works on a group of transactions',
  // The primary key (account_id, version) in 0002-ledger.sql; the committer, the routes and the jobs try again.
  'accounts-not-locked': `${SECOND}the primary key of the entries refuses a second version of an account, and the order is judged again`,
  'refusal-not-stored':
    'a refused request that is repeated with its key after money has come, while nothing is stopped',
  'equal-requests-not-locked': 'a request that is repeated between two certain statements of the first',
  // identity.ts finds it before the judge does, and the database refuses a second row (0002-ledger.sql).
  'local-id-not-taken': `${SECOND}an earlier check refuses a known localId, and the primary key of its table a second row`,
  // Both decisions lock the claim and refuse one that is decided, before they come to this guard (deciding.ts).
  'claim-decided-twice': UNREACHABLE,
}

/** Whether another guard makes the fault harmless, so that no run can show it. */
export const needsSecondFault = (name: string): boolean => NEEDS[name]?.startsWith(SECOND) === true
