/** Real nodes for a test file: each starts when it is first asked for and ends after the file's last test. */
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { startAnvil } from '../../sandbox/anvil/index.ts'
import type { Anvil, AnvilOptions } from '../../sandbox/anvil/index.ts'
import { findEdr } from '../../sandbox/edr/binding.ts'
import { startEdr } from '../../sandbox/edr/index.ts'
import type { EdrNode, EdrOptions } from '../../sandbox/edr/index.ts'
import { findBitcoind, startBitcoind } from '../../sandbox/bitcoind/index.ts'
import type { Bitcoind, BitcoindOptions } from '../../sandbox/bitcoind/index.ts'
import { startTronNode } from '../../sandbox/tron/node.ts'
import type { TronNode } from '../../sandbox/tron/node.ts'
import { makeScratch } from './scratch.ts'
import type { Scratch } from './scratch.ts'

interface Stoppable {
  readonly pid: number
  readonly startedAt: string
  stop(): Promise<void>
}

/** A group of tests that need a bitcoind: skipped, and counted so, where there is none; a failure under CI. */
export function describeWithBitcoind(name: string, body: () => void): void {
  const missing = 'missing' in bitcoind ? bitcoind.missing : undefined
  if (missing !== undefined && isCi) {
    test(name, () => {
      throw new Error(`bitcoind is needed under CI: ${missing}`)
    })
  } else {
    describe.skipIf(missing !== undefined)(missing === undefined ? name : `${name} (${missing})`, () => {
      body()
    })
  }
}

const isCi = !['', '0', 'false'].includes(process.env['CI'] ?? '')
const bitcoind = await findBitcoind({ log: (line) => process.stderr.write(`${line}\n`) })

/** Call at the top of the file or of a `describeWithBitcoind`; each call is a node of its own. */
export function useBitcoind(options: Partial<BitcoindOptions> = {}): () => Promise<Bitcoind> {
  return useNode('bitcoind', ({ dir }) => {
    if (!('program' in bitcoind)) throw new Error(bitcoind.missing)
    return startBitcoind({ program: bitcoind.program, dataDir: join(dir, 'data'), ...options })
  })
}

/** Blocks come by `evm_mine` unless `blockTime` says otherwise. */
export function useAnvil(options: Partial<AnvilOptions> = {}): () => Promise<Anvil> {
  return useNode('anvil', ({ dir }) =>
    startAnvil({
      name: 'anvil',
      chainId: 31_337,
      port: 0,
      slotsInEpoch: 1,
      logFile: join(dir, 'anvil.log'),
      ...options,
    }),
  )
}

/** Hardhat's node. Blocks come by `evm_mine`. */
export function useEdr(options: Partial<EdrOptions> = {}): () => Promise<EdrNode> {
  let started: Promise<EdrNode> | undefined
  afterAll(async () => (await started)?.stop())
  return () => (started ??= startEdr({ chainId: 31_337, slotsInEpoch: 1, ...options }))
}

interface EvmNodeOptions {
  readonly chainId?: number
  readonly baseFee?: bigint
  readonly hardfork?: 'cancun' | 'prague'
}

/**
 * The EVM nodes that there are here, each with what starts it: what holds of Ethereum's rules is tried on all of them.
 */
export const EVM_NODES: readonly (readonly [
  name: string,
  use: (options?: EvmNodeOptions) => () => Promise<Pick<Anvil, 'url' | 'rpc'>>,
])[] = [['anvil', useAnvil], ...(findEdr() === undefined ? [] : [["Hardhat's node", useEdr] as const])]

/** Blocks come by the chain's control alone. */
export function useTronNode(solidLag: number): () => Promise<TronNode> {
  return useNode('tron', ({ dir }) =>
    startTronNode({ port: 0, dataDir: dir, logFile: join(dir, 'tron.log'), solidLag }),
  )
}

function useNode<T extends Stoppable>(kind: string, start: (scratch: Scratch) => Promise<T>): () => Promise<T> {
  let started: Promise<{ node: T; scratch: Scratch }> | undefined
  const launch = async (): Promise<{ node: T; scratch: Scratch }> => {
    const scratch = await makeScratch(kind)
    const node = await start(scratch)
    scratch.owns(kind, node)
    return { node, scratch }
  }
  afterAll(async () => {
    if (started === undefined) return
    const { node, scratch } = await started
    await node.stop()
    scratch.remove()
  })
  return async () => (await (started ??= launch())).node
}
