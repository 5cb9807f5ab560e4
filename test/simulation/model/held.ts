/** Money that screening holds back: a deposit of a merchant who wants it judged first, and a withdrawal. */
import type { Simulation } from '../simulation.ts'
import type { Decided, PaidIn } from './books.ts'

/** Bounds in ledger units. */
export interface Bounds {
  least: bigint
  most: bigint
}

export const isHolding = ({ merchants }: Simulation, name: string): boolean =>
  merchants.find((merchant) => merchant.name === name)!.holds

/**
 * How much of a payment is on the balance, `units` in all. A provider is asked once more when its answer is lost, and
 * may have changed its mind meanwhile. A contract's payment may be judged by another transaction's hash.
 */
export const heldBounds = (simulation: Simulation, paid: PaidIn, units: bigint): Bounds => {
  if (!isHolding(simulation, paid.merchant)) return { least: units, most: units }
  const isMixed = paid.byContract || simulation.books.paidIn.some((one) => one.byContract && isSamePlace(one, paid))
  const decided = decisionsOn(simulation, paid)
  const [released, rejected] = [countOf(decided, 'release'), countOf(decided, 'reject')]
  if (paid.byContract || (isMixed && decided.length > 0)) return { least: 0n, most: units }
  const { isClean, isDoubtful } = judgementOf(simulation, paid)
  const outputs = BigInt(paid.units.length)
  if (outputs === 0n) return { least: 0n, most: 0n }
  const open = outputs - released - rejected
  const credited = (cleared: boolean): bigint => (units * (released + (cleared ? open : 0n))) / outputs
  return { least: credited(isClean && !isDoubtful), most: credited(isClean) }
}

/** `isClean`: it may have been credited without an operator; `isDoubtful`: it may also have been held back. */
const judgementOf = (
  { provider, sanctions }: Simulation,
  { address, hash, payer, wasListed }: PaidIn,
): { isClean: boolean; isDoubtful: boolean } => {
  const answers = provider.answersAbout(address, hash)
  const isListedNow = payer !== undefined && sanctions.has(payer)
  return {
    isClean: wasListed !== true && answers.includes(false),
    isDoubtful: answers.includes(true) || isListedNow,
  }
}

const isSamePlace = (one: PaidIn, other: PaidIn): boolean =>
  one.address === other.address && one.ticker === other.ticker && one.network === other.network

/** The decision on each deposit of a payment. */
const decisionsOn = ({ books }: Simulation, { address, hash, ticker }: PaidIn): Decided[] =>
  books.decided.filter(
    (one) => one.transaction === hash && one.ticker === ticker && one.address.toLowerCase() === address.toLowerCase(),
  )

const countOf = (decided: readonly Decided[], event: Decided['event']): bigint =>
  BigInt(decided.filter((one) => one.event === event).length)

/** @returns a withdrawal that left, and should not have, in words */
export const judgeSent = ({ books, provider }: Simulation, what: string, to: string): string[] => {
  if (books.releasedTo.has(to.toLowerCase())) return []
  return [
    ...(provider.answersAbout(to).includes(false) ? [] : [`${what}: was paid, and no provider has cleared ${to}`]),
    ...(books.listedFirst.has(to.toLowerCase()) ? [`${what}: was paid, and ${to} is on a sanctions list`] : []),
  ]
}
