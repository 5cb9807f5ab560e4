import type { Call, CallOptions } from '../call.ts'
import { listing } from '../listing.ts'

export const deposits = (call: Call) => ({
  ...listing(call, 'listDeposits'),

  /** The deposit as its newest notification states it. */
  get: (id: string, options?: CallOptions) => call('getDeposit', { id }, options),

  /** Its screening report. Before there is one: `BursarError` with status 409, code 102 and `retryAfterMs`. */
  compliance: (id: string, options?: CallOptions) => call('getDepositCompliance', { id }, options),
})
