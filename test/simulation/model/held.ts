/** Money that screening holds back: a deposit of a merchant who wants it judged first, and a withdrawal. */
import type { Simulation } from '../simulation.ts'
import type { PaidIn } from './books.ts'

/** Bounds in ledger units. */
export interface Bounds {
  least: bigint
  most: bigint
}

export const isHolding = ({ merchants }: Simulation, name: string): boolean =>
  merchants.find((merchant) => merchant.name === name)!.holds

/**
 * How much of a credited output is on the balance. A provider is asked once more when its answer is lost, and may have
 * changed its mind meanwhile. What a contract paid may be judged by another transaction's hash.
 */
export const heldBounds = (simulation: Simulation, paid: PaidIn, units: bigint): Bounds => {
  if (!isHolding(simulation, paid.merchant)) return { least: units, most: units }
  if (paid.byContract) return { least: 0n, most: units }
  const answers = simulation.provider.answersAbout(paid.address, paid.hash)
  const [isClean, isRisky] = [answers.includes(false), answers.includes(true)]
  return { least: isClean && !isRisky ? units : 0n, most: isClean ? units : 0n }
}

/** @returns a withdrawal that left, and should not have, in words */
export const judgeSent = ({ provider }: Simulation, what: string, to: string): string[] =>
  provider.answersAbout(to).includes(false) ? [] : [`${what}: was paid, and no provider has cleared ${to}`]
