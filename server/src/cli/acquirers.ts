import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  acceptPayment, bankItem, findPayment, fundAcquirerItem, heldBy, readStatementFile, reconcileAcquirer, reconcileLines, requestRefund, statedTotals,
  type Payment, type StatementFinding,
} from '../acquiring/index.ts'
import { isUuid } from '../base/id.ts'
import { payoutBooks } from '../card-payouts/index.ts'
import type { Catalogue, FiatAsset } from '../assets/index.ts'
import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import { joinAcquirers, paymentListener, type Acquirers } from '../app/fiat.ts'
import { findPaymentsFor } from '../fiat-invoices/index.ts'
import { applyAll } from '../ledger/index.ts'
import { formatUnits, parseUnits } from '../money/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { actor } from './actor.ts'
import { print, UsageError, type Command } from './command.ts'
import { needed, withInstallation } from './merchant.ts'
import { required, type Opened } from './open.ts'
import { printTable } from './table.ts'

const catalogueOf = ({ config }: Opened): Catalogue => required(config.assets, 'BURSAR_ASSETS_FILE')
const acquirersOf = ({ config }: Opened): Acquirers => joinAcquirers(required(config.acquirers, 'BURSAR_ACQUIRERS_FILE'))

const fiatOf = (opened: Opened, ticker: string): FiatAsset => {
  const asset = catalogueOf(opened).findFiat(ticker)
  if (!asset) throw new UsageError(`TICKER is one of ${catalogueOf(opened).fiat.map((one) => one.ticker).join(', ')}`)
  return asset
}

/** An amount as typed; below zero with a minus before it. */
const unitsOf = (text: string, { scale, ticker }: FiatAsset): bigint => {
  const parsed = parseUnits(text.replace(/^-/, ''), scale)
  if (!parsed.ok) throw new UsageError(`${JSON.stringify(text)} is no amount of ${ticker}: write one such as 100.50`)
  return text.startsWith('-') ? -parsed.units : parsed.units
}

/** What two commands that book money of the house have in common. */
const moneyCommand = (name: string, summary: string, itemOf: typeof fundAcquirerItem): Command => ({
  name,
  usage: `${name} ACQUIRER TICKER AMOUNT`,
  summary,
  run: async ([acquirer, ticker, amount], env) =>
    withInstallation(env, async (opened) => {
      const asset = fiatOf(opened, needed(ticker, 'TICKER'))
      const account = needed(acquirer, 'ACQUIRER')
      if (!acquirersOf(opened).byName.has(account)) throw new UsageError(`${account} is no account of BURSAR_ACQUIRERS_FILE`)
      const units = unitsOf(needed(amount, 'AMOUNT'), asset)
      if (units === 0n) throw new UsageError('AMOUNT must not be zero')
      const { runtime } = opened
      await inTransaction(runtime.db, (tx) => applyAll(tx, [itemOf({ acquirer: account, ticker: asset.ticker, units }, momentOf(runtime))]))
      print(`booked; by the books ${account} holds ${formatUnits(await heldBy(runtime.db, account, asset.ticker), asset.scale)} ${asset.ticker}`)
    }),
})

/** Without the page, which is the payer's. */
const shownPayment = ({ page: _, ...shown }: Payment): Record<string, unknown> =>
  JSON.parse(JSON.stringify(shown, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))) as Record<string, unknown>

export const acquirerCommands: readonly Command[] = [
  {
    name: 'payment show',
    usage: 'payment show PAYMENT_ID | INVOICE_ID',
    summary: 'show a payment by card, or all that were tried for an invoice, with their state at the acquirer and in the books',
    run: async ([id], env) =>
      withInstallation(env, async ({ runtime }) => {
        const given = needed(id, 'PAYMENT_ID').toLowerCase()
        if (!isUuid(given)) throw new UsageError('PAYMENT_ID and INVOICE_ID are UUIDs')
        const one = await findPayment(runtime.db, given)
        const shown = one ? shownPayment(one) : (await findPaymentsFor(runtime.db, given))?.map(shownPayment)
        if (!shown) throw new Error('there is no such payment or invoice')
        print(shown)
      }),
  },
  {
    name: 'payment refund',
    usage: 'payment refund PAYMENT_ID [--amount AMOUNT] REASON...',
    summary: 'give a payment back to the card it came from, whole or in part',
    run: async (args, env) => {
      const { values, positionals } = parseArgs({ args: [...args], options: { amount: { type: 'string' } }, allowPositionals: true })
      const [paymentId, ...reason] = positionals
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        const payment = await findPayment(runtime.db, needed(paymentId, 'PAYMENT_ID'))
        if (!payment) throw new Error('there is no such payment')
        const asset = fiatOf(opened, payment.paidTicker ?? payment.ticker)
        const units = values.amount === undefined ? undefined : unitsOf(values.amount, asset)
        const wanted = { paymentId: payment.id, units, reason: needed(reason.join(' '), 'REASON'), actor: actor() }
        const refund = await inTransaction(runtime.db, (tx) => requestRefund(tx, wanted, acquirersOf(opened).table, momentOf(runtime)))
        print(`refund ${refund.id} of ${formatUnits(refund.units, asset.scale)} ${refund.ticker} is on its way; the money is held until ${refund.acquirer} has answered`)
      })
    },
  },
  {
    name: 'payment accept',
    usage: 'payment accept PAYMENT_ID',
    summary: 'give money of a payment in suspense to its merchant, less the fee',
    run: async ([id], env) =>
      withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const listener = paymentListener({ runtime, catalogue: catalogueOf(opened), publicUrl: config.publicUrl, acquirers: acquirersOf(opened) })
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          await carryOut(tx, await acceptPayment(tx, needed(id, 'PAYMENT_ID'), listener, moment), moment)
        })
        print('it is on the balance of the merchant')
      }),
  },
  moneyCommand('acquirer fund', "book money of the owner's that was put into an account with an acquirer", fundAcquirerItem),
  moneyCommand('acquirer banked', 'book that a settlement has reached the bank; below zero: that the bank has paid the acquirer', bankItem),
]

/** `bursar reconcile --acquirer`. @returns how much differs */
export const reconcileWithAcquirer = async (
  opened: Opened,
  { acquirer: name, statement, days, balances }: { acquirer: string; statement: string | undefined; days: string; balances: readonly string[] },
): Promise<number> => {
  const { runtime } = opened
  const acquirer = acquirersOf(opened).byName.get(name)
  if (!acquirer) throw new UsageError(`${name} is no account of BURSAR_ACQUIRERS_FILE`)
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days is a whole number')
  const lookedBackMs = Number(days) * 86_400_000
  const findings = statement === undefined
    ? await fromPort(opened, name, lookedBackMs)
    : await fromFile(opened, name, statement)
  const show = (units: bigint | null, ticker: string): string => (units === null ? '-' : formatUnits(units, fiatOf(opened, ticker).scale))
  if (findings.length > 0) {
    printTable(['found', 'what', 'reference', 'ticker', 'booked', 'statement'], findings.map(({ kind, what, reference, ticker, booked, stated }) => [kind, what, reference, ticker, show(booked, ticker), show(stated, ticker)]))
    print('')
  }
  const stated = await statedTotals(runtime.db, name)
  const rows: string[][] = []
  for (const { ticker } of catalogueOf(opened).fiat) {
    const held = await heldBy(runtime.db, name, ticker)
    const total = stated.get(ticker)
    if (held === 0n && total === undefined) continue
    rows.push([ticker, show(held, ticker), show(total ?? null, ticker), show(total === undefined ? null : held - total, ticker)])
  }
  printTable(['ticker', 'books hold', 'all lines read', 'difference'], rows)
  let off = findings.length
  for (const text of balances) {
    const [ticker = '', amount = ''] = text.split('=')
    const asset = fiatOf(opened, ticker)
    const [said, held] = [unitsOf(amount, asset), await heldBy(runtime.db, name, ticker)]
    print(`${ticker}: books ${show(held, ticker)}, acquirer ${show(said, ticker)}: ${said === held ? 'equal' : `DIFFERENCE ${show(said - held, ticker)}`}`)
    if (said !== held) off += 1
  }
  return off
}

const fromPort = async (opened: Opened, name: string, lookedBackMs: number): Promise<StatementFinding[]> => {
  const acquirer = acquirersOf(opened).byName.get(name)!
  if (!acquirer.statement || !acquirer.capabilities.statement) throw new UsageError(`${name} has no statement by its interface: give a file with --statement`)
  return reconcileAcquirer({ runtime: opened.runtime, payouts: payoutBooks, pause: async () => {} }, acquirer, lookedBackMs)
}

/** What was booked between the first and the last line has to be on the statement. */
const fromFile = async ({ runtime }: Opened, name: string, file: string): Promise<StatementFinding[]> => {
  const lines = readStatementFile(readFileSync(file, 'utf8'))
  const times = lines.map(({ at }) => at)
  const booked = times.length === 0 ? { from: 0, to: 0 } : { from: Math.min(...times), to: Math.max(...times) }
  return reconcileLines({ runtime, payouts: payoutBooks }, name, lines, booked)
}
