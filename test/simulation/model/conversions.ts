/**
 * Automatic exchanges of money that came for an address or an invoice with a target (docs/contract.md, section 4.1).
 * Their amounts are what the notifications say; the balances and the receivers on the chains must agree with them.
 */
import { readExchangePolicy } from '../../../server/src/exchange/exchanges/index.ts'
import type { Simulation } from '../simulation.ts'
import { receivedAt, toLedger, unitsOf, type Targeted } from './books.ts'
import { newestOf, type Notification } from './events.ts'
import type { AddToBalance } from './exchange-withdrawals.ts'
import { judgeSent } from './held.ts'

/** One exchange that a target caused. Amounts in ledger units. */
interface Conversion {
  cause: string
  spend: string
  spent: bigint
  ticker: string
  amount: bigint
  fee: bigint
  to: string | null
  /** whether anything was exchanged */
  exchanged: boolean
  status: string
}

export const judgeConversions = async (
  simulation: Simulation,
  eventsOf: ReadonlyMap<string, readonly Notification[]>,
  add: AddToBalance,
): Promise<string[]> => {
  const { books, merchants } = simulation
  const problems: string[] = []
  const ordered = new Set([...books.exchanged, ...books.exchangedOut, ...books.cardPaid].map(({ localId }) => localId))
  for (const { name } of merchants) {
    const events = eventsOf.get(name)!
    const conversions = [...newestOf(events, ['Exchange', 'CryptoExchangeWithdraw']).values()]
      .filter(({ localId }) => typeof localId === 'string' && !ordered.has(localId))
      .map((notified) => conversionOf(simulation, notified))
    const deposits = newestOf(events, ['Replenish'])
    const targeted = books.targeted.filter(({ merchant }) => merchant === name)
    for (const conversion of conversions) {
      const target = targetOf(targeted, deposits, conversion.cause)
      problems.push(...bookConversion(conversion, name, target, add))
    }
    for (const deposit of deposits.values())
      problems.push(...judgeDeposit(simulation, deposit, targetOf(targeted, deposits, deposit.id), conversions))
    for (const target of targeted) {
      if (target.invoiceId !== null) problems.push(...judgeInvoice(simulation, target, conversions))
      problems.push(...(await judgeReceiver(simulation, target, conversions)))
    }
  }
  return problems
}

const conversionOf = ({ catalogue }: Simulation, notified: Notification): Conversion => {
  const text = (name: string): string => textOf(notified, name)
  const [spend, isSent] = [text('spendTicker'), notified.kind === 'CryptoExchangeWithdraw']
  const ticker = isSent ? text('ticker') : text('targetTicker')
  return {
    cause: text('localId'),
    spend,
    spent: unitsOf(catalogue, spend, text('spendAmount')),
    ticker,
    amount: unitsOf(catalogue, ticker, isSent ? text('amount') : text('targetAmount')),
    fee: isSent ? unitsOf(catalogue, ticker, text('fee')) : 0n,
    to: isSent ? text('to') : null,
    exchanged: isSent ? notified['exchanged'] === true : notified.status === 'Done',
    status: notified.status,
  }
}

const textOf = (notified: Notification, name: string): string => String(notified[name])

/** The target by which money of this cause is exchanged: the id of a deposit or of an invoice. */
const targetOf = (
  targeted: readonly Targeted[],
  deposits: ReadonlyMap<string, Notification>,
  cause: string,
): Targeted | undefined => {
  const address = deposits.get(cause)?.['to']
  return targeted.find(({ invoiceId, address: own }) =>
    invoiceId === null ? own === address : invoiceId === cause || own === address,
  )
}

const bookConversion = (
  { cause, spend, spent, ticker, amount, fee, to, exchanged, status }: Conversion,
  merchant: string,
  target: Targeted | undefined,
  add: AddToBalance,
): string[] => {
  if (exchanged) add(merchant, spend, -spent)
  // Proceeds that are sent are no longer on the balance, unless sending them failed.
  if (exchanged && (to === null || status === 'Failed')) add(merchant, ticker, amount)
  if (exchanged && target?.sentTo && target.sentTo.receiver !== null && status === 'Done')
    add(target.sentTo.receiver, ticker, amount - fee)
  const isWanted = target?.ticker === ticker && (target.sentTo?.address ?? null) === to
  return isWanted ? [] : [`${merchant}: ${spent} ${spend} of ${cause} became ${ticker} to ${to}, without such a target`]
}

const sumOf = (all: readonly bigint[]): bigint => all.reduce((sum, one) => sum + one, 0n)

/**
 * A deposit that screening has cleared was exchanged, or its merchant was notified that it is not: all of it but less
 * than the least exchange. A risky one waits for an operator.
 */
const judgeDeposit = (
  { catalogue }: Simulation,
  deposit: Notification,
  target: Targeted | undefined,
  conversions: readonly Conversion[],
): string[] => {
  if (target !== undefined && target.invoiceId !== null) return []
  const ticker = String(deposit['ticker'])
  const units =
    unitsOf(catalogue, ticker, textOf(deposit, 'amount')) - unitsOf(catalogue, ticker, textOf(deposit, 'fee'))
  const handled = sumOf(conversions.filter(({ cause }) => cause === deposit.id).map(({ spent }) => spent))
  const isNothingToDo = target === undefined || (target.ticker === ticker && target.sentTo === null)
  const left = isNothingToDo ? 0n : restOf(catalogue, ticker, target)
  const most = isNothingToDo ? 0n : units
  const isCleared = deposit.status === 'Verified' && !isRisky(deposit)
  const least = isNothingToDo || !isCleared ? 0n : units - left
  if (handled <= most && handled >= least) return []
  return [`deposit ${deposit.id} of ${units} ${ticker} (${deposit.status}): ${handled} was exchanged`]
}

/** As its `compliance` says (docs/contract.md, section 6.1). */
const isRisky = (deposit: Notification): boolean =>
  (deposit['compliance'] as { risky?: boolean } | undefined)?.risky === true

/** Less than this may stay unexchanged: the least exchange, or what the network of the receiver cannot carry. */
const restOf = (catalogue: Simulation['catalogue'], ticker: string, target: Targeted): bigint =>
  target.ticker === ticker
    ? toLedger(catalogue, ticker, target.sentTo!.network, 1n) - 1n
    : readExchangePolicy(catalogue).assets.get(ticker)!.min - 1n

/** Of an invoice no more is exchanged than was ever sent to it. */
const judgeInvoice = (
  { books, catalogue }: Simulation,
  { invoiceId, address }: Targeted,
  conversions: readonly Conversion[],
): string[] => {
  const sent = new Map<string, bigint>()
  for (const { ticker, network, units, address: to } of books.paidIn)
    if (to === address) sent.set(ticker, (sent.get(ticker) ?? 0n) + toLedger(catalogue, ticker, network, sumOf(units)))
  for (const { ticker, units, to } of books.paidOut)
    if (to === address) sent.set(ticker, (sent.get(ticker) ?? 0n) + units)
  const own = conversions.filter(({ cause }) => cause === invoiceId)
  return [...new Set(own.map(({ spend }) => spend))].flatMap((ticker) => {
    const handled = sumOf(own.filter(({ spend }) => spend === ticker).map(({ spent }) => spent))
    const came = sent.get(ticker) ?? 0n
    return handled <= came ? [] : [`invoice ${invoiceId}: ${handled} ${ticker} was exchanged, and ${came} came for it`]
  })
}

/** The receiver outside has what was sent to it, and at most what is on its way. */
const judgeReceiver = async (
  simulation: Simulation,
  target: Targeted,
  conversions: readonly Conversion[],
): Promise<string[]> => {
  const { ticker, sentTo } = target
  if (sentTo === null || sentTo.receiver !== null) return []
  const own = conversions.filter(({ to, exchanged }) => exchanged && to === sentTo.address)
  const sent = (status: string): bigint =>
    sumOf(own.filter((one) => one.status === status).map(({ amount, fee }) => amount - fee))
  const paid = await receivedAt(simulation, { ...sentTo, ticker })
  const [least, most] = [sent('Done'), sent('Done') + sent('Exchanged')]
  const problems = paid === 0n ? [] : judgeSent(simulation, 'an automatic exchange', sentTo.address)
  if (paid >= least && paid <= most) return problems
  return [...problems, `${sentTo.address} has ${paid} ${ticker}, and should have ${least} to ${most}`]
}
