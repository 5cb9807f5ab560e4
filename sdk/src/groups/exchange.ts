import type { Call, CallOptions, PostOptions } from '../call.ts'
import type {
  CreateCryptoExchangeWithdrawalBody,
  CreateExchangeBody,
  CreateFiatExchangeWithdrawalBody,
  EstimateCryptoExchangeWithdrawalQuery,
  EstimateExchangeQuery,
  EstimateFiatExchangeWithdrawalQuery,
} from '../generated.ts'
import { listing } from '../listing.ts'

const crypto = (call: Call) => ({
  /** Estimates an exchange with withdrawal to a chain address. */
  estimate: (query: EstimateCryptoExchangeWithdrawalQuery, options?: CallOptions) =>
    call('estimateCryptoExchangeWithdrawal', { query }, options),

  /** Exchanges and withdraws to a chain address, with the fees and the price of an estimate. */
  create: (body: CreateCryptoExchangeWithdrawalBody, options?: PostOptions) =>
    call('createCryptoExchangeWithdrawal', { body }, options),
})

const fiat = (call: Call) => ({
  /** Estimates an exchange with payout to a card. */
  estimate: (query: EstimateFiatExchangeWithdrawalQuery, options?: CallOptions) =>
    call('estimateFiatExchangeWithdrawal', { query }, options),

  /** Exchanges and pays to a card, with the fees and the price of an estimate. */
  create: (body: CreateFiatExchangeWithdrawalBody, options?: PostOptions) =>
    call('createFiatExchangeWithdrawal', { body }, options),
})

export const exchange = (call: Call) => ({
  ...listing(call, 'listExchanges'),

  /** The pairs that can be exchanged now. */
  directions: (options?: CallOptions) => call('listExchangeDirections', {}, options),

  /** Estimates an exchange. Its price is valid for 10 seconds, once. */
  estimate: (query: EstimateExchangeQuery, options?: CallOptions) => call('estimateExchange', { query }, options),

  /** Exchanges, at the given price or a better one. */
  create: (body: CreateExchangeBody, options?: PostOptions) => call('createExchange', { body }, options),

  withdrawals: { crypto: crypto(call), fiat: fiat(call) },
})
