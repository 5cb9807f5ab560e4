import type { SellerLogo } from './logo.ts'
import type { WalletLink } from './payment-uri.ts'

/**
 * The content of a payment page, without its presentation. Modules describe the state, and `renderPage` makes HTML of
 * it. Amounts are exact decimals as text in units of their ticker; times are ms of the business clock. No text here is
 * trusted as markup.
 */

export const LANGUAGES = ['uk', 'kk', 'ru', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/** `value` without exponent, grouping or trailing zeros. */
export interface Amount {
  value: string
  ticker: string
}

export interface Seller {
  name: string
  /** the merchant's site; only an https URL is shown as a link */
  url: string | undefined
  /** `#rrggbb`; its contrast is adjusted if it is too low */
  accent: string | undefined
  /** shown in place of the first letter of the name */
  logo?: SellerLogo | undefined
  /** where the merchant helps payers: an https page and an e-mail address */
  support: { url: string | undefined; email: string | undefined }
}

/** An invoice as its payer sees it now. */
export interface PageView {
  kind: 'crypto' | 'fiat'
  id: string
  seller: Seller
  /** the invoice's name and description, as the merchant wrote them */
  name: string
  description: string | undefined
  /** the invoice's own language, for a reader who has chosen none */
  language?: Language | undefined
  /** where forms are posted and the page is requested again: a path of this origin, without query */
  path: string
  /**
   * parameters of the page's query, besides the language, that its links and forms keep, such as the token of a claim
   */
  keep: Readonly<Record<string, string>>
  /** the merchant's page to return to; only an https URL is shown */
  returnTo: string | undefined
  now: number
  /** the fee of the payer's exchange, as the payer typed it: the page shows the amount to type at the exchange */
  exchangeFee?: string | undefined
  state: PageState
  /** money of other assets that arrived at the address: shown in every state of a crypto invoice */
  wrongAsset?: readonly Received[]
  /** why the form that the payer sent had no effect, when no form of the state shows it */
  notice?: FormProblem
}

export type PageState =
  | OpenState
  | PayState
  | ConfirmingState
  | PaidState
  | ExpiredState
  | UnderpaidState
  | LateState
  | WaitingState
  | LeavingState
  | CheckingState
  | ReceivedState
  | FailedState

/** An asset on a network, or a currency, that the payer may choose. Its form value is `TICKER:BLOCKCHAIN`. */
export interface PaymentOption {
  ticker: string
  /** `Tether USD` */
  assetName: string
  /** the API's name, such as `BINANCE_SMART_CHAIN`; empty for a currency */
  blockchain: string
  /** the name that wallets use: `Tron (TRC-20)`; empty for a currency */
  networkName: string
  /** the approximate amount now, when the invoice is priced in another ticker */
  about: string | undefined
  /** the exact amount, when the amount is fixed and the currency is not */
  exact?: string | undefined
  /** minutes after which the payment is usually credited: for the smallest and for large amounts */
  wait?: { least: number; most: number } | undefined
  /** an estimate of the network's fee, which the payer pays */
  fee?: Amount | undefined
  /** the least and the most that can be paid with it */
  least: string | undefined
  most: string | undefined
}

/** A fault of a form that the payer sent. */
export type FormProblem =
  | { field: 'email' | 'choice' | 'value' | 'address'; why: 'missing' | 'malformed' }
  | { field: 'value'; why: 'limits'; least: Amount; most: Amount | undefined }
  | { field: 'form'; why: 'gone' | 'tryAgain' }

/** CREATED: the payer gives contact data and the values that the merchant did not set, then continues. */
export interface OpenState {
  at: 'open'
  /** the amount asked; undefined when the payer chooses it. May be a fiat price of a crypto invoice */
  asked: Amount | undefined
  email: 'ask' | 'known'
  /** the field for the amount: its ticker (undefined: that of the option) and its limits */
  amountEntry: { ticker: string | undefined; least: string | undefined; most: string | undefined } | undefined
  /** with one option there is nothing to choose; with none, only the rest of the form is open */
  options: readonly PaymentOption[]
  /** there is no current price: the payer has to wait */
  ratesAway: boolean
  until: number
  /** the payer's input, when the form is shown again */
  given?: Readonly<{ email?: string; value?: string; choice?: string }>
  /** every problem of the form */
  problems?: readonly FormProblem[]
}

/**
 * A payment that was seen on the chain. `waiting`: for confirmations; `checking`: to be screened first; `refused`:
 * screened and not accepted; `lost`: not expected any more; `tooSmall`: below the minimum that is credited.
 */
export interface Received {
  value: string
  ticker: string
  networkName: string
  /** the transaction's id; undefined when it is unknown */
  hash: string | undefined
  status: 'waiting' | 'checking' | 'credited' | 'refused' | 'lost' | 'tooSmall'
  /** so far and required; `needed` undefined: until its block is final */
  confirmations: number
  needed: number | undefined
  at: number
}

/** Where to pay, on one network. */
export interface Destination {
  ticker: string
  assetName: string
  blockchain: string
  networkName: string
  address: string
  /** a payment URI for `send`, see `paymentUri`; undefined when the network has none */
  uri: string | undefined
  /** opens a wallet with the payment of `send`, see `walletLink`; undefined when the network has none */
  wallet: WalletLink | undefined
  /**
   * whether `uri` names a token's contract: wallets that misread it pay to the contract, so the plain address is shown
   * first
   */
  isToken: boolean
}

/** REGISTERED and PENDING: the amount is not complete. */
export interface PayState {
  at: 'pay'
  to: Destination
  asked: Amount
  /** the fiat price from which `asked` was computed */
  base: Amount | undefined
  /** everything that arrived so far, final or not */
  paid: string
  missing: string
  /** the amount to send now: `missing`, or the minimum that the network credits if that is more */
  send: string
  payments: readonly Received[]
  /** when the page's own time ends; undefined when it does not */
  until: number | undefined
  /**
   * for a fiat price: the price of one unit in the base's ticker, and until when it is valid. `over`: the payer has to
   * request a new one
   */
  quote: { price: string; until: number; over: boolean } | undefined
  /** no new price is available now */
  ratesAway: boolean
}

/** Everything was seen, or so much that the seller accepts it, and not all of it is deep enough. */
export interface ConfirmingState {
  at: 'confirming'
  asked: Amount
  base: Amount | undefined
  paid: string
  /** the missing amount that the seller does without */
  short: string | undefined
  payments: readonly Received[]
}

/** PAID, of either kind; also DONE of a fiat invoice. */
export interface PaidState {
  at: 'paid'
  asked: Amount
  paid: Amount
  /** the excess over the amount asked */
  over: string | undefined
  /** the amount refunded to the card; fiat */
  givenBack: string | undefined
  /** the merchant closed the invoice with the amount that had arrived */
  closed: boolean
  when: number
  /** masked; fiat */
  card: string | undefined
  payments: readonly Received[]
  /** a path of this origin that gives the receipt as PDF */
  receipt: string | undefined
}

/** EXPIRED without a payment. */
export interface ExpiredState {
  at: 'expired'
  asked: Amount | undefined
}

/** EXPIRED with less than the amount asked. */
export interface UnderpaidState {
  at: 'underpaid'
  asked: Amount
  paid: string
  missing: string
  payments: readonly Received[]
  /** `mailed`: the payer got a link to the claim by mail; `seller`: the payer gave no address for it */
  claim: 'mailed' | 'seller' | Claim
}

/** The options of the holder of the claim link. */
export interface Claim {
  canPayRest: boolean
  networkName: string
  /** where the refund is to go, once requested; the merchant approves it */
  refund:
    | { address: string; status: 'asked' | 'onItsWay' | 'sent' | 'failed' | 'refused'; hash: string | undefined }
    | undefined
  given?: Readonly<{ address?: string }>
  problem?: FormProblem
}

/** EXPIRED, and money arrived afterwards: it is on the merchant's balance. */
export interface LateState {
  at: 'late'
  asked: Amount | undefined
  paid: Amount
  payments: readonly Received[]
}

/** The acquirer is being asked for its page. */
export interface WaitingState {
  at: 'waiting'
  asked: Amount
}

/** The acquirer's page is ready: a link, or a form to post. */
export interface LeavingState {
  at: 'leaving'
  asked: Amount
  method: 'GET' | 'POST'
  url: string
  fields: Readonly<Record<string, string>>
}

/** The payer was at the acquirer, which has not reported the outcome yet. */
export interface CheckingState {
  at: 'checking'
  asked: Amount
  /** the acquirer's page, while it still accepts the payment; otherwise undefined */
  back: Pick<LeavingState, 'method' | 'url' | 'fields'> | undefined
}

/** Money arrived that differs from the amount asked, or late: the seller's payment service checks it. */
export interface ReceivedState {
  at: 'received'
  asked: Amount
}

/** Kinds of refusals of a card; `unavailable`: no card can be charged now. */
export type CardRefusal =
  | 'declined'
  | 'funds'
  | 'expired'
  | 'blocked'
  | 'details'
  | 'unsupported'
  | 'limit'
  | 'confirmation'
  | 'cancelled'
  | 'late'
  | 'security'
  | 'unavailable'

/** The payment failed. */
export interface FailedState {
  at: 'failed'
  asked: Amount
  /** whether money left the card: `no` only when that is known */
  charged: 'no' | 'unknown'
  /** undefined while it is unknown */
  why: CardRefusal | undefined
  /** the acquirer's own message, in its own language */
  reason: string | undefined
  canRetry: boolean
}
