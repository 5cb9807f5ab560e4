import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { commonFields, givenFields, priceFields } from './notification.ts'

/** Fields of notifications about an exchange with withdrawal, to an address or to a card (`contract.md` 6.7). */
export const exchangeWithdrawFields = {
  ...commonFields,
  ...givenFields,
  ...priceFields,
  ticker: Type.String({ description: 'Asset withdrawn' }),
  amount: printedDecimal('The withdrawn amount, withdrawal fee included'),
  fee: printedDecimal('Withdrawal fee, in `ticker`'),
  exchangeFee: printedDecimal('Exchange fee, in `spendTicker`; included in `spendAmount`'),
  spendTicker: Type.String({ description: 'Asset spent' }),
  spendAmount: printedDecimal('The spent amount, exchange fee included'),
  exchanged: Type.Boolean({ description: 'The exchange has been filled' }),
  causedBy: Type.Optional(
    Type.Enum(['fiat-invoice', 'crypto-invoice', 'crypto-replenishment'], {
      description: 'Present if a `target` caused it; `localId` is then the id of the deposit or invoice',
    }),
  ),
}

export const failedReason = () => Type.String({ description: 'Why it failed' })

export const exchangeWithdrawExample = {
  id: '7e1f0a9b-8c2d-4e3f-a4b5-c6d7e8f90a1b',
  merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  time: 1677486443000,
  spendTicker: 'BTC',
  spendAmount: '0.1',
  exchangeFee: '0.0005',
  price: '23000',
  meta: 'your-info',
  localId: 'payment-12',
}
