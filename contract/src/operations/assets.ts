import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { operation } from '../operation.ts'

const AssetPrice = Type.Object(
  { value: printedDecimal('Price'), ticker: Type.String({ description: 'Currency of the price' }) },
  { title: 'AssetPrice', description: 'Price of one unit of a crypto asset; of one USD in a fiat asset' },
)

const price = Type.Optional(AssetPrice)
const decimals = Type.Integer({ minimum: 0, description: 'Digits after the dot that an amount may have' })

export const CryptoAsset = Type.Object(
  {
    name: Type.String(),
    ticker: Type.String(),
    blockchains: Type.Array(Type.String(), { description: 'Networks it can be received and sent on' }),
    price,
    decimals: Type.Integer({
      minimum: 0,
      description: 'Digits after the dot that an amount may have on every network of the asset',
    }),
    blockchainDecimals: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'The same for each network, which may take more',
    }),
  },
  {
    title: 'CryptoAsset',
    description: 'A crypto asset. `price` is absent without a fresh rate',
    examples: [
      {
        name: 'Tether',
        ticker: 'USDT',
        blockchains: ['ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'],
        price: { value: '1', ticker: 'USD' },
        decimals: 6,
        blockchainDecimals: { ETHEREUM: 6, BINANCE_SMART_CHAIN: 18, TRON: 6 },
      },
    ],
  },
)

export const FiatAsset = Type.Object(
  { name: Type.String(), ticker: Type.String(), price, decimals },
  {
    title: 'FiatAsset',
    description: 'A fiat asset. `price` is absent without a fresh rate',
    examples: [{ name: 'Ukrainian hryvnia', ticker: 'UAH', price: { value: '40.21', ticker: 'USD' }, decimals: 2 }],
  },
)

/** `contract.md` 5.8, 16 #4 and #19. */
export const listCryptoAssets = operation({
  id: 'listCryptoAssets',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/assets/crypto',
  aliases: [{ path: '/merchants/assets/crypto/', trailingSlash: true }],
  tag: 'Assets',
  summary: 'List crypto assets',
  description: 'Every crypto asset of this installation with the networks it lives on.',
  response: Type.Array(CryptoAsset, { title: 'CryptoAssets', description: 'Crypto assets' }),
})

/** `contract.md` 5.9, 16 #3. */
export const listFiatAssets = operation({
  id: 'listFiatAssets',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/assets/fiat',
  aliases: [{ path: '/merchants/withdrawals/fiat/assets' }],
  tag: 'Assets',
  summary: 'List fiat assets',
  description: 'Every fiat asset of this installation.',
  response: Type.Array(FiatAsset, { title: 'FiatAssets', description: 'Fiat assets' }),
})
