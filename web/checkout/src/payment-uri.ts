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
 * Returns a payment as a URI for a QR code: BIP 21, ERC-681, and for TRON, which has no standard, the form that most of
 * its wallets read. `amount` is in the asset's unit, `units` are its smallest units.
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

/** A link that opens a wallet with the payment filled in. `app`: the only wallet that it opens; undefined for any. */
export interface WalletLink {
  href: string
  app: string | undefined
}

/**
 * Returns the link that opens a wallet on the payer's own device. BIP 21 and ERC-681 URIs open any wallet. TRON has no
 * common link: TronLink refuses `tron:` in its form for sending (btcpayserver-tether/BTCPayServer.Plugins.USDt pull
 * request 46), and its own links need the sender's address. Trust Wallet documents a link
 * (developer.trustwallet.com/developer/develop-for-trust/deeplinking); its scheme `trust:` sends nothing to its maker.
 */
export const walletLink = (request: PaymentRequest): WalletLink => {
  if (request.blockchain !== 'TRON') return { href: paymentUri(request), app: undefined }
  const { address, amount, token } = request
  const asset = token === undefined ? 'c195' : `c195_t${token}`
  return { href: `trust://send?asset=${asset}&address=${address}&amount=${amount}`, app: 'Trust Wallet' }
}
