/**
 * The sandbox's bank as the acquirer of card payments and payouts: its own API, books and rules, with the simulation's
 * clock, and with callbacks and due changes that happen when the simulation says so.
 */
import { join } from 'node:path'
import type { Faults as BankFaults, Outcome } from '../../../sandbox/acquirers/faults.ts'
import { openRecords } from '../../../sandbox/acquirers/records.ts'
import { apiRoutes } from '../../../sandbox/bank/api.ts'
import type { Context } from '../../../sandbox/bank/context.ts'
import { confirmSecure, currentPayment, payByCard, reversePayment } from '../../../sandbox/bank/payments.ts'
import { decidePayout } from '../../../sandbox/bank/payouts.ts'
import { openBook, type Payment, type Payout, type Refund, type Row } from '../../../sandbox/bank/rows.ts'
import { priceList } from '../../../sandbox/bank/terms.ts'
import { secureCode } from '../../../sandbox/bank/test-cards.ts'
import { serve } from '../../../sandbox/http/server.ts'
import type { Faults } from '../faults.ts'
import { forwardTo, startHttpFront, type HttpFront } from '../fronts/http.ts'
import { BANK_ACCOUNTS } from '../installation/files.ts'
import { BANK_SECRET } from '../installation/keys.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { VirtualClock } from '../virtual.ts'
import { createCallbacks, type Callbacks } from './callbacks.ts'

export type { Payment, Payout, Refund } from '../../../sandbox/bank/rows.ts'

export interface SimulatedBank {
  /** through which the program asks it */
  readonly front: HttpFront
  readonly callbacks: Callbacks
  /** its books, past the front */
  payments(): Payment[]
  payouts(): Payout[]
  refundsOf(payment: Payment): Refund[]
  /** A payer types a card on the page of this id. @returns the payment's status; undefined: there is no such page */
  pay(id: string, card: string): string | undefined
  /** A payment is charged back, or the money of a payout comes back. */
  reverse(order: Payment | Payout): void
  /** Decides a payout that stays in processing. */
  release(payout: Payout, outcome: Outcome): void
  /** Carries out what is due by now. @returns how many orders changed */
  goOn(): number
  stop(): Promise<void>
}

export interface SimulatedBankOptions {
  dir: string
  clock: VirtualClock
  faults: Faults
  random: Random
}

const PAYOUT_MS = 1_000
const REVERSE_MS = 2_000

export const startSimulatedBank = async ({
  dir,
  clock,
  faults,
  random,
}: SimulatedBankOptions): Promise<SimulatedBank> => {
  const book = openBook(openRecords<Row>(join(dir, 'book.jsonl')))
  const callbacks = createCallbacks()
  let due: { id: string; dueAt: number }[] = []
  // Requests come once the front is up, which needs the server, which needs the context.
  const urls = { front: '' }
  const context: Context = {
    accounts: BANK_ACCOUNTS.map((name) => ({ name, secret: BANK_SECRET })),
    prices: priceList,
    book,
    faults: decisionsOf(random),
    deliveries: callbacks,
    url: () => urls.front,
    now: clock.now,
    payoutMs: PAYOUT_MS,
    reverseMs: REVERSE_MS,
    arrange: (id, dueAt) => void due.push({ id, dueAt }),
  }
  const server = await serve({ name: 'the bank', port: 0, routes: apiRoutes(context) })
  const front = await startHttpFront({ name: 'bank', faults, forward: forwardTo(server.url) })
  urls.front = front.url
  const rowsOf = <Kind extends Row['kind']>(kind: Kind): Extract<Row, { kind: Kind }>[] =>
    book.rows.all().filter((row): row is Extract<Row, { kind: Kind }> => row.kind === kind)
  const wake = (id: string): void => {
    const row = book.rows.get(id)
    if (row?.kind === 'payout') decidePayout(context, row)
    if (row?.kind === 'payment') reversePayment(context, row)
  }
  return {
    front,
    callbacks,
    payments: () => rowsOf('payment'),
    payouts: () => rowsOf('payout'),
    refundsOf: ({ id }) => rowsOf('refund').filter(({ payment }) => payment === id),
    pay: (id, card) => {
      const row = book.rows.get(id)
      if (row?.kind !== 'payment') return undefined
      const paid = payByCard(context, currentPayment(context, row), card)
      return (paid.status === 'secure' ? confirmSecure(context, paid, secureCode) : paid).status
    },
    reverse: (order) => {
      if (order.kind === 'payment') reversePayment(context, order)
      else decidePayout(context, { ...order, outcome: 'reversed' })
    },
    release: (payout, outcome) => void decidePayout(context, { ...payout, outcome }),
    goOn: () => {
      const now = clock.now()
      const ready = due.filter(({ dueAt }) => dueAt <= now)
      due = due.filter(({ dueAt }) => dueAt > now)
      for (const { id } of ready) wake(id)
      return ready.length
    },
    stop: async () => {
      await front.close()
      await server.stop()
    },
  }
}

/** Outcome of the next order, unless its card decides it. The front loses answers, not this module. */
const decisionsOf = (random: Random): BankFaults => {
  const draw = (): Outcome | undefined => {
    const fate = random.next()
    if (fate < 0.04) return 'stuck'
    if (fate < 0.08) return 'reversed'
    return fate < 0.12 ? 'refused' : undefined
  }
  return {
    next: () => ({ waiting: 0 }),
    takeAnswer: () => ({ delayMs: 0 }),
    takeDecision: () => {
      const outcome = draw()
      const telling = { delayMs: 0, duplicate: 0, reorder: false, drop: random.chance(0.1), badSignature: false }
      return outcome === undefined ? telling : { ...telling, outcome }
    },
    takeRefund: () => undefined,
  }
}
