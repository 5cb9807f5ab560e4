import { Type } from 'typebox'
import { estimateErrors, exchangeWithdrawalErrors } from '../errors.ts'
import {
  address,
  blockchain,
  card,
  Created,
  decimal,
  localId,
  meta,
  positiveDecimal,
  printedDecimal,
  priceLimit,
  requestObject,
  ticker,
} from '../fields.ts'
import { Price } from '../objects.ts'
import { operation } from '../operation.ts'

const side = Type.Enum(['spend', 'withdraw', 'exchange'], {
  description:
    '`spend`: `amount` is the exact amount spent. `withdraw`: `amount` is the exact amount withdrawn, withdrawal fee ' +
    'included. `exchange` is an older word for `spend`',
})

const estimateQuery = {
  ticker: ticker('Asset to withdraw'),
  spendTicker: ticker('Asset to spend'),
  amount: positiveDecimal('Amount of the side'),
  side,
  price: Type.Optional(priceLimit()),
}

const orderFields = {
  ticker: ticker('Asset to withdraw'),
  spendTicker: ticker('Asset to spend'),
  amount: positiveDecimal('Amount of the side'),
  side,
  fee: decimal('Withdrawal fee, at least that of the estimate'),
  exchangeFee: decimal('Exchange fee, at least that of the estimate'),
  price: priceLimit(),
  localId: Type.Optional(localId()),
  meta: Type.Optional(meta()),
}

export const ExchangeWithdrawalEstimate = Type.Object(
  {
    withdraw: Type.Object({
      ticker: Type.String({ description: 'Asset withdrawn' }),
      amount: printedDecimal('The withdrawn amount; the receiver gets it less `fee`'),
      fee: printedDecimal('Withdrawal fee, included in `amount`'),
    }),
    spend: Type.Object({
      ticker: Type.String({ description: 'Asset spent' }),
      amount: printedDecimal('The amount that is spent from the balance'),
    }),
    exchange: Type.Object({
      ticker: Type.String({ description: 'Asset spent' }),
      amount: printedDecimal('The exchanged amount: `spend.amount` less `fee`'),
      fee: printedDecimal('Exchange fee, included in `spend.amount`'),
    }),
    price: Price,
  },
  {
    title: 'ExchangeWithdrawalEstimate',
    description: 'The result of an exchange with withdrawal at the current price',
    examples: [
      {
        withdraw: { ticker: 'USDT', amount: '1380.6', fee: '1' },
        spend: { ticker: 'ETH', amount: '1' },
        exchange: { ticker: 'ETH', amount: '0.9', fee: '0.1' },
        price: { value: '1534', pair: ['ETH', 'USDT'] },
      },
    ],
  },
)

const example = {
  spendTicker: 'ETH',
  amount: '1',
  side: 'spend',
  exchangeFee: '0.1',
  localId: 'payment-12',
  meta: 'your-info',
}

/** `contract.md` 5.24, 16 #26. */
export const estimateCryptoExchangeWithdrawal = operation({
  id: 'estimateCryptoExchangeWithdrawal',
  method: 'GET',
  scopes: ['exchange'],
  path: '/merchants/exchange/withdrawals/crypto/estimate',
  tag: 'Exchange and withdrawal',
  summary: 'Estimate an exchange with crypto withdrawal',
  description: 'With `to`, the fee is that of an internal transfer when the address belongs to this service.',
  query: Type.Object({
    ...estimateQuery,
    blockchain: blockchain('Network of the withdrawal'),
    to: Type.Optional(address('Destination')),
  }),
  response: ExchangeWithdrawalEstimate,
  validationCode: 0,
  errors: Object.values(estimateErrors),
})

/** `contract.md` 5.25, 18 #4 and #7. */
export const createCryptoExchangeWithdrawal = operation({
  id: 'createCryptoExchangeWithdrawal',
  method: 'POST',
  scopes: ['exchange', 'payouts'],
  path: '/merchants/exchange/withdrawals/crypto',
  tag: 'Exchange and withdrawal',
  summary: 'Exchange and send crypto',
  description:
    'Estimate first, and pass on its fees and price. Statuses arrive as `CryptoExchangeWithdraw` notifications, with `to` as you wrote it. ' +
    'When the withdrawal fails after the exchange, the asset bought stays on the balance.',
  movesMoney: true,
  body: requestObject(
    { ...orderFields, blockchain: blockchain('Network of the withdrawal'), to: address('Destination') },
    {
      examples: [
        {
          ...example,
          ticker: 'USDT',
          fee: '1',
          price: '1534',
          blockchain: 'TRON',
          to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
        },
      ],
    },
  ),
  response: Created,
  validationCode: 3,
  errors: exchangeWithdrawalErrors,
})

/** `contract.md` 5.26, 16 #24. */
export const estimateFiatExchangeWithdrawal = operation({
  id: 'estimateFiatExchangeWithdrawal',
  method: 'GET',
  scopes: ['exchange'],
  path: '/merchants/exchange/withdrawals/fiat/estimate',
  tag: 'Exchange and withdrawal',
  summary: 'Estimate an exchange with card payout',
  description: '`blockchain` is accepted and ignored.',
  query: Type.Object({ ...estimateQuery, blockchain: Type.Optional(Type.String({ description: 'Ignored' })) }),
  response: ExchangeWithdrawalEstimate,
  validationCode: 0,
  errors: Object.values(estimateErrors),
})

/** `contract.md` 5.27, 18 #4 and #7. */
export const createFiatExchangeWithdrawal = operation({
  id: 'createFiatExchangeWithdrawal',
  method: 'POST',
  scopes: ['exchange', 'payouts'],
  path: '/merchants/exchange/withdrawals/fiat',
  tag: 'Exchange and withdrawal',
  summary: 'Exchange and pay to a card',
  description:
    'Estimate first, and pass on its fees and price. Paid out as a batch. Statuses arrive as `FiatExchangeWithdraw` ' +
    'notifications.',
  movesMoney: true,
  body: requestObject(
    { ...orderFields, to: card('Destination card') },
    { examples: [{ ...example, ticker: 'UAH', fee: '331.5', price: '36840', to: '4111111111111111' }] },
  ),
  response: Created,
  validationCode: 3,
  errors: exchangeWithdrawalErrors,
})
