/**
 * Sweeps from deposit to hot wallet on a real EVM chain: the adapter, the watcher's steps, a signer with our test keys.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Block, EvmNetwork } from '@bursar/chainkit'
import { NATIVE_TICKER } from '@bursar/chainkit'
import { checksumAddress, sweepContracts } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import type { Anvil } from '../../../../../sandbox/anvil/index.ts'
import { faucetAccount, sendAndMine } from '../../../../../sandbox/anvil/transactions.ts'
import { openEvm } from '../../../../../sandbox/chains/evm.ts'
import { makeSigner, policyFile } from '../../../../../test/world/signer.ts'
import { emptyTables } from '../../../../../test/setup/empty-tables.ts'
import { withoutSocket } from '../../../../../test/setup/signer.ts'
import { giveAddress } from '../../../../../test/world/address.ts'
import { alertKinds } from '../../../../../test/world/observed.ts'
import { setPrices } from '../../../../../test/world/prices.ts'
import { createTestRuntime } from '../../../../../test/world/runtime.ts'
import { readToHead } from '../../../../../test/world/watcher.ts'
import { fundWithdrawal, withdrawalState } from '../../../../../test/world/withdrawal.ts'
import type { AccountChainAdapter } from '../../../adapters/chains/port.ts'
import type { Signer } from '../../../adapters/signer/port.ts'
import { takeIndexes } from '../../../chain/addresses/index.ts'
import { TEST_KEYS } from '../../../../../test/world/keys.ts'
import { createCatalogue, type Catalogue } from '../../../market/assets/index.ts'
import { createDb, createPool } from '../../../platform/db/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../../../pay-in/deposits/index.ts'
import { balancesOf, PLATFORM, type AccountKind } from '../../../ledger/postings/index.ts'
import {
  createTransactionSubscriber,
  createSendingJob,
  DEFAULT_POLICY,
  ensureWallets,
  evmHotAddress,
} from '../../../chain/transactions/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { createFunding, reconcileFully } from '../../reconciliation/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS } from '../../../chain/watcher/index.ts'
import { createEvmDirect } from '../../../pay-out/from-deposit-addresses/index.ts'
import { readingSweeps } from '../../../app/composition/reading-sweeps.ts'
import { createSigning } from '../../../app/composition/signing.ts'
import {
  createEvmPayoutJob,
  createSettlement,
  type Withdrawal,
  carriesStopped,
} from '../../../pay-out/withdrawals/index.ts'
import {
  createEvmSweepJob,
  createSweepSubscriber,
  createSweepSettlement,
  DEFAULT_SWEEP_POLICY,
  type Allowed,
  type SweepPolicy,
} from '../index.ts'

const WALLET = { ...TEST_KEYS, masterFingerprint: '00000000' }
export const HOT = evmHotAddress(WALLET)
const E18 = 10n ** 18n
const WIDE = {
  enabled: true,
  maxPerIntent: '1000000000000000000000000',
  maxPerHour: '1000000000000000000000000',
  maxPerDay: '1000000000000000000000000',
}
const USD = { ETH: 2_000n, BNB: 600n, USDT: 1n, USDC: 1n }
const FINAL = 3

interface SweepTokens {
  USDT: { contract: string; decimals: number }
  USDC: { contract: string; decimals: number }
}

export interface SweepOptions {
  network: EvmNetwork
  chainId: number
  node: Pick<Anvil, 'url' | 'rpc'>
  tokens: SweepTokens
  adapterOf(url: string, tokens: readonly string[]): AccountChainAdapter & { close(): Promise<void> }
  policy?: Partial<SweepPolicy>
  /** how USDC names itself in signatures, when it takes them */
  domain?: { name: string; version: string }
  paysFromDeposits?: boolean
  /** wei */
  maxBatchFee?: bigint
  /** the signer's cap on fees, wei */
  signersMaxFee?: bigint
}

export interface SweepRow {
  asset: string
  address: string
  way: string
  state: string
}

interface SentRow {
  purpose: string
  state: string
  senders: string[]
  nonce: number
  hash: string | null
  unsigned: string
  fee: bigint | null
}

export type EvmSweeps = Awaited<ReturnType<typeof openEvmSweeps>>

/** Each world has books of its own; the chain it was given is afterwards as it was before. */
export const openEvmSweeps = async (url: string, options: SweepOptions) => {
  const { network, chainId, node, tokens } = options
  const snapshot = await node.rpc<string>('evm_snapshot')
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const coin = NATIVE_TICKER[network]
  const catalogue = catalogueOf(options)
  const adapter = options.adapterOf(node.url, [tokens.USDT.contract, tokens.USDC.contract])
  const pool = createPool({ url })
  const db = createDb(pool)
  await emptyTables(db)
  const runtime = createTestRuntime(db, now)
  await ensureWallets(db, WALLET, momentOf(runtime))
  // What earlier worlds did to addresses of these keys is still on their nodes.
  await takeIndexes(db, 'EVM', 'deposit', 0, 1 + randomBytes(3).readUIntBE(0, 3))
  const signer = await signerOf(options, now)
  const subscribers = [createSettlement(catalogue), createSweepSettlement(catalogue)]
  const prices = new Map(Object.entries(USD).map(([ticker, usd]) => [ticker, usd * E18]))
  const priced = () => setPrices(runtime, Object.fromEntries(prices))
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => prices,
    onCredited: [],
    depositSubscribers: [],
  })
  const pauses: { at: string | null; hit: boolean } = { at: null, hit: false }
  const pause = async (point: string): Promise<void> => {
    if (pauses.at !== point) return
    pauses.hit = true
    throw new Error(`killed at ${point}`)
  }
  const sending = {
    ...DEFAULT_POLICY,
    rebroadcastEveryMs: 0,
    bumpAfterMs: 60_000,
    maxBatchFee: options.maxBatchFee ?? E18,
  }
  const policy: SweepPolicy = { ...DEFAULT_SWEEP_POLICY, ...options.policy }
  const allowed = async (): Promise<Allowed> => ({
    all: new Set([coin, 'USDT', 'USDC']),
    signed: new Set(options.domain ? ['USDC'] : []),
  })
  const shared = { runtime, catalogue, network, chainId: BigInt(chainId), adapter, hotAddress: HOT, pause }
  const sweepJob = () => createEvmSweepJob({ ...shared, policy, sending, allowed }, 0)
  const sendJob = () =>
    createSendingJob({
      runtime,
      network,
      adapter,
      signer,
      policy: sending,
      wallet: WALLET,
      subscribers,
      carriesStopped,
      pause,
      purposeOf: createSigning(runtime, catalogue, signer).purposeOf,
    })
  const payout = {
    ...shared,
    signer,
    hotKeys: [{ address: HOT, index: 0 }],
    wallet: WALLET,
    policy: sending,
    approved: async (all: readonly Withdrawal[]) => [...all],
  }
  const fromDeposits = createEvmDirect({ ...payout, sending, sweeps: policy })
  const payoutJob = createEvmPayoutJob({ ...payout, ...(options.paysFromDeposits && { fromDeposits }) }, 0)
  const follower = await beginFollowing({
    runtime,
    network,
    adapter,
    subscribers: [
      readingSweeps(
        [
          createTransactionSubscriber(subscribers),
          createSweepSubscriber(catalogue),
          createFunding(catalogue),
          deposits,
        ],
        HOT,
      ),
    ],
    ringBlocks: 200,
    settings: {
      ...DEFAULT_WATCHER_SETTINGS[network],
      network,
      identity: '',
      startHeight: Number(await node.rpc('eth_blockNumber')),
    },
  })
  const chain = openEvm({
    blockchain: network,
    rpc: node.rpc,
    assets: [
      { ticker: coin, decimals: 18 },
      { ticker: 'USDT', decimals: tokens.USDT.decimals, token: tokens.USDT.contract },
      { ticker: 'USDC', decimals: tokens.USDC.decimals, token: tokens.USDC.contract },
    ],
  })
  const catchUp = () =>
    readToHead(db, network, follower, async () => (await node.rpc<Block>('eth_getBlockByNumber', 'latest', false)).hash)
  const mine = async (blocks = 1): Promise<void> => {
    await chain.mine(blocks)
    await catchUp()
  }
  const run = async (job: { run(signal: AbortSignal): Promise<boolean> }): Promise<void> => {
    const { signal } = new AbortController()
    for (let i = 0; i < 20 && (await job.run(signal)); i += 1);
  }
  const work = async (): Promise<void> => {
    await priced()
    for (const job of [sweepJob(), sendJob(), payoutJob, sendJob(), sendJob()]) await run(job)
  }
  await priced()
  await chain.pay({ ticker: coin, to: HOT, amount: '5' })
  // The payer's tokens are minted in blocks of their own, before any that a test counts.
  for (const ticker of ['USDT', 'USDC']) await chain.pay({ ticker, to: await chain.newAddress(), amount: '1' })
  await mine(1 + FINAL)
  const rows = async (): Promise<SweepRow[]> =>
    (
      await sql<SweepRow>`select asset, address, way, state from sweeps where network = ${network} order by created_at, id`.execute(
        db,
      )
    ).rows
  return {
    db,
    runtime,
    adapter,
    catalogue,
    node,
    chain,
    coin,
    policy,
    pauses,
    catchUp,
    mine,
    work,
    run,
    sweepJob,
    sendJob,
    rows,
    now,
    prices,
    /** The contracts are on the chain, by another party. */
    deployed: async (): Promise<void> => {
      for (const { address, deployment } of Object.values(sweepContracts(HOT))) {
        if ((await adapter.codeAt(address)) === '0x')
          await sendAndMine(node.rpc, { from: faucetAccount, ...deployment })
      }
      await mine(1)
    },
    /** Works until it dies at the pause point. */
    dying: async (): Promise<void> => {
      for (let round = 0; round < 6; round += 1) {
        try {
          await priced()
          for (const job of [sweepJob(), sendJob(), sendJob(), sendJob()]) await run(job)
        } catch {
          return
        }
        if (pauses.hit) return
        await mine(4)
      }
      throw new Error(`nothing passes ${pauses.at}`)
    },
    attempts: async (): Promise<number> =>
      (await sql<{ n: number }>`select count(*) as n from outgoing_attempts where raw is not null`.execute(db)).rows[0]!
        .n,
    later: (ms: number): void => {
      ahead += ms
    },
    address: async (merchantId: string = randomUUID()): Promise<{ address: string; merchantId: string }> => ({
      address: await giveAddress(runtime, WALLET, { merchantId, blockchain: network }),
      merchantId,
    }),
    /** A withdrawal with its hold; answers its id. */
    request: async (ticker: string, to: string, units: bigint, merchantId: string = randomUUID()): Promise<string> =>
      fundWithdrawal(runtime, { merchantId, ticker, blockchain: network, to, units }),
    withdrawal: (id: string) => withdrawalState(db, id),
    /** Payouts are planned, without sweeps. */
    plan: async (): Promise<void> => {
      await priced()
      await run(payoutJob)
    },
    pay: (ticker: string, to: string, amount: string): Promise<string> => chain.pay({ ticker, to, amount }),
    /** until all that was planned is final */
    settle: async (): Promise<void> => {
      for (let i = 0; i < 6; i += 1) {
        await work()
        await mine(1 + FINAL)
      }
    },
    onChain: async (address: string, ticker: string): Promise<bigint> => {
      const contract = ticker === coin ? null : tokens[ticker as 'USDT'].contract
      return (await adapter.balancesAt((await adapter.head()).height, [{ address, contract }]))[0]!
    },
    balance: async (merchantId: string, asset: string, kind: AccountKind): Promise<bigint> =>
      (await balancesOf(db, kind, [{ merchantId, asset }]))[0]!.posted,
    platformCosts: async (): Promise<bigint> =>
      (await balancesOf(db, 'network-costs', [{ merchantId: PLATFORM, asset: coin }]))[0]!.posted,
    outgoing: async (): Promise<SentRow[]> =>
      (
        await sql<SentRow>`
        select o.purpose, o.state, o.senders, o.nonce, a.hash, a.unsigned, o.network_fee as fee from outgoing o
        join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt order by o.created_at, o.nonce`.execute(
          db,
        )
      ).rows,
    alerts: () => alertKinds(db),
    /** Each address beside the chain, and the ledger beside both: what is not the same. */
    drift: async (): Promise<unknown[]> => {
      await reconcileFully(runtime, catalogue, adapter, () => undefined)
      const addresses = (
        await sql<{
          asset: string
          address: string
          booked: bigint
          difference: bigint
        }>`select asset, address, booked, difference
        from custody_addresses where network = ${network}`.execute(db)
      ).rows
      const ledger = (
        await sql<{
          asset: string
          units: bigint
        }>`select asset, -sum(posted) as units from ledger_accounts where kind = ${`custody:${network}`} group by asset`.execute(
          db,
        )
      ).rows
      const sums = (
        await sql<{
          asset: string
          units: bigint
        }>`select asset, sum(booked) as units from custody_addresses where network = ${network} group by asset`.execute(
          db,
        )
      ).rows
      return [
        ...addresses.filter(({ difference }) => difference !== 0n),
        ...ledger.filter(({ asset, units }) => units !== (sums.find((one) => one.asset === asset)?.units ?? 0n)),
      ]
    },
    close: async (): Promise<void> => {
      await adapter.close()
      await pool.end()
      await node.rpc('evm_revert', snapshot)
    },
  }
}

const limits = { minDeposit: '0', minWithdrawal: '0' }

const catalogueOf = ({ network, tokens }: SweepOptions): Catalogue =>
  createCatalogue({
    crypto: [
      { ticker: NATIVE_TICKER[network], name: 'Coin', networks: { [network]: { decimals: 18, ...limits } } },
      ...(['USDT', 'USDC'] as const).map((ticker) => ({
        ticker,
        name: ticker,
        networks: { [network]: { ...tokens[ticker], ...limits } },
      })),
    ],
    fiat: [],
  })

const signerOf = async (
  { network, chainId, tokens, domain, signersMaxFee = E18 }: SweepOptions,
  now: () => number,
): Promise<Signer> => {
  const policy = {
    ...policyFile,
    networks: {
      [network]: {
        enabled: true,
        chainId: String(chainId),
        fee: { maxUnits: E18.toString(), maxPerHour: (100n * E18).toString(), maxPerDay: (100n * E18).toString() },
        assets: {
          [NATIVE_TICKER[network]]: WIDE,
          USDT: { ...WIDE, contract: checksumAddress(tokens.USDT.contract) },
          USDC: { ...WIDE, contract: checksumAddress(tokens.USDC.contract) },
        },
        sweep: {
          enabled: true,
          treasury: HOT,
          maxFee: signersMaxFee.toString(),
          maxTopUp: '10000000000000000',
          ...(domain && { domains: { USDC: domain } }),
        },
      },
    },
  }
  const { signer } = await makeSigner({ policy, now })
  return withoutSocket(signer)
}
