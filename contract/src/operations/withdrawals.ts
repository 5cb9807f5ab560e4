import { Type } from 'typebox'
import { localId, milliseconds, printedDecimal } from '../fields.ts'
import { FailReason } from '../notifications/fail-reasons.ts'
import { operation } from '../operation.ts'

export const Withdrawal = Type.Object(
  {
    id: Type.String({ description: 'Identifier' }),
    kind: Type.Enum(['Withdraw', 'WithdrawBatch', 'CryptoExchangeWithdraw', 'FiatExchangeWithdraw'], {
      description: 'As in its notifications',
    }),
    status: Type.Enum(['Pending', 'Exchanged', 'Done', 'Failed'], { description: 'Pending until it has ended' }),
    localId: Type.String({ description: 'As given by the merchant' }),
    ticker: Type.String({ description: 'Asset withdrawn' }),
    amount: printedDecimal('Amount, as in its notifications'),
    fee: printedDecimal('Withdrawal fee'),
    to: Type.String({ description: 'Destination; a card is masked' }),
    time: milliseconds('When it was created'),
    blockchain: Type.Optional(Type.String({ description: 'Network of a crypto withdrawal' })),
    hash: Type.Optional(Type.String({ description: 'Transaction of a crypto withdrawal that has been sent' })),
    failReason: Type.Optional(FailReason),
  },
  {
    title: 'Withdrawal',
    description: 'A withdrawal of any kind; its lookup and its notifications say more',
    examples: [{
      id: '0d3e8d1a-7c1b-4b8e-9a55-2f6f0f3f5a11', kind: 'Withdraw', status: 'Pending', localId: 'order-1042',
      ticker: 'USDT',
      amount: '12', fee: '1', to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', time: 1677486443000, blockchain: 'TRON',
    }],
  },
)

/** An addition of this project: the way back from a lost answer. */
export const findWithdrawals = operation({
  id: 'findWithdrawals',
  method: 'GET',
  path: '/merchants/withdrawals',
  tag: 'Withdrawals',
  summary: 'Find a withdrawal by localId',
  description:
    'The withdrawal that carries the `localId`, or an empty list when there is none: a call whose answer was lost ' +
    'was then never accepted, and can be repeated. Covers crypto withdrawals, card payouts, batches, and exchanges ' +
    'with withdrawal.',
  query: Type.Object({ localId: localId() }),
  response: Type.Array(Withdrawal, { maxItems: 1, title: 'Withdrawals', description: 'One record or none' }),
})
