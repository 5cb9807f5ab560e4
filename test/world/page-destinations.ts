/** Where the invoices of the views in page-views.ts are paid to, with the links of these payments. */
import { paymentUri, walletLink, type PaymentRequest } from '../../web/checkout/src/payment-uri.ts'
import type { Destination } from '../../web/checkout/src/view.ts'

const payable = (request: PaymentRequest): Pick<Destination, 'uri' | 'wallet'> => ({
  uri: paymentUri(request),
  wallet: walletLink(request),
})

export const TRON: Destination = {
  ticker: 'USDT',
  assetName: 'Tether USD',
  blockchain: 'TRON',
  networkName: 'Tron (TRC-20)',
  address: 'TQjaZ9FD473QBTdUzMLmSyoGB6Yz1CGpux',
  isToken: true,
  ...payable({
    blockchain: 'TRON',
    address: 'TQjaZ9FD473QBTdUzMLmSyoGB6Yz1CGpux',
    amount: '24.09',
    token: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  }),
}
export const BITCOIN: Destination = {
  ticker: 'BTC',
  assetName: 'Bitcoin',
  blockchain: 'BITCOIN',
  networkName: 'Bitcoin',
  address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  isToken: false,
  ...payable({
    blockchain: 'BITCOIN',
    address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    amount: '0.00028913',
  }),
}
export const ETHEREUM: Destination = {
  ticker: 'USDC',
  assetName: 'USD Coin',
  blockchain: 'ETHEREUM',
  networkName: 'Ethereum (ERC-20)',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  isToken: true,
  ...payable({
    blockchain: 'ETHEREUM',
    chainId: 1n,
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    units: 120_000_000n,
    token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  }),
}
