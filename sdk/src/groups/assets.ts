import type { Call, CallOptions } from '../call.ts'

export const assets = (call: Call) => ({
  /** Every crypto asset with its networks. */
  crypto: (options?: CallOptions) => call('listCryptoAssets', {}, options),

  /** Every fiat asset. */
  fiat: (options?: CallOptions) => call('listFiatAssets', {}, options),
})
