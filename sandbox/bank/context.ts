/** The context that all parts of the bank share. */
import { randomBytes } from 'node:crypto'
import type { Deliveries, Message } from '../acquirers/deliveries.ts'
import type { Faults, Telling } from '../acquirers/faults.ts'
import { signCallback } from './signature.ts'
import type { Book, Line, Payment, Payout } from './rows.ts'
import type { Account, PriceList } from './terms.ts'
import { viewOf } from './view.ts'

export interface Context {
  readonly accounts: readonly Account[]
  readonly prices: PriceList
  readonly book: Book
  readonly faults: Faults
  readonly deliveries: Deliveries
  /** where the bank's pages are */
  url(): string
  /** the bank's clock, ms */
  now(): number
  /** how long a payout is under way, and a payment that is reversed stays paid; ms of the real clock */
  readonly payoutMs: number
  readonly reverseMs: number
  /** processes orders that are due at this time; the real clock, ms */
  arrange(id: string, dueAt: number): void
}

/** Thrown for an order that the bank refuses through its API. */
export class BankRefusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export function newId(): string {
  return randomBytes(16).toString('hex')
}

/** Returns the statement line of an order. It is stored in the same write as the order. */
export function lineOf(
  context: Context,
  { account, reference, currency, kind }: Payment | Payout,
  units: bigint,
  more: { type?: Line['type']; fee?: bigint } = {},
): Line {
  const { type = kind, fee = 0n } = more
  return {
    kind: 'line',
    id: newId(),
    at: context.now(),
    account,
    type,
    reference,
    currency,
    units: units.toString(),
    fee: fee.toString(),
  }
}

/** Notifies the merchant of each of these orders, oldest first. */
export function notify(context: Context, orders: readonly (Payment | Payout)[], telling: Telling): void {
  const [first] = orders
  const account = context.accounts.find(({ name }) => name === first?.account)
  if (first === undefined || account === undefined) return
  const messages = orders.map((order) => {
    const object = viewOf(order, context.url())
    return messageOf(
      order.callbackUrl,
      account,
      JSON.stringify({ id: newId(), event: `${order.kind}.${order.status}`, object }),
      Date.now(),
    )
  })
  context.deliveries.send(first.id, messages, telling, (message) => ({
    ...message,
    headers: {
      ...message.headers,
      'x-bank-signature': signCallback(`${account.secret}?`, message.headers['x-bank-timestamp'] ?? '', message.body),
    },
  }))
}

function messageOf(url: string, { name, secret }: Account, body: string, at: number): Message {
  const timestamp = String(at)
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'x-bank-account': name,
      'x-bank-timestamp': timestamp,
      'x-bank-signature': signCallback(secret, timestamp, body),
    },
    body,
  }
}
