/**
 * A hot wallet that pays withdrawals, and its cold storage, from the books to a real chain and back: their jobs over
 * `network.ts`.
 */
import { isEvmNetwork, NATIVE_TICKER, type EvmNetwork, type Network } from '@bursar/chainkit'
import { checksumAddress } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { ChainWorld } from '../../server/src/adapters/chains/conformance.ts'
import { openEvmWorld, type EvmWorld } from './evm-node.ts'
import type {
  AccountChainAdapter,
  ChainAdapter,
  CoinChainAdapter,
  TronChainAdapter,
} from '../../server/src/adapters/chains/port.ts'
import type { SignAnswer, SignRequest } from '../../server/src/adapters/signer/port.ts'
import {
  DEFAULT_BITCOIN_POLICY,
  DEFAULT_POLICY,
  DEFAULT_TRON_POLICY,
  evmHotKeys,
} from '../../server/src/chain/transactions/index.ts'
import { PLATFORM, type AccountKind } from '../../server/src/ledger/postings/index.ts'
import type { Catalogue } from '../../server/src/market/assets/index.ts'
import {
  createBitcoinPayoutJob,
  createEvmPayoutJob,
  createRebalanceJob,
  createTronPayoutJob,
  spendableSun,
} from '../../server/src/pay-out/withdrawals/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import type { Job } from '../../server/src/platform/jobs/index.ts'
import { momentOf } from '../../server/src/platform/runtime/runtime.ts'
import {
  cancelTransfer,
  coldFileOf,
  createColdJob,
  ensureColdAddresses,
  importTransfer,
  listTransfers,
  readTransfer,
  type ColdFile,
  type ImportRefusal,
  type OfferedTransfer,
} from '../../server/src/treasury/cold/index.ts'
import {
  createHotWatchJob,
  reconcileNetwork,
  treasuryPolicyOf,
  type HotLimits,
  type Round,
  type TreasuryPolicy,
} from '../../server/src/treasury/reconciliation/index.ts'
import { useDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'
import { useAnvil } from '../setup/nodes.ts'
import { catalogueOn } from './catalogue.ts'
import { openNetwork, runAll, type NetworkWorld } from './network.ts'
import { EVM_HOT, TRON_HOT, WALLET } from './wallet.ts'

export interface ColdWorld extends NetworkWorld<ChainAdapter> {
  /** Hands out, ends and fills. */
  offer(): Promise<void>
  /** Payouts are planned. */
  pay(): Promise<void>
  /** Transfers between hot addresses are planned. */
  rebalance(): Promise<void>
  /** Planned transactions are signed, and signed ones are sent to the node. */
  send(): Promise<void>
  watchHot(): Promise<void>
  /** The requests to the signer, in order; `before` may prevent an answer. */
  asked: SignRequest[]
  before: {
    answer(request: SignRequest): Promise<void>
    refuse(request: SignRequest): SignAnswer | undefined
    pause(name: string): Promise<void>
  }
  open(): Promise<OfferedTransfer>
  file(id: string): Promise<ColdFile>
  take(id: string, bytes: Uint8Array): Promise<{ hash: string } | ImportRefusal>
  cancel(id: string): Promise<unknown>
  state(id: string): Promise<string>
  transfers(): Promise<string[]>
  custody(address: string, ticker: string): Promise<bigint>
  platform(ticker: string, kind: AccountKind): Promise<bigint>
  reconcile(): Promise<Round>
  /** the cold addresses of the signer's policy, by ticker */
  signersCold: Map<string, string>
  /** limits of the hot wallet, which a test may change */
  treasury: { hot: Map<string, HotLimits> }
}

export interface ColdSetup {
  url: string
  network: Network
  chain: Pick<ChainWorld, 'adapter' | 'mine'>
  catalogue: Catalogue
  /** as in the policy file */
  treasury: Parameters<typeof treasuryPolicyOf>[0]
  chainId?: bigint
  /** EVM chains; absent: one */
  hotAddresses?: number
  mostInFlight?: number
  /** contracts by ticker, as the signer's policy has them */
  contracts?: Readonly<Record<string, string>>
}

const SENDING = {
  BITCOIN: DEFAULT_BITCOIN_POLICY,
  TRON: DEFAULT_TRON_POLICY,
  ETHEREUM: DEFAULT_POLICY,
  BINANCE_SMART_CHAIN: DEFAULT_POLICY,
}

export const openCold = async (setup: ColdSetup): Promise<ColdWorld> => {
  const { url, network, chain, catalogue, chainId, contracts = {}, hotAddresses = 1, mostInFlight = 16 } = setup
  const { adapter } = chain
  const given = treasuryPolicyOf(setup.treasury)
  const treasury = { ...given, hot: new Map(given.hot) }
  const policies = { [network]: treasury } as unknown as Record<Network, TreasuryPolicy>
  const signersCold = new Map(
    [...treasury.hot].flatMap(([ticker, { cold }]) => (cold === null ? [] : [[ticker, cold] as const])),
  )
  const assets = [NATIVE_TICKER[network], ...Object.keys(contracts)].map((ticker) => {
    const [contract, cold] = [contracts[ticker], signersCold.get(ticker)]
    return [ticker, { ...(contract && { contract }), ...(cold && { cold }) }] as const
  })
  const asked: SignRequest[] = []
  const before: ColdWorld['before'] = { answer: async () => {}, refuse: () => undefined, pause: async () => {} }
  const world = await openNetwork<ChainAdapter>({
    url,
    adapter,
    catalogue,
    policy: {
      ...SENDING[network],
      rebroadcastEveryMs: 0,
      hotAddresses,
      mostInFlight,
      maxFeePerMille: 100_000n,
      maxFee: 10n ** 18n,
    },
    signing: {
      assets: Object.fromEntries(assets),
      ...(isEvmNetwork(network) && { policy: { hotAddresses } }),
    },
    makeBlocks: (count) => chain.mine(count),
    pause: (name) => before.pause(name),
    asking: (signer) => ({
      ...signer,
      sign: async (request) => {
        asked.push(request)
        await before.answer(request)
        return before.refuse(request) ?? signer.sign(request)
      },
    }),
  })
  const { db, runtime, deps } = world
  await ensureColdAddresses(db, policies, 'regtest', momentOf(runtime))
  const spendable =
    network === 'TRON'
      ? () => spendableSun({ ...deps, adapter: adapter as TronChainAdapter, hotAddress: TRON_HOT })
      : undefined
  const cold = createColdJob(
    {
      ...deps,
      sending: deps.policy,
      treasury,
      ...(chainId && { chainId }),
      ...(spendable && { spendable }),
      signersCold: async (ticker) => signersCold.get(ticker),
    },
    0,
  )
  const evm = {
    ...deps,
    network: network as EvmNetwork,
    adapter: adapter as AccountChainAdapter,
    chainId: chainId!,
    hotAddress: EVM_HOT,
    hotKeys: evmHotKeys(WALLET, hotAddresses),
  }
  const payouts = (): Job => {
    if (network === 'BITCOIN') return createBitcoinPayoutJob({ ...deps, adapter: adapter as CoinChainAdapter }, 0)
    if (network === 'TRON')
      return createTronPayoutJob({ ...deps, adapter: adapter as TronChainAdapter, hotAddress: TRON_HOT }, 0)
    return createEvmPayoutJob(evm, 0)
  }
  const pays = payouts()
  const rebalances = createRebalanceJob(evm, 0)
  const sends = world.sendJob()
  const watches = createHotWatchJob({
    runtime,
    catalogue,
    policies,
    addresses: new Map([[network, EVM_HOT]]),
    everyMs: 0,
  })
  const { signal } = new AbortController()
  const one = async (id: string): Promise<OfferedTransfer> =>
    (await readTransfer(db, id)) ?? Promise.reject(new Error(`no transfer ${id}`))
  return {
    ...world,
    signersCold,
    treasury,
    asked,
    before,
    offer: async () => void (await cold.run(signal)),
    pay: () => runAll(pays),
    rebalance: async () => void (await rebalances.run(signal)),
    send: async () => {
      for (let run = 0; run < 3; run += 1) await sends.run(signal)
    },
    watchHot: async () => void (await watches.run(signal)),
    open: async () => {
      const offered = (await listTransfers(db, 10)).filter(({ state }) => state === 'offered')
      if (offered.length !== 1) throw new Error(`${offered.length} transfers wait`)
      return one(offered[0]!.id)
    },
    file: async (id) => coldFileOf(await one(id), catalogue),
    take: async (id, bytes) => {
      const hot = spendable && (await spendable())
      return inTransaction(db, (tx) =>
        importTransfer(tx, { id, bytes, ...(hot && { hot }) }, catalogue, momentOf(runtime)),
      )
    },
    cancel: (id) => inTransaction(db, (tx) => cancelTransfer(tx, id, momentOf(runtime))),
    state: async (id) => (await one(id)).outgoing.state,
    transfers: async () => (await listTransfers(db, 50)).map(({ state, ended }) => ended ?? state).toReversed(),
    custody: async (address, ticker) =>
      (
        await sql<{
          booked: bigint
        }>`select booked from custody_addresses where address = ${address} and asset = ${ticker}`.execute(db)
      ).rows[0]?.booked ?? 0n,
    platform: (asset, kind) => world.balance(PLATFORM, asset, kind),
    reconcile: async () =>
      (await reconcileNetwork(runtime, catalogue, adapter)) ?? Promise.reject(new Error('can not be compared')),
  }
}

export interface AnvilCold {
  node: EvmWorld
  cold: ColdWorld
}

/**
 * For the top of a test file: one anvil with ETH and USDT, as it was at first before each test, and new books.
 * @returns asked after `beforeEach`
 */
export const useColdOnAnvil = (
  setup: Pick<ColdSetup, 'hotAddresses' | 'mostInFlight'> & { treasury?: ColdSetup['treasury'] } = {},
): (() => AnvilCold) => {
  const database = useDatabase({ template: migrated })
  const startNode = useAnvil()
  let node: EvmWorld
  let snapshot: string | undefined
  let opened: AnvilCold
  beforeAll(async () => {
    const kind = { network: 'ETHEREUM', legacyGas: false, finality: 'finalized', chainId: 31_337 } as const
    node = await openEvmWorld(await startNode(), kind)
  })
  afterAll(() => node?.adapter.close())
  beforeEach(async () => {
    const { rpc } = node.node
    if (snapshot) await rpc('evm_revert', snapshot)
    snapshot = await rpc<string>('evm_snapshot')
    const usdt = checksumAddress(node.contracts.token)
    const cold = await openCold({
      treasury: {},
      ...setup,
      url: database.url,
      network: 'ETHEREUM',
      chain: node,
      catalogue: catalogueOn('ETHEREUM', { ETH: { decimals: 18 }, USDT: { contract: usdt, decimals: 6 } }),
      chainId: 31_337n,
      contracts: { USDT: usdt },
    })
    opened = { node, cold }
    return () => cold.close()
  })
  return () => opened
}
