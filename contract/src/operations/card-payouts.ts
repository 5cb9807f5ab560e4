import { Type } from 'typebox'
import { feeLookupErrors, withdrawalErrors } from '../errors.ts'
import {
  card,
  Created,
  idParams,
  localId,
  meta,
  milliseconds,
  ownFee,
  positiveDecimal,
  printedDecimal,
  requestObject,
  ticker,
} from '../fields.ts'
import { listFilters, listOperation } from '../list.ts'
import { FailReason } from '../notifications/fail-reasons.ts'
import { operation } from '../operation.ts'
import { Fee } from './crypto-withdrawals.ts'

const payout = (limits: string, example: object) =>
  requestObject(
    {
      ticker: ticker('Currency: UAH or KZT'),
      to: card('Destination card'),
      amount: positiveDecimal(`What the card gets: ${limits}`),
      fee: Type.Optional(ownFee()),
      localId: Type.Optional(localId()),
      meta: Type.Optional(meta()),
    },
    { examples: [example] },
  )

/** `contract.md` 5.11, 18 #27. */
export const createFiatWithdrawal = operation({
  id: 'createFiatWithdrawal',
  method: 'POST',
  scopes: ['payouts'],
  path: '/merchants/withdrawals/fiat',
  tag: 'Card payouts',
  summary: 'Pay to a card',
  description: 'One payment to one card. Its end arrives as a `Withdraw` notification, Done or Failed.',
  movesMoney: true,
  body: payout('UAH 1000 to 14500, KZT 20000 to 299000', {
    ticker: 'UAH',
    to: '4111111111111111',
    amount: '1000',
    localId: 'payout-7',
    meta: 'your-info',
  }),
  response: Created,
  validationCode: 3,
  errors: withdrawalErrors,
})

/** `contract.md` 5.12. */
export const createFiatBatchWithdrawal = operation({
  id: 'createFiatBatchWithdrawal',
  method: 'POST',
  scopes: ['payouts'],
  path: '/merchants/withdrawals/fiat/batch',
  tag: 'Card payouts',
  summary: 'Pay a large sum to a card in parts',
  description:
    "Split into several payments within the bank's limits. Parts end one by one; the amount of a failed part goes back to the " +
    'balance. A `WithdrawBatch` notification follows when every part has ended: trust its `paidAmount`.',
  movesMoney: true,
  body: payout('UAH from 1000, KZT 20000 to 299000', {
    ticker: 'UAH',
    to: '4111111111111111',
    amount: '100000',
    localId: 'batch-2',
    meta: 'your-info',
  }),
  response: Created,
  validationCode: 3,
  errors: withdrawalErrors,
})

const BatchPart = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the part' }),
    amount: printedDecimal('Amount of the part'),
    fee: printedDecimal('Fee of the part'),
    status: Type.Enum(['PENDING', 'DONE', 'FAILED']),
    failReason: Type.Optional(FailReason),
  },
  { title: 'FiatBatchPart', description: 'One payment of a batch' },
)

export const FiatBatch = Type.Object(
  {
    id: Type.String({ description: 'Identifier' }),
    ticker: Type.String({ description: 'Currency' }),
    amount: printedDecimal('The requested amount'),
    paidAmount: printedDecimal('The amount that has been paid so far'),
    failedAmount: printedDecimal('The amount that has failed so far and is back on the balance'),
    fee: printedDecimal('Fee'),
    to: Type.String({ description: 'Destination card, masked' }),
    status: Type.Enum(['PENDING', 'DONE'], { description: 'PENDING until every part has ended' }),
    time: milliseconds('When it was created'),
    meta: Type.Optional(Type.String({ description: 'As given' })),
    localId: Type.Optional(Type.String({ description: 'As given' })),
    transactions: Type.Array(BatchPart, { description: 'The parts' }),
  },
  {
    title: 'FiatBatch',
    description: 'A batch of card payouts',
    examples: [
      {
        id: '6c1d9a2e-4b7f-4e0a-8c3d-1f2e3d4c5b6a',
        ticker: 'UAH',
        amount: '22247',
        paidAmount: '13800',
        failedAmount: '8447',
        fee: '222.47',
        to: '411111******1111',
        status: 'DONE',
        time: 1677486443000,
        localId: 'batch-2',
        transactions: [
          { id: 'a3f1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d', amount: '13800', fee: '138', status: 'DONE' },
          {
            id: 'b4a2d3e5-6f70-4b8c-9dae-1f2a3b4c5d6e',
            amount: '8447',
            fee: '84.47',
            status: 'FAILED',
            failReason: 'ERRROR_CODE_GENERIC',
          },
        ],
      },
    ],
  },
)

/** `contract.md` 5.13, 18 #23. */
export const getFiatBatchWithdrawal = operation({
  id: 'getFiatBatchWithdrawal',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/withdrawals/fiat/batch/:id',
  tag: 'Card payouts',
  summary: 'Find a batch and its parts',
  description: 'The batch with the status of each of its payments.',
  params: idParams('Identifier of the batch'),
  response: FiatBatch,
})

/** `contract.md` 5.10. */
export const getFiatWithdrawalFee = operation({
  id: 'getFiatWithdrawalFee',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/withdrawals/fiat/fee',
  tag: 'Card payouts',
  summary: 'Fee of paying to a card',
  description: 'The current fee.',
  query: Type.Object({ ticker: ticker('Currency: UAH or KZT'), amount: positiveDecimal('What the card would get') }),
  response: Fee,
  errors: [feeLookupErrors.assetNotSupported],
})

/** A card payout in the list of them. */
export const ListedCardPayout = Type.Object(
  {
    ...FiatBatch.properties,
    kind: Type.Enum(['single', 'batch'], { description: 'How it was ordered; after an exchange it is a batch' }),
  },
  {
    title: 'ListedCardPayout',
    description: 'A card payout with its parts; a single one has one part',
    examples: [
      {
        id: '6c1d9a2e-4b7f-4e0a-8c3d-1f2e3d4c5b6b',
        kind: 'single',
        ticker: 'UAH',
        amount: '1000',
        paidAmount: '1000',
        failedAmount: '0',
        fee: '10',
        to: '411111******1111',
        status: 'DONE',
        time: 1677486443000,
        localId: 'payout-7',
        transactions: [{ id: 'a3f1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5e', amount: '1000', fee: '10', status: 'DONE' }],
      },
    ],
  },
)

/** `contract.md` section 20. */
export const listCardPayouts = listOperation({
  id: 'listCardPayouts',
  name: 'card-payouts',
  tag: 'Card payouts',
  what: 'card payouts',
  more: ' Those that follow an exchange are among them.',
  filters: {
    ids: listFilters.ids,
    status: listFilters.status(['PENDING', 'DONE']),
    ticker: listFilters.ticker('currency'),
    ...listFilters.amounts,
    meta: listFilters.meta,
    localId: listFilters.localId,
  },
  item: ListedCardPayout,
  pageTitle: 'CardPayoutPage',
  csv: [
    'id',
    'time',
    'kind',
    'status',
    'ticker',
    'amount',
    'paidAmount',
    'failedAmount',
    'fee',
    'to',
    'localId',
    'meta',
  ],
})
