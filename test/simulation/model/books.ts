/**
 * The model's own books, from payers' payments and the API's answers, without the program's tables. It reads the
 * outcome of a transaction from the chain itself, not through a front.
 */
import type { Network } from '@bursar/chainkit'
import type { Catalogue } from '../../../server/src/market/assets/index.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { parseUnits } from '../../../server/src/platform/money/index.ts'
import type { Member } from '../members/people.ts'
import type { BookAdded, PolicyChange, Span } from './policies.ts'

/** A payment by an outside person to a merchant's address. */
export interface PaidIn {
  merchant: string
  network: Network
  ticker: string
  address: string
  hash: string
  /** coin that a contract paid, which only a trace of the transaction shows */
  byContract: boolean
  /** base units of the network, of each output or log */
  units: bigint[]
  /** absent: the chain does not distinguish its payers */
  payer?: string
  /** the payer was on a sanctions list when it paid */
  wasListed?: boolean
}

/** What an operator decided about a deposit that screening held back. */
export interface Decided {
  /** of the deposit */
  subjectId: string
  transaction: string
  address: string
  ticker: string
  event: 'release' | 'reject'
}

/** A withdrawal that a merchant asked for, known by its local id. */
export interface PaidOut {
  merchant: string
  localId: string
  network: Network
  ticker: string
  /** receives nothing else, so that its balance is what was paid */
  to: string
  /** ledger units */
  units: bigint
  /** another merchant's address: paid without a transaction */
  receiver: string | null
  /** `to` keeps one base unit of each payment, and pays this address the rest; absent: it keeps all */
  passesOn?: Address
}

/** An exchange that a merchant asked for. */
export interface Exchanged {
  merchant: string
  localId: string
  spend: string
  target: string
  /** ledger units that it takes if it is filled, fee included, by its estimate */
  spendUnits: bigint
  /** ledger units of `target` that its estimate gives: at a price no worse than that, it gives no less */
  leastUnits: bigint
}

/** An exchange whose proceeds are withdrawn, which a merchant asked for with the amounts of an estimate. */
export interface ExchangedOut {
  merchant: string
  localId: string
  spend: string
  ticker: string
  network: Network
  /** which of the two amounts is exactly what was estimated; the other may be better for the merchant */
  side: 'spend' | 'withdraw'
  /** as the estimate states it */
  price: string
  /** ledger units of `spend`, exchange fee included */
  spendUnits: bigint
  exchangeFeeUnits: bigint
  /** ledger units of `ticker`, withdrawal fee included */
  amountUnits: bigint
  feeUnits: bigint
  /** receives nothing else, unless a merchant receives at it */
  to: string
  receiver: string | null
}

/** A fiat invoice, which cards pay. */
export interface FiatInvoiced {
  merchant: string
  id: string
  /** used by no other invoice: the bank knows the payment by it */
  name: string
  ticker: string
  /** minor units */
  units: bigint
}

/** A payout to a card that a merchant asked for. */
export interface CardPaid {
  merchant: string
  localId: string
  /** `exchange`: the proceeds of an exchange, as a batch */
  kind: 'single' | 'batch' | 'exchange'
  ticker: string
  /** minor units; of an exchange: 0, as its proceeds are not known before */
  units: bigint
  /** gets nothing else */
  card: string
  /** what the exchange spends, and the least that it brings with the fee of the payout; null: it is none */
  spend: { ticker: string; units: bigint; least: bigint } | null
}

/** A refund of a card payment that the program has taken up for an operator. */
export interface RefundAsked {
  /** of the payment */
  reference: string
  id: string
  /** how many refunds of the payment by the program the acquirer had then */
  before: number
  /** the turn of the run in which the worker began it, and the turn in which it ended */
  began: number
  ended: number
}

/** An address or an invoice whose money is exchanged when it is credited. */
export interface Targeted {
  merchant: string
  /** where the money comes */
  address: string
  /** null: an address of its own */
  invoiceId: string | null
  ticker: string
  /** where the proceeds go; null: the merchant's balance */
  sentTo: { network: Network; address: string; receiver: string | null } | null
}

/** A refund that the payer of an underpaid invoice asked for. */
export interface Claimed {
  merchant: string
  invoiceId: string
  /** of the invoice */
  address: string
  network: Network
  ticker: string
  /** receives nothing else */
  to: string
}

/** The form of a person who approves a request, or pays alone. */
export interface Decision extends Span {
  /** may count as an approval by another member than the maker */
  by: Member
  /** `placed`: the answer says that it was the last one; `maybe`: the answer was lost */
  result: 'placed' | 'counted' | 'refused' | 'maybe'
}

/** A request of payouts by a member, known by the answer to its form. */
export interface Requested {
  id: string
  maker: Member
  /** withdrawals with the local ids of the dashboard; empty for a card payout or a refund */
  lines: readonly PaidOut[]
  /** a card payout; undefined for other requests */
  card?: CardPaid
  /** the refund of a card payment; undefined for other requests. `before` as in `RefundAsked` */
  refund?: { reference: string; ticker: string; units: bigint; before: number; asked: Span }
  /** by the program's clock, ms */
  askedAt: number
  /** forms of members who may approve it, and of its maker */
  decisions: Decision[]
  /** how it has ended, as far as an answer has said so */
  ended: 'approved' | 'withdrawn' | 'refused' | undefined
}

/** Money of the operator's given to a merchant. */
export interface Granted {
  merchant: string
  ticker: string
  units: bigint
}

export interface Address {
  merchant: string
  network: Network
  address: string
}

/** A crypto invoice with an address of its own, which is also among the addresses. */
export interface Invoiced {
  merchant: string
  id: string
  network: Network
  ticker: string
  address: string
  /** ledger units that it asks for */
  units: bigint
}

/**
 * A payment link of a merchant, from which payers make invoices. Amounts are ledger units, or 1e-18 of a national
 * currency.
 */
export interface PaymentLinkMade {
  merchant: string
  id: string
  /** of its page */
  path: string
  ticker: string
  /** undefined: the payer chooses it, within `least` and `most` */
  amount: bigint | undefined
  least: bigint | undefined
  most: bigint | undefined
  /** undefined: any number, or the answer to a payer was lost */
  mostPayments: number | undefined
  /** ids of the invoices that payers have made from it */
  invoices: string[]
  isDisabled: boolean
}

export interface Books {
  readonly catalogue: Catalogue
  readonly addresses: Address[]
  readonly paidIn: PaidIn[]
  readonly paidOut: PaidOut[]
  readonly exchanged: Exchanged[]
  readonly exchangedOut: ExchangedOut[]
  readonly targeted: Targeted[]
  readonly fiatInvoiced: FiatInvoiced[]
  readonly cardPaid: CardPaid[]
  readonly refundsAsked: RefundAsked[]
  /** references of card payments whose money in suspense an operator gave to the merchant */
  readonly accepted: Set<string>
  readonly granted: Granted[]
  /** the owner's money at the venue, ledger units; negative: taken from it */
  readonly movedToVenue: { ticker: string; units: bigint }[]
  readonly invoiced: Invoiced[]
  readonly links: PaymentLinkMade[]
  readonly claimed: Claimed[]
  readonly requested: Requested[]
  /** by merchant */
  readonly policyChanges: Map<string, PolicyChange[]>
  /** by merchant */
  readonly bookAdded: Map<string, BookAdded[]>
  /** addresses of a merchant's book that nothing was sent to yet */
  readonly unusedInBook: { merchant: string; network: Network; address: string }[]
  readonly decided: Decided[]
  /** destinations of withdrawals that an operator released, although no provider had cleared them, lower case */
  readonly releasedTo: Set<string>
  /** addresses of people outside that were on a sanctions list before anything was sent to them, lower case */
  readonly listedFirst: Set<string>
  /** those of them that nothing was sent to yet */
  readonly unusedListed: { network: Network; address: string }[]
  /** local ids of withdrawals whose receiver has refused the coin in every block so far */
  readonly refused: Set<string>
  /** ids of invoices that their merchants closed by hand, or tried to */
  readonly closed: Set<string>
  /** new local ids, each used for one order only */
  nextLocalId(kind: string): string
  /** numbers in the order in which things happen to the model */
  nextTurn(): number
}

export const createBooks = (catalogue: Catalogue): Books => {
  let [last, turn] = [0, 0]
  return {
    catalogue,
    addresses: [],
    paidIn: [],
    paidOut: [],
    exchanged: [],
    exchangedOut: [],
    targeted: [],
    fiatInvoiced: [],
    cardPaid: [],
    refundsAsked: [],
    accepted: new Set(),
    granted: [],
    movedToVenue: [],
    decided: [],
    releasedTo: new Set(),
    listedFirst: new Set(),
    unusedListed: [],
    invoiced: [],
    links: [],
    claimed: [],
    requested: [],
    policyChanges: new Map(),
    bookAdded: new Map(),
    unusedInBook: [],
    closed: new Set(),
    refused: new Set(),
    nextLocalId: (kind) => `${kind}-${(last += 1)}`,
    nextTurn: () => (turn += 1),
  }
}

/** Base units of a network as units of the ledger. */
export const toLedger = (catalogue: Catalogue, ticker: string, network: Network, units: bigint): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return units * 10n ** BigInt(asset.scale - asset.networks.get(network)!.decimals)
}

/** Units of the ledger as base units of a network, what is finer left out. */
export const fromLedger = (catalogue: Catalogue, ticker: string, network: Network, units: bigint): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return units / 10n ** BigInt(asset.scale - asset.networks.get(network)!.decimals)
}

/** An amount of the API in ledger units. */
export const unitsOf = (catalogue: Catalogue, ticker: string, amount: string): bigint => {
  const parsed = parseUnits(amount, catalogue.find(ticker)!.scale)
  if (!parsed.ok) throw new Error(`the API answered ${amount} ${ticker}`)
  return parsed.units
}

/** Ledger units of an asset that an address has received. Nothing is spent from it. */
export const receivedAt = async (
  { chains, catalogue }: { chains: readonly SimulatedChain[]; catalogue: Catalogue },
  { network, ticker, address }: { network: Network; ticker: string; address: string },
): Promise<bigint> => {
  const chain = chains.find((one) => one.network === network)!
  const contract = chain.assets.find((one) => one.ticker === ticker)?.contract ?? null
  return toLedger(catalogue, ticker, network, await chain.balance(address, contract))
}
