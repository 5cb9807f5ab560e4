/**
 * Sweeps on TRON: a real chain, the adapter, a signer with our test keys, the watcher's steps, and jobs that can be
 * killed.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { base58Of, startTronChain, tokenAddress } from '../../../../../sandbox/tron/index.ts'
import { makeSigner, policyFile } from '../../../../../test/world/signer.ts'
import { emptyTables } from '../../../../../test/setup/empty-tables.ts'
import { withoutSocket } from '../../../../../test/setup/signer.ts'
import { giveAddress } from '../../../../../test/world/address.ts'
import { alertKinds } from '../../../../../test/world/observed.ts'
import { setPrices } from '../../../../../test/world/prices.ts'
import { createTestRuntime } from '../../../../../test/world/runtime.ts'
import { liftStops, stopMoney } from '../../../../../test/world/stops.ts'
import { readToHead } from '../../../../../test/world/watcher.ts'
import { fundWithdrawal, withdrawalState } from '../../../../../test/world/withdrawal.ts'
import { createTronAdapter } from '../../../adapters/chains/tron/index.ts'
import type { Signer } from '../../../adapters/signer/port.ts'
import { TEST_KEYS } from '../../../../../test/world/keys.ts'
import { createCatalogue } from '../../../market/assets/index.ts'
import { createDb, createPool } from '../../../platform/db/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../../../pay-in/deposits/index.ts'
import { balancesOf, PLATFORM, type AccountKind } from '../../../ledger/postings/index.ts'
import {
  createTransactionSubscriber,
  createSendingJob,
  DEFAULT_TRON_POLICY,
  ensureWallets,
  tronHotAddress,
} from '../../../chain/transactions/index.ts'
import { createSigning } from '../../../app/composition/signing.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { createFunding, reconcileFully } from '../../reconciliation/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS } from '../../../chain/watcher/index.ts'
import { createTronDirect } from '../../../pay-out/from-deposit-addresses/index.ts'
import {
  createSettlement,
  createTronPayoutJob,
  spendableSun,
  type Withdrawal,
  carriesStopped,
} from '../../../pay-out/withdrawals/index.ts'
import {
  createSweepSubscriber,
  createSweepSettlement,
  createTronSweepJob,
  DEFAULT_SWEEP_POLICY,
  type SweepPolicy,
} from '../index.ts'
import { orderStake, type StakeOrder } from './stake.ts'

export const USDT = base58Of(tokenAddress('USDT'))
export const WALLET = { ...TEST_KEYS, masterFingerprint: '00000000' }
export const HOT = tronHotAddress(WALLET)
export const SOLID = 4
const SOLID_LAG = 3
const E18 = 10n ** 18n
const WIDE = { enabled: true, maxPerIntent: '1000000000000', maxPerHour: '1000000000000', maxPerDay: '1000000000000' }
const MOST_STEPS = 12
const limits = { minDeposit: '0', minWithdrawal: '0' }
export const catalogue = createCatalogue({
  crypto: [
    { ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, ...limits } } },
    { ticker: 'USDT', name: 'Tether', networks: { TRON: { contract: USDT, decimals: 6, ...limits } } },
  ],
  fiat: [],
})

/** Thrown by a pause point in place of the death of the process. */
export class Killed extends Error {
  override name = 'Killed'
}

export interface Deposit {
  address: string
  merchantId: string
}

export type TronSweeps = Awaited<ReturnType<typeof openTronSweeps>>

export const openTronSweeps = async (url: string, given: Partial<SweepPolicy> & { trx?: string } = {}) => {
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const { trx = '5000', ...more } = given
  const policy: SweepPolicy = { ...DEFAULT_SWEEP_POLICY, kPerMille: 2_000n, ...more }
  const chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  const adapter = createTronAdapter({ url: chain.url, tokens: [USDT], internalTransactions: true, random: () => 0 })
  const pool = createPool({ url })
  const db = createDb(pool)
  await emptyTables(db)
  const runtime = createTestRuntime(db, now)
  await ensureWallets(db, WALLET, momentOf(runtime))
  const signer = await signerOf(now)
  const subscribers = [createSettlement(catalogue), createSweepSettlement(catalogue)]
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => new Map(),
    onCredited: [],
    depositSubscribers: [],
  })
  // A process that dies at a named point, or nowhere.
  let fatal: { name: string; passes: number } | undefined
  const points = new Set<string>()
  const pause = async (name: string): Promise<void> => {
    points.add(name)
    if (fatal?.name !== name || (fatal.passes -= 1) >= 0) return
    fatal = undefined
    throw new Killed(name)
  }
  const permission = { assets: new Set(['TRX', 'USDT']), mayLend: true, maxTopUp: 20_000_000n }
  const payout = {
    runtime,
    catalogue,
    adapter,
    signer,
    wallet: WALLET,
    hotAddress: HOT,
    policy: DEFAULT_TRON_POLICY,
    approved: async (all: readonly Withdrawal[]) => [...all],
    pause,
  }
  /** Jobs as a process begins with: whatever they keep in memory is gone. */
  const start = () => ({
    payouts: createTronPayoutJob({ ...payout, fromDeposits: createTronDirect({ ...payout, sweeps: policy }) }, 0),
    sweep: createTronSweepJob(
      {
        runtime,
        catalogue,
        adapter,
        hotAddress: HOT,
        policy,
        maxFee: DEFAULT_TRON_POLICY.maxFee,
        pause,
        allowed: async () => permission,
        spendable: () => spendableSun({ runtime, catalogue, adapter, hotAddress: HOT }),
      },
      0,
    ),
    send: createSendingJob({
      runtime,
      network: 'TRON',
      adapter,
      signer,
      wallet: WALLET,
      subscribers,
      carriesStopped,
      pause,
      policy: { ...DEFAULT_TRON_POLICY, rebroadcastEveryMs: 0 },
      purposeOf: createSigning(runtime, catalogue, signer).purposeOf,
    }),
  })
  let jobs = start()
  const follower = await beginFollowing({
    runtime,
    network: 'TRON',
    adapter,
    ringBlocks: 200,
    subscribers: [
      createTransactionSubscriber(subscribers),
      createSweepSubscriber(catalogue),
      createFunding(catalogue),
      deposits,
    ],
    settings: { ...DEFAULT_WATCHER_SETTINGS.TRON, network: 'TRON', identity: '', startHeight: 0 },
  })
  const catchUp = () => readToHead(db, 'TRON', follower, () => chain.status().id)
  const mine = async (blocks = 1): Promise<void> => {
    await chain.mine(blocks)
    await catchUp()
  }
  const signal = new AbortController().signal
  const prices = () => setPrices(runtime, { TRX: E18 / 4n, USDT: E18 })
  const work = async (): Promise<void> => {
    await prices()
    await jobs.payouts.run(signal)
    await jobs.sweep.run(signal)
    // Signed, then handed over.
    for (let round = 0; round < 2; round += 1) while (await jobs.send.run(signal));
  }
  const sweeps = async (): Promise<{ asset: string; address: string; way: string; state: string }[]> =>
    (
      await sql<{
        asset: string
        address: string
        way: string
        state: string
      }>`select asset, address, way, state from sweeps order by created_at, id`.execute(db)
    ).rows
  const openLoans = async (): Promise<number> =>
    (await sql<{ n: number }>`select count(*) as n from tron_loans where closed_at is null`.execute(db)).rows[0]!.n
  const isQuiet = async (): Promise<boolean> =>
    (await openLoans()) === 0 &&
    (await sweeps()).every(({ state }) => ['final', 'failed', 'replaced'].includes(state)) &&
    (await sql`select from outgoing where state not in ('final', 'failed', 'abandoned')`.execute(db)).rows.length === 0
  const spendable = () => spendableSun({ runtime, catalogue, adapter, hotAddress: HOT })
  const order = (wanted: StakeOrder) => orderStake({ runtime, adapter, hotAddress: HOT, spendable }, wanted)
  const world = {
    chain,
    db,
    adapter,
    runtime,
    points,
    permission,
    /** ms, on the chain, here and at the signer alike */
    later: async (ms: number): Promise<void> => {
      ahead += ms
      await chain.advance(ms)
      await catchUp()
    },
    address: async (merchantId: string = randomUUID()): Promise<Deposit> => {
      return { address: await giveAddress(runtime, WALLET, { merchantId, blockchain: 'TRON' }), merchantId }
    },
    pay: (ticker: string, to: string, amount: string): Promise<string> => chain.fund({ ticker, to, amount }),
    work,
    mine,
    catchUp,
    sweeps,
    openLoans,
    /** Works and mines final blocks until nothing is under way any more. */
    settle: async (): Promise<void> => {
      for (let step = 0; step < MOST_STEPS; step += 1) {
        await work()
        await work()
        if (step > 0 && (await isQuiet())) return
        await mine(1 + SOLID_LAG)
      }
      throw new Error(`not settled: ${JSON.stringify(await sweeps())}`)
    },
    order,
    stake: async (wanted: StakeOrder): Promise<void> => {
      const ordered = await order(wanted)
      if ('refused' in ordered) throw new Error(ordered.refused)
      await world.settle()
    },
    /** The next process dies when it passes this point once more than `passes` times. */
    killAt: (name: string, passes = 0): void => void (fatal = { name, passes }),
    isArmed: (): boolean => fatal !== undefined,
    job: () => start().sweep,
    payoutJob: () => start().payouts,
    /** A withdrawal with its hold; answers its id. */
    request: async (ticker: string, to: string, units: bigint, merchantId: string = randomUUID()): Promise<string> =>
      fundWithdrawal(runtime, { merchantId, ticker, blockchain: 'TRON', to, units }),
    withdrawal: (id: string) => withdrawalState(db, id),
    /** Payouts are planned, without sweeps. */
    plan: async (): Promise<void> => {
      await prices()
      await jobs.payouts.run(signal)
    },
    /** Signed, handed over. */
    send: async (): Promise<void> => {
      for (let round = 0; round < 2; round += 1) while (await jobs.send.run(signal));
    },
    /** Who pays, in the order planned. */
    payers: async (): Promise<string[]> =>
      (
        await sql<{
          from: string
        }>`select senders[1] as from from outgoing where purpose = 'payout' order by created_at, id`.execute(db)
      ).rows.map((row) => row.from),
    spendable,
    prices,
    restart: (): void => void (jobs = start()),
    balance: async (merchantId: string, asset: string, kind: AccountKind): Promise<bigint> =>
      (await balancesOf(db, kind, [{ merchantId, asset }]))[0]!.posted,
    costOf: async (merchantId: string): Promise<bigint> =>
      -(await balancesOf(db, 'network-costs', [{ merchantId, asset: 'TRX' }]))[0]!.posted,
    /** of the final block */
    onChain: async (address: string, contract: string | null): Promise<bigint> =>
      (await adapter.balancesAtFinal([{ address, contract }])).units[0]!,
    /** Every address by every asset: what is short or too much on chain, and what the ledger says besides. */
    differences: async (): Promise<string[]> => {
      const round = await reconcileFully(runtime, catalogue, adapter, () => {})
      if (!round) throw new Error('nothing was compared')
      return round.lines
        .filter((line) => line.short > 0n || line.surplus > 0n || line.booked !== line.onChain)
        .map((line) => JSON.stringify(line, (_, v: unknown) => (typeof v === 'bigint' ? v.toString() : v)))
    },
    /** What the transactions of each purpose burnt, in sun. */
    burnt: async (): Promise<Record<string, bigint>> => {
      const { rows } = await sql<{
        purpose: string
        fee: bigint
      }>`select purpose, sum(network_fee) as fee from outgoing where network_fee is not null group by purpose`.execute(
        db,
      )
      return Object.fromEntries(rows.map(({ purpose, fee }) => [purpose, fee]))
    },
    outgoing: async (
      purpose: string,
    ): Promise<{ id: string; state: string; hash: string | null; attempts: number }[]> =>
      (
        await sql<{
          id: string
          state: string
          hash: string | null
          attempts: number
        }>`select o.id, o.state, a.hash, o.attempt as attempts from outgoing o
        join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt where o.purpose = ${purpose} order by o.created_at, o.id`.execute(
          db,
        )
      ).rows,
    alerts: () => alertKinds(db),
    stop: (asset: string | null) => stopMoney(db, { asset }),
    lift: () => liftStops(db),
    close: async (): Promise<void> => {
      await adapter.close()
      await chain.stop()
      await pool.end()
    },
  }
  await world.pay('TRX', HOT, trx)
  await mine(1 + SOLID_LAG)
  return world
}

export { PLATFORM }

const signerOf = async (now: () => number): Promise<Signer> => {
  const { TRON } = policyFile.networks
  const fee = { ...TRON.fee, maxUnits: '200000000', maxPerHour: '100000000000', maxPerDay: '100000000000' }
  const tron = { ...TRON, fee, maxLifetimeMs: 3_600_000, assets: { TRX: WIDE, USDT: { ...WIDE, contract: USDT } } }
  const { signer } = await makeSigner({ policy: { ...policyFile, networks: { TRON: tron } }, now })
  return withoutSocket(signer)
}
