/** Objects that several records share (`contract.md` section 4). */
import { Type } from 'typebox'
import { address, blockchain, positiveDecimal, printedDecimal, requestObject, ticker } from './fields.ts'

/** The use of received money (4.1). */
export const Target = requestObject(
  {
    ticker: ticker('What received money is exchanged into; nothing is exchanged when it arrives in this ticker'),
    address: Type.Optional(address('Where the money is then withdrawn to')),
    blockchain: Type.Optional(blockchain('Network of that withdrawal; required when `address` is given')),
  },
  {
    title: 'Target',
    description: 'Automatic exchange, and automatic withdrawal when `address` is given. Best effort',
    dependencies: { address: ['blockchain'] },
    examples: [
      { ticker: 'USDT' },
      { ticker: 'USDT', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', blockchain: 'TRON' },
    ],
  },
)

/** One unit of the first ticker of `pair` costs `value` units of the second (4.2, 19 #5). */
export const Price = Type.Object(
  {
    value: printedDecimal('The price of one unit of the first ticker in the second'),
    pair: Type.Array(Type.String(), {
      minItems: 2,
      maxItems: 2,
      description: 'Fixed order: the earlier of BTC, ETH, BNB, TRX, USDT, USDC, UAH, KZT comes first',
    }),
  },
  { title: 'Price', description: 'Price of a pair', examples: [{ value: '1534', pair: ['ETH', 'USDT'] }] },
)

/** An amount with its ticker, in a request. */
export const MoneyInput = requestObject(
  { value: positiveDecimal('Amount'), ticker: ticker('Currency: UAH or KZT') },
  { title: 'MoneyInput', description: 'An amount of one currency', examples: [{ value: '1000', ticker: 'UAH' }] },
)

/** A fiat price of a crypto invoice, in a request (5.14). */
export const BaseAmountInput = requestObject(
  { value: positiveDecimal('Price'), ticker: ticker('Currency of the price: UAH, USD or EUR') },
  {
    title: 'BaseAmountInput',
    description: 'A price in fiat, turned into crypto when the payer continues',
    examples: [{ value: '100', ticker: 'USD' }],
  },
)

/** The amount that a crypto invoice requests (5.14). The payer chooses the absent members. */
export const CryptoAmountInput = requestObject(
  {
    value: Type.Optional(positiveDecimal('Amount; absent when `baseAmount` is given or the payer chooses it')),
    ticker: ticker('Asset'),
    blockchain: Type.Optional(blockchain('Network; the payer chooses it when absent')),
  },
  {
    title: 'CryptoAmountInput',
    description: 'The requested amount, in crypto',
    examples: [{ value: '100', ticker: 'USDT', blockchain: 'TRON' }],
  },
)

export const Money = Type.Object(
  { value: printedDecimal('Amount'), ticker: Type.String({ description: 'Currency' }) },
  { title: 'Money', description: 'An amount of one asset', examples: [{ value: '1000', ticker: 'UAH' }] },
)

export const CryptoAmount = Type.Object(
  {
    value: Type.Optional(printedDecimal('Amount; absent until it is known')),
    ticker: Type.String({ description: 'Asset' }),
    blockchain: Type.Optional(Type.String({ description: 'Network; absent until the payer chooses it' })),
  },
  {
    title: 'CryptoAmount',
    description: 'The amount that a crypto invoice requests',
    examples: [{ value: '100', ticker: 'USDT', blockchain: 'TRON' }],
  },
)

export const Company = Type.Object(
  {
    name: Type.String({ description: "Name of the merchant's company" }),
    url: Type.String({ description: "The merchant's site" }),
  },
  {
    title: 'Company',
    description: 'Who asks for the money',
    examples: [{ name: 'Shop Ltd', url: 'https://shop.example' }],
  },
)
