import { Type } from 'typebox'
import { localId, milliseconds, printedDecimal } from '../fields.ts'
import { FailReason } from '../notifications/fail-reasons.ts'
import { operation } from '../operation.ts'

export const Withdrawal = Type.Object(
  {
    id: Type.String({ description: 'Identifier' }),
    kind: Type.Enum(['Withdraw', 'WithdrawBatch', 'CryptoExchangeWithdraw', 'FiatExchangeWithdraw', 'Exchange'], {
      description: 'As in its notifications',
    }),
    status: Type.Enum(['Pending', 'Exchanged', 'Done', 'Failed'], {
      description: 'Pending until it has ended; Exchanged until then where an exchange comes first',
    }),
    localId: Type.String({ description: 'As given by the merchant' }),
    ticker: Type.String({ description: 'Asset withdrawn; of an `Exchange` the asset received' }),
    amount: printedDecimal('The amount, as in the notifications; of an `Exchange` the received amount'),
    fee: printedDecimal('Withdrawal fee; of an `Exchange` the exchange fee, in the asset spent'),
    to: Type.Optional(Type.String({ description: 'Destination; a card is masked. Absent for an `Exchange` only' })),
    time: milliseconds('When it was created'),
    blockchain: Type.Optional(Type.String({ description: 'Network of a crypto withdrawal' })),
    hash: Type.Optional(Type.String({ description: 'Transaction of a crypto withdrawal that has been sent' })),
    failReason: Type.Optional(FailReason),
  },
  {
    title: 'Withdrawal',
    description: 'A withdrawal of any kind, or an exchange, with the fields of its newest notification',
    examples: [
      {
        id: '0d3e8d1a-7c1b-4b8e-9a55-2f6f0f3f5a11',
        kind: 'Withdraw',
        status: 'Pending',
        localId: 'order-1042',
        ticker: 'USDT',
        amount: '12',
        fee: '1',
        to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
        time: 1677486443000,
        blockchain: 'TRON',
      },
    ],
  },
)

/** An addition of this project, for clients that did not receive the response to an order. */
export const findWithdrawals = operation({
  id: 'findWithdrawals',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/withdrawals',
  tag: 'Withdrawals',
  summary: 'Find a withdrawal or an exchange by localId',
  description:
    'The order that was placed with the `localId`, or an empty list if there is none: a call whose answer was lost has then not ' +
    'been accepted, and can be repeated with the same `localId`. Covers every operation that moves money: crypto ' +
    'withdrawals, card payouts, batches, exchanges, and exchanges with withdrawal.',
  query: Type.Object({ localId: localId() }),
  response: Type.Array(Withdrawal, { maxItems: 1, title: 'Withdrawals', description: 'One record or none' }),
})
