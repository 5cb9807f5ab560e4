import { findDepositAt, largestDepositsAt, type DepositAt } from '../../pay-in/deposits/index.ts'
import { familyOf } from '../../chain/addresses/index.ts'
import { newestPaymentsOf, refundsOf, type Payment as CardPayment, type Refund } from '../../cards/acquiring/index.ts'
import { conversionsOf, type ListedConversion } from '../../exchange/conversions/index.ts'
import { exchangesSentOn } from '../../exchange/exchange-withdrawals/index.ts'
import { exchangesCausedBy } from '../../exchange/exchanges/index.ts'
import { entriesCausedBy, type CausedEntry } from '../../ledger/postings/index.ts'
import { deliveriesOf, type EventDelivery } from '../../merchants/webhooks/index.ts'
import {
  claimOf,
  invoicesAt,
  listInvoices,
  pageUrl as invoiceUrl,
  type ClaimLine,
  type Invoice,
} from '../../pay-in/crypto-invoices/index.ts'
import { listFiatInvoices, pageUrl as cardUrl, type FiatInvoice } from '../../pay-in/fiat-invoices/index.ts'
import { firstPage } from '../../platform/lists/page.ts'
import { depositScreenings, type ScreenedDeposit } from '../../risk/screening/index.ts'
import type { PaymentPagesDeps } from './deps.ts'
import { ofCardInvoice, ofDeposit, ofInvoice, type Kind, type Payment } from './payment.ts'

/** A payment with all that is known of it. Lists are ordered by time. */
export interface Detail {
  payment: Payment
  invoice: Invoice | null
  cardInvoice: FiatInvoice | null
  /** that a deposit pays */
  paidInvoiceId: string | null
  /** the page of its payer */
  pageUrl: string | null
  /** to the address of an invoice, or the deposit itself: the credited and the largest, at most MOST_DEPOSITS */
  deposits: readonly DepositAt[]
  isCut: boolean
  /** the paid and the newest attempts, at most MOST_ATTEMPTS */
  cardPayments: readonly CardPayment[]
  /** the newest claim of the payer of an expired crypto invoice */
  claim: ClaimLine | null
  /** of the card payments */
  refunds: readonly Refund[]
  screenings: readonly ScreenedDeposit[]
  conversions: readonly ListedConversion[]
  /** of the payment, its refunds, and the exchanges of its conversions */
  entries: readonly CausedEntry[]
  deliveries: readonly EventDelivery[]
}

/** Anyone can send dust to an address, as often as they like. */
const MOST_DEPOSITS = 25
/** A payer may try a card as often as they like. */
const MOST_ATTEMPTS = 25
const ANY_UNITS = { unitsFrom: null, unitsTo: null }
const ACCOUNTS = ['merchant', 'fees', 'quarantine', 'receivable'] as const

type Found = Pick<
  Detail,
  'payment' | 'invoice' | 'cardInvoice' | 'paidInvoiceId' | 'pageUrl' | 'deposits' | 'isCut' | 'cardPayments'
>

/** Reads a payment of a merchant; undefined if the merchant has none of this kind and id. @param id a UUID */
export const readDetail = async (
  deps: PaymentPagesDeps,
  merchantId: string,
  kind: Kind,
  id: string,
): Promise<Detail | undefined> => {
  const found = await READERS[kind](deps, merchantId, id)
  if (found === undefined) return undefined
  const { db } = deps
  const depositIds = found.deposits.map((deposit) => deposit.id)
  const cardIds = found.cardPayments.map((payment) => payment.id)
  const moneyIds = [...depositIds, ...cardIds]
  const objectIds = [...new Set([id, ...depositIds])]
  const refunds = cardIds.length === 0 ? [] : await refundsOf(db, merchantId, cardIds)
  const conversions = moneyIds.length === 0 ? [] : await conversionsOf(db, merchantId, moneyIds)
  const causes = [id, ...moneyIds, ...refunds.map((refund) => refund.id)]
  if (conversions.length > 0)
    causes.push(
      ...(await exchangesCausedBy(db, merchantId, objectIds)),
      ...(await exchangesSentOn(db, merchantId, objectIds)),
    )
  const claim = found.invoice?.state === 'expired' ? await claimOf(db, merchantId, id) : undefined
  return {
    ...found,
    claim: claim ?? null,
    refunds,
    screenings: depositIds.length === 0 ? [] : await depositScreenings(db, merchantId, depositIds),
    conversions,
    entries: await entriesCausedBy(db, merchantId, [...new Set(causes)], ACCOUNTS),
    deliveries: await deliveriesOf(db, merchantId, objectIds, found.payment.createdAt),
  }
}

const inOrder = <Row extends { createdAt: Date }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())

type Reader = (deps: PaymentPagesDeps, merchantId: string, id: string) => Promise<Found | undefined>

const NOTHING = {
  invoice: null,
  cardInvoice: null,
  paidInvoiceId: null,
  pageUrl: null,
  deposits: [],
  isCut: false,
  cardPayments: [],
} as const

const readInvoice: Reader = async (deps, merchantId, id) => {
  const filter = {
    ids: [id],
    states: null,
    ticker: null,
    blockchain: null,
    meta: null,
    email: null,
    address: null,
    linkId: null,
  }
  const { rows } = await listInvoices(deps.db, merchantId, { ...filter, ...ANY_UNITS }, firstPage(1))
  const [invoice] = rows
  if (!invoice) return undefined
  const { address, blockchain } = invoice
  const deposits =
    address === null || blockchain === null
      ? []
      : await largestDepositsAt(deps.db, merchantId, familyOf(blockchain), address, MOST_DEPOSITS + 1)
  return {
    ...NOTHING,
    payment: ofInvoice(invoice, deps.catalogue),
    invoice,
    pageUrl: invoiceUrl(deps, id),
    deposits: inOrder(deposits.slice(0, MOST_DEPOSITS)),
    isCut: deposits.length > MOST_DEPOSITS,
  }
}

const readCardInvoice: Reader = async (deps, merchantId, id) => {
  const filter = { ids: [id], states: null, ticker: null, meta: null, email: null, linkId: null }
  const { rows } = await listFiatInvoices(deps.db, merchantId, { ...filter, ...ANY_UNITS }, firstPage(1))
  const [cardInvoice] = rows
  if (!cardInvoice) return undefined
  const attempts = await newestPaymentsOf(deps.db, merchantId, id, MOST_ATTEMPTS + 1)
  return {
    ...NOTHING,
    payment: ofCardInvoice(cardInvoice, deps.catalogue),
    cardInvoice,
    pageUrl: cardUrl(deps, id),
    cardPayments: inOrder(attempts.slice(0, MOST_ATTEMPTS)),
    isCut: attempts.length > MOST_ATTEMPTS,
  }
}

const readDeposit: Reader = async (deps, merchantId, id) => {
  const deposit = await findDepositAt(deps.db, merchantId, id)
  if (!deposit) return undefined
  const invoices = await invoicesAt(deps.db, merchantId, [deposit.addressId])
  return {
    ...NOTHING,
    payment: ofDeposit(deposit, deposit.hash, deps.catalogue),
    paidInvoiceId: invoices.get(deposit.addressId) ?? null,
    deposits: [deposit],
  }
}

const READERS: Readonly<Record<Kind, Reader>> = { crypto: readInvoice, card: readCardInvoice, deposit: readDeposit }
