import { Type } from 'typebox'
import { estimateErrors, exchangeErrors } from '../errors.ts'
import {
  Created,
  localId,
  meta,
  ownFee,
  positiveDecimal,
  printedDecimal,
  priceLimit,
  requestObject,
  ticker,
} from '../fields.ts'
import { listFilters, listOperation } from '../list.ts'
import { ExchangeDone } from '../notifications/exchange.ts'
import { Price } from '../objects.ts'
import { operation } from '../operation.ts'

const side = Type.Enum(['target', 'spend', 'exchange'], {
  description:
    '`target`: `amount` is the received amount. `spend`: `amount` is the spent amount, fee included. `exchange` is an older ' +
    'word for `spend`',
})

export const ExchangeDirection = Type.Object(
  {
    target: Type.Object({
      ticker: Type.String({ description: 'Asset received' }),
      amountStep: printedDecimal('Smallest change of the amount received'),
    }),
    exchange: Type.Object({
      ticker: Type.String({ description: 'Asset spent' }),
      amountStep: printedDecimal('Smallest change of the amount spent; finer digits are refused'),
      min: printedDecimal('Least amount, in the asset spent'),
      max: printedDecimal('Greatest amount, in the asset spent'),
    }),
    price: Price,
    decimals: Type.Object({
      price: Type.Integer({ minimum: 0, description: 'Digits after the dot of a price' }),
      exchange: Type.Integer({ minimum: 0, description: 'Digits after the dot of the amount spent' }),
    }),
  },
  {
    title: 'ExchangeDirection',
    description: 'A pair that can be exchanged, with its limits',
    examples: [
      {
        target: { ticker: 'BNB', amountStep: '0.0001' },
        exchange: { ticker: 'USDT', amountStep: '0.01', min: '0.01', max: '10000' },
        price: { value: '310.5', pair: ['BNB', 'USDT'] },
        decimals: { price: 8, exchange: 2 },
      },
    ],
  },
)

/** `contract.md` 5.21, 16 #4 and #20. */
export const listExchangeDirections = operation({
  id: 'listExchangeDirections',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/exchange/available-directions',
  aliases: [{ path: '/merchants/exchange/available-directions/', trailingSlash: true }],
  tag: 'Exchange',
  summary: 'List exchange directions',
  description:
    'The pairs that are exchanged, with limits and steps. While a market is closed its price is the last known one of ' +
    'the last day; the header `x-last-known-prices` then says of when the oldest is, in milliseconds. Estimates and ' +
    'orders of such a pair answer *Not enough liquidity*.',
  response: Type.Array(ExchangeDirection, { title: 'ExchangeDirections', description: 'Open directions' }),
})

export const ExchangeEstimate = Type.Object(
  {
    price: Price,
    exchange: Type.Object({
      amount: printedDecimal('The exchanged amount: `spend.amount` less `fee`'),
      ticker: Type.String({ description: 'Asset spent' }),
      fee: printedDecimal('Fee, in the asset spent'),
    }),
    target: Type.Object({
      amount: printedDecimal('The credited amount'),
      ticker: Type.String({ description: 'Asset received' }),
    }),
    spend: Type.Object({
      amount: printedDecimal('The spent amount, fee included'),
      ticker: Type.String({ description: 'Asset spent' }),
    }),
  },
  {
    title: 'ExchangeEstimate',
    description: 'The result of an exchange at the current price',
    examples: [
      {
        price: { value: '40', pair: ['USDT', 'UAH'] },
        exchange: { amount: '4000', ticker: 'UAH', fee: '20' },
        target: { amount: '100', ticker: 'USDT' },
        spend: { amount: '4020', ticker: 'UAH' },
      },
    ],
  },
)

/** `contract.md` 5.22, 16 #4, #21 and #29. */
export const estimateExchange = operation({
  id: 'estimateExchange',
  method: 'GET',
  scopes: ['exchange'],
  path: '/merchants/exchange/estimate',
  aliases: [{ path: '/merchants/exchange/estimate/', trailingSlash: true }],
  tag: 'Exchange',
  summary: 'Estimate an exchange',
  description: 'The price is honoured for 10 seconds, once: create the exchange with it.',
  query: Type.Object({
    targetTicker: ticker('Asset to receive'),
    spendTicker: ticker('Asset to spend'),
    amount: positiveDecimal('Amount of the side'),
    side,
    price: Type.Optional(priceLimit()),
  }),
  response: ExchangeEstimate,
  validationCode: 0,
  errors: Object.values(estimateErrors),
})

/** `contract.md` 5.23, 16 #22 and #23, 18 #8, 19 #4, #5 and #11. */
export const createExchange = operation({
  id: 'createExchange',
  method: 'POST',
  scopes: ['exchange'],
  path: '/merchants/exchange',
  tag: 'Exchange',
  summary: 'Exchange',
  description:
    'Fills at once, at a price no worse than `price`, or not at all: code 3 with the current price in the ' +
    'description. The result arrives as an `Exchange` notification.',
  movesMoney: true,
  body: requestObject(
    {
      spendTicker: ticker('Asset to spend'),
      targetTicker: ticker('Asset to receive'),
      amount: positiveDecimal('Amount of the side'),
      side,
      fee: Type.Optional(ownFee()),
      price: priceLimit(),
      localId: Type.Optional(localId()),
      meta: Type.Optional(meta()),
    },
    {
      examples: [
        {
          spendTicker: 'UAH',
          targetTicker: 'USDT',
          amount: '100',
          side: 'target',
          fee: '20',
          price: '40',
          localId: 'exchange-3',
          meta: 'your-info',
        },
      ],
    },
  ),
  response: Created,
  validationCode: 3,
  errors: exchangeErrors,
})

/** An exchange in the list of them. */
export const ListedExchange = Type.Object(
  {
    ...ExchangeDone.properties,
    status: Type.Enum(['Done', 'Failed'], { description: 'As in its notification' }),
    failedReason: Type.Optional(Type.String({ description: 'Why it failed' })),
    withdrawal: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'Identifier of the withdrawal or of the card payout' }),
          kind: Type.Enum(['crypto', 'fiat'], { description: 'To an address, or to a card' }),
          localId: Type.Optional(Type.String({ description: 'As given for both' })),
          meta: Type.Optional(Type.String({ description: 'As given for both' })),
          causedBy: Type.Optional(Type.String({ description: 'The kind of the object whose target caused both' })),
        },
        {
          description: 'The withdrawal or card payout that was ordered with the exchange; its own list shows its state',
        },
      ),
    ),
  },
  {
    title: 'ListedExchange',
    description: 'An exchange, with the withdrawal that was ordered together with it',
    examples: [
      {
        id: '2c8a4d3e-5f1b-4c7a-b0d9-8e6f7a5b4c3d',
        merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
        kind: 'Exchange',
        status: 'Done',
        time: 1677486443000,
        fee: '20',
        targetTicker: 'USDT',
        targetAmount: '100',
        spendTicker: 'UAH',
        spendAmount: '4020',
        price: '40',
        pricePair: ['USDT', 'UAH'],
        withdrawal: { id: '0d3e8d1a-7c1b-4b8e-9a55-2f6f0f3f5a12', kind: 'crypto', localId: 'order-1043' },
      },
    ],
  },
)

/** `contract.md` section 20. */
export const listExchanges = listOperation({
  id: 'listExchanges',
  name: 'exchanges',
  tag: 'Exchange',
  what: 'exchanges',
  more: ' Those with a withdrawal, and those that a target led to, are among them.',
  filters: {
    ids: listFilters.ids,
    status: listFilters.status(['Done', 'Failed']),
    spendTicker: listFilters.ticker('asset spent'),
    targetTicker: listFilters.ticker('asset received'),
    meta: listFilters.meta,
    localId: listFilters.localId,
  },
  item: ListedExchange,
  pageTitle: 'ExchangePage',
  csv: [
    'id',
    'time',
    'status',
    'spendTicker',
    'spendAmount',
    'fee',
    'targetTicker',
    'targetAmount',
    'price',
    'pricePair',
    'localId',
    'meta',
    'failedReason',
    'withdrawal.id',
    'withdrawal.kind',
    'withdrawal.localId',
    'withdrawal.meta',
    'withdrawal.causedBy',
  ],
})
