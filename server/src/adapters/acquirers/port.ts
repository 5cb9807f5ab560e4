import type { RefusalKinds } from './refusal-kinds.ts'

/** An asset that acquirers charge and pay out; amounts are in its minor units (kopiyka, tiyn), 1/100. */
export type CardTicker = 'UAH' | 'KZT'

/** Lower and upper limit of one payment, inclusive, in minor units. */
export interface AmountLimits {
  least: bigint
  most: bigint
}

/** Declared capabilities of an acquirer's account. A direction without limits for a ticker is not offered. */
export interface AcquirerCapabilities {
  payIn: Partial<Record<CardTicker, AmountLimits>>
  payout: Partial<Record<CardTicker, AmountLimits>>
  refund: boolean
  /** true: refunds only whole payments; otherwise partial refunds are possible too */
  refundsWholeOnly?: boolean
  /** true: it finds a refund by our reference, so that a refund which it knows is this one, and not another */
  namesRefunds?: boolean
  statement: boolean
  /**
   * true: the page accepts another card after a refusal, so that a refused payment may still be paid until the page
   * expires
   */
  takesOtherCards?: boolean
}

/** A payment to be made on the acquirer's hosted page. `reference` is our UUID, permanently unique at the acquirer. */
export interface PaymentOrder {
  reference: string
  ticker: CardTicker
  units: bigint
  description: string
  /** our public URL for the acquirer's callbacks */
  callbackUrl: string
  /** where the payer returns to */
  returnUrl: string
  email: string | undefined
  language: 'uk' | 'kk' | 'ru' | 'en'
  /** ms of the real clock, which acquirers use; the page refuses the payment afterwards */
  expiresAt: number
}

/** How the payer's browser opens the acquirer's page: by a link, or by posting a form. */
export interface PaymentPage {
  method: 'GET' | 'POST'
  url: string
  fields: Readonly<Record<string, string>>
  /** the acquirer's own identifier, if already known */
  acquirerReference: string | undefined
}

/**
 * State of a payment or payout at an acquirer. `waiting`: not ended. `unknown`: it could not be determined, or the
 * acquirer does not know the reference yet; query again and conclude nothing. Only `succeeded`, `refused` and
 * `reversed` are final.
 */
export type AcquirerState =
  | { kind: 'waiting'; reason?: string }
  | {
      kind: 'unknown'
      reason?: string
      /** the answer is signed with another key than the account's, which the operator has to correct */
      otherKey?: true
      /** money came for the order, and the answer does not show which payment: it lists a refund */
      isPaid?: true
    }
  | {
      kind: 'succeeded' | 'reversed'
      acquirerReference: string
      ticker: CardTicker
      /** amount that the payer paid, or that was sent to the card; minor units */
      units: bigint
      /** fee that the acquirer deducts (in) or charges in addition (out); undefined while it is not reported */
      feeUnits: bigint | undefined
      /** `NNNNNN******NNNN`, unknown digits `*` */
      maskedCard: string | undefined
      /** total refunded amount of a payment, minor units; undefined when the acquirer does not report it */
      backUnits?: bigint | undefined
    }
  | {
      kind: 'refused'
      acquirerReference: string | undefined
      code: string
      message: string
      maskedCard: string | undefined
      /**
       * true: the cause is our account (its balance, limits, keys), not the card, so that another account may be tried
       */
      elsewhere?: boolean
    }

/** An HTTP request from the acquirer, as it arrived. */
export interface RawCallback {
  /** names in lower case */
  headers: Readonly<Record<string, string>>
  /** path and query as requested */
  url: string
  body: Buffer
}

/** A callback signed by the acquirer. It is only a hint: the state is queried before anything is posted. */
export interface Callback {
  reference: string
  state: AcquirerState
  /** acknowledgement that stops the acquirer from repeating the callback; signed where required */
  ack: { status: number; contentType: string; body: string }
}

/** The callback is not from the acquirer: it changes nothing and is answered with 400. */
export class ForgedCallback extends Error {
  override name = 'ForgedCallback'
}

/**
 * The acquirer could not be reached, or its answer is unusable. `sent` false: nothing reached it, so that another
 * acquirer may get a new order; true: the request may have taken effect.
 */
export class AcquirerUnreachable extends Error {
  override name = 'AcquirerUnreachable'
  readonly sent: boolean

  constructor(message: string, { sent, cause }: { sent: boolean; cause?: unknown }) {
    super(message, { cause })
    this.sent = sent
  }
}

/** A payout to a card. `card` is the full number, digits only; it is never stored, logged or included in an error. */
export interface PayoutOrder {
  reference: string
  ticker: CardTicker
  units: bigint
  card: string
  description: string
  callbackUrl: string
}

/** A refund of a payment. `reference` is the payment's. */
export interface RefundOrder {
  reference: string
  /** the acquirer's own identifier of the payment, where it is known */
  acquirerReference?: string | undefined
  /** a refund has the reference of an earlier one that was refused, if no other distinguishes them */
  refundReference: string
  /** identifies the request among those with the same `refundReference`; undefined: the reference does */
  requestKey?: string
  units: bigint
  /** minor units refunded by earlier refunds of this payment, all of which have ended */
  refundedUnits: bigint
  ticker: CardTicker
}

/** A line of an acquirer's statement. */
export interface StatementLine {
  /** our reference; undefined for lines that are not our payments (fees of the account, transfers to the bank) */
  reference: string | undefined
  acquirerReference: string
  kind: 'payment' | 'payout' | 'refund' | 'settlement' | 'fee'
  ticker: CardTicker
  /** change of the account: positive in, negative out; minor units, before `feeUnits` */
  units: bigint
  /** charged in addition, never negative; minor units */
  feeUnits: bigint
  /** ms */
  at: number
}

/**
 * One account with an acquirer. Every method except `readCallback` calls the acquirer, with its own deadline. Failures
 * of the acquirer or the network throw AcquirerUnreachable and nothing else. An adapter never repeats a call.
 */
export interface Acquirer {
  /** the account's configured name (letters, digits, dashes), used in callback URLs and in the ledger */
  readonly name: string
  readonly capabilities: AcquirerCapabilities
  /** the kinds of the codes of refused payments; a code that is absent counts as `declined` */
  readonly refusals?: RefusalKinds
  /**
   * Creates the hosted payment. Throws AcquirerRefusal when the acquirer refuses. Only the caller learns the page's
   * address: an adapter omits data by which the acquirer could send the payer a link itself. So an order whose answer
   * is lost can't be paid, and another acquirer may get one.
   */
  createPayment(order: PaymentOrder): Promise<PaymentPage>
  /** Pure. @throws ForgedCallback */
  readCallback(callback: RawCallback): Callback
  /** @param acquirerReference the acquirer's own identifier, where it is known */
  paymentState(reference: string, acquirerReference?: string): Promise<AcquirerState>
  /**
   * Sends money. Anything except a definite answer is `unknown`: the caller then queries `payoutState` and never sends
   * again.
   */
  payOut(order: PayoutOrder): Promise<AcquirerState>
  payoutState(reference: string): Promise<AcquirerState>
  /**
   * Refunds a payment, in whole or in part. It queries the payment, and sends the refund unless it was made already.
   * Returns the refund's own state: `succeeded` with the refunded amount, `refused` only when the payment's state or
   * the answer to the refund proves it. The payment is `reversed` once it is refunded in full. Only one refund of a
   * payment at a time: for acquirers without references of refunds, money beyond `refundedUnits` (the total of earlier
   * refunds) belongs to this one.
   * @param sending awaited immediately before the refund is sent; when it throws, nothing is sent
   */
  refund?(refund: RefundOrder, sending?: () => Promise<void>): Promise<AcquirerState>
  /**
   * State of a refund that was sent, or may have been. Only queries. `waiting`: the acquirer has it. `unknown`: there
   * is no trace of it. Never `refused`, because a payment's state can't prove that a refund will not happen.
   */
  refundState?(refund: RefundOrder): Promise<AcquirerState>
  /** Lines with from <= at < to (ms), in any order. */
  statement?(range: { from: number; to: number }): Promise<StatementLine[]>
}

/** The acquirer read and refused the order: no money moved, and another acquirer may be tried. */
export class AcquirerRefusal extends Error {
  override name = 'AcquirerRefusal'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
