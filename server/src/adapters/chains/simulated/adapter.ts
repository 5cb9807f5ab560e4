import type { Network } from '@bursar/chainkit'
import { decodeTransfer } from '@bursar/chainkit/evm'
import {
  ChainUnavailable,
  NoDecimals,
  type AccountCall,
  type AccountChainAdapter,
  type Coin,
  type FeeRate,
  type GasEstimate,
} from '../port.ts'
import { takeBroadcast } from './broadcast.ts'
import type { Chain, SimulatedBlock } from './chain.ts'
import type { Faults } from './faults.ts'
import type { ChainKind } from './names.ts'
import { GAS, readAccountTransaction, readCoinTransaction } from './raw.ts'
import { balanceAt, headOf, observedBlock, poolOf, statusOf } from './view.ts'

export interface SimulatedNode {
  network: Network
  kind: ChainKind
  identity: string
  chainId: bigint
  /** confirmations that make a block final */
  finalDepth: number
  /** decimals by contract, in lower case */
  tokens: ReadonlyMap<string, number>
  chain: Chain
  faults: Faults
  feeRate: FeeRate
  /** lowest accepted price of a transaction */
  floor: bigint
}

/** The port over a chain in memory. */
export const createSimulatedAdapter = (node: SimulatedNode): AccountChainAdapter => {
  const { network, kind, chain, faults, tokens } = node
  const listed = new Set(tokens.keys())
  /** blocks of the best chain that the node has seen */
  const shown = (): SimulatedBlock[] => chain.blocks.slice(0, Math.max(1, chain.blocks.length - faults.lag))
  const head = (): SimulatedBlock => shown().at(-1)!
  const pass: Faults['pass'] = (method, run) => faults.pass(method, run)
  const estimateGas = (call: AccountCall): GasEstimate => {
    const contract = call.to.toLowerCase()
    const transfer = tokens.has(contract) ? decodeTransfer(call.data) : undefined
    const held = transfer && chain.state.balanceOf(call.from, contract)
    const refused = transfer ? held! < transfer.units : call.data !== '0x'
    if (refused) return { ok: false, reason: 'reverted', message: 'execution reverted' }
    return { ok: true, gas: transfer ? GAS.token : GAS.native }
  }
  // The simulated chain runs no code; tokens only appear to have some.
  const codeAt = (address: string): string => (tokens.has(address.toLowerCase()) ? '0xfe' : '0x')
  return {
    network,
    identity: () => pass('identity', () => node.identity),
    capabilities: () => pass('capabilities', () => ({ mempool: kind === 'coins', traces: true })),
    head: () => pass('head', () => headOf(head())),
    finalized: () => pass('finalized', () => headOf(shown().at(-node.finalDepth) ?? shown()[0]!)),
    blockAt: (height) => pass('blockAt', () => observedBlock(shown()[height])),
    hashAt: (height) => pass('hashAt', () => shown()[height]?.hash ?? null),
    mempool: (known) =>
      pass('mempool', () => (kind === 'coins' ? poolOf(chain, known) : { hashes: new Set(), added: [] })),
    statusOf: (hash) => pass('statusOf', () => statusOf(chain, shown(), hash)),
    broadcast: (raw) =>
      pass('broadcast', () => {
        const read =
          kind === 'coins'
            ? readCoinTransaction(raw, (outpoint) => chain.coinAt(outpoint))
            : readAccountTransaction(raw, { chainId: node.chainId, tokens: listed })
        return takeBroadcast(chain, read, node.floor)
      }),
    feeRate: () => pass('feeRate', () => node.feeRate),
    balancesAt: (height, wanted) =>
      pass('balancesAt', () => {
        const at = head().height
        if (height > at || (kind === 'coins' && height !== at))
          throw new ChainUnavailable(`${network}: the head is at ${at}, not at ${height}`)
        return wanted.map(({ address, contract }) => balanceAt(chain, height, address, contract?.toLowerCase() ?? null))
      }),
    ...(kind === 'coins' && {
      scan: (addresses: readonly string[]) =>
        pass('scan', () => {
          const at = head()
          return { head: headOf(at), units: addresses.map((address) => balanceAt(chain, at.height, address, null)) }
        }),
      coinsAt: (coins: readonly Coin[]) =>
        pass('coinsAt', () =>
          coins.map(({ transaction, vout }) => chain.state.coinAt(`${transaction}:${vout}`)?.units ?? null),
        ),
    }),
    minedNonce: (address) => pass('minedNonce', () => chain.state.nonceOf(address)),
    minedNonceIn: (_block, address) => pass('minedNonceIn', () => chain.state.nonceOf(address)),
    stateFrom: (least) =>
      pass('stateFrom', () => {
        const { height, hash } = headOf(head())
        if (height < least)
          throw new ChainUnavailable(`${network}: the head is at ${height}, and ${least} was read before`)
        return {
          head: { height, hash },
          balances: async (wanted) =>
            wanted.map(({ address, contract }) => balanceAt(chain, height, address, contract?.toLowerCase() ?? null)),
          minedNonce: async (address) => chain.state.nonceOf(address),
          codeAt: async (address) => codeAt(address),
          estimateGas: async (call) => estimateGas(call),
          authorizationGas: async () => undefined,
        }
      }),
    estimateGas: (call) => pass('estimateGas', () => estimateGas(call)),
    isContract: (address) => pass('isContract', () => tokens.has(address.toLowerCase())),
    codeAt: (address) => pass('codeAt', () => codeAt(address)),
    callDelegated: () => pass('callDelegated', () => null),
    // Its issuers freeze no account.
    isFrozen: () => pass('isFrozen', () => false),
    tokenDecimals: (contract) =>
      pass('tokenDecimals', () => {
        const decimals = tokens.get(contract.toLowerCase())
        if (decimals === undefined) throw new NoDecimals(`${network}: ${contract} is no token with decimals()`)
        return decimals
      }),
  }
}
