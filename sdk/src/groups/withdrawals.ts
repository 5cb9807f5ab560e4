import type { Call, CallOptions, PostOptions } from '../call.ts'
import type {
  CreateCryptoWithdrawalBody,
  CreateFiatBatchWithdrawalBody,
  CreateFiatWithdrawalBody,
  GetCryptoWithdrawalFeeQuery,
  GetFiatWithdrawalFeeQuery,
} from '../generated.ts'
import { listing } from '../listing.ts'

const crypto = (call: Call) => ({
  ...listing(call, 'listCryptoWithdrawals'),

  /** Withdraws crypto. Give a `localId`, so that the call can be repeated when its answer is lost. */
  create: (body: CreateCryptoWithdrawalBody, options?: PostOptions) =>
    call('createCryptoWithdrawal', { body }, options),

  /** The current fee. */
  fee: (query: GetCryptoWithdrawalFeeQuery, options?: CallOptions) =>
    call('getCryptoWithdrawalFee', { query }, options),

  /** The withdrawal as its newest notification states it. */
  get: (id: string, options?: CallOptions) => call('getCryptoWithdrawal', { id }, options),

  /** Its screening report. Before there is one: `BursarError` with status 409, code 102 and `retryAfterMs`. */
  compliance: (id: string, options?: CallOptions) => call('getCryptoWithdrawalCompliance', { id }, options),
})

const fiat = (call: Call) => ({
  ...listing(call, 'listCardPayouts'),

  /** Pays to a card. */
  create: (body: CreateFiatWithdrawalBody, options?: PostOptions) => call('createFiatWithdrawal', { body }, options),

  /** The current fee. */
  fee: (query: GetFiatWithdrawalFeeQuery, options?: CallOptions) => call('getFiatWithdrawalFee', { query }, options),

  batch: {
    /** Pays a large amount to a card in parts. */
    create: (body: CreateFiatBatchWithdrawalBody, options?: PostOptions) =>
      call('createFiatBatchWithdrawal', { body }, options),

    /** The batch with its parts. */
    get: (id: string, options?: CallOptions) => call('getFiatBatchWithdrawal', { id }, options),
  },
})

export const withdrawals = (call: Call) => ({
  /**
   * Finds the order placed with a `localId`: a withdrawal of any kind or an exchange. Undefined when no order was
   * accepted with it.
   */
  find: async (localId: string, options?: CallOptions) => {
    const [found] = await call('findWithdrawals', { query: { localId } }, options)
    return found
  },
  crypto: crypto(call),
  fiat: fiat(call),
})
