/** An asset that acquirers take and pay in; amounts are its minor units (kopiyka, tiyn), 1/100. */
export type CardTicker = 'UAH' | 'KZT'

/** From and to, both allowed, in minor units of one payment. */
export interface AmountLimits {
  least: bigint
  most: bigint
}

/**
 * What an acquirer's account can do, declared and not tried out. A direction without a ticker's limits is not offered.
 */
export interface AcquirerCapabilities {
  payIn: Partial<Record<CardTicker, AmountLimits>>
  payout: Partial<Record<CardTicker, AmountLimits>>
  refund: boolean
  /** true: only the whole of a payment, at once; the others take parts too */
  refundsWholeOnly?: boolean
  statement: boolean
  /**
   * true: the page takes another card after it refused one, so that a refused payment may still be paid until the
   * page's end
   */
  takesOtherCards?: boolean
}

/**
 * A payment to be made on the acquirer's hosted page. `reference` is ours, a UUID, and unique with the acquirer for
 * ever.
 */
export interface PaymentOrder {
  reference: string
  ticker: CardTicker
  units: bigint
  description: string
  /** where the acquirer tells us of the payment: our own public URL */
  callbackUrl: string
  /** where the payer comes back to */
  returnUrl: string
  email: string | undefined
  language: 'uk' | 'kk' | 'ru' | 'en'
  /** ms of real time, which acquirers live in; the page refuses the payment afterwards */
  expiresAt: number
}

/** How the payer's browser gets to the acquirer's page: a link, or a form that is posted. */
export interface PaymentPage {
  method: 'GET' | 'POST'
  url: string
  fields: Readonly<Record<string, string>>
  /** the acquirer's own identifier, when it is known already */
  acquirerReference: string | undefined
}

/**
 * What an acquirer knows of a payment or payout. `waiting`: not ended; `unknown`: it couldn't be found out, or the
 * acquirer knows no such reference yet: ask again, never conclude. Only `succeeded`, `refused` and `reversed` are
 * final.
 */
export type AcquirerState =
  | { kind: 'waiting'; reason?: string }
  | {
      kind: 'unknown'
      reason?: string
      /** the answer has a signature that is not by the account's key, which the operator has to correct */
      otherKey?: true
    }
  | {
      kind: 'succeeded' | 'reversed'
      acquirerReference: string
      ticker: CardTicker
      /** what the payer paid, or the card was sent; minor units */
      units: bigint
      /** what the acquirer keeps of it (in) or takes on top (out); undefined while it doesn't say */
      feeUnits: bigint | undefined
      /** `NNNNNN******NNNN`, unknown digits `*` */
      maskedCard: string | undefined
      /** what went back of a payment altogether, minor units; undefined: the acquirer doesn't say */
      backUnits?: bigint | undefined
    }
  | {
      kind: 'refused'
      acquirerReference: string | undefined
      code: string
      message: string
      maskedCard: string | undefined
      /**
       * true: it is our account's doing (its balance, limits, keys), not the card's, so that another account may be
       * tried
       */
      elsewhere?: boolean
    }

/** An HTTP request from the acquirer, as it arrived. */
export interface RawCallback {
  /** names in lower case */
  headers: Readonly<Record<string, string>>
  /** path and query as asked for */
  url: string
  body: Buffer
}

/** A callback that is signed by the acquirer. It is a hint: the state is asked again before money is booked. */
export interface Callback {
  reference: string
  state: AcquirerState
  /** what the acquirer needs to hear not to repeat it; signed where it wants that */
  ack: { status: number; contentType: string; body: string }
}

/** The callback isn't the acquirer's: nothing may change, and it is answered with 400. */
export class ForgedCallback extends Error {
  override name = 'ForgedCallback'
}

/**
 * The acquirer could not be asked, or answered nothing usable. `sent` false: nothing reached it, so that a new order
 * may go elsewhere; true: it may have taken effect.
 */
export class AcquirerUnreachable extends Error {
  override name = 'AcquirerUnreachable'
  readonly sent: boolean

  constructor(message: string, { sent, cause }: { sent: boolean; cause?: unknown }) {
    super(message, { cause })
    this.sent = sent
  }
}

/**
 * A payout to a card. `card` is the whole number, digits only: it is kept nowhere, logged nowhere and put in no error.
 */
export interface PayoutOrder {
  reference: string
  ticker: CardTicker
  units: bigint
  card: string
  description: string
  callbackUrl: string
}

/** A payment's money on its way back. `reference` is the payment's. */
export interface RefundOrder {
  reference: string
  /** the acquirer's own identifier of the payment, where it is known */
  acquirerReference?: string | undefined
  refundReference: string
  units: bigint
  /** minor units; given back by earlier refunds of this payment, each of which has ended */
  refundedUnits: bigint
  ticker: CardTicker
}

/** A line of an acquirer's statement. */
export interface StatementLine {
  /** ours, undefined for what is not a payment of ours (fees of the account, transfers to the bank) */
  reference: string | undefined
  acquirerReference: string
  kind: 'payment' | 'payout' | 'refund' | 'settlement' | 'fee'
  ticker: CardTicker
  /** what moved on the account: positive in, negative out; minor units, before `feeUnits` */
  units: bigint
  /** taken besides, never negative; minor units */
  feeUnits: bigint
  /** ms */
  at: number
}

/**
 * One account with an acquirer. Every method but `readCallback` talks to the outside, with a deadline of its own; each
 * throws AcquirerUnreachable and nothing else for what the outside does wrong. A call is never repeated by the adapter.
 */
export interface Acquirer {
  /** the account's name in configuration: letters, digits, dashes; in callback URLs and in the ledger */
  readonly name: string
  readonly capabilities: AcquirerCapabilities
  /**
   * Makes the hosted payment. Throws AcquirerRefusal when the acquirer says no. Only the caller learns where the
   * page is: an acquirer that would send the payer a link by itself is not given what it needs for that. So an order
   * whose answer is lost can't be paid, and another acquirer may have one.
   */
  createPayment(order: PaymentOrder): Promise<PaymentPage>
  /** Pure. @throws ForgedCallback */
  readCallback(callback: RawCallback): Callback
  /** @param acquirerReference the acquirer's own identifier, where it is known */
  paymentState(reference: string, acquirerReference?: string): Promise<AcquirerState>
  /** Sends money. Anything but a clear answer is `unknown`: the caller asks by `payoutState` and never sends again. */
  payOut(order: PayoutOrder): Promise<AcquirerState>
  payoutState(reference: string): Promise<AcquirerState>
  /**
   * Gives a payment back, in whole or in part: asks how the payment stands, and sends the refund unless that shows it
   * already. Answers the refund's own state: `succeeded` with what was given back, `refused` only where the payment's
   * state or the answer to the refund decides it. The payment is `reversed` once all of it was given back. One refund
   * of a payment at a time: acquirers that take no reference of a refund are distinguished by `refundedUnits`, what
   * earlier refunds of it gave back; money beyond that is this refund's.
   * @param sending awaited immediately before the refund is sent; when it throws, nothing is sent
   */
  refund?(refund: RefundOrder, sending?: () => Promise<void>): Promise<AcquirerState>
  /**
   * What became of a refund that was sent, or may have been. Asks only. `waiting`: the acquirer has it; `unknown`:
   * nothing of it shows. Never `refused`: a payment's state doesn't tell that a refund will not come.
   */
  refundState?(refund: RefundOrder): Promise<AcquirerState>
  /** Lines with from <= at < to (ms), in any order. */
  statement?(range: { from: number; to: number }): Promise<StatementLine[]>
}

/** The acquirer understood and refused: no money moved, another may be tried. */
export class AcquirerRefusal extends Error {
  override name = 'AcquirerRefusal'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
