/**
 * A simulated chain in memory behind the port, without node, clock or randomness. The same seed and calls give the same
 * chain.
 */
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { AccountChainAdapter, FeeRate } from '../port.ts'
import { createSimulatedAdapter, type SimulatedNode } from './adapter.ts'
import { Chain } from './chain.ts'
import { Faults } from './faults.ts'

export interface SimulatedSettings {
  /** Bitcoin has coins, the others accounts */
  network: Network
  /** determines all hashes and addresses */
  seed: string
  /** confirmations that make a block final; 6 when absent */
  finalDepth?: number
  /**
   * chain id that signed EVM transactions must have, and the chain's identity; 1 when absent. Bitcoin's identity is the
   * seed
   */
  chainId?: bigint
  tokens?: readonly { contract: string; decimals: number }[]
  /** ms since the epoch; one second a block from the year 2026 when absent */
  timeAt?(height: number): number
  feeRate?: FeeRate
}

export interface SimulatedChain {
  /** the chain as a program sees it */
  adapter: AccountChainAdapter
  /** control of the chain by tests */
  chain: Chain
  faults: Faults
  identity: string
  /** changes the node's fee rate */
  setFeeRate(rate: FeeRate): void
}

const START = Date.UTC(2026, 0, 1)
const BLOCK_MS = 1_000
const GWEI = 1_000_000_000n

export const createSimulatedChain = (settings: SimulatedSettings): SimulatedChain => {
  const {
    network,
    seed,
    finalDepth = 6,
    chainId = 1n,
    timeAt = (height: number) => START + height * BLOCK_MS,
  } = settings
  const kind = isEvmNetwork(network) || network === 'TRON' ? 'accounts' : 'coins'
  const tokens = new Map((settings.tokens ?? []).map(({ contract, decimals }) => [contract.toLowerCase(), decimals]))
  const chain = new Chain({ kind, seed, tokens: new Set(tokens.keys()), timeAt })
  const faults = new Faults()
  const identity = kind === 'accounts' ? String(chainId) : seed
  const feeRate = settings.feeRate ?? defaultRate(network)
  const node: SimulatedNode = {
    network,
    kind,
    identity,
    chainId,
    finalDepth,
    tokens,
    chain,
    faults,
    feeRate,
    floor: 1_000n,
  }
  const setFeeRate = (rate: FeeRate): void => {
    node.feeRate = rate
  }
  return { adapter: createSimulatedAdapter(node), chain, faults, identity, setFeeRate }
}

const defaultRate = (network: Network): FeeRate =>
  network === 'BITCOIN'
    ? { kind: 'vbyte', milliSatPerVb: 2_000n }
    : {
        kind: 'gas',
        legacy: network !== 'ETHEREUM',
        maxFeePerGas: 3n * GWEI,
        maxPriorityFeePerGas: network === 'ETHEREUM' ? GWEI : 3n * GWEI,
      }
