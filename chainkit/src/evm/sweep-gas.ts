/**
 * Gas that sweeps use, measured on anvil with the contracts of this repository. `bench/sweeps.ts` compares these
 * figures with a new measurement.
 */
export interface Gas {
  /** used while the transaction runs */
  raw: bigint
  /** refunded at its end; capped at a fifth of the gas used (EIP-3529) */
  refund: bigint
}

/** Gas of one token by way of sweeping. An absent member means that the token can't be swept that way. */
export interface TokenGas {
  /** one more token in our batch of delegated addresses */
  batched: Gas
  /** a complete transaction with one transfer */
  alone: Gas
  /** one more signed transfer (EIP-3009) in a batch of the relay */
  authorized?: Gas
}

/** Refund for a balance that becomes zero (EIP-3529). */
export const CLEARED = 4_800n

/** Tether on Ethereum: a transfer reads four slots in addition to the balances. */
export const TETHER_GAS: TokenGas = {
  batched: { raw: 12_000n, refund: CLEARED },
  alone: { raw: 43_170n, refund: CLEARED },
}

/** Circle's FiatToken 2.2, without its proxy. */
export const FIAT_TOKEN_GAS: TokenGas = {
  batched: { raw: 11_130n, refund: CLEARED },
  alone: { raw: 39_200n, refund: CLEARED },
  authorized: { raw: 44_700n, refund: CLEARED },
}

/** One more delegated address in a batch, before anything is moved. */
export const ACCOUNT_GAS: Gas = { raw: 3_480n, refund: 0n }
/** One more authorisation. For an account that already exists, part of the charge is refunded (EIP-7702). */
export const AUTHORIZATION_GAS: Record<'new' | 'existing', Gas> = {
  new: { raw: 22_500n, refund: 0n },
  existing: { raw: 22_500n, refund: 12_500n },
}
/** Gas charged for each authorisation before refunds (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
export const PER_AUTHORIZATION = 25_000n
/** Sweeping the native coin of one delegated address. */
export const COIN_GAS: Gas = { raw: 8_140n, refund: 0n }
/** The transaction of a batch, shared by all its addresses; includes the first (cold) access to tokens and treasury. */
export const BATCH_GAS = 38_000n
/** A payment of coin to an address without code. */
export const PAYMENT_GAS = 21_000n

/**
 * Returns the gas by which an upgrade of the chain raised one of our figures: `now - known`, or 0 if `now` is at most
 * 25 % above `known`, because estimates are inexact.
 */
export const dearerBy = (known: bigint, now = 0n): bigint => (now * 4n > known * 5n ? now - known : 0n)

/** Gas paid after refunds. */
export const netGas = (parts: readonly Gas[]): bigint => {
  const raw = parts.reduce((sum, part) => sum + part.raw, 0n)
  const refund = parts.reduce((sum, part) => sum + part.refund, 0n)
  const most = raw / 5n
  return raw - (refund < most ? refund : most)
}
