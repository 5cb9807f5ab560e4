/** Actions of a tester on the bank, for the control server and for tests. */
import { objectWith, oneOf, text } from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'
import type { Context } from './context.ts'
import { payOnPage } from './payer.ts'
import { endRefunds, reversePayment } from './payments.ts'
import { decidePayout } from './payouts.ts'
import type { Payment, Payout } from './rows.ts'
import { settle } from './statement.ts'
import { testCards } from './test-cards.ts'
import { lineView, viewOf } from './view.ts'

export interface BankControl {
  /** Does something to the next order: `Faults.next`. */
  next(body: unknown): { waiting: number }
  /** Pays on a payment's page as a payer's browser would: `{reference, card?}`. Answers the payment. */
  pay(body: unknown): Promise<object>
  /** Takes a payment back, or a payout returns: `{reference}`. */
  reverse(body: unknown): object
  /** Ends the refunds of a payment that were taken up: `{reference}`. Answers the payment. */
  'end-refunds'(body: unknown): object
  /** Transfers the amount that the bank owes to the merchant's bank account: `{account}`. Answers the lines. */
  settle(body: unknown): object
  /** Payments, payouts, lines and callbacks of a reference: `{reference}`; of all orders without one. */
  find(query: unknown): { payments: object[]; payouts: object[]; lines: object[]; callbacks: object[] }
  cards(query?: unknown): object[]
}

export function controlOf(context: Context): BankControl {
  const ordersOf = (reference?: string): (Payment | Payout)[] =>
    context.book.rows
      .all()
      .filter(
        (row): row is Payment | Payout =>
          (row.kind === 'payment' || row.kind === 'payout') && (reference ?? row.reference) === row.reference,
      )
  const orderOf = (reference: string): Payment | Payout => {
    const [found] = ordersOf(reference)
    if (found === undefined)
      throw new Refusal('reference: the bank has no such payment or payout', { status: 404, code: 101 })
    return found
  }
  return {
    next: (body) => context.faults.next(body),
    pay: async (body) => {
      const fields = objectWith(body, ['reference', 'card'])
      const order = orderOf(text(fields, 'reference'))
      const card = fields['card'] === undefined ? testCards[0]!.number : text(fields, 'card')
      await payOnPage({ method: 'GET', url: `${context.url()}/pay/${order.id}` }, card)
      return viewOf(orderOf(order.reference), context.url())
    },
    reverse: (body) => {
      const order = orderOf(text(objectWith(body, ['reference']), 'reference'))
      const after =
        order.kind === 'payment'
          ? reversePayment(context, order)
          : decidePayout(context, { ...order, outcome: 'reversed' })
      return viewOf(after, context.url())
    },
    'end-refunds': (body) => {
      const order = orderOf(text(objectWith(body, ['reference']), 'reference'))
      return viewOf(order.kind === 'payment' ? endRefunds(context, order) : order, context.url())
    },
    settle: (body) => {
      const account = oneOf(
        objectWith(body, ['account']),
        'account',
        context.accounts.map(({ name }) => name),
      )
      return { lines: settle(context, account).map(lineView) }
    },
    find: (query) => {
      const fields = objectWith(query, ['reference'])
      const reference = fields['reference'] === undefined ? undefined : text(fields, 'reference')
      const orders = ordersOf(reference)
      const view = (kind: string): object[] =>
        orders.filter((one) => one.kind === kind).map((one) => viewOf(one, context.url()))
      const lines = context.accounts
        .flatMap(({ name }) => context.book.lines(name))
        .filter((line) => (reference ?? line.reference) === line.reference)
      return {
        payments: view('payment'),
        payouts: view('payout'),
        lines: lines.map(lineView),
        callbacks: orders
          .flatMap(({ id }) => context.deliveries.list(id))
          .map(({ answers, dueAt, body }) => ({ answers, dueAt, event: JSON.parse(body) as unknown })),
      }
    },
    cards: () =>
      testCards.map(({ number, payout, outcome, secure, about }) => ({
        number,
        outcome,
        payout: payout ?? outcome,
        secure: secure ?? false,
        about,
      })),
  }
}
