/**
 * Runs Hardhat's node (EDR) in this process, behind JSON-RPC on loopback. It implements Ethereum's rules independently
 * of anvil, with its own errors and pool. `shim.ts` builds the methods of a real node that EDR lacks from those that it
 * has, unless a test wants EDR's own responses (`ownReads`), as of a node with few features.
 */
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { CREATE2_DEPLOYER } from '@bursar/chainkit/evm'
import { deployerAccount, deployerKey, faucetAccount, faucetKey } from '../anvil/transactions.ts'
import { listenOnLoopback } from '../http/listen.ts'
import { rpcClient, RpcError } from '../rpc.ts'
import type { Rpc } from '../rpc.ts'
import { findEdr } from './binding.ts'
import type { Edr, Provider } from './binding.ts'
import { createShim } from './shim.ts'

export interface EdrOptions {
  /** A private one: a transaction signed for 1 or 56 would be valid on the real chain. */
  readonly chainId: number
  /** Base fee of the first block, in wei. 0 makes it BSC-like. */
  readonly baseFee?: bigint
  /** The rules of the chain; the newest that is known here, `prague`, when absent. */
  readonly hardfork?: 'cancun' | 'prague'
  /** `safe` is this many blocks behind the head, `finalized` twice as many. */
  readonly slotsInEpoch: number
  /** EDR answers all questions about blocks itself: it has no receipts or traces of a block, and its head is final. */
  readonly ownReads?: boolean
  /**
   * ms since 1970: blocks are dated by it, each at least a second after the one before. Absent: EDR dates them by the
   * machine's clock. With it, the same requests make the same blocks.
   */
  readonly clock?: () => number
}

/** The node without a server. */
export interface OpenedEdr {
  /** @param question a JSON-RPC request; the answer is one too, and may be a refusal */
  answer(question: unknown): Promise<unknown>
  /** The same, for one method. Throws RpcError for refusals. */
  readonly rpc: Rpc
}

/** A node without its own process: it ends with the process that started it. */
export interface EdrNode {
  readonly url: string
  readonly rpc: Rpc
  stop(): Promise<void>
}

const usualBaseFee = 1_000_000_000n
const gasLimit = 30_000_000n
const plenty = 10n ** 30n
/**
 * The code of the deployer on Ethereum, BSC and anvil, through which contracts get the same address on every chain. EDR
 * starts without it.
 */
const create2Code =
  '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

/** Opens the node in this process. Blocks come by `evm_mine` and `anvil_mine`. Throws where the platform has no EDR. */
export async function openEdr(options: EdrOptions): Promise<OpenedEdr> {
  const edr = findEdr()
  if (edr === undefined) throw new Error("Hardhat's node is not installed for this platform")
  const answer = createShim(await createProvider(edr, options), options)
  return {
    answer,
    rpc: async <T>(method: string, ...params: unknown[]) => {
      const { result, error } = (await answer({ jsonrpc: '2.0', id: 1, method, params })) as {
        result?: T
        error?: { code: number; message: string }
      }
      if (error !== undefined) throw new RpcError(method, error.code, error.message)
      return result as T
    },
  }
}

/** The same, behind a server on loopback. */
export async function startEdr(options: EdrOptions): Promise<EdrNode> {
  const { answer } = await openEdr(options)
  const server = createServer((request, response) => {
    const serve = async (): Promise<void> => {
      const asked = JSON.parse(await bodyOf(request)) as unknown
      const answered = Array.isArray(asked) ? await Promise.all(asked.map(answer)) : await answer(asked)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
    }
    serve().catch(() => response.destroy())
  })
  const { url, stop } = await listenOnLoopback(server, 0)
  return { url, rpc: rpcClient(url), stop }
}

let context: Promise<InstanceType<Edr['EdrContext']>> | undefined

/** There is one context in a process. */
function openContext(edr: Edr): Promise<InstanceType<Edr['EdrContext']>> {
  context ??= (async () => {
    const made = new edr.EdrContext()
    await made.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory())
    return made
  })()
  return context
}

async function createProvider(
  edr: Edr,
  { chainId, baseFee = usualBaseFee, hardfork = 'prague', clock }: EdrOptions,
): Promise<Provider> {
  const rules = hardfork === 'cancun' ? edr.CANCUN : edr.PRAGUE
  const config = {
    allowBlocksWithSameTimestamp: false,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    chainId: BigInt(chainId),
    coinbase: Buffer.alloc(20, 0xc0),
    defaultTransactionGasLimit: 16_000_000n,
    genesisState: [
      ...edr.l1GenesisState(edr.l1HardforkFromString(rules)),
      ...[faucetAccount, deployerAccount].map((account) => ({
        address: Buffer.from(account.slice(2), 'hex'),
        balance: plenty,
      })),
      { address: Buffer.from(CREATE2_DEPLOYER.slice(2), 'hex'), code: Buffer.from(create2Code, 'hex') },
    ],
    hardfork: rules,
    initialBaseFeePerGas: baseFee,
    initialParentBeaconBlockRoot: Buffer.alloc(32),
    minGasPrice: 0n,
    mining: { autoMine: false, blockGasLimit: gasLimit, memPool: { order: 'Priority' } },
    network: {
      genesisBlockGasLimit: gasLimit,
      ...(clock === undefined ? {} : { genesisBlockTime: BigInt(Math.floor(clock() / 1_000)) }),
    },
    networkId: BigInt(chainId),
    observability: {},
    ownedAccounts: [faucetKey, deployerKey],
    precompileOverrides: [],
  }
  const logger = { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => undefined }
  const subscriptions = { subscriptionCallback: () => undefined }
  return (await openContext(edr)).createProvider(
    edr.L1_CHAIN_TYPE,
    config,
    logger,
    subscriptions,
    new edr.ContractDecoder(),
  )
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
