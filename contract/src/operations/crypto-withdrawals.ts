import { Type } from 'typebox'
import { feeLookupErrors, generalErrors, withdrawalErrors } from '../errors.ts'
import {
  address,
  blockchain,
  Created,
  idParams,
  localId,
  meta,
  ownFee,
  positiveDecimal,
  printedDecimal,
  requestObject,
  ticker,
} from '../fields.ts'
import { listFilters, listOperation } from '../list.ts'
import { Compliance } from '../notifications/compliance.ts'
import { CryptoWithdraw } from '../notifications/withdraw.ts'
import { operation } from '../operation.ts'

export const Fee = Type.Object(
  { value: printedDecimal('Fee, in the ticker asked for') },
  { title: 'Fee', description: 'The current fee', examples: [{ value: '0.1' }] },
)

/** `contract.md` 5.4, 18 #4, #6 and #12. */
export const createCryptoWithdrawal = operation({
  id: 'createCryptoWithdrawal',
  method: 'POST',
  scopes: ['payouts'],
  path: '/merchants/withdrawals/crypto',
  aliases: [{ path: '/merchants/withdrawals' }],
  tag: 'Withdrawals',
  summary: 'Send crypto',
  description:
    'The receiver gets `amount`; the balance falls by `amount` and the fee at once. An address of this service is ' +
    'paid without a transaction (`internal`). Statuses arrive as `Withdraw` notifications, with `to` as you wrote it. Give a `localId`: a call ' +
    'whose answer was lost can then be repeated.',
  movesMoney: true,
  body: requestObject(
    {
      ticker: ticker('Asset'),
      blockchain: blockchain('Network'),
      to: address('Destination'),
      amount: positiveDecimal('What the receiver gets'),
      fee: Type.Optional(ownFee()),
      localId: Type.Optional(localId()),
      meta: Type.Optional(meta()),
    },
    {
      examples: [
        {
          ticker: 'USDT',
          blockchain: 'TRON',
          to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
          amount: '12.000',
          localId: 'order-1042',
          meta: 'your-info',
        },
      ],
    },
  ),
  response: Created,
  validationCode: 3,
  errors: withdrawalErrors,
})

/** `contract.md` 5.5, 1.1, 18 #32. */
export const getCryptoWithdrawalFee = operation({
  id: 'getCryptoWithdrawalFee',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/withdrawals/crypto/fee',
  aliases: [{ path: '/withdrawals/crypto/fee', alsoSignedAs: '/merchants/withdrawals/crypto/fee' }],
  tag: 'Withdrawals',
  summary: 'Fee of sending crypto',
  description:
    'The current fee. With `address`, that of an internal transfer when the address belongs to this service.',
  query: Type.Object({
    ticker: ticker('Asset'),
    amount: positiveDecimal('What the receiver would get'),
    blockchain: blockchain('Network'),
    address: Type.Optional(address('Destination')),
  }),
  response: Fee,
  errors: [feeLookupErrors.assetNotSupported],
})

/** An addition of this project, for clients that missed a notification. */
export const getCryptoWithdrawal = operation({
  id: 'getCryptoWithdrawal',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/withdrawals/crypto/:id',
  tag: 'Withdrawals',
  summary: 'Find a crypto withdrawal',
  description:
    'The withdrawal as its newest notification states it; Pending without `hash` until it has been sent to the ' +
    'network.',
  params: idParams('Identifier of the withdrawal'),
  response: CryptoWithdraw,
})

/** `contract.md` 5.7, 18 #24. */
export const getCryptoWithdrawalCompliance = operation({
  id: 'getCryptoWithdrawalCompliance',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/withdrawals/crypto/:id/compliance',
  tag: 'Withdrawals',
  summary: 'Screening report of a crypto withdrawal',
  description:
    'Until the report exists the answer is 409, code 102, with `Retry-After`. A withdrawal that failed before it was screened never has a report: 409, code 103.',
  params: idParams('Identifier of the withdrawal'),
  response: Compliance,
  errors: [generalErrors.notScreenedYet, generalErrors.conflict],
})

/** `contract.md` section 20. */
export const listCryptoWithdrawals = listOperation({
  id: 'listCryptoWithdrawals',
  name: 'withdrawals',
  tag: 'Withdrawals',
  what: 'crypto withdrawals',
  more: ' Those that follow an exchange are among them.',
  filters: {
    ids: listFilters.ids,
    status: listFilters.status(['Pending', 'Done', 'Failed']),
    ticker: listFilters.ticker('asset'),
    blockchain: listFilters.blockchain,
    ...listFilters.amounts,
    meta: listFilters.meta,
    localId: listFilters.localId,
    address: listFilters.address('to'),
    hash: listFilters.hash,
  },
  item: CryptoWithdraw,
  pageTitle: 'CryptoWithdrawalPage',
  csv: [
    'id',
    'time',
    'status',
    'ticker',
    'blockchain',
    'amount',
    'fee',
    'to',
    'from',
    'hash',
    'block',
    'internal',
    'localId',
    'meta',
    'failReason',
  ],
})
