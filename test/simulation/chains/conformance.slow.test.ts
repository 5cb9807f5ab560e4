/**
 * The adapters' conformance suite before nodes of the dialects that may last: half of them in `.ci/run`, all in
 * `npm run test:long`.
 */
import { afterAll, describe } from 'vitest'
import type { Network } from '@bursar/chainkit'
import { openEdr } from '../../../sandbox/edr/index.ts'
import { startTronChain } from '../../../sandbox/tron/index.ts'
import { createBitcoinAdapter } from '../../../server/src/adapters/chains/bitcoin/index.ts'
import { openBitcoinWorld, SETTINGS, urlOf } from '../../world/bitcoin-node.ts'
import { describeChain } from '../../../server/src/adapters/chains/conformance.ts'
import { openEvmWorld } from '../../world/evm-node.ts'
import { openTronWorld, SOLID_LAG } from '../../world/tron-node.ts'
import { cases } from '../../setup/cases.ts'
import { describeWithBitcoind, useBitcoind } from '../../setup/nodes.ts'
import { createFaults } from '../faults.ts'
import { createRandom } from '../../../sandbox/random.ts'
import { askBitcoind } from './bitcoin/ask.ts'
import { BITCOIN_DIALECTS } from './bitcoin/dialects.ts'
import type { Dialect } from './dialect.ts'
import { askEdr } from './evm/ask.ts'
import { EVM_DIALECTS } from './evm/dialects/index.ts'
import { createLag } from './evm/lag.ts'
import { exactJson } from './exact-json.ts'
import { jsonRpc, paths, startNodeFront, type NodeFrontOptions } from './front.ts'
import { askTron } from './tron/ask.ts'
import { TRON_DIALECTS } from './tron/dialects.ts'

const closes: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closes.toReversed()) await close()
})

const frontOf = async (options: Omit<NodeFrontOptions, 'name' | 'faults'>, dialect: string): Promise<string> => {
  const front = await startNodeFront({ name: 'node', faults: createFaults(createRandom('conformance')), ...options })
  closes.push(() => front.close())
  front.setDialect([dialect])
  return front.url
}

/**
 * Half of them, always the same; all in the long tier. Those that blind are left out: the suite asks of a block what
 * such a node does not show (server/src/adapters/chains/evm/untraced.system.test.ts is about them).
 */
const sample = (network: Network, all: readonly Dialect[]): string[] => {
  const lasting = all.filter(
    ({ hinders, blinds, on }) => (hinders ?? blinds) === undefined && (on === undefined || on === network),
  )
  const count = Math.min(lasting.length, cases(lasting.length))
  return Array.from({ length: count }, (_, at) => lasting[Math.floor((at * lasting.length) / count)]!.name)
}

describe.each(['ETHEREUM', 'BINANCE_SMART_CHAIN'] as const)('%s', (network) => {
  const isEthereum = network === 'ETHEREUM'
  const kind = {
    network,
    chainId: isEthereum ? 31_337 : 31_356,
    legacyGas: !isEthereum,
    finality: isEthereum ? ('finalized' as const) : 4,
    // As deep as the final block of an honest node here.
    ...(isEthereum && { leastFinalDepth: 3 }),
  }
  for (const dialect of sample(network, EVM_DIALECTS))
    describeChain(dialect, { contracts: true, conflicting: true }, async () => {
      const { answer, rpc } = await openEdr({
        chainId: kind.chainId,
        slotsInEpoch: 1,
        ...(!isEthereum && { baseFee: 0n }),
      })
      const lag = createLag(askEdr(answer), 1)
      const url = await frontOf({ dialects: EVM_DIALECTS, ask: lag.ask, head: lag.head, protocol: jsonRpc() }, dialect)
      return openEvmWorld({ url, rpc }, kind)
    })
})

describe('TRON', () => {
  for (const dialect of sample('TRON', TRON_DIALECTS))
    describeChain(dialect, { contracts: true, conflicting: false }, async () => {
      const chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
      closes.push(() => chain.stop())
      const { ask, close } = askTron(chain.url)
      closes.push(close)
      const head = async () => chain.status().height
      const url = await frontOf({ dialects: TRON_DIALECTS, ask, head, protocol: paths(exactJson) }, dialect)
      return openTronWorld({ ...chain, url })
    })
})

describeWithBitcoind('BITCOIN', () => {
  const bitcoind = useBitcoind()
  for (const dialect of sample('BITCOIN', BITCOIN_DIALECTS))
    describeChain(dialect, { contracts: false, conflicting: true }, async () => {
      const node = await bitcoind()
      const { ask, close } = askBitcoind(() => node)
      closes.push(close)
      const head = async () => Number(await node.rpc<string>('getblockcount'))
      const url = await frontOf({ dialects: BITCOIN_DIALECTS, ask, head, protocol: jsonRpc(exactJson) }, dialect)
      const adapter = createBitcoinAdapter({ ...SETTINGS, url: urlOf({ ...node, url }) })
      closes.push(() => adapter.close())
      return { ...(await openBitcoinWorld(node)), adapter }
    })
})
