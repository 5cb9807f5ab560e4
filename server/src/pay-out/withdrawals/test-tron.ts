/**
 * TRON's payouts from the database to the chain: a real chain, the adapter, a signer with our test keys, the watcher's
 * steps.
 */
import { carriesStopped } from './stopping.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { startTronChain, tokenAddress, base58Of, type TronChain } from '../../../../sandbox/tron/index.ts'
import { makeSigner, policyFile } from '../../../../test/world/signer.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutSocket } from '../../../../test/setup/signer.ts'
import { alertKinds } from '../../../../test/world/observed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { readToHead } from '../../../../test/world/watcher.ts'
import { requestWithdrawal, withdrawalState } from '../../../../test/world/withdrawal.ts'
import { createTronAdapter } from '../../adapters/chains/tron/index.ts'
import type { TronChainAdapter } from '../../adapters/chains/port.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import { createSigning } from '../../app/composition/signing.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import { balancesOf, type AccountKind } from '../../ledger/postings/index.ts'
import {
  createTransactionSubscriber,
  createSendingJob,
  DEFAULT_TRON_POLICY,
  ensureWallets,
  tronHotAddress,
} from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createFunding, grantCapital } from '../../treasury/reconciliation/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS } from '../../chain/watcher/index.ts'
import { createSettlement, createTronPayoutJob } from './index.ts'

export const USDT = base58Of(tokenAddress('USDT'))
export const HOT = tronHotAddress({ ...TEST_KEYS, masterFingerprint: '00000000' })
const limits = { minDeposit: '0', minWithdrawal: '0' }
export const catalogue = createCatalogue({
  crypto: [
    { ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, ...limits } } },
    { ticker: 'USDT', name: 'Tether', networks: { TRON: { contract: USDT, decimals: 6, ...limits } } },
  ],
  fiat: [],
})
const SOLID_LAG = 3
const WIDE = { enabled: true, maxPerIntent: '1000000000000', maxPerHour: '1000000000000', maxPerDay: '1000000000000' }

export interface TronPayouts {
  chain: TronChain
  db: Db
  /** ms, on the chain, here and at the signer alike; the watcher reads on unless it is `away` */
  later(ms: number, watcher?: 'away'): Promise<void>
  /**
   * Time goes on here and at the signer, and the node keeps its head and answers everything, as one that syncs (row
   * T-24: no servlet of java-tron's `framework/src/main/java/org/tron/core/services/http` asks whether the node is in
   * step, release_v4.8.1).
   */
  behind(ms: number): void
  /** A withdrawal with its hold; answers its id. */
  request(ticker: 'TRX' | 'USDT', to: string, units: bigint): Promise<string>
  /** One run of the job that plans and of the one that carries on. */
  work(): Promise<void>
  /** Makes blocks, and the watcher reads them. */
  mine(blocks?: number): Promise<void>
  state(id: string): Promise<string>
  attempts(): Promise<number>
  balance(asset: string, kind: AccountKind): Promise<bigint>
  /** of the final block */
  onChain(address: string, contract: string | null): Promise<bigint>
  statuses(): Promise<string[]>
  alerts(): Promise<string[]>
  close(): Promise<void>
}

export const openTronPayouts = async (
  url: string,
  wrap: (adapter: TronChainAdapter) => TronChainAdapter = (adapter) => adapter,
): Promise<TronPayouts> => {
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  const node = createTronAdapter({ url: chain.url, tokens: [USDT], internalTransactions: true, random: Math.random })
  const adapter = wrap(node)
  const pool = createPool({ url })
  const db = createDb(pool)
  await emptyTables(db)
  const runtime = createTestRuntime(db, now)
  const wallet = { ...TEST_KEYS, masterFingerprint: '00000000' }
  await ensureWallets(db, wallet, momentOf(runtime))
  const signer = await signerOf(now)
  const subscribers = [createSettlement(catalogue)]
  const pause = async (): Promise<void> => {}
  const policy = { ...DEFAULT_TRON_POLICY, rebroadcastEveryMs: 0 }
  const { purposeOf, nextIntentsOf } = createSigning(runtime, catalogue, signer)
  const jobs = [
    createTronPayoutJob(
      {
        runtime,
        catalogue,
        adapter,
        signer,
        wallet,
        policy,
        approved: async (all) => [...all],
        hotAddress: HOT,
        pause,
      },
      0,
    ),
    createSendingJob({
      runtime,
      network: 'TRON',
      adapter,
      signer,
      policy,
      wallet,
      subscribers,
      carriesStopped,
      purposeOf,
      nextIntentsOf,
      pause,
    }),
  ]
  const follower = await beginFollowing({
    runtime,
    network: 'TRON',
    adapter,
    subscribers: [createTransactionSubscriber(subscribers), createFunding(catalogue)],
    ringBlocks: 200,
    settings: { ...DEFAULT_WATCHER_SETTINGS.TRON, network: 'TRON', identity: '', startHeight: 0 },
  })
  const merchantId = randomUUID()
  const catchUp = () => readToHead(db, 'TRON', follower, () => chain.status().id)
  const mine = async (blocks = 1): Promise<void> => {
    await chain.mine(blocks)
    await catchUp()
  }
  for (const [ticker, amount] of [
    ['TRX', '1000'],
    ['USDT', '500'],
  ] as const)
    await chain.fund({ ticker, to: HOT, amount })
  await mine(1 + SOLID_LAG)
  for (const asset of ['TRX', 'USDT']) {
    await inTransaction(db, (tx) => grantCapital(tx, { merchantId, asset, units: 100_000_000_000n }, momentOf(runtime)))
  }
  return {
    chain,
    db,
    later: async (ms, watcher) => {
      ahead += ms
      await chain.advance(ms)
      if (watcher !== 'away') await catchUp()
    },
    behind: (ms) => void (ahead += ms),
    request: (ticker, to, units) => requestWithdrawal(runtime, { merchantId, ticker, blockchain: 'TRON', to, units }),
    work: async () => {
      const signal = new AbortController().signal
      // Planned, signed, handed over.
      for (const job of [jobs[0]!, jobs[1]!, jobs[1]!]) {
        while (await job.run(signal));
      }
    },
    mine,
    state: (id) => withdrawalState(db, id),
    attempts: async () =>
      (await sql<{ n: number }>`select count(*) as n from outgoing_attempts where raw is not null`.execute(db)).rows[0]!
        .n,
    balance: async (asset, kind) => (await balancesOf(db, kind, [{ merchantId, asset }]))[0]!.posted,
    onChain: async (address, contract) => (await adapter.balancesAtFinal([{ address, contract }])).units[0]!,
    statuses: async () =>
      (
        await sql<{
          status: string
        }>`select status from events where merchant_id = ${merchantId} order by sequence`.execute(db)
      ).rows.map((row) => row.status),
    alerts: () => alertKinds(db),
    close: async () => {
      await node.close()
      await chain.stop()
      await pool.end()
    },
  }
}

const signerOf = async (now: () => number): Promise<Signer> => {
  const { TRON } = policyFile.networks
  const policy = {
    ...policyFile,
    networks: { TRON: { ...TRON, maxLifetimeMs: 3_600_000, assets: { TRX: WIDE, USDT: { ...WIDE, contract: USDT } } } },
  }
  const { signer } = await makeSigner({ policy, now })
  return withoutSocket(signer)
}
