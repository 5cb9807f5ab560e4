/** The seed of the simulation for a fault: its nodes and acquirers are of the kinds that the fault is about. */
import type { Network } from '@bursar/chainkit'
import { createRandom } from '../../sandbox/random.ts'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'
import { BANK, drawInterfaces, type Interface } from '../../test/simulation/acquirers/interfaces.ts'
import { BITCOIN_DIALECTS } from '../../test/simulation/chains/bitcoin/dialects.ts'
import { drawDialects, type Dialect } from '../../test/simulation/chains/dialect.ts'
import { EVM_DIALECTS } from '../../test/simulation/chains/evm/dialects/index.ts'
import { TRON_DIALECTS } from '../../test/simulation/chains/tron/dialects.ts'

const dialectsOf = (network: Network): readonly Dialect[] => {
  if (network === 'BITCOIN') return BITCOIN_DIALECTS
  if (network === 'TRON') return TRON_DIALECTS
  return EVM_DIALECTS.filter(({ on }) => on === undefined || on === network)
}

/** As a run with this seed draws them before its first step. */
const drawnBy = (seed: number, network: Network): string[] =>
  drawDialects(dialectsOf(network), createRandom(String(seed)).of('dialects', network))

const MOST_SEEDS = 500

const interfacesOf = (seed: number): readonly Interface[] =>
  drawInterfaces(createRandom(String(seed)).of('acquirers').of('interfaces'))

/** Whether both acquirers of a run are the bank: its payers can pay otherwise, and either can take a payout over. */
const isOfBanks = (seed: number): boolean => interfacesOf(seed).every((one) => one === BANK)

/** Whether no acquirer of a run is the bank, which alone names refunds by references of their own. */
const isOfOthers = (seed: number): boolean => interfacesOf(seed).every((one) => one !== BANK)

/** Faults that show at acquirers of one interface, by name. */
const SPEAKS: Readonly<Record<string, RegExp>> = {
  // Alone it names a queue in the record of a payment.
  'refund-of-what-is-queued-refused': /^LiqPay/,
  // It has no statements, by which a chargeback would be found as well.
  'callback-wakes-nothing': /^LiqPay/,
  // It asks about a payment before it sends a refund, and the same question has the same bytes.
  'refund-released-by-old-answer': /^(LiqPay|WayForPay)/,
}

/**
 * @returns the first seed from `from` on whose nodes speak a dialect of a row that the fault names, or whose acquirers
 *   are the bank for a fault of cards, and others than the bank for a fault of their adapters; else `from`
 */
export const seedOf = (
  { name, fault, file }: Pick<Sabotage, 'name' | 'fault' | 'file'>,
  networks: readonly Network[],
  from: number,
): number => {
  const rows = new Set(fault.match(/\b[BET]-\d+\b/g))
  const isOfCards = /^server\/src\/(cards|adapters\/acquirers)\//.test(file)
  if (rows.size === 0 && !isOfCards) return from
  const isOfAdapters = /^server\/src\/adapters\/acquirers\/(?!bank\/)/.test(file)
  const speaks = SPEAKS[name]
  const isOfOne = (seed: number): boolean => interfacesOf(seed).some((one) => speaks!.test(one.name))
  const hasAcquirers = speaks ? isOfOne : isOfAdapters ? isOfOthers : isOfBanks
  const isAbout = (dialect: string): boolean => (dialect.match(/\b[BET]-\d+\b/g) ?? []).some((row) => rows.has(row))
  for (let seed = from; seed < from + MOST_SEEDS; seed += 1)
    if (isOfCards ? hasAcquirers(seed) : networks.some((network) => drawnBy(seed, network).some(isAbout))) return seed
  return from
}
