/**
 * The sandbox's bank as the acquirer of one account: its own API, books and rules, with the simulation's clock, and
 * with callbacks and due changes that happen when the simulation says so.
 */
import { join } from 'node:path'
import { openRecords } from '../../../sandbox/acquirers/records.ts'
import { apiRoutes } from '../../../sandbox/bank/api.ts'
import { notify, type Context } from '../../../sandbox/bank/context.ts'
import {
  confirmSecure,
  currentPayment,
  endRefunds,
  payByCard,
  refundPayment,
  reversePayment,
} from '../../../sandbox/bank/payments.ts'
import { decidePayout } from '../../../sandbox/bank/payouts.ts'
import { plainTelling } from '../../../sandbox/bank/reasons.ts'
import {
  openBook,
  type Payment as BankPayment,
  type Payout as BankPayout,
  type Row,
} from '../../../sandbox/bank/rows.ts'
import { currencies, priceList } from '../../../sandbox/bank/terms.ts'
import { secureCode, testCards } from '../../../sandbox/bank/test-cards.ts'
import { serve } from '../../../sandbox/http/server.ts'
import { forwardTo, startHttpFront } from '../fronts/http.ts'
import { BANK_SECRET } from '../installation/keys.ts'
import type { AccountOptions, Payment, Payout, SimulatedAccount } from './account.ts'
import { createCallbacks } from './callbacks.ts'
import { createDecisions } from './decisions.ts'
import { createDue } from './due.ts'
import { createEarlier } from './earlier.ts'
import { BANK } from './interfaces.ts'

const PAYOUT_MS = 1_000
const REVERSE_MS = 2_000
/** The program reads the statement of the last three days (server/src/cards/acquiring/jobs-statements.ts). */
const STATED_MS = 2 * 86_400_000
/** A card without a meaning of its own. */
const GOOD_CARD = '4242424242424242'
/** Begins the references of refunds that the bank's own people make. */
const THERE = 'console-'

type Found<Kind extends Row['kind']> = Extract<Row, { kind: Kind }>

export const startBank = async ({ name, dir, clock, faults, random }: AccountOptions): Promise<SimulatedAccount> => {
  const book = openBook(openRecords<Row>(join(dir, `${name}.jsonl`)))
  const callbacks = createCallbacks()
  const decisions = createDecisions(random)
  const due = createDue(clock)
  /** payments that succeeded after the bank had said that they failed */
  const late = new Set<string>()
  // Requests come once the front is up, which needs the server, which needs the context.
  const urls = { front: '' }
  const context: Context = {
    accounts: [{ name, secret: BANK_SECRET }],
    prices: priceList,
    book,
    faults: decisions.faults,
    deliveries: callbacks,
    url: () => urls.front,
    now: clock.now,
    payoutMs: PAYOUT_MS,
    reverseMs: REVERSE_MS,
    arrange: due.arrange,
  }
  const server = await serve({ name: 'the bank', port: 0, routes: apiRoutes(context) })
  const earlier = createEarlier(forwardTo(server.url))
  const front = await startHttpFront({ name, faults, forward: earlier.forward })
  urls.front = front.url
  const rowsOf = <Kind extends Row['kind']>(kind: Kind): Found<Kind>[] =>
    book.rows.all().filter((row): row is Found<Kind> => row.kind === kind)
  const payment = (reference: string): BankPayment => book.find('payment', name, reference)!
  const payout = (reference: string): BankPayout => book.find('payout', name, reference)!
  const wake = (id: string): void => {
    const row = book.rows.get(id)
    if (row?.kind === 'payout') decidePayout(context, row)
    if (row?.kind === 'payment') reversePayment(context, row)
  }
  const viewOf = (row: BankPayment): Payment => {
    const refunds = rowsOf('refund').filter((refund) => refund.payment === row.id)
    const [there, own] = [true, false].map((isThere) =>
      refunds.filter(({ reference }) => reference.startsWith(THERE) === isThere),
    ) as [typeof refunds, typeof refunds]
    const wentBackAt = book
      .lines(name)
      .findLast(({ type, reference }) => type === 'refund' && reference === row.reference)
    const { reference, description, status, currency, paid, decidedAt } = row
    return {
      kind: 'payment',
      account: name,
      reference,
      description,
      status,
      currency,
      paid: paid === undefined ? undefined : BigInt(paid),
      decidedAt,
      refunded: sumOf(own),
      refunds: own.length,
      refundedThere: sumOf(there),
      isLate: late.has(reference),
      isHeard: callbacks.isHeard(row.id),
      isStated: row.status === 'reversed' && clock.now() - (wentBackAt?.at ?? 0) < STATED_MS,
    }
  }
  return {
    name,
    interface: BANK,
    front,
    earlier,
    callbacks,
    cards: testCards.filter(({ outcome }) => outcome !== 'stuck').map(({ number }) => number),
    waysToPay: ['as ordered', 'another amount', 'another currency'],
    payments: () => rowsOf('payment').map(viewOf),
    payouts: () => rowsOf('payout').map((row) => ({ ...payoutView(name, row), isHeard: callbacks.isHeard(row.id) })),
    open: async ({ url }) => {
      const row = book.rows.get(new URL(url).pathname.slice('/pay/'.length))
      return row?.kind === 'payment' ? row.reference : undefined
    },
    pay: (reference, card, paying) => {
      const open = currentPayment(context, payment(reference))
      const ordered = paying === 'another currency' ? { ...open, currency: otherThan(open.currency) } : open
      const work = (): BankPayment => {
        const paid = payByCard(context, ordered, card)
        return paid.status === 'secure' ? confirmSecure(context, paid, secureCode) : paid
      }
      return (paying === 'another amount' ? decisions.as('wrong-amount', work) : work()).status
    },
    reverse: ({ kind, reference }) => {
      if (kind === 'payment') reversePayment(context, payment(reference))
      else decidePayout(context, { ...payout(reference), outcome: 'reversed' })
    },
    queueRefunds: decisions.queueRefunds,
    recordOf: ({ reference }) => JSON.stringify(payment(reference)),
    refundThere: ({ reference }, units) => {
      const row = payment(reference)
      const order = { reference: `${THERE}${book.rows.all().length}`, units }
      const { isPending } = refundPayment(context, row, order)
      if (isPending) endRefunds(context, row)
    },
    succeedLate: ({ reference }, outcome = 'success') => {
      late.add(reference)
      const { code: _, message: _message, decidedAt: _at, ...row } = payment(reference)
      decisions.as(outcome, () => payByCard(context, { ...row, status: 'created' }, GOOD_CARD))
    },
    release: ({ reference }, outcome) => void decidePayout(context, { ...payout(reference), outcome }),
    callAbout: (reference) => {
      const row = rowsOf('payment').findLast(({ status }) => status === 'succeeded')
      if (row === undefined) return false
      notify(context, [{ ...row, id: reference, reference }], plainTelling)
      return true
    },
    goOn: () => {
      const ready = due.take()
      for (const id of ready) wake(id)
      const open = new Set(rowsOf('refund').flatMap((refund) => (refund.isPending === true ? [refund.payment] : [])))
      for (const id of open) endRefunds(context, book.rows.get(id) as BankPayment)
      return ready.length + open.size
    },
    stop: async () => {
      await front.close()
      await server.stop()
    },
  }
}

const sumOf = (refunds: readonly { units: string }[]): bigint =>
  refunds.reduce((sum, { units }) => sum + BigInt(units), 0n)

const otherThan = (currency: BankPayment['currency']): BankPayment['currency'] =>
  currencies.find((one) => one !== currency)!

const payoutView = (
  account: string,
  { reference, status, currency, sent, maskedCard = '', dueAt }: BankPayout,
): Omit<Payout, 'isHeard'> => {
  const digits = maskedCard.replaceAll(' ', '')
  return {
    kind: 'payout',
    account,
    reference,
    status,
    currency,
    sent: sent === undefined ? undefined : BigInt(sent),
    card: digits.slice(0, 6) + digits.slice(-4),
    isStuck: status === 'processing' && dueAt === undefined,
  }
}
