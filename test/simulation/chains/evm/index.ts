/**
 * Ethereum and BNB Smart Chain of the simulation: Hardhat's node (EDR) in this process, whose rules and words are those
 * of its own release (sandbox/edr).
 */
import { getAddress } from 'viem'
import { openEdr } from '../../../../sandbox/edr/index.ts'
import { bsc, ethereum, type EvmSpec } from '../../../../sandbox/evm-specs.ts'
import { deployerAccount } from '../../../../sandbox/anvil/transactions.ts'
import { call, ensureTokens } from '../../../../sandbox/tokens/index.ts'
import type { Faults } from '../../faults.ts'
import type { Random } from '../../../../sandbox/random.ts'
import type { VirtualClock } from '../../virtual.ts'
import type { SimulatedChain } from '../chain.ts'
import { jsonRpc, startNodeFront } from '../front.ts'
import { askEdr } from './ask.ts'
import { EVM_DIALECTS } from './dialects/index.ts'
import { createLag } from './lag.ts'
import { openOutsiders } from './outsiders.ts'
import { COMES_LATER, reorganiseEvm, STAYS } from './reorganise.ts'
import { readTruth } from './truth.ts'

type EvmNetwork = 'ETHEREUM' | 'BINANCE_SMART_CHAIN'

const SPECS: Record<EvmNetwork, EvmSpec> = { ETHEREUM: ethereum, BINANCE_SMART_CHAIN: bsc }
const DECIMALS = 18
/** `finalized` is twice as many blocks below the head. */
const SLOTS_IN_EPOCH = 2
const LEAST_FINAL_DEPTH = 4
/** Code of a receiver: `PUSH1 0 PUSH1 0 REVERT`, and `STOP`. */
const REFUSES = '0x60006000fd'
const TAKES = '0x00'
/** `PUSH1 0` four times, `CALLVALUE - 1`, the address, `GAS CALL`, and `STOP`. */
const passingOn = (to: string): string => `0x60006000600060006001340373${to.slice(2).toLowerCase()}5af100`

export interface ChainOptions {
  random: Random
  clock: VirtualClock
  faults: Faults
}

export const openEvmChain = async (
  network: EvmNetwork,
  { random, clock, faults }: ChainOptions,
): Promise<SimulatedChain> => {
  const { chainId, baseFee, coin, tokens: wanted } = SPECS[network]
  const node = await openEdr({
    chainId,
    slotsInEpoch: SLOTS_IN_EPOCH,
    clock: clock.now,
    ...(baseFee !== undefined && { baseFee }),
  })
  const { rpc } = node
  const tokens = await ensureTokens(rpc, wanted)
  const assets = [
    { ticker: coin, decimals: DECIMALS },
    ...wanted.map(({ symbol, decimals }) => ({ ticker: symbol, decimals, contract: tokens.get(symbol)! })),
  ]
  const pausing = wanted.find(({ contract }) => contract === 'UsdtLike')
  const outsiders = await openOutsiders(rpc, chainId, assets)
  const lag = createLag(askEdr(node.answer), SLOTS_IN_EPOCH)
  const front = await startNodeFront({
    name: `node of ${network}`,
    faults,
    dialects: EVM_DIALECTS.filter(({ on }) => on === undefined || on === network),
    ask: lag.ask,
    head: lag.head,
    protocol: jsonRpc(),
  })
  let reorganisations = 0
  /** of receivers, by address */
  const codes = new Map<string, string>()
  return {
    network,
    assets,
    front,
    settings: () => ({
      url: front.url,
      chainId,
      leastFinalDepth: LEAST_FINAL_DEPTH,
      ...(network === 'ETHEREUM' ? { gasPriceFloor: '1000000' } : { legacyGas: true, gasPriceFloor: '100000000' }),
    }),
    ways: outsiders.ways,
    payers: outsiders.payers,
    pay: outsiders.pay,
    replace: outsiders.replace,
    mine: async (blocks) => {
      await rpc('anvil_mine', `0x${blocks.toString(16)}`)
      return Number(await rpc<string>('eth_blockNumber'))
    },
    reorganise: (depth, lost, others) =>
      reorganiseEvm(rpc, {
        depth,
        lost,
        outsiders,
        random: random.of('reorganisation', (reorganisations += 1)),
        stays: others === 'wait' ? 0 : STAYS,
        comesLater: others === 'wait' ? 0 : COMES_LATER,
        onRewound: async () => {
          for (const [address, code] of codes) await rpc('anvil_setCode', address, code)
        },
      }),
    refuse: async (address, isRefusing) => {
      codes.set(address, isRefusing ? REFUSES : TAKES)
      await rpc('anvil_setCode', address, codes.get(address))
    },
    passOn: async (address, to) => {
      codes.set(address, passingOn(to))
      await rpc('anvil_setCode', address, codes.get(address))
    },
    forgetPool: async () => {
      for (;;) {
        const waiting = await rpc<{ hash: string }[]>('eth_pendingTransactions')
        if (waiting.length === 0) return
        for (const { hash } of waiting) await rpc('hardhat_dropTransaction', hash)
      }
    },
    ...(pausing && {
      pause: async (isPaused: boolean) => {
        const options = { from: deployerAccount }
        await call(rpc, 'UsdtLike', tokens.get(pausing.symbol)!, isPaused ? 'pause' : 'unpause', [], options)
      },
    }),
    newAddress: async (drawn) => getAddress(`0x${drawn.bytes(20).toString('hex')}`),
    ...readTruth(rpc, [...tokens.values()]),
    close: () => front.close(),
  }
}
