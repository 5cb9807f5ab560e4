/**
 * What a payment page shows, and nothing of how. Rooms say what is so; `renderPage` makes HTML of it. Amounts are exact
 * decimals as text in units of their ticker, times are ms of the business clock. Nothing here is trusted as markup.
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
  /** the merchant's site: https, else it is not shown as a link */
  url: string | undefined
  /** `#rrggbb`; what is shown has enough contrast whatever it is */
  accent: string | undefined
}

/** One invoice as its payer sees it now. */
export interface PageView {
  kind: 'crypto' | 'fiat'
  id: string
  seller: Seller
  /** the invoice's name and description, as the merchant wrote them */
  name: string
  description: string | undefined
  /** where forms are posted and the page is asked for again: a path of this origin, without query */
  path: string
  /** what of the page's query is kept on its links and forms beside the language, such as a claim's token */
  keep: Readonly<Record<string, string>>
  /** the merchant's page for afterwards: https, else it is not shown */
  returnTo: string | undefined
  now: number
  state: PageState
  /** money of another asset that came to the address: shown in every state of a crypto invoice */
  wrongAsset?: readonly Received[]
  /** why what the payer had sent did not do what they wanted, where no form of the state says it */
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
  /** the wire's name, such as `BINANCE_SMART_CHAIN`; empty for a currency */
  blockchain: string
  /** what wallets call it: `Tron (TRC-20)`; empty for a currency */
  networkName: string
  /** about how much it is now, where the invoice is priced in another ticker */
  about: string | undefined
  /** how much it is, where the amount is fixed and the currency is not */
  exact?: string | undefined
  /** the least and most that can be paid with it */
  least: string | undefined
  most: string | undefined
}

/** What was wrong with a form that the payer sent. */
export type FormProblem =
  | { field: 'email' | 'choice' | 'value' | 'address'; why: 'missing' | 'malformed' }
  | { field: 'value'; why: 'limits'; least: Amount; most: Amount | undefined }
  | { field: 'form'; why: 'gone' | 'tryAgain' }

/** CREATED: the payer says who they are and what the merchant left open, then continues. */
export interface OpenState {
  at: 'open'
  /** what is asked for; undefined where the payer chooses it. May be a fiat price of a crypto invoice */
  asked: Amount | undefined
  email: 'ask' | 'known'
  /** where the payer types the amount: in which ticker (undefined: in that of the option), within which limits */
  amountEntry: { ticker: string | undefined; least: string | undefined; most: string | undefined } | undefined
  /** one means that there is nothing to choose, none that nothing is open but the rest of the form */
  options: readonly PaymentOption[]
  /** there is no fresh price: the payer has to wait */
  ratesAway: boolean
  until: number
  /** what the payer had typed, when the form comes back */
  given?: Readonly<{ email?: string; value?: string; choice?: string }>
  problem?: FormProblem
}

/**
 * A payment that was seen on the chain. `waiting`: for confirmations; `checking`: there, and to be screened first;
 * `refused`: screened, and not taken; `lost`: it will not come; `tooSmall`: below what is credited.
 */
export interface Received {
  value: string
  ticker: string
  networkName: string
  /** the transaction's id; undefined where it came without one */
  hash: string | undefined
  standing: 'waiting' | 'checking' | 'credited' | 'refused' | 'lost' | 'tooSmall'
  /** so far and needed; `needed` undefined: until its block is final */
  confirmations: number
  needed: number | undefined
  at: number
}

/** Where to pay, in one network. */
export interface Destination {
  ticker: string
  assetName: string
  blockchain: string
  networkName: string
  address: string
  /** a payment URI for `send`, see `paymentUri`; undefined where the network has none */
  uri: string | undefined
  /**
   * whether `uri` names a token's contract: wallets that misread it pay to the contract, so the plain address is shown
   * first
   */
  isToken: boolean
}

/** REGISTERED and PENDING: something is missing. */
export interface PayState {
  at: 'pay'
  to: Destination
  asked: Amount
  /** the price in fiat that `asked` was made of */
  base: Amount | undefined
  /** everything that came so far, deep enough or not */
  paid: string
  missing: string
  /** what to send now: `missing`, or the least that the network credits where that is more */
  send: string
  payments: readonly Received[]
  /** when the page's own time ends; undefined where it doesn't */
  until: number | undefined
  /**
   * for a fiat price: what one unit costs in the base's ticker, and how long that holds. `over`: the payer asks for a
   * new one
   */
  quote: { price: string; until: number; over: boolean } | undefined
  /** no new price can be given now */
  ratesAway: boolean
}

/** Everything was seen and not all of it is deep enough. */
export interface ConfirmingState {
  at: 'confirming'
  asked: Amount
  base: Amount | undefined
  paid: string
  payments: readonly Received[]
}

/** PAID, of either kind; DONE of a fiat invoice too. */
export interface PaidState {
  at: 'paid'
  asked: Amount
  paid: Amount
  /** how much more than asked */
  over: string | undefined
  /** how much of it went back to the card; fiat */
  givenBack: string | undefined
  /** the merchant took what had come as enough */
  closed: boolean
  when: number
  /** masked; fiat */
  card: string | undefined
  payments: readonly Received[]
  /** a path of this origin that gives the receipt as PDF */
  receipt: string | undefined
}

/** EXPIRED with nothing paid. */
export interface ExpiredState {
  at: 'expired'
  asked: Amount | undefined
}

/** EXPIRED with less than asked. */
export interface UnderpaidState {
  at: 'underpaid'
  asked: Amount
  paid: string
  missing: string
  payments: readonly Received[]
  /**
   * `mailed`: what can be done stands behind a link that only the payer has; `seller`: the payer gave no address to
   * write to
   */
  claim: 'mailed' | 'seller' | Claim
}

/** What the holder of the claim link can do. */
export interface Claim {
  canPayRest: boolean
  networkName: string
  /** where the refund is to go, once asked for; the merchant approves it */
  refund:
    | { address: string; status: 'asked' | 'onItsWay' | 'sent' | 'failed' | 'refused'; hash: string | undefined }
    | undefined
  given?: Readonly<{ address?: string }>
  problem?: FormProblem
}

/** EXPIRED, and money came afterwards: it is with the merchant. */
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

/** The payer was at the acquirer's, which has not said yet how it ended. */
export interface CheckingState {
  at: 'checking'
  asked: Amount
  /** the acquirer's page again, while it takes the payment; undefined when it does not */
  back: Pick<LeavingState, 'method' | 'url' | 'fields'> | undefined
}

/** Money has arrived that is not what was asked for, or came late: the seller's payment service looks at it. */
export interface ReceivedState {
  at: 'received'
  asked: Amount
}

/** The payment failed. */
export interface FailedState {
  at: 'failed'
  asked: Amount
  /** whether money left the card: `no` only where that is known */
  charged: 'no' | 'unknown'
  /** the acquirer's words for the payer */
  reason: string | undefined
  canRetry: boolean
}
