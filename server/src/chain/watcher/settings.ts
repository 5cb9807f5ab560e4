import type { Network } from '@bursar/chainkit'
import Type from 'typebox'
import { count, whole } from '../../platform/config/fields.ts'

/** How one network is watched. Times in ms, real time. */
export interface WatcherSettings {
  network: Network
  /** the required value of `ChainAdapter.identity`: a node of another chain is refused */
  identity: string
  /**
   * first block to read when the database has none of this network; when null or not final yet, reading starts after
   * the final block
   */
  startHeight: number | null
  /** pause after a step that found nothing new */
  pollMs: number
  /** blocks remembered to find where a reorganisation forked off: a deeper one stops the network */
  ringBlocks: number
  /** blocks fetched in parallel beyond the one being applied; it bounds the watcher's memory */
  ahead: number
  /** most blocks, and transfers, of one database transaction */
  mostBlocks: number
  mostTransfers: number
  /** raise an alert when the chain has not grown for so long */
  staleAfterMs: number
  /** raise an alert when no block has become final for so long */
  finalStaleAfterMs: number
  /** raise an alert, with the reason, when the node has given no usable answer for so long */
  unavailableAfterMs: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

const UNAVAILABLE_AFTER_MS = 3 * MINUTE
const evm = {
  startHeight: null,
  pollMs: SECOND,
  ahead: 16,
  mostBlocks: 32,
  mostTransfers: 4_000,
  unavailableAfterMs: UNAVAILABLE_AFTER_MS,
}

/** Defaults for each network; `identity` depends on the installation. */
export const DEFAULT_WATCHER_SETTINGS: Readonly<Record<Network, Omit<WatcherSettings, 'network' | 'identity'>>> = {
  BITCOIN: {
    startHeight: null,
    pollMs: 2 * SECOND,
    ringBlocks: 1_000,
    ahead: 4,
    mostBlocks: 32,
    mostTransfers: 20_000,
    // Two hours without a block occur a few times a year.
    staleAfterMs: 120 * MINUTE,
    finalStaleAfterMs: 180 * MINUTE,
    unavailableAfterMs: UNAVAILABLE_AFTER_MS,
  },
  ETHEREUM: { ...evm, ringBlocks: 2_000, staleAfterMs: 5 * MINUTE, finalStaleAfterMs: 30 * MINUTE },
  BINANCE_SMART_CHAIN: {
    ...evm,
    pollMs: SECOND / 2,
    ringBlocks: 10_000,
    staleAfterMs: 2 * MINUTE,
    finalStaleAfterMs: 5 * MINUTE,
  },
  // It has a block every three seconds, and gateways limit requests.
  TRON: { ...evm, pollMs: 3 * SECOND, ringBlocks: 5_000, staleAfterMs: 2 * MINUTE, finalStaleAfterMs: 5 * MINUTE },
}

const START_HEIGHT =
  'the first block to read if the database has none of this network; null, or a block that is not final yet: the block after the final one'

/** `watch` of a network in the policy file. */
export const watchShape = (network: Network) => {
  const standard = DEFAULT_WATCHER_SETTINGS[network]
  const ms = (description: string, key: 'pollMs' | 'staleAfterMs' | 'finalStaleAfterMs' | 'unavailableAfterMs') =>
    Type.Optional(whole(description, { least: 1, standard: standard[key], unit: 'ms' }))
  const most = (description: string, key: 'ringBlocks' | 'ahead' | 'mostBlocks' | 'mostTransfers') =>
    Type.Optional(whole(description, { least: 1, standard: standard[key] }))
  return Type.Object(
    {
      startHeight: Type.Optional(
        Type.Union([count('', { least: 0 }), Type.Null()], { default: null, description: START_HEIGHT }),
      ),
      pollMs: ms('pause after a poll of the chain without a new block', 'pollMs'),
      ringBlocks: most(
        'number of stored blocks, with which the fork of a reorganisation is found; a deeper reorganisation stops the network',
        'ringBlocks',
      ),
      ahead: most('number of blocks fetched in advance, which limits the memory', 'ahead'),
      mostBlocks: most('maximum blocks per database transaction', 'mostBlocks'),
      mostTransfers: most('maximum transfers per database transaction', 'mostTransfers'),
      staleAfterMs: ms('the alert `chain-stale` is raised when the chain has not grown for this time', 'staleAfterMs'),
      finalStaleAfterMs: ms(
        'the alert `finality-stalled` is raised when no block has become final for this time',
        'finalStaleAfterMs',
      ),
      unavailableAfterMs: ms(
        'the alert `node-unavailable` is raised when the node has given no usable answer for this time',
        'unavailableAfterMs',
      ),
    },
    { description: 'how the chain is followed, in real time' },
  )
}
