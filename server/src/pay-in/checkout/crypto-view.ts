import { isEvmNetwork, type Network } from '@bursar/chainkit'
import {
  paymentUri,
  walletLink,
  type Claim,
  type Destination,
  type OpenState,
  type PageState,
  type PageView,
  type PaidState,
  type PayState,
  type PaymentOption,
  type PaymentRequest,
  type Received,
  type Seller,
  type UnderpaidState,
} from '@bursar/checkout'
import type { Catalogue } from '../../market/assets/index.ts'
import type { PayerInvoice, ShownOption, ShownPayment } from '../crypto-invoices/index.ts'
import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import type { DepositPolicy } from '../deposits/index.ts'
import { networkName } from './network-names.ts'
import { usualWait } from './network-times.ts'

export interface CryptoViewDeps {
  catalogue: Catalogue
  chainIds: ReadonlyMap<Network, bigint>
  /** when deposits are credited */
  depositPolicy: DepositPolicy
}

/** An estimate of a network's fee for a payment, in USD in 1e-18; undefined while there is none. */
export type NetworkFees = (ticker: string, network: Network) => bigint | undefined

/** How long a page waits for a new price, in ms, before it says that there is none. */
const REQUOTED_WITHIN_MS = 10_000

/** The reader's rights: a valid claim link, and the wish to pay the rest. */
export interface CryptoReader {
  claim: string | undefined
  paysRest: boolean
  /** the fee of the reader's exchange, as typed */
  fee: string | undefined
}

/** The state of the world when a page is shown. */
interface Present {
  /** business time, ms */
  now: number
  networkFees: NetworkFees
}

/** Returns the page of a crypto invoice. */
export const cryptoView = (
  invoice: PayerInvoice,
  seller: Seller,
  reader: CryptoReader,
  present: Present,
  deps: CryptoViewDeps,
): PageView => {
  const { id, name, description, redirectUrl, language } = invoice
  const own = invoice.payments.filter((payment) => !isWrongAsset(invoice, payment))
  const wrong = invoice.payments.filter((payment) => isWrongAsset(invoice, payment))
  const received = (payment: ShownPayment): Received => receivedOf(payment, deps.catalogue)
  return {
    kind: 'crypto',
    id,
    seller,
    name,
    description: description ?? undefined,
    language: language ?? undefined,
    path: `/invoices/crypto/${id}`,
    keep: {
      ...(reader.claim !== undefined && { claim: reader.claim }),
      ...(reader.paysRest && { rest: '1' }),
      ...(reader.fee !== undefined && { fee: reader.fee }),
    },
    exchangeFee: reader.fee,
    returnTo: redirectUrl ?? undefined,
    now: present.now,
    state: stateOf(invoice, own.map(received), reader, present, deps),
    ...(wrong.length > 0 && { wrongAsset: wrong.map(received) }),
  }
}

const isWrongAsset = ({ ticker, blockchain }: PayerInvoice, payment: ShownPayment): boolean =>
  !payment.counts &&
  payment.state !== 'lost' &&
  payment.state !== 'refused' &&
  (payment.ticker !== ticker || payment.blockchain !== blockchain)

const nameOn = (catalogue: Catalogue, ticker: string, network: Network): string =>
  networkName(network, (catalogue.findCrypto(ticker)?.networks.get(network)?.contract ?? null) !== null)

const receivedOf = (
  { amount, ticker, blockchain, hash, state, confirmations, needed, seenAt }: ShownPayment,
  catalogue: Catalogue,
): Received => ({
  value: amount,
  ticker,
  networkName: nameOn(catalogue, ticker, blockchain),
  hash: hash ?? undefined,
  status: state === 'too-small' ? 'tooSmall' : state,
  confirmations,
  needed: needed ?? undefined,
  at: seenAt,
})

const stateOf = (
  invoice: PayerInvoice,
  payments: readonly Received[],
  reader: CryptoReader,
  { now, networkFees }: Present,
  deps: CryptoViewDeps,
): PageState => {
  const { state, ticker, asked, paid, missing } = invoice
  if (state === 'created')
    return invoice.expiredAt <= now ? { at: 'expired', asked: priceOf(invoice) } : openState(invoice, networkFees, deps)
  if (state === 'expired' && paid.units === 0n)
    return { at: 'expired', asked: asked && ticker !== null ? { value: asked.text, ticker } : priceOf(invoice) }
  if (ticker === null || !asked || !missing) throw new Error(`invoice ${invoice.id} is ${state} without an amount`)
  const whole = { value: asked.text, ticker }
  if (state === 'paid') return paidState(invoice, whole, payments)
  const holdsClaim = reader.claim !== undefined
  const paysRest = holdsClaim && reader.paysRest && invoice.claimable && missing.units > 0n
  if (state === 'expired' && !paysRest) {
    if (!holdsClaim && isLate(invoice))
      return { at: 'late', asked: whole, paid: { value: paid.text, ticker }, payments }
    return underpaidState(invoice, whole, payments, holdsClaim, deps.catalogue)
  }
  if (missing.units === 0n || invoice.enough)
    return {
      at: 'confirming',
      asked: whole,
      base: baseOf(invoice),
      paid: seenText(invoice, deps.catalogue),
      short: missing.units === 0n ? undefined : missing.text,
      payments,
    }
  return payState(invoice, whole, payments, now, deps)
}

const baseOf = ({ price }: PayerInvoice): { value: string; ticker: string } | undefined => price?.base
const priceOf = (invoice: PayerInvoice): { value: string; ticker: string } | undefined => {
  const { asked, ticker } = invoice
  return asked && ticker !== null ? { value: asked.text, ticker } : baseOf(invoice)
}

const openState = (invoice: PayerInvoice, networkFees: NetworkFees, deps: CryptoViewDeps): OpenState => {
  const { options, choosesValue, email, clientExpiredAt, expiredAt } = invoice
  const priced = options.filter(({ unpriced }) => !unpriced)
  return {
    at: 'open',
    asked: priceOf(invoice),
    email: email === null ? 'ask' : 'known',
    amountEntry: choosesValue
      ? { ticker: undefined, least: priced.length === 1 ? priced[0]!.minimum : undefined, most: undefined }
      : undefined,
    options: priced.map((option) => optionOf(option, invoice, networkFees, deps)),
    ratesAway: priced.length === 0,
    until: Math.min(clientExpiredAt, expiredAt),
  }
}

const optionOf = (
  { ticker, name, blockchain, amount, minimum }: ShownOption,
  { price, choosesValue }: PayerInvoice,
  networkFees: NetworkFees,
  { catalogue, depositPolicy }: CryptoViewDeps,
): OpenState['options'][number] => ({
  ticker,
  assetName: name,
  blockchain,
  networkName: nameOn(catalogue, ticker, blockchain),
  about: price === null ? undefined : (amount ?? undefined),
  wait: usualWait(blockchain, depositPolicy),
  fee: feeOf(networkFees(ticker, blockchain)),
  least: choosesValue ? minimum : undefined,
  most: undefined,
})

const CENT_E18 = 10n ** 16n

/** A fee in whole cents, rounded up. */
const feeOf = (usdE18: bigint | undefined): PaymentOption['fee'] =>
  usdE18 === undefined ? undefined : { value: formatUnits(mulDiv(usdE18, 1n, CENT_E18, 'up'), 2), ticker: 'USD' }

/** Whether no payment that counts came in time. */
const isLate = ({ payments }: PayerInvoice): boolean =>
  payments.filter(({ counts, state }) => counts && state === 'credited').every(({ late }) => late)

/** The text of all seen payments, final or not. */
const seenText = ({ ticker, paid, waiting }: PayerInvoice, catalogue: Catalogue): string =>
  formatUnits(paid.units + waiting.units, catalogue.findCrypto(ticker ?? '')?.scale ?? 0)

const payState = (
  invoice: PayerInvoice,
  asked: PayState['asked'],
  payments: readonly Received[],
  now: number,
  deps: CryptoViewDeps,
): PayState => {
  const { state, missing, toSend, price, clientExpiredAt, expiredAt } = invoice
  const quote =
    price === null || price.rate === null || price.until === null
      ? undefined
      : { price: price.rate, until: price.until, over: price.stale }
  return {
    at: 'pay',
    to: destinationOf(invoice, deps),
    asked,
    base: baseOf(invoice),
    paid: seenText(invoice, deps.catalogue),
    missing: missing!.text,
    send: (toSend ?? missing!).text,
    payments,
    // Only the rate limits the time to pay the rest.
    until: state === 'expired' ? undefined : now < clientExpiredAt ? clientExpiredAt : expiredAt,
    quote,
    ratesAway: quote !== undefined && quote.over && now - quote.until > REQUOTED_WITHIN_MS,
  }
}

const destinationOf = (
  { id, ticker, blockchain, destination, toSend }: PayerInvoice,
  { catalogue, chainIds }: CryptoViewDeps,
): Destination => {
  if (ticker === null || blockchain === null || !destination) throw new Error(`invoice ${id} has nowhere to be paid to`)
  const { address, contract, chainUnits } = destination
  const isToken = contract !== null
  const chainId = chainIds.get(blockchain)
  const amount = toSend?.text
  const token = contract ?? undefined
  let request: PaymentRequest | undefined
  if (amount !== undefined && chainUnits !== null) {
    if (blockchain === 'BITCOIN') request = { blockchain, address, amount }
    else if (blockchain === 'TRON') request = { blockchain, address, amount, token }
    else if (isEvmNetwork(blockchain) && chainId !== undefined)
      request = { blockchain, chainId, address, units: chainUnits, token }
  }
  return {
    ticker,
    assetName: catalogue.findCrypto(ticker)?.name ?? ticker,
    blockchain,
    networkName: networkName(blockchain, isToken),
    address,
    uri: request && paymentUri(request),
    wallet: request && walletLink(request),
    isToken,
  }
}

const paidState = (
  { id, ticker, asked, paid, over, movedAt }: PayerInvoice,
  whole: PaidState['asked'],
  payments: readonly Received[],
): PaidState => ({
  at: 'paid',
  asked: whole,
  paid: { value: paid.text, ticker: ticker! },
  over: over.units > 0n ? over.text : undefined,
  givenBack: undefined,
  closed: paid.units < asked!.units,
  when: movedAt,
  card: undefined,
  payments,
  receipt: `/invoices/crypto/${id}/receipt.pdf`,
})

const underpaidState = (
  invoice: PayerInvoice,
  asked: UnderpaidState['asked'],
  payments: readonly Received[],
  holdsClaim: boolean,
  catalogue: Catalogue,
): UnderpaidState => {
  const { paid, missing, email } = invoice
  const claim = holdsClaim ? claimOf(invoice, catalogue) : email === null ? 'seller' : 'mailed'
  return { at: 'underpaid', asked, paid: paid.text, missing: missing!.text, payments, claim }
}

const REFUNDS = {
  requested: 'asked',
  approved: 'onItsWay',
  sent: 'sent',
  failed: 'failed',
  refused: 'refused',
} as const

/** A decided claim can't be changed by the payer, except that a refused claim may be made again. */
const claimOf = (
  { claimable, claim, ticker, blockchain, missing }: PayerInvoice,
  catalogue: Catalogue,
): Claim | 'seller' => {
  if (!claimable && claim === null) return 'seller'
  return {
    canPayRest: claimable && missing!.units > 0n,
    networkName: nameOn(catalogue, ticker!, blockchain!),
    refund:
      claim === null
        ? undefined
        : { address: claim.refundAddress, status: REFUNDS[claim.state], hash: claim.hash ?? undefined },
  }
}
