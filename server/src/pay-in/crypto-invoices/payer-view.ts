import type { Network } from '@bursar/chainkit'
import { familyOf } from '../../chain/addresses/index.ts'
import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { depositsAt, type DepositAt } from '../deposits/index.ts'
import { companyOf, settingsOf } from '../../merchants/accounts/index.ts'
import { formatUnits, rescale } from '../../platform/money/index.ts'
import { claimOf, type ClaimState } from './claims-store.ts'
import { isRegistered, type Invoice, type Payment, type Registered } from './invoice.ts'
import { isOpen, type InvoiceState } from './machine.ts'
import { centsText } from './notice.ts'
import { optionsOf, type Option } from './options.ts'
import { paymentsOf } from './payments.ts'
import { pricesNeeded } from './proceeding.ts'
import { pageUrl, type InvoiceSettings } from './settings.ts'
import { shortfallOf } from './shortfall.ts'
import { findById } from './store.ts'

/** An amount in ledger units and as text. */
interface Shown {
  units: bigint
  text: string
}

/** A way to pay that the payer may choose. */
export interface ShownOption {
  ticker: string
  name: string
  blockchain: Network
  /** the amount to pay; null if the payer chooses it, or if there is no price now */
  amount: string | null
  /** the smallest amount that is credited */
  minimum: string
  /** priced in fiat, without a fresh price: it can't be chosen now */
  unpriced: boolean
}

/** A payment that arrived at the invoice's address. */
export interface ShownPayment {
  depositId: string
  ticker: string
  blockchain: Network
  amount: string
  hash: string | null
  seenAt: number
  /**
   * - waiting: seen, with `confirmations` of `needed`; needed null: until its block is final
   * - checking: arrived, not credited before screening; refused: screened, and never credited
   * - credited; lost: it will not arrive
   * - too-small: below the minimum that the network credits
   */
  state: 'waiting' | 'checking' | 'credited' | 'refused' | 'lost' | 'too-small'
  confirmations: number
  needed: number | null
  /** it counts toward the invoice; false for another asset or network, and below the minimum */
  counts: boolean
  late: boolean
}

/** All data of an invoice page. Times are ms since the epoch, business clock. */
export interface PayerInvoice {
  id: string
  merchantId: string
  url: string
  company: { name: string; url: string }
  name: string
  description: string | null
  redirectUrl: string | null
  email: string | null
  language: Language | null
  state: InvoiceState
  createdAt: number
  /** the end that the page shows, and the actual end */
  clientExpiredAt: number
  expiredAt: number
  movedAt: number
  /** as fixed by the merchant, or chosen by the payer */
  ticker: string | null
  blockchain: Network | null
  /**
   * requested, credited, seen but not credited, still to be sent, and overpaid; null until asset and amount are known
   */
  asked: Shown | null
  paid: Shown
  waiting: Shown
  missing: Shown | null
  over: Shown
  /**
   * the amount to send now: the missing part, or the minimum that is credited if that is more; null if nothing is
   * missing
   */
  toSend: Shown | null
  /** the merchant accepts the amount that has been seen, although some is missing */
  enough: boolean
  price: {
    base: { value: string; ticker: string }
    /** price of one whole unit in the base currency; null until the payer has continued */
    rate: string | null
    until: number | null
    /** the quote has expired and there is no fresh price yet: the payer should send nothing */
    stale: boolean
    paid: string
  } | null
  /** for a payment URI; null until an address is allocated */
  destination: {
    address: string
    contract: string | null
    decimals: number
    /** `toSend` in the network's smallest units */
    chainUnits: bigint | null
  } | null
  payments: ShownPayment[]
  options: ShownOption[]
  /** the payer enters an amount */
  choosesValue: boolean
  /** the signed link may request a refund or pay the rest */
  claimable: boolean
  claim: {
    state: ClaimState
    refundAddress: string
    amount: string | null
    note: string | null
    withdrawalId: string | null
    hash: string | null
  } | null
}

/** Returns the data of an invoice page at one moment; undefined if there is no such invoice. @param at business time */
export const findForPayer = (
  db: Db,
  id: string,
  settings: InvoiceSettings,
  at: Date,
): Promise<PayerInvoice | undefined> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const invoice = await findById(tx, id)
      return invoice && viewOf(tx, invoice, settings, at)
    })

const viewOf = async (tx: Tx, invoice: Invoice, settings: InvoiceSettings, at: Date): Promise<PayerInvoice> => {
  const { merchantId, id, name, description, redirectUrl, email, language, state, ticker, blockchain, movedAt } =
    invoice
  const asset = ticker === null ? undefined : settings.catalogue.findCrypto(ticker)
  const on = asset && blockchain ? asset.networks.get(blockchain) : undefined
  const amounts = amountsOf(invoice, asset, on)
  const registered = isRegistered(invoice) ? invoice : undefined
  const counted = registered ? await paymentsOf(tx, merchantId, id) : []
  const claim = state === 'expired' ? await claimOf(tx, merchantId, id) : undefined
  const shown = (units: bigint): string => formatUnits(units, asset?.scale ?? 0)
  return {
    id,
    merchantId,
    url: pageUrl(settings, id),
    company: await companyOf(tx, merchantId),
    name,
    description,
    redirectUrl,
    email,
    language,
    state,
    ticker,
    blockchain,
    createdAt: invoice.createdAt.getTime(),
    clientExpiredAt: invoice.clientExpiresAt.getTime(),
    expiredAt: invoice.expiresAt.getTime(),
    movedAt: movedAt.getTime(),
    ...amounts,
    enough: registered && asset ? await isEnough(tx, registered, counted, asset, settings) : false,
    price: priceOf(invoice, at),
    destination: registered && asset && on ? destinationOf(registered, asset, on, amounts.toSend) : null,
    payments: registered ? await paymentsShown(tx, registered, counted, settings) : [],
    ...(await choicesOf(tx, invoice, settings)),
    claimable:
      state === 'expired' &&
      invoice.paid > 0n &&
      !invoice.refunded &&
      (claim === undefined || claim.state === 'refused'),
    claim:
      claim === undefined
        ? null
        : {
            state: claim.state,
            refundAddress: claim.refundAddress,
            note: claim.note,
            withdrawalId: claim.withdrawalId,
            hash: claim.hash,
            amount: claim.units === null ? null : shown(claim.units),
          },
  }
}

type Amounts = Pick<PayerInvoice, 'asked' | 'paid' | 'waiting' | 'missing' | 'over' | 'toSend'>

const amountsOf = (
  { units, paid, waiting, state }: Invoice,
  asset: CryptoAsset | undefined,
  on: AssetOnNetwork | undefined,
): Amounts => {
  const shown = (amount: bigint): Shown => ({ units: amount, text: formatUnits(amount, asset?.scale ?? 0) })
  if (units === null || !asset)
    return { asked: null, paid: shown(0n), waiting: shown(0n), missing: null, over: shown(0n), toSend: null }
  const seen = paid + waiting
  const missing = seen < units ? units - seen : 0n
  const isOver = missing === 0n || state === 'paid' || !on
  return {
    asked: shown(units),
    paid: shown(paid),
    waiting: shown(waiting),
    missing: shown(missing),
    over: shown(seen > units ? seen - units : 0n),
    toSend: isOver ? null : shown(missing > on.minDeposit ? missing : on.minDeposit),
  }
}

const priceOf = ({ base, quote, paidBaseE18, state }: Invoice, at: Date): PayerInvoice['price'] =>
  base === null
    ? null
    : {
        base: { value: formatUnits(base.e18, 18), ticker: base.ticker },
        rate: quote && formatUnits(quote.priceE18, 18),
        until: quote && quote.until.getTime(),
        stale: quote !== null && state !== 'paid' && quote.until <= at,
        paid: centsText(paidBaseE18),
      }

const destinationOf = (
  { address }: Registered,
  asset: CryptoAsset,
  on: AssetOnNetwork,
  toSend: Shown | null,
): NonNullable<PayerInvoice['destination']> => ({
  address,
  contract: on.contract,
  decimals: on.decimals,
  chainUnits: toSend && rescale(toSend.units, asset.scale, on.decimals),
})

const choicesOf = async (
  tx: Tx,
  invoice: Invoice,
  settings: InvoiceSettings,
): Promise<Pick<PayerInvoice, 'options' | 'choosesValue'>> => {
  if (invoice.state !== 'created') return { options: [], choosesValue: false }
  const options = optionsOf(invoice, settings, await settings.prices(tx, pricesNeeded(invoice, settings)))
  const { assetOrder } = await settingsOf(tx, invoice.merchantId)
  return {
    options: inOrder(options, assetOrder).map(({ asset, on, units, unpriced }) => ({
      ticker: asset.ticker,
      name: asset.name,
      blockchain: on.network,
      amount: units === null ? null : formatUnits(units, asset.scale),
      minimum: formatUnits(on.minDeposit, asset.scale),
      unpriced,
    })),
    choosesValue: invoice.units === null && invoice.base === null,
  }
}

/**
 * Whether the merchant accepts the payments that were seen, although some is missing, once they are credited. The rest
 * is then not requested.
 */
const isEnough = async (
  tx: Tx,
  invoice: Registered,
  payments: readonly Payment[],
  asset: CryptoAsset,
  settings: InvoiceSettings,
): Promise<boolean> =>
  invoice.state === 'pending' &&
  payments.every(({ state, unvalued }) => state === 'lost' || !unvalued) &&
  (await shortfallOf(tx, invoice, invoice.paid + invoice.waiting, asset.scale, settings)) === 'accepted'

/** Sorts options by their asset's place in the merchant's order; the others follow as they are. */
const inOrder = (options: readonly Option[], order: readonly string[]): Option[] => {
  const placeOf = ({ asset: { ticker } }: Option): number =>
    order.includes(ticker) ? order.indexOf(ticker) : order.length
  return options.toSorted((a, b) => placeOf(a) - placeOf(b))
}

const paymentsShown = async (
  tx: Tx,
  invoice: Registered,
  counted: readonly Payment[],
  { catalogue }: InvoiceSettings,
): Promise<ShownPayment[]> => {
  const payments = new Map(counted.map((payment) => [payment.depositId, payment]))
  const deposits = await depositsAt(tx, invoice.merchantId, familyOf(invoice.blockchain), invoice.address)
  return deposits.map((deposit): ShownPayment => {
    const { blockHeight, headHeight, creditHeight } = deposit
    const payment = payments.get(deposit.id)
    return {
      depositId: deposit.id,
      ticker: deposit.asset,
      blockchain: deposit.network,
      amount: formatUnits(deposit.units, catalogue.findCrypto(deposit.asset)?.scale ?? 0),
      hash: deposit.hash,
      seenAt: deposit.createdAt.getTime(),
      state: stateOf(deposit, payment),
      confirmations: blockHeight === null || headHeight === null ? 0 : Math.max(0, headHeight - blockHeight + 1),
      needed: creditHeight === null || blockHeight === null ? null : creditHeight - blockHeight + 1,
      counts: payment !== undefined,
      late: payment?.late ?? !isOpen(invoice.state),
    }
  })
}

const stateOf = ({ state, failReason }: DepositAt, payment: Payment | undefined): ShownPayment['state'] => {
  if (failReason === 'LESS_THEN_MIN_AMOUNT') return 'too-small'
  if (state === 'held') return 'checking'
  if (state === 'rejected') return 'refused'
  if (payment !== undefined) return payment.state
  if (state === 'credited') return 'credited'
  return state === 'pending' || state === 'orphaned' ? 'waiting' : 'lost'
}
