import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Became, Deposit, DepositChange, DepositReaction } from '../deposits/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import { isRegistered, type Payment, type PaymentState, type Registered } from './invoice.ts'
import { isOpen } from './machine.ts'
import { paymentsOf, storePayments } from './payments.ts'
import { priceAt, priceIn } from './quoting.ts'
import type { InvoiceSettings } from './settings.ts'
import { settle } from './settling.ts'
import { announce, lockAtAddresses } from './store.ts'

/**
 * Applies changes of deposits at invoice addresses to the invoices. While an invoice is open, it alone notifies of its
 * payments. A payment that comes later, in another asset or on another network is an ordinary deposit and notified as
 * one.
 */
export const applyDepositChanges = async (
  tx: Tx,
  changes: readonly DepositChange[],
  settings: InvoiceSettings,
  moment: Moment,
): Promise<DepositReaction> => {
  const invoices = (
    await lockAtAddresses(
      tx,
      changes.map(({ deposit }) => deposit),
    )
  ).filter(isRegistered)
  const all: Effects[] = []
  const [unnotified, afterAll] = [new Set<string>(), new Set<string>()]
  for (const invoice of invoices) {
    const atIt = changes.filter(
      ({ deposit: { merchantId, addressId } }) => merchantId === invoice.merchantId && addressId === invoice.addressId,
    )
    const counted = atIt.filter(({ deposit }) => counts(deposit, invoice))
    if (counted.length === 0) {
      await announce(tx, [invoice.id])
      continue
    }
    const prices =
      invoice.base === null
        ? new Map<string, bigint>()
        : await settings.prices(tx, [invoice.ticker, invoice.base.ticker])
    const known = new Map(
      (await paymentsOf(tx, invoice.merchantId, invoice.id)).map((payment) => [payment.depositId, payment]),
    )
    const changed = new Map<string, Payment>()
    for (const one of counted) {
      const { id } = one.deposit
      const before = known.get(id) ?? newPayment(one, invoice, prices, settings)
      const notifier = notifierOf(one.became, before, isOpen(invoice.state))
      if (notifier === 'by-the-invoice') unnotified.add(id)
      if (notifier === 'after-all') afterAll.add(id)
      const state = STATE[one.became] ?? before.state
      const payment = {
        ...asMined(before, one, invoice, prices),
        state,
        notified: before.notified || notifier === 'after-all',
      }
      known.set(id, payment)
      changed.set(id, payment)
    }
    await storePayments(tx, [...changed.values()])
    all.push(await settle(tx, invoice, [...known.values()], settings, moment))
  }
  return { effects: joinEffects(all), unnotified, afterAll }
}

/** Whether a deposit is in the invoice's asset, on its network, and large enough to be credited. */
const counts = ({ asset, network, failReason }: Deposit, { ticker, blockchain }: Registered): boolean =>
  asset === ticker && network === blockchain && failReason !== 'LESS_THEN_MIN_AMOUNT'

/**
 * Being mined changes no state: a deposit that is mined again after its merchant was notified of Failed has no owner
 * yet.
 */
const STATE: { readonly [What in Became]: PaymentState | undefined } = {
  mined: undefined,
  sighted: 'waiting',
  held: 'waiting',
  credited: 'credited',
  rejected: 'lost',
  suspended: 'lost',
  orphaned: 'waiting',
  failed: 'lost',
}

const newPayment = (
  { deposit, at }: DepositChange,
  invoice: Registered,
  prices: ReadonlyMap<string, bigint>,
  { minedWithinMs }: InvoiceSettings,
): Payment => {
  const late = !isOpen(invoice.state) || at >= invoice.expiresAt
  const { merchantId, id: invoiceId } = invoice
  const { id: depositId, units, fee } = deposit
  const minedAt = deposit.internal || deposit.blockHeight !== null ? at : null
  return {
    merchantId,
    depositId,
    invoiceId,
    units,
    fee,
    state: 'waiting',
    late,
    notified: late,
    ...valueOf(invoice, at, prices),
    arrivedAt: at,
    minedAt,
    minedBy: minedByOf(invoice, at, minedWithinMs),
  }
}

/** The payment must be mined within this time after the end of the quote, or after it was seen if that was later. */
const minedByOf = ({ quote }: Registered, at: Date, minedWithinMs: number): Date | null =>
  quote === null ? null : new Date(Math.max(quote.until.getTime(), at.getTime()) + minedWithinMs)

/**
 * Stores the block of a payment, or that it is in none any more. A payer may replace a payment that is in no block. If
 * its price were valid without end, that would be a free option on the price; so a payment that is mined too late
 * counts at the price of that time.
 */
const asMined = (
  payment: Payment,
  { became, at }: DepositChange,
  { ticker, base }: Registered,
  prices: ReadonlyMap<string, bigint>,
): Payment => {
  if (became === 'orphaned') return { ...payment, minedAt: null }
  if (payment.minedAt !== null || became === 'sighted' || became === 'failed') return payment
  const mined = { ...payment, minedAt: at }
  if (became !== 'mined' || base === null || payment.minedBy === null || at <= payment.minedBy) return mined
  const priceE18 = priceIn(ticker, base.ticker, prices) ?? null
  return { ...mined, priceE18, unvalued: priceE18 === null }
}

/**
 * Returns the price of a payment: that of the quote while it is valid, otherwise the current price. `unvalued` is true
 * if there is none yet. An invoice that is priced in its own asset needs no price.
 */
export const valueOf = (
  { ticker, base, quote }: Registered,
  at: Date,
  prices: ReadonlyMap<string, bigint>,
): Pick<Payment, 'priceE18' | 'unvalued'> => {
  if (base === null || quote === null) return { priceE18: null, unvalued: false }
  const priceE18 = priceAt(quote, at) ?? priceIn(ticker, base.ticker, prices) ?? null
  return { priceE18, unvalued: priceE18 === null }
}

/**
 * Determines which object notifies the merchant of a change. Money that no end of the invoice has counted yet is
 * notified by the invoice while that is open, and by the deposit if it is credited later. Money that the merchant knows
 * of is notified by the deposit, and so is its loss.
 */
const notifierOf = (
  became: Became,
  { notified }: Payment,
  open: boolean,
): 'as-any-deposit' | 'by-the-invoice' | 'after-all' => {
  if (notified) return 'as-any-deposit'
  if (became !== 'credited') return 'by-the-invoice'
  return open ? 'by-the-invoice' : 'after-all'
}
