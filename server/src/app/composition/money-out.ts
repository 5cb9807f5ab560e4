import { settlements } from './chain-subscribers.ts'
import { createWithdrawalSubscribers } from './invoicing.ts'
import type { WorkerDeps, World } from './world.ts'
import { isEvmNetwork } from '@bursar/chainkit'
import type {
  AccountChainAdapter,
  ChainAdapter,
  CoinChainAdapter,
  TronChainAdapter,
} from '../../adapters/chains/port.ts'
import { provedPayments } from '../../treasury/auditing/index.ts'
import {
  createConsolidationJob,
  createFirstSeedJob,
  createRecallJob,
  createRescueJob,
  payForParent,
} from '../../treasury/consolidation/index.ts'
import { createColdJob } from '../../treasury/cold/index.ts'
import { createEvmDirect, createTronDirect } from '../../pay-out/from-deposit-addresses/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import {
  createRefusalJob,
  createSupersededJob,
  createSendingJob,
  evmHotKeys,
  evmTreasuries,
  tronHotAddress,
  type SendingDeps,
} from '../../chain/transactions/index.ts'
import { unlessStopped } from '../../ledger/stops/index.ts'
import { createEvmSweepJob, createTronSweepJob } from '../../treasury/sweeps/index.ts'
import {
  createBitcoinPayoutJob,
  createEvmPayoutJob,
  createDrainJob,
  createRebalanceJob,
  createTronPayoutJob,
  spendableSun,
  waitingPayments,
  withinLimits,
  type PayoutDeps,
  carriesStopped,
} from '../../pay-out/withdrawals/index.ts'
import { createAdmission } from './screening.ts'
import { createSigning } from './signing.ts'
import { createSweepPermission } from './sweep-permission.ts'
import { createDecimalsCheck } from './token-decimals.ts'
import { createTronSweepPermission } from './tron-sweep-permission.ts'

const SWEEP_EVERY_MS = 5_000
const SUPERSEDED_EVERY_MS = 5_000
const REFUSALS_EVERY_MS = 60_000
const TREASURY_EVERY_MS = 10_000

/**
 * Composes the jobs that send from, sweep and consolidate the wallets of one network. Their pause points are named
 * `NAME@NETWORK`.
 */
export const payoutJobs = (world: World, given: WorkerDeps, adapter: ChainAdapter): Job[] => {
  const { runtime, catalogue, wallet, policies } = world
  const { network } = adapter
  const deps: WorkerDeps = { ...given, pause: (name) => given.pause(`${name}@${network}`) }
  const policy = policies.sending[network]
  const signing = createSigning(runtime, catalogue, deps.signer)
  const admitted = createAdmission(world)
  const withRightDecimals = createDecimalsCheck(runtime, catalogue, adapter)
  const payout: PayoutDeps = {
    runtime,
    catalogue,
    adapter,
    wallet,
    policy,
    signer: deps.signer,
    approved: async (waiting) =>
      withinLimits(
        runtime,
        await signing.approved(
          await admitted(await provedPayments(runtime, 'withdrawal', await withRightDecimals(waiting))),
        ),
      ),
    withdrawalSubscribers: createWithdrawalSubscribers(world),
    pause: deps.pause,
  }
  const joining =
    network === 'BITCOIN'
      ? { ...payout, adapter: adapter as CoinChainAdapter, sending: policy, policy: policies.consolidation }
      : undefined
  const sends: SendingDeps = {
    runtime,
    network,
    adapter,
    signer: deps.signer,
    policy,
    wallet,
    subscribers: settlements(world),
    carriesStopped,
    purposeOf: signing.purposeOf,
    nextIntentsOf: signing.nextIntentsOf,
    ordersOf: signing.ordersOf,
    pause: deps.pause,
    ...(joining && { payForParent: payForParent(joining) }),
  }
  const sending = createSendingJob(sends)
  const superseded = createSupersededJob(sends, SUPERSEDED_EVERY_MS)
  const refusals = createRefusalJob(sends, REFUSALS_EVERY_MS)
  const everyMs = policies.payoutEveryMs[network]
  const cold = coldJob(world, deps, adapter, (ticker) => signing.coldAddress(network, ticker))
  const own = (...jobs: Job[]): Job[] => jobs.map((job) => unlessStopped(runtime.db, network, job))
  if (joining)
    return [
      createBitcoinPayoutJob({ ...payout, adapter: joining.adapter }, everyMs),
      sending,
      superseded,
      refusals,
      ...own(
        createConsolidationJob(joining, (at, most) => waitingPayments(joining, at, most)),
        ...(joining.wallet.next === undefined ? [] : [createFirstSeedJob(joining)]),
        createRescueJob(joining),
        createRecallJob(joining),
        cold,
      ),
    ]
  if (network === 'TRON') {
    const tron = { ...payout, adapter: adapter as TronChainAdapter, hotAddress: tronHotAddress(wallet) }
    const sweeps = createTronSweepJob(
      {
        ...tron,
        policy: policies.sweep.TRON,
        maxFee: policy.maxFee,
        allowed: createTronSweepPermission(deps.signer, runtime.clock.now),
        spendable: () => spendableSun(tron),
      },
      SWEEP_EVERY_MS,
    )
    const fromDeposits = createTronDirect({ ...tron, sweeps: policies.sweep.TRON })
    return [
      createTronPayoutJob({ ...tron, fromDeposits }, everyMs),
      sending,
      superseded,
      refusals,
      ...own(sweeps, cold),
    ]
  }
  if (!isEvmNetwork(network)) throw new Error(`nothing pays out on ${network}`)
  const { first, second } = evmTreasuries(wallet)
  const hot = second ?? first
  const evm = {
    ...payout,
    network,
    adapter: adapter as AccountChainAdapter,
    chainId: deps.chainIds.get(network)!,
    hotAddress: hot.address,
    hotIndex: hot.index,
    hotKeys: evmHotKeys(wallet, policy.hotAddresses),
  }
  const allowed = createSweepPermission(runtime, deps.signer, network, evm.hotAddress)
  const sweepRules = { policy: policies.sweep[network], sending: policy, allowed }
  const sweeps = createEvmSweepJob({ ...evm, ...sweepRules }, SWEEP_EVERY_MS)
  // The wallet of a replaced seed sweeps its own addresses with its own coin, and pays one address of the second.
  const old = {
    ...evm,
    hotAddress: first.address,
    hotIndex: first.index,
    firstSeed: wallet.next?.isFirstStolen ? ('stolen' as const) : ('replaced' as const),
  }
  const fromDeposits = createEvmDirect({ ...evm, sending: policy, sweeps: policies.sweep[network] })
  return [
    createEvmPayoutJob({ ...evm, fromDeposits }, everyMs),
    sending,
    superseded,
    refusals,
    ...own(
      sweeps,
      cold,
      createRebalanceJob(evm, SWEEP_EVERY_MS),
      ...(second === undefined
        ? []
        : [
            createEvmSweepJob({ ...old, ...sweepRules }, SWEEP_EVERY_MS),
            createDrainJob({ ...evm, firstSeed: old.firstSeed }, SWEEP_EVERY_MS),
          ]),
    ),
  ]
}

const coldJob = (
  { runtime, catalogue, wallet, policies }: World,
  { chainIds, pause }: WorkerDeps,
  adapter: ChainAdapter,
  signersCold: (ticker: string) => Promise<string | undefined>,
): Job => {
  const { network } = adapter
  const chainId = isEvmNetwork(network) ? { chainId: chainIds.get(network)! } : {}
  const policy = { sending: policies.sending[network], treasury: policies.treasury[network] }
  const tron = { runtime, catalogue, adapter: adapter as TronChainAdapter, hotAddress: tronHotAddress(wallet) }
  const spendable = network === 'TRON' && { spendable: () => spendableSun(tron) }
  return createColdJob(
    { runtime, catalogue, network, adapter, wallet, ...policy, ...chainId, ...spendable, signersCold, pause },
    TREASURY_EVERY_MS,
  )
}
