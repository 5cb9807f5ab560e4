import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { operation } from '../operation.ts'

export const Balance = Type.Object(
  {
    value: printedDecimal('The amount that the merchant may spend'),
    ticker: Type.String({ description: 'Asset' }),
    converted: Type.Optional(
      Type.String({ pattern: '^\\d+(\\.\\d{1,2})?$', description: 'The same in USD; absent without a fresh rate' }),
    ),
    held: Type.Optional(
      printedDecimal(
        "Of card payments: the merchant's, and not to be spent yet; not part of `value`. Absent where nothing is held",
      ),
    ),
  },
  {
    title: 'Balance',
    description: 'Balance of one asset',
    examples: [{ value: '0.25', ticker: 'BTC', converted: '16250.75' }],
  },
)

/** `contract.md` 5.1, 18 #9. */
export const listBalances = operation({
  id: 'listBalances',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/balances',
  tag: 'Balances',
  summary: 'List balances',
  description:
    'One record per ticker asked, in the order asked. An asset never used has the balance 0; a ticker that does not ' +
    'exist is refused by name. The comma may be sent as `,` or as `%2C`.',
  query: Type.Object({
    tickers: Type.String({ minLength: 1, maxLength: 1_024, description: 'Tickers, joined by commas' }),
  }),
  lists: ['tickers'],
  response: Type.Array(Balance, { title: 'Balances', description: 'In the order asked' }),
})
