import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { commonFields, givenFields, notificationBody, priceFields } from './notification.ts'
import type { NotificationType } from './notification.ts'

const fields = {
  ...commonFields,
  ...givenFields,
  ...priceFields,
  kind: Type.Literal('Exchange'),
  fee: printedDecimal('Fee, in `spendTicker`; included in `spendAmount`'),
  targetTicker: Type.String({ description: 'Asset received' }),
  targetAmount: printedDecimal('The received amount'),
  spendTicker: Type.String({ description: 'Asset spent' }),
  spendAmount: printedDecimal('The spent amount, fee included'),
}

const example = {
  id: '2c8a4d3e-5f1b-4c7a-b0d9-8e6f7a5b4c3d',
  merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  kind: 'Exchange',
  time: 1677486443000,
  fee: '20',
  targetTicker: 'USDT',
  targetAmount: '100',
  spendTicker: 'UAH',
  spendAmount: '4020',
  price: '40',
  pricePair: ['USDT', 'UAH'],
  meta: 'your-info',
  localId: 'exchange-3',
}

export const ExchangeDone = notificationBody(
  { ...fields, status: Type.Literal('Done') },
  { title: 'ExchangeDone', description: 'Filled', examples: [{ ...example, status: 'Done' }] },
)

export const ExchangeFailed = notificationBody(
  { ...fields, status: Type.Literal('Failed'), failedReason: Type.String({ description: 'Why it failed' }) },
  {
    title: 'ExchangeFailed',
    description: 'Not filled; nothing was spent',
    examples: [{ ...example, status: 'Failed', failedReason: 'ERRROR_CODE_GENERIC' }],
  },
)

export const Exchange = Type.Union([ExchangeDone, ExchangeFailed], { title: 'Exchange', description: 'An exchange' })

/** `contract.md` 6.8. */
export const exchangeNotice: NotificationType = {
  name: 'exchange',
  kind: 'Exchange',
  summary: 'Exchange',
  description: 'An exchange on the balance: Done or Failed.',
  statuses: { Done: ExchangeDone, Failed: ExchangeFailed },
  schema: Exchange,
}
