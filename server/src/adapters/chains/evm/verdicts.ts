/** Meaning of a node's refusal for the transaction. */
export type Verdict =
  /** the node reports the transaction as known, but may have refused it a moment ago */
  | 'known'
  /** the node remembers the transaction, but may have dropped it for good */
  | 'seen-before'
  | 'nonce-used'
  | 'fee-too-low'
  | 'insufficient-funds'
  | 'invalid'
  /** the pool takes no more transactions of this sender at the moment */
  | 'not-now'
  /** the error does not concern the transaction */
  | 'node-trouble'

const FUNDS =
  /insufficient ?(sender )?(funds|balance)|exceeds account balance|have enough funds|overdraws from account/i

/**
 * Verdicts by message. The text takes precedence over the code, because most nodes use one code for all refusals, and
 * the codes of one client mean something else at another. The first match counts.
 * `test/world/dialects/evm-refusals.ts` has the messages of each client.
 */
const BY_TEXT: readonly { says: RegExp; verdict: Verdict }[] = [
  // Erigon reports dropped transactions, and those of a reorganised block, as known.
  { says: /^already_exists|existing txn with same hash/i, verdict: 'seen-before' },
  { says: /\balready ?(known|imported|exists)\b|\bknown transaction\b/i, verdict: 'known' },
  {
    says: /rate limit|request limit|too many requests|overloaded|pool is full|pool size constraints|\bspammer\b|is syncing|initial sync|pool (is )?(disabled|not enabled)|time(d )?out/i,
    verdict: 'node-trouble',
  },
  // The message may concern the old nonce of an authorisation in it.
  {
    says: /(?<!authority )nonce (is )?too low|old ?nonce|nonce has already been used|: mined$|replaced by transaction/i,
    verdict: 'nonce-used',
  },
  {
    says: /underpriced|fee ?too ?low|(fee|price)[^,]* (is )?(less|lower|below)|which is below|gas price too low|price below|too low for the next block|insufficient gas price|replace existing tx|replacementnotallowed/i,
    verdict: 'fee-too-low',
  },
  { says: FUNDS, verdict: 'insufficient-funds' },
  // geth core/txpool/errors.go, legacypool.go: each condition ends when other transactions of the sender leave the
  // pool.
  {
    says: /future transaction tries to replace pending|account limit exceeded|already reserved|in-flight transaction limit reached|gapped-nonce tx from delegated/i,
    verdict: 'not-now',
  },
  // Besu uses codes for these that mean an internal error at other nodes.
  {
    says: /exceeds block gas limit|gas limit cap exceeded|nonce too high|invalid signature|not authorized to send/i,
    verdict: 'invalid',
  },
]
/** Codes for refused transactions. Any other code concerns the node itself or the caller's quota. */
const REFUSAL_CODES = new Set([-32000, -32003, -32010, -32602])

export const verdictOf = (code: number, message: string): Verdict =>
  BY_TEXT.find(({ says }) => says.test(message))?.verdict ?? (REFUSAL_CODES.has(code) ? 'invalid' : 'node-trouble')

/** True when a message states that the sender has too little of the native coin. */
export const isShortOfFunds = (message: string): boolean => FUNDS.test(message)
