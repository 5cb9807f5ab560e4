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
import { isUuid } from '../../platform/base/id.ts'
import { payoutBooks } from '../../cards/card-payouts/index.ts'
import type { Catalogue, FiatAsset } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { joinAcquirers, paymentSubscriber, type Acquirers } from '../composition/fiat.ts'
import { findPaymentsFor } from '../../pay-in/fiat-invoices/index.ts'
import { applyAll } from '../../ledger/postings/index.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { actor } from './actor.ts'
import { command, flag, print, text, UsageError, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import { printTable } from './table.ts'

const catalogueOf = ({ config }: Opened): Catalogue => required(config.assets, 'BURSAR_ASSETS_FILE')
const acquirersOf = ({ config }: Opened): Acquirers =>
  joinAcquirers(required(config.acquirers, 'BURSAR_ACQUIRERS_FILE'))

const listenerOf = (opened: Opened): PaymentSubscriber =>
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

/** An amount as typed; below zero with a minus before it. */
const unitsOf = (text: string, { scale, ticker }: FiatAsset): bigint => {
  const parsed = parseUnits(text.replace(/^-/, ''), scale)
  if (!parsed.ok) throw new UsageError(`${JSON.stringify(text)} is no amount of ${ticker}: write one such as 100.50`)
  return text.startsWith('-') ? -parsed.units : parsed.units
}

/** What two commands that book money of the platform have in common. */
const moneyCommand = (name: string, summary: string, itemOf: typeof fundAcquirerItem): Command =>
  command({
    name,
    summary,
    args: ['ACQUIRER', 'TICKER', 'AMOUNT'],
    run: async ({ args: { ACQUIRER: account, TICKER: ticker, AMOUNT: amount } }, env) =>
      withInstallation(env, async (opened) => {
        const asset = fiatOf(opened, ticker)
        if (!acquirersOf(opened).byName.has(account))
          throw new UsageError(`${account} is no account of BURSAR_ACQUIRERS_FILE`)
        const units = unitsOf(amount, asset)
        if (units === 0n) throw new UsageError('AMOUNT must not be zero')
        const { runtime } = opened
        await inTransaction(runtime.db, (tx) =>
          applyAll(tx, [itemOf({ acquirer: account, ticker: asset.ticker, units }, momentOf(runtime))]),
        )
        print(
          `booked; by the books ${account} holds ${formatUnits(await heldBy(runtime.db, account, asset.ticker), asset.scale)} ${asset.ticker}`,
        )
      }),
  })

/** Without the page, which is the payer's. */
const shownPayment = ({ page: _, ...shown }: Payment): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(shown, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  ) as Record<string, unknown>

export const acquirerCommands: readonly Command[] = [
  command({
    name: 'payment show',
    summary:
      'show a payment by card, or all that were tried for an invoice, with their state at the acquirer and in the books',
    args: ['PAYMENT_OR_INVOICE_ID'],
    run: async ({ args }, env) =>
      withInstallation(env, async ({ runtime }) => {
        const given = args.PAYMENT_OR_INVOICE_ID.toLowerCase()
        if (!isUuid(given)) throw new UsageError('PAYMENT_OR_INVOICE_ID is a UUID')
        const one = await findPayment(runtime.db, given)
        const shown = one ? shownPayment(one) : (await findPaymentsFor(runtime.db, given))?.map(shownPayment)
        if (!shown) throw new Error('there is no such payment or invoice')
        print(shown)
      }),
  }),
  command({
    name: 'payment refund',
    summary: 'give a payment back to the card it came from, whole or in part',
    args: ['PAYMENT_ID', 'REASON...'],
    options: { amount: text('AMOUNT', 'give back so much, not all of it') },
    irreversible: 'The acquirer is asked to give the money back to the card.',
    run: async ({ args, options }, env) => {
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
        print(
          `refund ${refund.id} of ${formatUnits(refund.units, asset.scale)} ${refund.ticker} is on its way; the money is held until ${refund.acquirer} has answered`,
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
      refused: flag('the payer will not get the money: it goes back to the account it was held on'),
    },
    irreversible: 'The refund ends as you say. If it was done and you say refused, it can be given back twice.',
    more: 'With --refused the acquirer is asked once more: a refund that it shows, or says that it has, is not refused. Whatever you say, what went back\nof the payment is asked for two weeks afterwards. Who typed this is kept with the refund, and in the record that "bursar actions" prints.',
    run: async ({ args, options }, env) => {
      if (options.done === options.refused) throw new UsageError('say how it ended: --done or --refused')
      const id = args.REFUND_ID.toLowerCase()
      if (!isUuid(id)) throw new UsageError('REFUND_ID is a UUID')
      const resolution = { id, how: options.done ? 'done' : 'refused', by: `${actor()}: ${args.REASON}` } as const
      await withInstallation(env, async (opened) => {
        if (options.refused)
          await requireNotShown({ runtime: opened.runtime, acquirers: acquirersOf(opened).byName }, id)
        await inTransaction(opened.runtime.db, async (tx) => {
          const moment = momentOf(opened.runtime)
          await carryOut(tx, await resolveRefund(tx, resolution, listenerOf(opened), moment), moment)
        })
        print(options.done ? 'booked as given back' : 'refused; the money is back on its account')
      })
    },
  }),
  command({
    name: 'payment went-back',
    summary: 'enter how much of a payment went back to its payer, where the acquirer reports no amount; 0: nothing',
    args: ['PAYMENT_ID', 'AMOUNT', 'REASON...'],
    irreversible: 'The amount is taken from the balance of the merchant; what is missing there is owed.',
    run: async ({ args }, env) => {
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        const payment = await findPayment(runtime.db, args.PAYMENT_ID)
        if (!payment) throw new Error('there is no such payment')
        const units = unitsOf(args.AMOUNT, fiatOf(opened, payment.paidTicker ?? payment.ticker))
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          await carryOut(tx, await resolveDispute(tx, payment.id, units, `${actor()}: ${args.REASON}`, moment), moment)
        })
        print(units === 0n ? 'what was held is available again' : 'booked as gone back')
      })
    },
  }),
  command({
    name: 'payment accept',
    summary: 'credit a payment in suspense to its merchant, less the fee',
    args: ['PAYMENT_ID'],
    irreversible: 'The money in suspense is credited to the merchant.',
    run: async ({ args }, env) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          await carryOut(tx, await acceptPayment(tx, args.PAYMENT_ID, listenerOf(opened), moment), moment)
        })
        print('it is on the balance of the merchant')
      }),
  }),
  command({
    name: 'merchant held',
    summary: 'list the held money of card payments of a merchant, and when each part is released',
    args: ['MERCHANT_ID'],
    run: async ({ args }, env) =>
      withInstallation(env, async (opened) => {
        const holds = await heldOf(opened.runtime.db, args.MERCHANT_ID)
        const rows = holds.map(({ paymentId, ticker, units, kind, releaseAt }) => [
          paymentId,
          kind,
          formatUnits(units, fiatOf(opened, ticker).scale),
          ticker,
          releaseAt.toISOString(),
        ])
        printTable(['payment', 'held for', 'amount', 'ticker', 'until'], rows)
      }),
  }),
  moneyCommand(
    'acquirer fund',
    "book money of the owner's that was put into an account with an acquirer",
    fundAcquirerItem,
  ),
  moneyCommand(
    'acquirer banked',
    'book that a settlement has reached the bank; below zero: that the bank has paid the acquirer',
    bankItem,
  ),
]

/** `bursar reconcile --acquirer`. @returns how much differs */
export const reconcileWithAcquirer = async (
  opened: Opened,
  {
    acquirer: name,
    statement,
    days,
    balances,
  }: { acquirer: string; statement: string | undefined; days: string; balances: readonly string[] },
): Promise<number> => {
  const { runtime } = opened
  const acquirer = acquirersOf(opened).byName.get(name)
  if (!acquirer) throw new UsageError(`${name} is no account of BURSAR_ACQUIRERS_FILE`)
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days is a whole number')
  const lookedBackMs = Number(days) * 86_400_000
  const findings =
    statement === undefined ? await fromPort(opened, name, lookedBackMs) : await fromFile(opened, name, statement)
  const show = (units: bigint | null, ticker: string): string =>
    units === null ? '-' : formatUnits(units, fiatOf(opened, ticker).scale)
  if (findings.length > 0) {
    printTable(
      ['found', 'what', 'reference', 'ticker', 'booked', 'statement'],
      findings.map(({ kind, what, reference, ticker, booked, stated }) => [
        kind,
        what,
        reference,
        ticker,
        show(booked, ticker),
        show(stated, ticker),
      ]),
    )
    print('')
  }
  const stated = await statedTotals(runtime.db, name)
  const rows: string[][] = []
  for (const { ticker } of catalogueOf(opened).fiat) {
    const held = await heldBy(runtime.db, name, ticker)
    const total = stated.get(ticker)
    if (held === 0n && total === undefined) continue
    rows.push([
      ticker,
      show(held, ticker),
      show(total ?? null, ticker),
      show(total === undefined ? null : held - total, ticker),
    ])
  }
  printTable(['ticker', 'books hold', 'all lines read', 'difference'], rows)
  let off = findings.length
  for (const text of balances) {
    const [ticker = '', amount = ''] = text.split('=')
    const asset = fiatOf(opened, ticker)
    const [said, held] = [unitsOf(amount, asset), await heldBy(runtime.db, name, ticker)]
    print(
      `${ticker}: books ${show(held, ticker)}, acquirer ${show(said, ticker)}: ${said === held ? 'equal' : `DIFFERENCE ${show(said - held, ticker)}`}`,
    )
    if (said !== held) off += 1
  }
  return off
}

const fromPort = async (opened: Opened, name: string, lookedBackMs: number): Promise<StatementFinding[]> => {
  const acquirer = acquirersOf(opened).byName.get(name)!
  if (!acquirer.statement || !acquirer.capabilities.statement)
    throw new UsageError(`${name} has no statement by its interface: give a file with --statement`)
  return reconcileAcquirer(
    { runtime: opened.runtime, payouts: payoutBooks, pause: async () => {} },
    acquirer,
    lookedBackMs,
  )
}

/** What was booked between the first and the last line has to be on the statement. */
const fromFile = async ({ runtime }: Opened, name: string, file: string): Promise<StatementFinding[]> => {
  const lines = readStatementFile(readFileSync(file, 'utf8'))
  const times = lines.map(({ at }) => at)
  const booked = times.length === 0 ? { from: 0, to: 0 } : { from: Math.min(...times), to: Math.max(...times) }
  return reconcileLines({ runtime, payouts: payoutBooks }, name, lines, booked)
}
