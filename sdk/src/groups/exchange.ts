import type { Call, CallOptions, PostOptions } from '../call.ts'
import type {
  CreateCryptoExchangeWithdrawalBody,
  CreateExchangeBody,
  CreateFiatExchangeWithdrawalBody,
  EstimateCryptoExchangeWithdrawalQuery,
  EstimateExchangeQuery,
  EstimateFiatExchangeWithdrawalQuery,
} from '../generated.ts'

const crypto = (call: Call) => ({
  /** What an exchange with withdrawal to a chain address would do now. */
  estimate: (query: EstimateCryptoExchangeWithdrawalQuery, options?: CallOptions) =>
    call('estimateCryptoExchangeWithdrawal', { query }, options),

  /** Exchanges and sends crypto, with the fees and the price of an estimate. */
  create: (body: CreateCryptoExchangeWithdrawalBody, options?: PostOptions) =>
    call('createCryptoExchangeWithdrawal', { body }, options),
})

const fiat = (call: Call) => ({
  /** What an exchange with payout to a card would do now. */
  estimate: (query: EstimateFiatExchangeWithdrawalQuery, options?: CallOptions) =>
    call('estimateFiatExchangeWithdrawal', { query }, options),

  /** Exchanges and pays to a card, with the fees and the price of an estimate. */
  create: (body: CreateFiatExchangeWithdrawalBody, options?: PostOptions) =>
    call('createFiatExchangeWithdrawal', { body }, options),
})

export const exchange = (call: Call) => ({
  /** The pairs that can be exchanged now. */
  directions: (options?: CallOptions) => call('listExchangeDirections', {}, options),

  /** What an exchange would do now. Its price is honoured for 10 seconds, once. */
  estimate: (query: EstimateExchangeQuery, options?: CallOptions) => call('estimateExchange', { query }, options),

  /** Exchanges, at a price no worse than given. */
  create: (body: CreateExchangeBody, options?: PostOptions) => call('createExchange', { body }, options),

  withdrawals: { crypto: crypto(call), fiat: fiat(call) },
})
