import { Type } from 'typebox'
import { milliseconds, printedDecimal, ticker } from '../fields.ts'
import { listOperation } from '../list.ts'

/** A change of an amount: a decimal as `printedDecimal`, with a minus sign below zero. */
const change = (what: string) => Type.String({ pattern: '^-?(0|[1-9]\\d*)(\\.\\d*[1-9])?$', description: what })

export const LedgerEntry = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the posting, the same for all assets that it changes' }),
    time: milliseconds('When it was posted'),
    ticker: Type.String({ description: 'Asset' }),
    amount: change('Change of the balance: negative if it fell, 0 if only `held` changed'),
    balance: printedDecimal('The balance after it, with the held part'),
    heldChange: change('Change of the held part: negative if it fell'),
    held: printedDecimal('The part of the balance that is reserved for orders after it'),
    kind: Type.Enum(['post', 'hold', 'capture', 'release'], {
      description: 'hold: money is reserved. capture: reserved money is spent. release: it is available again',
    }),
    cause: Type.Object(
      {
        kind: Type.String({
          description: 'deposit, withdrawal, card-payout, exchange, invoice, payment, refund or another',
        }),
        id: Type.String({ description: 'Identifier of that object' }),
      },
      { description: 'The object whose change it belongs to' },
    ),
  },
  {
    title: 'LedgerEntry',
    description: 'A change of the balance of one asset',
    examples: [
      {
        id: '5b1e2d3c-4a5f-4b6e-8d7c-9f0a1b2c3d4e',
        time: 1677486443000,
        ticker: 'BTC',
        amount: '-0.0051',
        balance: '0.9949',
        heldChange: '-0.0051',
        held: '0',
        kind: 'capture',
        cause: { kind: 'withdrawal', id: '0d3e8d1a-7c1b-4b8e-9a55-2f6f0f3f5a11' },
      },
    ],
  },
)

/** `contract.md` section 20. */
export const listEntries = listOperation({
  id: 'listEntries',
  name: 'entries',
  tag: 'Balances',
  what: 'ledger entries of a balance',
  more: ' Every entry states the balance after it, and the entry before it is the next older one: there are no gaps.',
  filters: { ticker: ticker('Asset of the balance') },
  item: LedgerEntry,
  pageTitle: 'LedgerEntryPage',
  csv: ['time', 'ticker', 'amount', 'balance', 'heldChange', 'held', 'kind', 'cause.kind', 'cause.id', 'id'],
})
