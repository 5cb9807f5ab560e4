/** Payouts of Ethereum or Bitcoin over a real database and the real signer; only the chain's node is imitated. */
import { carriesStopped } from '../../server/src/pay-out/withdrawals/stopping.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Block, Head, Transfer } from '@bursar/chainkit'
import { keyring, makeSigner, policyFile, type SignerOptions, type TestSigner, TRON_USDT, USDT } from './signer.ts'
import { withoutSocket } from '../setup/signer.ts'
import { requestWithdrawal, withdrawalState } from './withdrawal.ts'
import { createTestRuntime } from './runtime.ts'
import {
  ChainUnavailable,
  type AccountChainAdapter,
  type AccountState,
  type BroadcastResult,
  type CoinChainAdapter,
  type PoolCost,
  type TransactionStatus,
} from '../../server/src/adapters/chains/port.ts'
import { TEST_KEYS } from './keys.ts'
import { createSigning } from '../../server/src/app/composition/signing.ts'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { createDb, createPool } from '../../server/src/platform/db/index.ts'
import { balancesOf } from '../../server/src/ledger/postings/index.ts'
import {
  bitcoinHotAddress,
  createTransactionSubscriber,
  createSupersededJob,
  createSendingJob,
  DEFAULT_BITCOIN_POLICY,
  DEFAULT_POLICY,
  ensureWallets,
  evmHotAddress,
  evmHotKeys,
} from '../../server/src/chain/transactions/index.ts'
import { momentOf } from '../../server/src/platform/runtime/runtime.ts'
import { act, giveMoney } from './ledger.ts'
import {
  attachSigned,
  createBitcoinPayoutJob,
  createEvmPayoutJob,
  createSettlement,
  type Withdrawal,
} from '../../server/src/pay-out/withdrawals/index.ts'

const CHAIN_ID = 31_337n
export const WALLET = {
  ...TEST_KEYS,
  masterFingerprint: keyring.publicKeys.masterFingerprint,
  bitcoinChain: 'regtest' as const,
}
export const HOT = evmHotAddress(WALLET)
/** EIP-55; an address without a known key. */
export const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
/** P2WPKH of BIP 173 on regtest. */
const BITCOIN_STRANGER = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

export const catalogue = createCatalogue({
  crypto: [
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, minDeposit: '0', minWithdrawal: '0' } } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: {
        ETHEREUM: { contract: USDT.toLowerCase(), decimals: 6, minDeposit: '0', minWithdrawal: '0' },
        TRON: { contract: TRON_USDT, decimals: 6, minDeposit: '0', minWithdrawal: '0' },
      },
    },
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, minDeposit: '0', minWithdrawal: '0' } } },
  ],
  fiat: [],
})

/** The log of a token's payment in a block. */
export const paidLog = (units: bigint, to = STRANGER): Transfer => ({
  index: 'l:0',
  from: [HOT],
  to,
  contract: USDT.toLowerCase(),
  units,
})

type Limits = Partial<Record<'maxPerIntent' | 'maxPerHour' | 'maxPerDay' | 'approvalsAbove', string>> & {
  approvalsNeeded?: number
}

/** The policy of the signer's own tests with other limits on these payouts. */
export const policyWith = (limits: Limits, top: object = {}): object => {
  const { BITCOIN, ETHEREUM } = policyFile.networks
  const wide = { enabled: true, maxPerIntent: '1000000000000', maxPerHour: '9000000000000', maxPerDay: '9000000000000' }
  const { hotAddresses: _, ...evm } = { hotAddresses: 1, ...ETHEREUM }
  const networks = {
    ...policyFile.networks,
    BITCOIN: { ...BITCOIN, fee: { ...BITCOIN.fee, maxPerMille: '1000' }, assets: { BTC: { ...wide, ...limits } } },
    ETHEREUM: { ...evm, assets: { ...evm.assets, USDT: { ...wide, contract: USDT, ...limits } } },
  }
  return { ...policyFile, networks, ...top }
}

/** An answer of the node that a test may change. */
export interface Node {
  estimate: (call: {
    from: string
    to: string
    value: bigint
    data: string
  }) => Awaited<ReturnType<AccountChainAdapter['estimateGas']>>
  broadcast: (raw: string) => BroadcastResult
  statusOf: (hash: string) => TransactionStatus
  /** next nonce after the mined transactions */
  mined: number
  head: Head
  /** Bitcoin: thousandths of a satoshi for each virtual byte */
  rate: bigint
  wouldTake: (raw: string) => BroadcastResult
  broadcastWithParent: (parent: string, child: string) => BroadcastResult
  poolCost: (hash: string) => PoolCost | null
  /** instead of the function that pays for a stuck transaction by a child */
  payForParent: (hash: string, rate: bigint, below?: bigint) => boolean
}

export type PayoutWorld = Awaited<ReturnType<typeof createPayoutWorld>>

/** Attaches the transactions that the signer has signed for a withdrawal, as the operator's command does. */
export const attachIn = (world: PayoutWorld, key: { merchantId: string; id: string }) =>
  attachSigned(
    {
      runtime: world.runtime,
      catalogue,
      signer: world.signer,
      wallet: WALLET,
      adapter: world.adapter,
      readAgain: async () => {},
    },
    key,
  )

/**
 * @param looksAhead false: as when the signer's policy changes between the look ahead and the signature
 * @param dieAt the point at which the process of `work` is killed, once
 * @param signerOf outside a test: the caller closes the signer's log
 * @param resumeAs the merchant of a world whose database this is, or is a copy of; its money and cursor are there
 */
export const createPayoutWorld = async (
  url: string,
  {
    network = 'ETHEREUM',
    policy = policyWith({}),
    looksAhead = true,
    dieAt,
    signerOf = makeSigner,
    resumeAs,
  }: {
    network?: 'ETHEREUM' | 'BITCOIN'
    policy?: object
    looksAhead?: boolean
    dieAt?: string
    signerOf?: (options: SignerOptions) => Promise<TestSigner>
    resumeAs?: string
  } = {},
) => {
  const pool = createPool({ url, max: 4 })
  const db = createDb(pool)
  const time = { now: Date.UTC(2026, 0, 1) }
  const runtime = createTestRuntime(db, () => time.now)
  const made = await signerOf({ policy, now: () => time.now })
  const signer = withoutSocket(made.signer)
  await ensureWallets(db, WALLET, momentOf(runtime))
  // Raw: the cursor stays at one height while tests name final blocks above it, which the watcher never does.
  if (resumeAs === undefined)
    await sql`insert into watch_cursors(network, height, hash, epoch, head_height, final_height, traces, updated_at)
    values (${network}, 100, 'x', 1, 100, 95, true, ${new Date(time.now)})`.execute(db)
  const merchantId = resumeAs ?? randomUUID()
  for (const asset of resumeAs === undefined ? ['USDT', 'BTC'] : [])
    await giveMoney(runtime, { merchantId, asset }, 10n ** 12n)
  const node: Node = {
    estimate: () => ({ ok: true, gas: 65_000n }),
    broadcast: () => ({ kind: 'accepted' }),
    statusOf: () => ({ kind: 'unknown' }),
    mined: 0,
    head: { height: 100, hash: 'x' },
    rate: 2_000n,
    wouldTake: () => ({ kind: 'accepted' }),
    broadcastWithParent: () => ({ kind: 'accepted' }),
    poolCost: () => null,
    payForParent: () => false,
  }
  const adapter = {
    network,
    feeRate: async () =>
      network === 'BITCOIN'
        ? { kind: 'vbyte', milliSatPerVb: node.rate }
        : { kind: 'gas', legacy: false, maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
    head: async () => node.head,
    balancesAt: async (_height: number, wanted: readonly unknown[]) => wanted.map(() => 10n ** 20n),
    minedNonce: async () => node.mined,
    estimateGas: async (call: Parameters<Node['estimate']>[0]) => node.estimate(call),
    broadcast: async (raw: string) => node.broadcast(raw),
    statusOf: async (hash: string) => node.statusOf(hash),
    broadcastWithParent: async (parent: string, child: string) => node.broadcastWithParent(parent, child),
    rawTransactions: async () => new Map<string, Uint8Array>(),
    wouldTake: async (raws: readonly string[]) => raws.map((raw) => node.wouldTake(raw)),
    poolCost: async (hash: string) => node.poolCost(hash),
    blockAt: async (height: number) => blocks.get(height) ?? null,
    codeAt: async () => '0x',
    stateFrom: async (least: number): Promise<AccountState> => {
      const { head } = node
      if (head.height < least) throw new ChainUnavailable(`the head is at ${head.height}, and ${least} was read before`)
      const { minedNonce, codeAt, estimateGas } = adapter
      return {
        head,
        minedNonce,
        codeAt,
        estimateGas,
        authorizationGas: async () => undefined,
        balances: (wanted) => adapter.balancesAt(head.height, wanted),
      }
    },
  } as unknown as AccountChainAdapter
  const blocks = new Map<number, Block>()
  const signing = createSigning(runtime, catalogue, signer)
  const subscribers = [createSettlement(catalogue)]
  let dies = dieAt
  let death = Promise.withResolvers<never>()
  /** As after a kill -9, a running job goes no further and handles no error. */
  const pause = async (point: string): Promise<void> => {
    if (point !== dies) return
    dies = undefined
    death.reject(new Error(`killed at ${point}`))
    death = Promise.withResolvers<never>()
    await new Promise(() => {})
  }
  const sending = { ...(network === 'BITCOIN' ? DEFAULT_BITCOIN_POLICY : DEFAULT_POLICY), batchWaitMs: 0 }
  const payout = {
    runtime,
    catalogue,
    adapter,
    wallet: WALLET,
    policy: sending,
    signer,
    pause,
    approved: looksAhead ? signing.approved : async (all: readonly Withdrawal[]) => [...all],
  }
  const evm = {
    ...payout,
    network: 'ETHEREUM' as const,
    chainId: CHAIN_ID,
    hotAddress: HOT,
    hotKeys: evmHotKeys(WALLET, 1),
  }
  const plan =
    network === 'BITCOIN'
      ? createBitcoinPayoutJob({ ...payout, adapter: adapter as unknown as CoinChainAdapter }, 1)
      : createEvmPayoutJob(evm, 1)
  const sends = {
    runtime,
    network,
    adapter,
    signer,
    policy: sending,
    wallet: WALLET,
    subscribers,
    carriesStopped,
    purposeOf: signing.purposeOf,
    pause,
    payForParent: async (_: unknown, { hash }: { hash: string | null }, rate: bigint, below?: bigint) =>
      node.payForParent(hash!, rate, below),
  }
  const [send, superseded] = [createSendingJob(sends), createSupersededJob(sends, 1)]
  const following = createTransactionSubscriber(subscribers)
  const { signal } = new AbortController()

  const workOnce = async (): Promise<void> => {
    for (const job of [plan, send, superseded]) await job.run(signal)
  }

  const world = {
    db,
    runtime,
    time,
    node,
    adapter,
    signer,
    made,
    merchantId,
    evm,
    sends,
    send,
    following,
    subscribers,
    /** A withdrawal with its hold, as the api leaves it; answers its id. */
    request: async (units: bigint, more: Partial<Withdrawal> = {}): Promise<string> => {
      time.now += 1
      const [ticker, to] = network === 'BITCOIN' ? ['BTC', BITCOIN_STRANGER] : ['USDT', STRANGER]
      return requestWithdrawal(runtime, { merchantId, ticker, blockchain: network, to, units, ...more })
    },
    /** An old block pays the hot address in so many coins. */
    coins: async (count: number, units: bigint): Promise<void> => {
      const to = bitcoinHotAddress(WALLET)
      const transactions = Array.from({ length: count }, () => ({
        hash: randomBytes(32).toString('hex'),
        keys: [],
        succeeded: true,
        fee: 1_000n,
        transfers: [{ index: 'o:0', contract: null, from: ['payer'], to, units }],
      }))
      const old: Block = { height: 10, hash: 'a10', parent: 'a9', time: time.now, transactions }
      await act(runtime, (tx, moment) => following.block(tx, network, old, moment))
    },
    plan: () => plan.run(signal),
    /** The next job that `work` runs is killed at a point, once. */
    dieAt: (point: string): void => {
      dies = point
    },
    /** The jobs of a second, a number of times. */
    work: async (rounds = 1, everyMs = 1_000): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        time.now += everyMs
        await Promise.race([workOnce(), death.promise])
      }
    },
    later: (ms: number): void => {
      time.now += ms
    },
    /** The watcher reads a block, and holds everything up to `finalHeight` to be final. */
    block: async (block: Pick<Block, 'height' | 'transactions'>, finalHeight = 0): Promise<void> => {
      const whole: Block = { hash: `h${block.height}`, parent: `h${block.height - 1}`, time: time.now, ...block }
      blocks.set(block.height, whole)
      await act(runtime, (tx, moment) => following.block(tx, network, whole, moment))
      await sql`update watch_cursors set final_height = greatest(final_height, ${finalHeight}) where network = ${network}`.execute(
        db,
      )
      await act(runtime, (tx, moment) => following.settled(tx, network, { finalHeight }, moment))
    },
    stateOf: (id: string) => withdrawalState(db, id),
    outgoing: async () =>
      (
        await sql<{
          purpose: string
          state: string
          nonce: number | null
          n: number
        }>`select purpose, state, nonce, count(*) as n from outgoing group by 1, 2, 3 order by 3, 1, 2`.execute(db)
      ).rows,
    nextNonce: async (): Promise<number> =>
      (await sql<{ n: number }>`select coalesce(max(next_nonce), 0) as n from hot_wallets`.execute(db)).rows[0]!.n,
    alerts: async () =>
      (
        await sql<{
          kind: string
          subject: string
          text: string
        }>`select kind, subject, text from alerts where resolved_at is null order by raised_at, kind`.execute(db)
      ).rows,
    available: async (asset: string): Promise<bigint> => {
      const [balance] = await balancesOf(db, 'merchant', [{ merchantId, asset }])
      return balance!.posted - balance!.held
    },
    close: () => pool.end(),
  }
  return world
}
