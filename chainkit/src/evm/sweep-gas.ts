/**
 * What sweeps use, in units of gas: measured on anvil with the contracts of this repository, and held against a fresh
 * measurement by `bench/sweeps.ts`.
 */
export interface Gas {
  /** used while the transaction runs */
  raw: bigint
  /** given back at its end, of which no more than a fifth of what was used counts (EIP-3529) */
  refund: bigint
}

/** What one token costs in each of the ways it can be swept. Absent: it can't. */
export interface TokenGas {
  /** one more token in our batch of delegated addresses */
  batched: Gas
  /** a transfer in a transaction of its own, all of it */
  alone: Gas
  /** one more signed transfer (EIP-3009) in a batch of the relay */
  authorized?: Gas
  /** one more signed allowance (ERC-2612), and the transfer by it, in a batch of the relay */
  permitted?: Gas
  /** one more transfer by an allowance of the relay that stands already, in a batch */
  pulled?: Gas
}

/** What a balance that becomes zero gives back (EIP-3529). */
export const CLEARED = 4_800n

/** Tether on Ethereum: four slots are read besides the balances. */
export const TETHER_GAS: TokenGas = {
  batched: { raw: 12_000n, refund: CLEARED },
  alone: { raw: 43_170n, refund: CLEARED },
}

/** Circle's FiatToken 2.2, without the proxy that stands before it. */
export const FIAT_TOKEN_GAS: TokenGas = {
  batched: { raw: 11_130n, refund: CLEARED },
  alone: { raw: 39_200n, refund: CLEARED },
  authorized: { raw: 44_700n, refund: CLEARED },
  permitted: { raw: 69_900n, refund: CLEARED },
  pulled: { raw: 17_800n, refund: CLEARED },
}

/** One more delegated address in a batch, before anything is moved. */
export const ACCOUNT_GAS: Gas = { raw: 3_480n, refund: 0n }
/** One more authorisation. An account that is on the chain already was charged too much by it (EIP-7702). */
export const AUTHORIZATION_GAS: Record<'new' | 'existing', Gas> = {
  new: { raw: 22_500n, refund: 0n },
  existing: { raw: 22_500n, refund: 12_500n },
}
/**
 * What a transaction is charged for each authorisation before anything is given back (EIP-7702,
 * PER_EMPTY_ACCOUNT_COST).
 */
export const PER_AUTHORIZATION = 25_000n
/** The chain's own coin of one delegated address. */
export const COIN_GAS: Gas = { raw: 8_140n, refund: 0n }
/** A transaction with a batch in it, shared by all in it: tokens and treasury are met for the first time. */
export const BATCH_GAS = 38_000n
/** A payment of coin to an address without code. */
export const PAYMENT_GAS = 21_000n

/**
 * What an upgrade of the chain added to a figure of ours. Estimates are some percent off, so that little more is none.
 */
export const dearerBy = (known: bigint, now = 0n): bigint => (now * 4n > known * 5n ? now - known : 0n)

/** What is paid for in the end. */
export const netGas = (parts: readonly Gas[]): bigint => {
  const raw = parts.reduce((sum, part) => sum + part.raw, 0n)
  const refund = parts.reduce((sum, part) => sum + part.refund, 0n)
  const most = raw / 5n
  return raw - (refund < most ? refund : most)
}
