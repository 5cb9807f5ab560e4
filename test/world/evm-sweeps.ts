/**
 * Sweeps on a real EVM chain beside payouts: the jobs of both over `network.ts`, with the tokens of the sandbox. Each
 * test has books of its own; the chain is afterwards as it was before.
 */
import { randomBytes } from 'node:crypto'
import type { EvmNetwork } from '@bursar/chainkit'
import { checksumAddress, sweepContracts } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Anvil } from '../../sandbox/anvil/index.ts'
import { faucetAccount, sendAndMine } from '../../sandbox/anvil/transactions.ts'
import { openEvm } from '../../sandbox/chains/evm.ts'
import { ethereum, type EvmSpec } from '../../sandbox/evm-specs.ts'
import { ensureTokens } from '../../sandbox/tokens/index.ts'
import { createEvmAdapter } from '../../server/src/adapters/chains/evm/index.ts'
import { createSigning } from '../../server/src/app/composition/signing.ts'
import { takeIndexes } from '../../server/src/chain/addresses/index.ts'
import {
  DEFAULT_POLICY,
  ensureWallets,
  evmHotAddress,
  evmHotKeys,
  evmTreasuries,
  type WalletKeys,
} from '../../server/src/chain/transactions/index.ts'
import { PLATFORM } from '../../server/src/ledger/postings/index.ts'
import { createEvmDirect } from '../../server/src/pay-out/from-deposit-addresses/index.ts'
import { createDrainJob, createEvmPayoutJob, createRebalanceJob } from '../../server/src/pay-out/withdrawals/index.ts'
import {
  createEvmSweepJob,
  DEFAULT_SWEEP_POLICY,
  type Allowed,
  type SweepPolicy,
} from '../../server/src/treasury/sweeps/index.ts'
import { momentOf } from '../../server/src/platform/runtime/runtime.ts'
import type { Job } from '../../server/src/platform/jobs/index.ts'
import { catalogueOn } from './catalogue.ts'
import { openNetwork, runAll } from './network.ts'
import { setPrices } from './prices.ts'
import { twoSeeds } from './signer.ts'
import { EVM_HOT as HOT, WALLET } from './wallet.ts'

const GWEI = 10n ** 9n
const E18 = 10n ** 18n
const USD = { ETH: 2_000n, BNB: 600n, USDT: 1n, USDC: 1n }
const FINAL = 3
/** Blocks and payments of a test need no more rounds. */
const ROUNDS = 6

export interface SweepOptions {
  node: Pick<Anvil, 'url' | 'rpc'>
  /** absent: Ethereum */
  spec?: EvmSpec
  /** a contract in the place of the sandbox's USDT */
  usdt?: string
  traces?: 'auto' | 'off'
  policy?: Partial<SweepPolicy>
  /** how USDC names itself in signatures, when it takes them */
  domain?: { name: string; version: string }
  paysFromDeposits?: boolean
  /** absent: 1 */
  hotAddresses?: number
  /** The signer is asked about payments before they are planned. */
  asksSigner?: boolean
  /** wei */
  maxBatchFee?: bigint
  /** the signer's cap on the fee of a sweep, wei */
  signersMaxFee?: bigint
}

export interface SweepRow {
  asset: string
  address: string
  way: string
  state: string
}

export type EvmSweeps = Awaited<ReturnType<typeof openEvmSweeps>>

/** Closed at the end of the test. */
export const openEvmSweeps = async (url: string, options: SweepOptions) => {
  const { node, spec = ethereum, domain, hotAddresses = 1 } = options
  const network = spec.blockchain as EvmNetwork
  const { coin } = spec
  const contracts = await ensureTokens(node.rpc, spec.tokens)
  const tokens = Object.fromEntries(
    spec.tokens.map(({ symbol, decimals }) => [
      symbol,
      { contract: (symbol === 'USDT' && options.usdt) || contracts.get(symbol)!, decimals },
    ]),
  )
  const snapshot = await node.rpc<string>('evm_snapshot')
  const catalogue = catalogueOn(network, { [coin]: { decimals: 18 }, ...tokens })
  const adapter = createEvmAdapter({
    network,
    url: node.url,
    tokens: Object.values(tokens).map(({ contract }) => contract),
    traces: options.traces ?? 'auto',
    finality: FINAL - 1,
    legacyGas: spec.name === 'bsc',
    gasPriceFloor: GWEI / 10n,
    gasPriceCap: 500n * GWEI,
    random: () => 0,
  })
  const chain = openEvm({
    blockchain: network,
    rpc: node.rpc,
    assets: [
      { ticker: coin, decimals: 18 },
      ...Object.entries(tokens).map(([ticker, { contract, decimals }]) => ({ ticker, decimals, token: contract })),
    ],
  })
  const pauses: { at: string | null; hit: boolean } = { at: null, hit: false }
  const wallet: WalletKeys = { ...WALLET }
  const sweepRules = {
    enabled: true,
    maxFee: (options.signersMaxFee ?? E18).toString(),
    maxTopUp: '10000000000000000',
    ...(domain && { domains: { USDC: domain } }),
  }
  const world = await openNetwork({
    url,
    wallet,
    adapter,
    catalogue,
    policy: {
      ...DEFAULT_POLICY,
      rebroadcastEveryMs: 0,
      bumpAfterMs: 60_000,
      maxBatchFee: options.maxBatchFee ?? E18,
      hotAddresses,
    },
    signing: {
      assets: {
        [coin]: {},
        ...Object.fromEntries(
          Object.entries(tokens).map(([ticker, { contract }]) => [ticker, { contract: checksumAddress(contract) }]),
        ),
      },
      policy: {
        chainId: String(spec.chainId),
        hotAddresses,
        sweep: { ...sweepRules, treasury: HOT },
      },
    },
    makeBlocks: (count) => chain.mine(count),
    pause: async (point) => {
      if (pauses.at !== point) return
      pauses.hit = true
      throw new Error(`killed at ${point}`)
    },
  })
  onTestFinished(async () => {
    await adapter.close()
    await world.close()
    await node.rpc('evm_revert', snapshot)
  })
  const { db, runtime, mine, sendJob } = world
  // Transactions of earlier worlds with addresses of these keys are still on their nodes.
  await takeIndexes(db, 'EVM', 'deposit', 0, 1 + randomBytes(3).readUIntBE(0, 3))
  const prices = new Map(Object.entries(USD).map(([ticker, usd]) => [ticker, usd * E18]))
  const priced = () => setPrices(runtime, Object.fromEntries(prices))
  const policy: SweepPolicy = { ...DEFAULT_SWEEP_POLICY, ...options.policy }
  const allowed = async (): Promise<Allowed> => ({
    all: new Set([coin, ...Object.keys(tokens)]),
    signed: new Set(domain ? ['USDC'] : []),
  })
  const payout = {
    ...world.deps,
    network,
    chainId: BigInt(spec.chainId),
    hotAddress: HOT,
    hotIndex: 0,
    hotKeys: evmHotKeys(wallet, hotAddresses),
    ...(options.asksSigner && { approved: createSigning(runtime, catalogue, world.signer).approved }),
  }
  const sending = world.deps.policy
  const sweepJob = () => createEvmSweepJob({ ...payout, policy, sending, allowed }, 0)
  /** Jobs of the wallet of the first seed, once a second has replaced it. */
  const oldJobs = (): Job[] => {
    const { first, second } = evmTreasuries(wallet)
    if (!second) return []
    const firstSeed = wallet.next?.isFirstStolen ? ('stolen' as const) : ('replaced' as const)
    const old = { ...payout, hotAddress: first.address, hotIndex: first.index, firstSeed }
    return [createEvmSweepJob({ ...old, policy, sending, allowed }, 0), createDrainJob({ ...payout, firstSeed }, 0)]
  }
  const payoutJobOf = () => {
    const fromDeposits = createEvmDirect({ ...payout, sending, sweeps: policy })
    return createEvmPayoutJob({ ...payout, ...(options.paysFromDeposits && { fromDeposits }) }, 0)
  }
  let payoutJob = payoutJobOf()
  const work = async (): Promise<void> => {
    await priced()
    for (const job of [...oldJobs(), sweepJob(), sendJob(), payoutJob, sendJob(), sendJob()]) await runAll(job, 20)
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
  const pay = (ticker: string, to: string, amount: string): Promise<string> => chain.pay({ ticker, to, amount })
  /** in chain units, at the head */
  const onChain = async (address: string, ticker: string): Promise<bigint> => {
    const contract = ticker === coin ? null : tokens[ticker]!.contract
    return (await adapter.balancesAt((await adapter.head()).height, [{ address, contract }]))[0]!
  }
  return {
    ...world,
    adapter,
    catalogue,
    node,
    chain,
    coin,
    policy,
    pauses,
    prices,
    work,
    sweepJob,
    rows,
    /** How many sweeps there are of each way and state. */
    states: async (): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {}
      for (const { way, state } of await rows()) counts[`${way} ${state}`] = (counts[`${way} ${state}`] ?? 0) + 1
      return counts
    },
    /** A second seed becomes active: the signer and the jobs start again with its keys. */
    rotate: async (more: { isFirstStolen?: true } = {}): Promise<void> => {
      Object.assign(wallet, { next: { ...twoSeeds.publicKeys.next, ...more } })
      const treasury = evmHotAddress(wallet)
      await world.restartSigner(twoSeeds, { sweep: { ...sweepRules, treasury } })
      await ensureWallets(db, wallet, momentOf(runtime))
      const hotKeys = evmHotKeys(wallet, hotAddresses)
      Object.assign(payout, { hotAddress: treasury, hotIndex: hotKeys[0]!.index, hotKeys })
      payoutJob = payoutJobOf()
    },
    /** Transfers between hot addresses are planned. */
    rebalance: async (): Promise<void> => {
      await priced()
      await runAll(createRebalanceJob(payout, 0))
    },
    /** receives sweeps */
    hot: (): string => payout.hotAddress,
    tokens,
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
      for (let round = 0; round < ROUNDS; round += 1) {
        try {
          await priced()
          for (const job of [sweepJob(), sendJob(), sendJob(), sendJob()]) await runAll(job, 20)
        } catch {
          return
        }
        if (pauses.hit) return
        await mine(4)
      }
      throw new Error(`nothing passes ${pauses.at}`)
    },
    /** Payouts are planned, without sweeps. */
    plan: async (): Promise<void> => {
      await priced()
      await runAll(payoutJob, 20)
    },
    pay,
    /** New deposit addresses with USDT that is final. */
    holding: async (count: number, amount = '200'): Promise<string[]> => {
      const owners = await Promise.all(Array.from({ length: count }, () => world.address()))
      for (const { address } of owners) await pay('USDT', address, amount)
      await mine(1 + FINAL)
      return owners.map(({ address }) => address)
    },
    /** Their USDT. */
    leftOf: (addresses: readonly string[]): Promise<bigint[]> =>
      Promise.all(addresses.map((address) => onChain(address, 'USDT'))),
    /** until all that was planned is final */
    settle: async (): Promise<void> => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await work()
        await mine(1 + FINAL)
      }
    },
    onChain,
    platformCosts: (): Promise<bigint> => world.balance(PLATFORM, coin, 'network-costs'),
  }
}
