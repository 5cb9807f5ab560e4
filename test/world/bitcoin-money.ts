/** Bitcoin money in and out on a real node: payouts, consolidation, rescue and recall over `network.ts`. */
import { randomBytes } from 'node:crypto'
import type { Bitcoind } from '../../sandbox/bitcoind/index.ts'
import { openBitcoinWorld, type BitcoinWorld } from './bitcoin-node.ts'
import type { CoinChainAdapter } from '../../server/src/adapters/chains/port.ts'
import {
  bitcoinHotAddress,
  createSupersededJob,
  createSendingJob,
  ensureWallets,
  requireSameKeys,
  DEFAULT_BITCOIN_POLICY,
  type SendingPolicy,
  type WalletKeys,
} from '../../server/src/chain/transactions/index.ts'
import { PLATFORM } from '../../server/src/ledger/postings/index.ts'
import { createBitcoinPayoutJob, waitingPayments } from '../../server/src/pay-out/withdrawals/index.ts'
import {
  createConsolidationJob,
  createFirstSeedJob,
  createRecallJob,
  createRescueJob,
  DEFAULT_CONSOLIDATION_POLICY,
  payForParent,
  type ConsolidationPolicy,
} from '../../server/src/treasury/consolidation/index.ts'
import { momentOf } from '../../server/src/platform/runtime/runtime.ts'
import { Keyring } from '../../signer/src/keys/keyring.ts'
import { catalogueOn } from './catalogue.ts'
import { openNetwork, runAll, type NetworkWorld } from './network.ts'
import type { Sent } from './observed.ts'

/** A block so deep is final. */
const FINAL = 6
export const bitcoinCatalogue = catalogueOn('BITCOIN', { BTC: { decimals: 8 } })

/**
 * Points where a job stands still when the process is to be killed there; jobs of the next process know nothing of it.
 */
type Worker = Record<
  'payouts' | 'consolidation' | 'firstSeed' | 'rescue' | 'sending' | 'recall' | 'superseded',
  () => Promise<'done' | 'killed'>
>

export interface BitcoinMoney extends Omit<NetworkWorld<CoinChainAdapter>, 'address' | 'request'> {
  chain: BitcoinWorld
  wallet: WalletKeys
  /** thousandths of a satoshi for each virtual byte, from now on */
  rate(milliSatPerVb: bigint): void
  /** The merchant's new deposit address. */
  address(): Promise<string>
  /** Pays a deposit address at a fee of 1 satoshi a virtual byte; answers the hash. */
  pay(to: string, units: bigint): Promise<string>
  /** Money of the owner's to the hot wallet. */
  fund(units: bigint): Promise<void>
  /** Coins of the owner's at the hot wallet, final. */
  fundWith(...coins: bigint[]): Promise<void>
  /** Final coins at new deposit addresses, one at each. @returns the addresses */
  deposit(...coins: bigint[]): Promise<string[]>
  /** The one transaction of a purpose. Throws if there are more or none. */
  sole(purpose: string): Promise<Sent>
  /** A withdrawal of the merchant. @returns its id */
  request(to: string, units: bigint): Promise<string>
  /** A process with the worker's jobs. */
  worker(killedAt?: string): Worker
  /** One run of each job, as often as anything is left to do at once. */
  work(): Promise<void>
  /** of a withdrawal */
  state(id: string): Promise<string>
  /** The keys of the first seed, as a thief has them. */
  stolen: Keyring
  /** A second seed becomes active: the signer and the jobs start again with its keys. */
  rotate(): Promise<void>
  /** network-costs by owner */
  costs(): Promise<{ platform: bigint; merchant: bigint }>
}

export const openBitcoinMoney = async (
  node: Bitcoind,
  url: string,
  more: {
    sending?: Partial<SendingPolicy>
    consolidation?: Partial<ConsolidationPolicy>
    /** satoshi */ signerMaxFee?: bigint
    signerJoins?: boolean
  } = {},
): Promise<BitcoinMoney> => {
  const chain = await openBitcoinWorld(node)
  // Keys of its own: addresses of one world must not hold coins of an earlier one.
  const seed = randomBytes(64)
  const keyring = Keyring.open(Buffer.from(seed), 'regtest')
  const wallet: WalletKeys = { ...keyring.publicKeys, bitcoinChain: 'regtest' }
  let rate = 1_000n
  const adapter: CoinChainAdapter = {
    ...(chain.adapter as CoinChainAdapter),
    feeRate: async () => ({ kind: 'vbyte' as const, milliSatPerVb: rate }),
  }
  const network = await openNetwork({
    url,
    adapter,
    catalogue: bitcoinCatalogue,
    wallet,
    policy: {
      ...DEFAULT_BITCOIN_POLICY,
      batchWaitMs: 0,
      rebroadcastEveryMs: 0,
      bumpAfterMs: 600_000,
      ...more.sending,
    },
    signing: {
      keyring,
      assets: { BTC: {} },
      fee: { maxUnits: (more.signerMaxFee ?? 1_000_000n).toString(), maxPerMille: '1000' },
      policy: { consolidation: { enabled: more.signerJoins ?? true } },
    },
    makeBlocks: (count) => chain.mine(count),
  })
  const { deps, merchantId } = network
  const policy: ConsolidationPolicy = {
    ...DEFAULT_CONSOLIDATION_POLICY,
    percentile: 100,
    leastCoins: 5,
    mostPerMille: 900n,
    ...more.consolidation,
  }
  const jobsOf = (pause: (name: string) => Promise<void>) => {
    const joining = { ...deps, sending: deps.policy, policy, pause }
    const sends = { ...network.sending, pause, payForParent: payForParent(joining) }
    return {
      payouts: createBitcoinPayoutJob({ ...deps, pause }, 0),
      consolidation: createConsolidationJob(joining, (at, most) => waitingPayments(joining, at, most)),
      firstSeed: createFirstSeedJob(joining),
      rescue: createRescueJob(joining),
      sending: createSendingJob(sends),
      recall: createRecallJob(joining),
      superseded: createSupersededJob(sends, 1),
    }
  }
  const worker = (killedAt?: string): Worker => {
    let die: (end: 'killed') => void
    const death = new Promise<'killed'>((resolve) => (die = resolve))
    // A killed process never goes on, so that it catches and writes nothing afterwards.
    const jobs = jobsOf((name) => (name === killedAt ? new Promise(() => die('killed')) : Promise.resolve()))
    const runs = Object.entries(jobs).map(([name, job]) => [
      name,
      () => Promise.race([death, runAll(job).then(() => 'done' as const)]),
    ])
    return Object.fromEntries(runs) as Worker
  }
  const costsOf = async (owner: string): Promise<bigint> => -(await network.balance(owner, 'BTC', 'network-costs'))
  const address = async (): Promise<string> => (await network.address(merchantId)).address
  const fund = async (units: bigint): Promise<void> => void (await chain.pay(bitcoinHotAddress(wallet), units))
  return {
    ...network,
    chain,
    wallet,
    rate: (milliSatPerVb) => void (rate = milliSatPerVb),
    address,
    pay: (to, units) => chain.pay(to, units),
    fund,
    fundWith: async (...coins) => {
      for (const units of coins) await fund(units)
      await network.mine(FINAL)
    },
    deposit: async (...coins) => {
      const to = await Promise.all(coins.map(address))
      for (const [i, units] of coins.entries()) await chain.pay(to[i]!, units)
      await network.mine(FINAL)
      return to
    },
    sole: async (purpose) => {
      const [found, ...others] = (await network.sent()).filter((one) => one.purpose === purpose)
      if (!found || others.length > 0) throw new Error(`${found ? 1 + others.length : 0} transactions: ${purpose}`)
      return found
    },
    request: (to, units) => network.request('BTC', to, units),
    worker,
    work: async () => {
      const { payouts, consolidation, firstSeed, rescue, sending: send } = worker()
      // Planned, signed, handed over; bumped where that is due, and again.
      for (const run of [payouts, consolidation, firstSeed, rescue, send, send, send, send]) await run()
    },
    state: network.withdrawal,
    rotate: async () => {
      const both = Keyring.open(Buffer.from(seed), 'regtest', randomBytes(64))
      await network.restartSigner(both)
      Object.assign(wallet, { next: both.publicKeys.next })
      await requireSameKeys(network.db, wallet)
      await ensureWallets(network.db, wallet, momentOf(network.runtime))
    },
    stolen: Keyring.open(Buffer.from(seed), 'regtest'),
    costs: async () => ({ platform: await costsOf(PLATFORM), merchant: await costsOf(merchantId) }),
    close: async () => {
      await network.close()
      await (chain.adapter as CoinChainAdapter & { close(): Promise<void> }).close()
    },
  }
}
