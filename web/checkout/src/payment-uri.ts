/** The payment that a URI requests from a wallet. */
export type PaymentRequest =
  | { blockchain: 'BITCOIN'; address: string; amount: string }
  | {
      blockchain: 'ETHEREUM' | 'BINANCE_SMART_CHAIN'
      chainId: bigint
      address: string
      units: bigint
      token: string | undefined
    }
  | { blockchain: 'TRON'; address: string; amount: string; token: string | undefined }

/**
 * Returns a payment as a URI that wallets open: BIP 21, ERC-681, and for TRON, which has no standard, the form that its
 * wallets share. `amount` is in the asset's unit, `units` are its smallest units.
 */
export const paymentUri = (request: PaymentRequest): string => {
  switch (request.blockchain) {
    case 'BITCOIN':
      return `bitcoin:${request.address}?amount=${request.amount}`
    case 'TRON':
      return `tron:${request.address}?amount=${request.amount}${request.token === undefined ? '' : `&token=${request.token}`}`
    case 'ETHEREUM':
    case 'BINANCE_SMART_CHAIN': {
      const { address, chainId, units, token } = request
      if (token === undefined) return `ethereum:${address}@${chainId}?value=${units}`
      return `ethereum:${token}@${chainId}/transfer?address=${address}&uint256=${units}`
    }
  }
}
