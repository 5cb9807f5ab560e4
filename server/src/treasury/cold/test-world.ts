/**
 * Cold storage from the books to a real chain and back: the adapter on a real node, the watcher's steps, payouts beside
 * it, the signer's judgement.
 */
import { randomUUID } from 'node:crypto'
import { isEvmNetwork, NATIVE_TICKER, type EvmNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { keyring, makeSigner, policyFile } from '../../../../test/world/signer.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutSocket } from '../../../../test/setup/signer.ts'
import { alertKinds } from '../../../../test/world/observed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { readToHead } from '../../../../test/world/watcher.ts'
import { fundWithdrawal, withdrawalState } from '../../../../test/world/withdrawal.ts'
import type { ChainWorld } from '../../adapters/chains/conformance.ts'
import type {
  AccountChainAdapter,
  CoinChainAdapter,
  ChainAdapter,
  TronChainAdapter,
} from '../../adapters/chains/port.ts'
import type { SignAnswer, Signer, SignRequest } from '../../adapters/signer/port.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { balancesOf, PLATFORM, type AccountKind } from '../../ledger/postings/index.ts'
import {
  createTransactionSubscriber,
  createSendingJob,
  DEFAULT_BITCOIN_POLICY,
  DEFAULT_POLICY,
  DEFAULT_TRON_POLICY,
  ensureWallets,
  evmHotAddress,
  evmHotKeys,
  tronHotAddress,
} from '../../chain/transactions/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { createSigning } from '../../app/composition/signing.ts'
import { createSweepSubscriber } from '../sweeps/index.ts'
import {
  createFunding,
  createHotWatchJob,
  treasuryPolicyOf,
  reconcileNetwork,
  type Round,
  type TreasuryPolicy,
} from '../reconciliation/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS } from '../../chain/watcher/index.ts'
import {
  createBitcoinPayoutJob,
  createEvmPayoutJob,
  createRebalanceJob,
  createSettlement,
  createTronPayoutJob,
  carriesStopped,
} from '../../pay-out/withdrawals/index.ts'
import type { Withdrawal } from '../../pay-out/withdrawals/withdrawal.ts'
import {
  cancelTransfer,
  coldFileOf,
  createColdSubscriber,
  createColdJob,
  createColdSettlement,
  ensureColdAddresses,
  importTransfer,
  listTransfers,
  readTransfer,
  type ColdFile,
  type ImportRefusal,
  type OfferedTransfer,
} from './index.ts'

export const WALLET = { ...TEST_KEYS, masterFingerprint: keyring.publicKeys.masterFingerprint }
export const EVM_HOT = evmHotAddress(WALLET)
export const TRON_HOT = tronHotAddress(WALLET)
const WIDE = {
  enabled: true,
  maxPerIntent: '1'.padEnd(30, '0'),
  maxPerHour: '1'.padEnd(30, '0'),
  maxPerDay: '1'.padEnd(30, '0'),
}

export interface ColdWorld {
  db: Db
  runtime: Runtime
  /** moves the clock of everything but the chain */
  later(ms: number): void
  /** Hands out, ends and fills. */
  offer(): Promise<void>
  /** Payouts are planned. */
  pay(): Promise<void>
  /** What moves between hot addresses is planned. */
  rebalance(): Promise<void>
  /** What is planned is signed, what is signed is handed to the node. */
  send(): Promise<void>
  /** Blocks are made, and the watcher reads them. */
  mine(blocks?: number): Promise<void>
  catchUp(): Promise<void>
  watchHot(): Promise<void>
  /** A withdrawal with its hold. */
  request(ticker: string, to: string, units: bigint, merchantId?: string): Promise<string>
  merchantId: string
  /** What the signer was asked, in order; `before` may keep it from answering. */
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
  withdrawal(id: string): Promise<string>
  custody(address: string, ticker: string): Promise<bigint>
  platform(ticker: string, kind: AccountKind): Promise<bigint>
  alerts(): Promise<string[]>
  reconcile(): Promise<Round>
  /** what the signer's policy has as cold addresses, by ticker */
  signersCold: Map<string, string>
  close(): Promise<void>
}

export interface ColdSetup {
  url: string
  network: Network
  chain: Pick<ChainWorld, 'adapter' | 'mine'>
  catalogue: Catalogue
  /** as in the policy file */
  treasury: Parameters<typeof treasuryPolicyOf>[0]
  chainId?: bigint
  /** EVM chains, one where it is not said */
  hotAddresses?: number
  mostInFlight?: number
  /** contracts by ticker, as the signer's policy has them */
  contracts?: Record<string, string>
}

export const openCold = async ({
  url,
  network,
  chain,
  catalogue,
  treasury: settings,
  chainId,
  contracts = {},
  hotAddresses = 1,
  mostInFlight = 16,
}: ColdSetup): Promise<ColdWorld> => {
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const pool = createPool({ url })
  const db = createDb(pool)
  await emptyTables(db)
  const { adapter } = chain
  const runtime = createTestRuntime(db, now)
  const treasury = treasuryPolicyOf(settings)
  const policies = { [network]: treasury } as unknown as Record<Network, TreasuryPolicy>
  await ensureWallets(db, WALLET, momentOf(runtime), hotAddresses)
  await ensureColdAddresses(db, policies, 'regtest', momentOf(runtime))
  const signersCold = new Map(
    [...treasury.hot].flatMap(([ticker, { cold }]) => (cold === null ? [] : [[ticker, cold] as const])),
  )
  const judging = await signerOf(network, signersCold, contracts, now, hotAddresses)
  const asked: SignRequest[] = []
  const before: ColdWorld['before'] = { answer: async () => {}, refuse: () => undefined, pause: async () => {} }
  const signer: Signer = {
    ...judging,
    sign: async (request) => {
      asked.push(request)
      await before.answer(request)
      return before.refuse(request) ?? judging.sign(request)
    },
  }
  const signing = createSigning(runtime, catalogue, signer)
  const subscribers = [createSettlement(catalogue), createColdSettlement(catalogue)]
  const pause = (name: string): Promise<void> => before.pause(name)
  const sending = {
    ...{
      BITCOIN: DEFAULT_BITCOIN_POLICY,
      TRON: DEFAULT_TRON_POLICY,
      ETHEREUM: DEFAULT_POLICY,
      BINANCE_SMART_CHAIN: DEFAULT_POLICY,
    }[network],
    rebroadcastEveryMs: 0,
    hotAddresses,
    mostInFlight,
    maxFeePerMille: 100_000n,
    maxFee: 10n ** 18n,
  }
  const base = { runtime, catalogue, network, adapter, wallet: WALLET, pause }
  const cold = createColdJob(
    { ...base, sending, treasury, ...(chainId && { chainId }), signersCold: async (ticker) => signersCold.get(ticker) },
    0,
  )
  const payout = { ...base, signer, policy: sending, approved: async (all: readonly Withdrawal[]) => [...all] }
  const evm = {
    ...payout,
    network: network as EvmNetwork,
    adapter: adapter as AccountChainAdapter,
    chainId: chainId!,
    hotAddress: EVM_HOT,
    hotKeys: evmHotKeys(WALLET, hotAddresses),
  }
  const payouts = (): Job => {
    if (network === 'BITCOIN') return createBitcoinPayoutJob({ ...payout, adapter: adapter as CoinChainAdapter }, 0)
    if (network === 'TRON')
      return createTronPayoutJob({ ...payout, adapter: adapter as TronChainAdapter, hotAddress: TRON_HOT }, 0)
    return createEvmPayoutJob(evm, 0)
  }
  const pays = payouts()
  const rebalances = createRebalanceJob(evm, 0)
  const sends = createSendingJob({
    ...base,
    signer,
    policy: sending,
    subscribers,
    carriesStopped,
    purposeOf: signing.purposeOf,
  })
  const watches = createHotWatchJob({
    runtime,
    catalogue,
    policies,
    addresses: new Map([[network, EVM_HOT]]),
    everyMs: 0,
  })
  const follower = await beginFollowing({
    runtime,
    network,
    adapter,
    subscribers: [
      createTransactionSubscriber(subscribers),
      createSweepSubscriber(catalogue),
      createColdSubscriber(catalogue),
      createFunding(catalogue),
    ],
    ringBlocks: 200,
    settings: {
      ...DEFAULT_WATCHER_SETTINGS[network],
      network,
      identity: '',
      startHeight: (await adapter.head()).height,
    },
  })
  const catchUp = () => readToHead(db, network, follower, async () => (await adapter.head()).hash)
  await catchUp()
  const signal = new AbortController().signal
  const merchantId = randomUUID()
  const one = async (id: string): Promise<OfferedTransfer> =>
    (await readTransfer(db, id)) ?? Promise.reject(new Error(`no transfer ${id}`))
  return {
    db,
    runtime,
    signersCold,
    later: (ms) => {
      ahead += ms
    },
    offer: async () => void (await cold.run(signal)),
    pay: async () => {
      while (await pays.run(signal));
    },
    rebalance: async () => void (await rebalances.run(signal)),
    send: async () => {
      for (let run = 0; run < 3; run += 1) await sends.run(signal)
    },
    watchHot: async () => void (await watches.run(signal)),
    mine: async (blocks = 1) => {
      await chain.mine(blocks)
      await catchUp()
    },
    catchUp,
    merchantId,
    asked,
    before,
    request: (ticker, to, units, owner = merchantId) =>
      fundWithdrawal(runtime, { merchantId: owner, ticker, blockchain: network, to, units }),
    open: async () => {
      const offered = (await listTransfers(db, 10)).filter(({ state }) => state === 'offered')
      if (offered.length !== 1) throw new Error(`${offered.length} transfers wait`)
      return one(offered[0]!.id)
    },
    file: async (id) => coldFileOf(await one(id), catalogue),
    take: (id, bytes) => inTransaction(db, (tx) => importTransfer(tx, { id, bytes }, catalogue, momentOf(runtime))),
    cancel: (id) => inTransaction(db, (tx) => cancelTransfer(tx, id, momentOf(runtime))),
    state: async (id) => (await one(id)).outgoing.state,
    transfers: async () => (await listTransfers(db, 50)).map(({ state, ended }) => ended ?? state).toReversed(),
    withdrawal: (id) => withdrawalState(db, id),
    custody: async (address, ticker) =>
      (
        await sql<{
          booked: bigint
        }>`select booked from custody_addresses where address = ${address} and asset = ${ticker}`.execute(db)
      ).rows[0]?.booked ?? 0n,
    platform: async (asset, kind) => (await balancesOf(db, kind, [{ merchantId: PLATFORM, asset }]))[0]!.posted,
    alerts: () => alertKinds(db),
    reconcile: async () =>
      (await reconcileNetwork(runtime, catalogue, adapter as ChainAdapter)) ??
      Promise.reject(new Error('can not be compared')),
    close: () => pool.end(),
  }
}

const signerOf = async (
  network: Network,
  cold: ReadonlyMap<string, string>,
  contracts: Record<string, string>,
  now: () => number,
  hotAddresses: number,
): Promise<Signer> => {
  const { fee, ...theirs } = policyFile.networks[network]
  const tickers = [NATIVE_TICKER[network], ...Object.keys(contracts)]
  const assets = Object.fromEntries(
    tickers.map((ticker) => [
      ticker,
      {
        ...WIDE,
        ...(contracts[ticker] && { contract: contracts[ticker] }),
        ...(cold.has(ticker) && { cold: cold.get(ticker) }),
      },
    ]),
  )
  const much = '1'.padEnd(20, '0')
  const wide = {
    ...fee,
    maxUnits: much,
    maxPerHour: much,
    maxPerDay: much,
    ...('maxPerMille' in fee && { maxPerMille: '100000', maxMilliSatPerVb: '1000000' }),
  }
  // A chain that makes blocks at once is ahead of the clock.
  const lifetime = network === 'TRON' ? { maxLifetimeMs: 3_600_000 } : {}
  const networks = {
    [network]: {
      ...theirs,
      ...lifetime,
      ...(isEvmNetwork(network) && { hotAddresses }),
      sweep: undefined,
      consolidation: undefined,
      fee: wide,
      assets,
    },
  }
  const { signer } = await makeSigner({ policy: { ...policyFile, networks }, now })
  return withoutSocket(signer)
}
