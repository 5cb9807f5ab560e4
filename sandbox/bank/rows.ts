/**
 * The bank's records. Amounts are minor units as digits, times are ms of the bank's clock. No row has a card number.
 */
import type { Outcome, Telling } from '../acquirers/faults.ts'
import type { Records } from '../acquirers/records.ts'
import type { Currency } from './terms.ts'

export type Language = 'uk' | 'kk' | 'ru' | 'en'

interface Order {
  /** unguessable: it is in the page's address */
  readonly id: string
  readonly account: string
  /** the merchant's, unique among its payments or its payouts */
  readonly reference: string
  readonly currency: Currency
  readonly units: string
  readonly description: string
  readonly callbackUrl: string
  readonly createdAt: number
  readonly maskedCard?: string
  readonly fee?: string
  readonly code?: string
  readonly message?: string
  readonly decidedAt?: number
  readonly telling?: Telling
  /** when an open order goes on by itself, ms of the real clock */
  readonly dueAt?: number
  /** its state after that time */
  readonly outcome?: Outcome
}

/** `secure`: the payer is with the card's bank. `refused` has a code. `reversed`: all of it was given or taken back. */
type PaymentStatus = 'created' | 'secure' | 'processing' | 'succeeded' | 'refused' | 'expired' | 'reversed'

export interface Payment extends Order {
  readonly kind: 'payment'
  readonly status: PaymentStatus
  readonly returnUrl: string
  readonly email?: string
  readonly language: Language
  readonly expiresAt: number
  /** the amount that was really paid */
  readonly paid?: string
  readonly refunded: string
  readonly wrongCodes: number
}

export interface Payout extends Order {
  readonly kind: 'payout'
  readonly status: 'processing' | 'succeeded' | 'refused' | 'reversed'
  /** the amount that was sent to the card */
  readonly sent?: string
}

export interface Refund {
  readonly kind: 'refund'
  readonly id: string
  readonly account: string
  /** the refund's own */
  readonly reference: string
  readonly payment: string
  /** taken up, and not given back yet */
  readonly isPending?: boolean
  readonly units: string
  readonly createdAt: number
}

/** A line of the statement. */
export interface Line {
  readonly kind: 'line'
  readonly id: string
  readonly account: string
  readonly type: 'payment' | 'payout' | 'refund' | 'settlement' | 'fee'
  readonly reference?: string
  readonly currency: Currency
  /** the moved amount, negative out */
  readonly units: string
  readonly fee: string
  readonly at: number
}

export type Row = Payment | Payout | Refund | Line

export interface Book {
  readonly rows: Records<Row>
  find<Kind extends Exclude<Row['kind'], 'line'>>(
    kind: Kind,
    account: string,
    reference: string,
  ): Extract<Row, { kind: Kind }> | undefined
  lines(account: string): Line[]
  /** Payouts so far to cards of this mask. */
  payoutsTo(mask: string): number
}

export function openBook(rows: Records<Row>): Book {
  const byReference = new Map<string, string>()
  const keyOf = (kind: string, account: string, reference: string): string => `${kind} ${account} ${reference}`
  const note = (row: Row): void => {
    if (row.kind !== 'line') byReference.set(keyOf(row.kind, row.account, row.reference), row.id)
  }
  rows.all().forEach(note)
  return {
    rows: {
      ...rows,
      put: (...changed) => {
        rows.put(...changed)
        changed.forEach(note)
      },
    },
    find: (kind, account, reference) => {
      const id = byReference.get(keyOf(kind, account, reference))
      return id === undefined ? undefined : (rows.get(id) as never)
    },
    lines: (account) => rows.all().filter((row): row is Line => row.kind === 'line' && row.account === account),
    payoutsTo: (mask) => rows.all().filter((row) => row.kind === 'payout' && row.maskedCard === mask).length,
  }
}
