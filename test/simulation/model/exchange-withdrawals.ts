/**
 * Exchanges whose proceeds are withdrawn: the amount that the merchant gave, and the receiver's balance on the chain.
 */
import type { Bursar } from '@bursar/sdk'
import type { Simulation } from '../simulation.ts'
import { receivedAt, unitsOf, type ExchangedOut } from './books.ts'
import type { Notification } from './events.ts'
import { judgeSent } from './held.ts'

/** Adds ledger units to the expected balance of a merchant. */
export type AddToBalance = (merchant: string, ticker: string, units: bigint) => void

export const judgeExchangeWithdrawal = async (
  simulation: Simulation,
  { client, events }: { client: Bursar; events: readonly Notification[] },
  ordered: ExchangedOut,
  add: AddToBalance,
): Promise<string[]> => {
  const { catalogue } = simulation
  const { merchant, localId, spend, ticker, network, side, spendUnits, amountUnits, feeUnits, to, receiver } = ordered
  const what = `${localId} (${merchant}, ${spendUnits} ${spend} to ${amountUnits} ${ticker} on ${network})`
  const paid = receiver === null ? await receivedAt(simulation, { network, ticker, address: to }) : undefined
  const found = await client.withdrawals.find(localId)
  if (found === undefined)
    return paid === undefined || paid === 0n ? [] : [`${what}: was never accepted, and paid ${paid}`]
  const notified = events.findLast(({ id }) => id === found.id)
  if (notified?.kind !== 'CryptoExchangeWithdraw' || notified.status !== found.status || found.kind !== notified.kind)
    return [`${what}: is a ${found.kind} ${found.status}, and was notified as ${notified?.kind} ${notified?.status}`]
  const text = (name: string): string => String(notified[name])
  const spent = unitsOf(catalogue, spend, text('spendAmount'))
  const [amount, fee] = [unitsOf(catalogue, ticker, text('amount')), unitsOf(catalogue, ticker, text('fee'))]
  const isExact = side === 'spend' ? spent === spendUnits : amount === amountUnits
  const isWorse = side === 'spend' ? amount < amountUnits : spent > spendUnits
  const problems: string[] = []
  const is = `${text('spendTicker')} to ${text('ticker')} at ${text('to')}`
  if (is !== `${spend} to ${ticker} at ${to}`) problems.push(`${what}: is of ${is}`)
  if (!isExact || isWorse || fee !== feeUnits)
    problems.push(`${what}: spent ${spent} for ${amount}, of which ${fee} is the fee and should be ${feeUnits}`)
  if (notified['exchanged'] === true) add(merchant, spend, -spent)
  if (found.status === 'Failed') {
    if (notified['exchanged'] === true) add(merchant, ticker, amount)
    if (paid !== undefined && paid !== 0n) problems.push(`${what}: failed, and paid ${paid}`)
    return problems
  }
  if (paid !== undefined && paid !== 0n) problems.push(...judgeSent(simulation, what, to))
  const isDone = found.status === 'Done'
  if (receiver !== null && isDone) add(receiver, ticker, amount - fee)
  if (paid !== undefined && paid !== amount - fee && (isDone || paid !== 0n))
    problems.push(`${what}: is ${found.status}, and paid ${paid} of ${amount - fee}`)
  return problems
}
