import { readFileSync } from 'node:fs'
import {
  acceptPayment,
  bankItem,
  findPayment,
  fundAcquirerItem,
  heldBy,
  heldOf,
  readStatementFile,
  reconcileAcquirer,
  reconcileLines,
  requestRefund,
  requireNotShown,
  resolveDispute,
  resolveRefund,
  statedTotals,
  type Payment,
  type PaymentSubscriber,
  type StatementFinding,
} from '../../cards/acquiring/index.ts'
import { payoutBooks } from '../../cards/card-payouts/index.ts'
import type { Catalogue, FiatAsset } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { joinAcquirers, paymentSubscriber, type Acquirers } from '../composition/fiat.ts'
import { findPaymentsFor } from '../../pay-in/fiat-invoices/index.ts'
import { applyAll } from '../../ledger/postings/index.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { actor } from './recording.ts'
import { command, flag, text, UsageError, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import type { Fields, Output } from './output.ts'

const catalogueOf = ({ config }: Opened): Catalogue => required(config.assets, 'BURSAR_ASSETS_FILE')
const acquirersOf = ({ config }: Opened): Acquirers =>
  joinAcquirers(required(config.acquirers, 'BURSAR_ACQUIRERS_FILE'))

const subscriberOf = (opened: Opened): PaymentSubscriber =>
  paymentSubscriber({
    runtime: opened.runtime,
    catalogue: catalogueOf(opened),
    publicUrl: opened.config.publicUrl,
    acquirers: acquirersOf(opened),
  })

const fiatOf = (opened: Opened, ticker: string): FiatAsset => {
  const asset = catalogueOf(opened).findFiat(ticker)
  if (!asset)
    throw new UsageError(
      `TICKER is one of ${catalogueOf(opened)
        .fiat.map((one) => one.ticker)
        .join(', ')}`,
    )
  return asset
}

/** Reads an amount as typed; negative with a leading minus. */
const unitsOf = (text: string, { scale, ticker }: FiatAsset): bigint => {
  const parsed = parseUnits(text.replace(/^-/, ''), scale)
  if (!parsed.ok) throw new UsageError(`${JSON.stringify(text)} is no amount of ${ticker}: write one such as 100.50`)
  return text.startsWith('-') ? -parsed.units : parsed.units
}

/** Makes a command that posts money of the platform. */
const moneyCommand = (name: string, summary: string, itemOf: typeof fundAcquirerItem): Command =>
  command({
    name,
    summary,
    args: ['ACQUIRER', 'TICKER', 'AMOUNT'],
    run: async ({ args: { ACQUIRER: account, TICKER: ticker, AMOUNT: amount } }, env, out) =>
      withInstallation(env, async (opened) => {
        const asset = fiatOf(opened, ticker)
        if (!acquirersOf(opened).byName.has(account))
          throw new UsageError(`${account} is not an account of BURSAR_ACQUIRERS_FILE`)
        const units = unitsOf(amount, asset)
        if (units === 0n) throw new UsageError('AMOUNT must not be zero')
        const { runtime } = opened
        await inTransaction(runtime.db, (tx) =>
          applyAll(tx, [itemOf({ acquirer: account, ticker: asset.ticker, units }, momentOf(runtime))]),
        )
        out.say(
          `posted; by the books ${account} holds ${formatUnits(await heldBy(runtime.db, account, asset.ticker), asset.scale)} ${asset.ticker}`,
        )
      }),
  })

/** Fields of a payment without its page, which is only for the payer. */
const shownPayment = (opened: Opened, payment: Payment): Fields => {
  const amountOf = (units: bigint | null, ticker: string): string | null =>
    units === null ? null : formatUnits(units, fiatOf(opened, ticker).scale)
  const { page: _, units, paidUnits, costUnits, fee, refundedUnits, disputeUnits, ...shown } = payment
  const paidIn = payment.paidTicker ?? payment.ticker
  return {
    ...shown,
    amount: amountOf(units, payment.ticker),
    paid: amountOf(paidUnits, paidIn),
    cost: amountOf(costUnits, paidIn),
    fee: amountOf(fee, paidIn),
    refunded: amountOf(refundedUnits, paidIn),
    disputed: amountOf(disputeUnits, paidIn),
  }
}

export const acquirerCommands: readonly Command[] = [
  command({
    name: 'payment show',
    summary: 'show a card payment, or all card payments of an invoice, with states and amounts',
    args: ['PAYMENT_OR_INVOICE_ID'],
    run: async ({ args }, env, out) =>
      withInstallation(env, async (opened) => {
        const { db } = opened.runtime
        const given = args.PAYMENT_OR_INVOICE_ID
        const one = await findPayment(db, given)
        if (one) return out.show(shownPayment(opened, one))
        const all = await findPaymentsFor(db, given)
        if (!all) throw new Error('there is no such payment or invoice')
        if (all.length === 0) out.say('no payment by card was tried for this invoice')
        out.show({ payments: all.map((payment) => shownPayment(opened, payment)) })
      }),
  }),
  command({
    name: 'payment refund',
    summary: 'refund a card payment, in whole or in part',
    args: ['PAYMENT_ID', 'REASON...'],
    options: { amount: text('AMOUNT', 'the amount to refund; the whole amount when left out') },
    irreversible: 'The acquirer is asked to refund the money to the card.',
    run: async ({ args, options }, env, out) => {
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        const payment = await findPayment(runtime.db, args.PAYMENT_ID)
        if (!payment) throw new Error('there is no such payment')
        const asset = fiatOf(opened, payment.paidTicker ?? payment.ticker)
        const units = options.amount === undefined ? undefined : unitsOf(options.amount, asset)
        const wanted = { paymentId: payment.id, units, reason: args.REASON, actor: actor() }
        const refund = await inTransaction(runtime.db, (tx) =>
          requestRefund(tx, wanted, acquirersOf(opened).table, momentOf(runtime)),
        )
        out.show({ refundId: refund.id }, [])
        out.say(
          `refund ${refund.id} of ${formatUnits(refund.units, asset.scale)} ${refund.ticker} is requested; the money is held until ${refund.acquirer} has answered`,
        )
      })
    },
  }),
  command({
    name: 'payment resolve-refund',
    summary: 'resolve a refund whose outcome the acquirer does not report; confirm it with the acquirer first',
    args: ['REFUND_ID', 'REASON...'],
    options: {
      done: flag('the payer has the money'),
      refused: flag('the payer will not get the money: it returns to the account from which it was held'),
    },
    irreversible:
      'The refund ends as you say. If the payer already has the money and you choose --refused, the same money can be refunded twice.',
    more: `With --refused the acquirer is queried once more: a refund that it shows or confirms can't be refused. For two weeks afterwards the worker queries the refunded amount of the payment. Your login is recorded with the refund and in "bursar actions".`,
    run: async ({ args, options }, env, out) => {
      if (options.done === options.refused) throw new UsageError('give one of --done and --refused')
      const id = args.REFUND_ID
      const resolution = { id, how: options.done ? 'done' : 'refused', by: `${actor()}: ${args.REASON}` } as const
      await withInstallation(env, async (opened) => {
        if (options.refused)
          await requireNotShown({ runtime: opened.runtime, acquirers: acquirersOf(opened).byName }, id)
        await inTransaction(opened.runtime.db, async (tx) => {
          const moment = momentOf(opened.runtime)
          await carryOut(tx, await resolveRefund(tx, resolution, subscriberOf(opened), moment), moment)
        })
        out.say(options.done ? 'posted as refunded' : 'refused; the money is back on its account')
      })
    },
  }),
  command({
    name: 'payment went-back',
    summary: 'record the amount of a refund that the acquirer reports without an amount; 0 if nothing was refunded',
    args: ['PAYMENT_ID', 'AMOUNT', 'REASON...'],
    irreversible: 'The amount is taken from the balance of the merchant; a missing part becomes a debt.',
    run: async ({ args }, env, out) => {
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        const payment = await findPayment(runtime.db, args.PAYMENT_ID)
        if (!payment) throw new Error('there is no such payment')
        const units = unitsOf(args.AMOUNT, fiatOf(opened, payment.paidTicker ?? payment.ticker))
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          await carryOut(tx, await resolveDispute(tx, payment.id, units, `${actor()}: ${args.REASON}`, moment), moment)
        })
        out.say(units === 0n ? 'the held money is available again' : 'posted as refunded')
      })
    },
  }),
  command({
    name: 'payment accept',
    summary: 'credit a payment in suspense to its merchant, less the fee',
    args: ['PAYMENT_ID'],
    irreversible: 'The money in suspense is credited to the merchant.',
    run: async ({ args }, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          await carryOut(tx, await acceptPayment(tx, args.PAYMENT_ID, subscriberOf(opened), moment), moment)
        })
        out.say('credited to the merchant')
      }),
  }),
  command({
    name: 'merchant held',
    summary:
      'list the amounts of card payments that are not available to a merchant yet, and when each becomes available',
    args: ['MERCHANT_ID'],
    run: async ({ args }, env, out) =>
      withInstallation(env, async (opened) => {
        const holds = await heldOf(opened.runtime.db, args.MERCHANT_ID)
        const rows = holds.map(({ paymentId, ticker, units, kind, releaseAt }) => ({
          paymentId,
          heldFor: kind,
          amount: formatUnits(units, fiatOf(opened, ticker).scale),
          ticker,
          releaseAt,
        }))
        out.list('held', rows, { heads: { paymentId: 'payment', releaseAt: 'until' }, none: 'nothing is held' })
      }),
  }),
  moneyCommand(
    'acquirer fund',
    "post the operator's money that was paid into an account with an acquirer; a negative amount was taken out of it",
    fundAcquirerItem,
  ),
  moneyCommand(
    'acquirer banked',
    'post a settlement that has reached the bank; a negative amount was paid by the bank to the acquirer',
    bankItem,
  ),
]

/** Implements `bursar reconcile --acquirer`. @returns the number of differences */
export const reconcileWithAcquirer = async (
  opened: Opened,
  {
    acquirer: name,
    statement,
    days,
    balances,
  }: { acquirer: string; statement: string | undefined; days: string; balances: readonly string[] },
  out: Output,
): Promise<number> => {
  const { runtime } = opened
  const acquirer = acquirersOf(opened).byName.get(name)
  if (!acquirer) throw new UsageError(`${name} is not an account of BURSAR_ACQUIRERS_FILE`)
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days is a whole number')
  const lookedBackMs = Number(days) * 86_400_000
  const findings =
    statement === undefined ? await fromPort(opened, name, lookedBackMs) : await fromFile(opened, name, statement)
  const show = (units: bigint | null, ticker: string): string | null =>
    units === null ? null : formatUnits(units, fiatOf(opened, ticker).scale)
  if (findings.length > 0) {
    const differences = findings.map(({ kind, what, reference, ticker, booked, stated }) => ({
      found: kind,
      what,
      reference,
      ticker,
      booked: show(booked, ticker),
      statement: show(stated, ticker),
    }))
    out.list('differences', differences)
    out.gap()
  }
  const stated = await statedTotals(runtime.db, name)
  const rows: Fields[] = []
  for (const { ticker } of catalogueOf(opened).fiat) {
    const held = await heldBy(runtime.db, name, ticker)
    const total = stated.get(ticker)
    if (held === 0n && total === undefined) continue
    rows.push({
      ticker,
      booksHold: show(held, ticker),
      allLinesRead: show(total ?? null, ticker),
      difference: show(total === undefined ? null : held - total, ticker),
    })
  }
  out.list('totals', rows, { none: 'the books hold nothing there, and no line of a statement was read' })
  let off = findings.length
  for (const text of balances) {
    const [ticker = '', amount = ''] = text.split('=')
    const asset = fiatOf(opened, ticker)
    const [said, held] = [unitsOf(amount, asset), await heldBy(runtime.db, name, ticker)]
    out.add(
      'balances',
      { ticker, books: show(held, ticker), acquirer: show(said, ticker), difference: show(said - held, ticker) },
      `${ticker}: books ${show(held, ticker)}, acquirer ${show(said, ticker)}: ${said === held ? 'equal' : `DIFFERENCE ${show(said - held, ticker)}`}`,
    )
    if (said !== held) off += 1
  }
  return off
}

const fromPort = async (opened: Opened, name: string, lookedBackMs: number): Promise<StatementFinding[]> => {
  const acquirer = acquirersOf(opened).byName.get(name)!
  if (!acquirer.statement || !acquirer.capabilities.statement)
    throw new UsageError(`${name} has no statements in its API: give a file with --statement`)
  return reconcileAcquirer(
    { runtime: opened.runtime, payouts: payoutBooks, pause: async () => {} },
    acquirer,
    lookedBackMs,
  )
}

/** Reads a statement file. Every posting between its first and its last line must be on it. */
const fromFile = async ({ runtime }: Opened, name: string, file: string): Promise<StatementFinding[]> => {
  const lines = readStatementFile(readFileSync(file, 'utf8'))
  const times = lines.map(({ at }) => at)
  const booked = times.length === 0 ? { from: 0, to: 0 } : { from: Math.min(...times), to: Math.max(...times) }
  return reconcileLines({ runtime, payouts: payoutBooks }, name, lines, booked)
}
