/** The seed of the simulation for a fault: the nodes of its run speak the dialects that the fault is about. */
import type { Network } from '@bursar/chainkit'
import { createRandom } from '../../sandbox/random.ts'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'
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

/** @returns the first seed from `from` on whose nodes speak a dialect of a row that the fault names; else `from` */
export const seedOf = ({ fault }: Pick<Sabotage, 'fault'>, networks: readonly Network[], from: number): number => {
  const rows = new Set(fault.match(/\b[BET]-\d+\b/g))
  if (rows.size === 0) return from
  const isAbout = (name: string): boolean => (name.match(/\b[BET]-\d+\b/g) ?? []).some((row) => rows.has(row))
  for (let seed = from; seed < from + MOST_SEEDS; seed += 1)
    if (networks.some((network) => drawnBy(seed, network).some(isAbout))) return seed
  return from
}
