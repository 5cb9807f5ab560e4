/** What a node's refusal of a transaction means for that transaction. */
export type Verdict =
  /** the node says that it knows it, and may have refused it a moment ago */
  | 'known'
  /** the node remembers it, and may have dropped it for good */
  | 'seen-before'
  | 'nonce-used'
  | 'fee-too-low'
  | 'insufficient-funds'
  | 'invalid'
  /** the pool has no place for it beside others of its sender now */
  | 'not-now'
  /** it says nothing of the transaction */
  | 'node-trouble'

const FUNDS =
  /insufficient ?(sender )?(funds|balance)|exceeds account balance|have enough funds|overdraws from account/i

/**
 * The text decides before the code, as most nodes give one code for every refusal, and the codes of one client mean
 * something else at another. The first that fits counts. `test-refusals.ts` has the words of each client.
 */
const BY_TEXT: readonly { says: RegExp; verdict: Verdict }[] = [
  // Erigon remembers what it has dropped, and what was in a block that was undone, as known.
  { says: /^already_exists|existing txn with same hash/i, verdict: 'seen-before' },
  { says: /\balready ?(known|imported|exists)\b|\bknown transaction\b/i, verdict: 'known' },
  {
    says: /rate limit|request limit|too many requests|overloaded|pool is full|pool size constraints|\bspammer\b|is syncing|initial sync|pool (is )?(disabled|not enabled)|time(d )?out/i,
    verdict: 'node-trouble',
  },
  // An authorisation in it may have an old nonce of its own.
  {
    says: /(?<!authority )nonce (is )?too low|old ?nonce|nonce has already been used|: mined$|replaced by transaction/i,
    verdict: 'nonce-used',
  },
  {
    says: /underpriced|fee ?too ?low|(fee|price)[^,]* (is )?(less|lower|below)|which is below|gas price too low|price below|too low for the next block|insufficient gas price|replace existing tx|replacementnotallowed/i,
    verdict: 'fee-too-low',
  },
  { says: FUNDS, verdict: 'insufficient-funds' },
  // geth core/txpool/errors.go, legacypool.go: each ends when others of the sender leave the pool.
  {
    says: /future transaction tries to replace pending|account limit exceeded|already reserved|in-flight transaction limit reached|gapped-nonce tx from delegated/i,
    verdict: 'not-now',
  },
  // Besu gives these with codes by which other nodes speak of themselves.
  {
    says: /exceeds block gas limit|gas limit cap exceeded|nonce too high|invalid signature|not authorized to send/i,
    verdict: 'invalid',
  },
]
/** With these codes nodes refuse transactions; with any other they speak of themselves, or of the caller's quota. */
const REFUSAL_CODES = new Set([-32000, -32003, -32010, -32602])

export const verdictOf = (code: number, message: string): Verdict =>
  BY_TEXT.find(({ says }) => says.test(message))?.verdict ?? (REFUSAL_CODES.has(code) ? 'invalid' : 'node-trouble')

/** True when a node says that a sender has too little of the chain's coin. */
export const isShortOfFunds = (message: string): boolean => FUNDS.test(message)
