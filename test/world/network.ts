/**
 * One network with our wallets on it, in one process: database, clock, the real signer, the watcher's steps with every
 * subscriber that the program has for our own coins (`app/composition/chain-subscribers.ts`), and the job that sends. A
 * test adds the jobs that it is about. The chain behind the adapter is a real node, or the sandbox's TRON.
 */
import { randomUUID } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { ChainAdapter } from '../../server/src/adapters/chains/port.ts'
import type { Signer } from '../../server/src/adapters/signer/port.ts'
import { readingSweeps } from '../../server/src/app/composition/reading-sweeps.ts'
import { createSigning } from '../../server/src/app/composition/signing.ts'
import {
  createSendingJob,
  createTransactionSubscriber,
  ensureWallets,
  evmTreasuries,
  type SendingDeps,
  type SendingPolicy,
  type WalletKeys,
} from '../../server/src/chain/transactions/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS } from '../../server/src/chain/watcher/index.ts'
import { balancesOf, type AccountKind } from '../../server/src/ledger/postings/index.ts'
import type { Catalogue } from '../../server/src/market/assets/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../../server/src/pay-in/deposits/index.ts'
import { carriesStopped, createSettlement, type Withdrawal } from '../../server/src/pay-out/withdrawals/index.ts'
import { createDb, createPool, inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import type { Job } from '../../server/src/platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { createColdSettlement, createColdSubscriber } from '../../server/src/treasury/cold/index.ts'
import {
  createConsolidationSettlement,
  createSupersededSubscriber,
} from '../../server/src/treasury/consolidation/index.ts'
import { createFunding, reconcileFully } from '../../server/src/treasury/reconciliation/index.ts'
import { createSweepSettlement, createSweepSubscriber } from '../../server/src/treasury/sweeps/index.ts'
import { emptyTables } from '../setup/empty-tables.ts'
import { giveAddress } from './address.ts'
import { alertKinds, sentTransactions, signedAttempts, type Sent } from './observed.ts'
import { carryOut } from '../../server/src/ledger/effects/index.ts'
import { createTestRuntime } from './runtime.ts'
import type { Keyring } from '../../signer/src/keys/keyring.ts'
import { WALLET } from './wallet.ts'
import { readToHead } from './watcher.ts'
import { openWideSigner, type WideSigner } from './wide-signer.ts'
import { fundWithdrawal, withdrawalState } from './withdrawal.ts'

export interface NetworkSetup<A extends ChainAdapter> {
  url: string
  adapter: A
  catalogue: Catalogue
  policy: SendingPolicy
  signing: Omit<WideSigner, 'network' | 'now'>
  /** The chain makes blocks. */
  makeBlocks(count: number): Promise<unknown>
  /** absent: that of `wallet.ts` */
  wallet?: WalletKeys
  /** stands between the jobs and the signer */
  asking?(signer: Signer): Signer
  /** A process that dies at a named point. */
  pause?(name: string): Promise<void>
}

export interface NetworkWorld<A extends ChainAdapter> {
  db: Db
  runtime: Runtime
  /** the owner of addresses without a named merchant */
  merchantId: string
  signer: Signer
  /** for the jobs of a test; every withdrawal that waits is approved */
  deps: {
    runtime: Runtime
    catalogue: Catalogue
    network: Network
    adapter: A
    wallet: WalletKeys
    signer: Signer
    policy: SendingPolicy
    approved(all: readonly Withdrawal[]): Promise<Withdrawal[]>
    pause(name: string): Promise<void>
  }
  sending: SendingDeps
  /** as a process begins with */
  sendJob(): Job
  now(): number
  /** Moves every clock but the chain's, ms. */
  later(ms: number): void
  /** The watcher reads blocks and pool. */
  catchUp(): Promise<void>
  /** Blocks are made, and the watcher reads them. */
  mine(blocks?: number): Promise<void>
  /** A new deposit address. */
  address(merchantId?: string): Promise<{ address: string; merchantId: string }>
  /** A withdrawal of a merchant that is given the money. @returns its id */
  request(ticker: string, to: string, units: bigint, merchantId?: string): Promise<string>
  withdrawal(id: string): Promise<string>
  sent(): Promise<Sent[]>
  attempts(): Promise<number>
  alerts(): Promise<string[]>
  balance(merchantId: string, asset: string, kind: AccountKind): Promise<bigint>
  /** Compares every address with the chain, and the ledger with their sum. @returns the differences */
  differences(): Promise<string[]>
  /** An operator decides about deposits at a stolen seed. @returns false when one of them does not wait for that */
  decide(ids: readonly string[], isCredited: boolean): Promise<boolean>
  /** Starts the signer again with other keys of the same first seed. */
  restartSigner(keyring: Keyring, policy?: object): Promise<void>
  close(): Promise<void>
}

export const openNetwork = async <A extends ChainAdapter>(setup: NetworkSetup<A>): Promise<NetworkWorld<A>> => {
  const { url, adapter, catalogue, policy, wallet = WALLET, pause = async () => {}, asking = (one) => one } = setup
  const { network } = adapter
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const pool = createPool({ url })
  const db = createDb(pool)
  await emptyTables(db)
  const runtime = createTestRuntime(db, now)
  await ensureWallets(db, wallet, momentOf(runtime), policy.hotAddresses)
  const wide = await openWideSigner({ ...setup.signing, network, now })
  const signer = asking(wide.signer)
  const { purposeOf, nextIntentsOf } = createSigning(runtime, catalogue, signer)
  const settlements = [
    createSettlement(catalogue),
    createSweepSettlement(catalogue),
    createConsolidationSettlement(catalogue),
    createColdSettlement(catalogue),
  ]
  const deps = {
    runtime,
    catalogue,
    network,
    adapter,
    wallet,
    signer,
    policy,
    approved: async (all: readonly Withdrawal[]) => [...all],
    pause,
  }
  const sending: SendingDeps = { ...deps, subscribers: settlements, carriesStopped, purposeOf, nextIntentsOf }
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => new Map(),
    onCredited: [],
    depositSubscribers: [],
  })
  const follower = await beginFollowing({
    runtime,
    network,
    adapter,
    subscribers: [
      readingSweeps(
        [
          createTransactionSubscriber(settlements),
          createSweepSubscriber(catalogue),
          createColdSubscriber(catalogue),
          createFunding(catalogue),
          deposits,
          createSupersededSubscriber(),
        ],
        {
          get first() {
            return evmTreasuries(wallet).first.address
          },
          get second() {
            return evmTreasuries(wallet).second?.address
          },
        },
      ),
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
  const merchantId = randomUUID()
  return {
    db,
    runtime,
    merchantId,
    signer,
    deps,
    sending,
    sendJob: () => createSendingJob(sending),
    now,
    later: (ms) => void (ahead += ms),
    catchUp,
    mine: async (blocks = 1) => {
      await setup.makeBlocks(blocks)
      await catchUp()
    },
    address: async (owner = randomUUID()) => ({
      address: await giveAddress(runtime, wallet, { merchantId: owner, blockchain: network }),
      merchantId: owner,
    }),
    request: (ticker, to, units, owner = merchantId) =>
      fundWithdrawal(runtime, { merchantId: owner, ticker, blockchain: network, to, units }),
    withdrawal: (id) => withdrawalState(db, id),
    sent: () => sentTransactions(db),
    attempts: () => signedAttempts(db),
    alerts: () => alertKinds(db),
    balance: async (owner, asset, kind) => (await balancesOf(db, kind, [{ merchantId: owner, asset }]))[0]!.posted,
    differences: async () => {
      await catchUp()
      const round = await reconcileFully(runtime, catalogue, adapter, () => {})
      if (!round) throw new Error('nothing was compared')
      const wrong = [
        ...round.lines.filter((line) => line.short > 0n || line.surplus > 0n || line.booked !== line.onChain),
        ...(await unequalAddresses(db, network)),
      ]
      return wrong.map((one) => JSON.stringify(one, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v)))
    },
    decide: (ids, isCredited) =>
      inTransaction(db, async (tx) => {
        const effects = await deposits.decide(tx, { ids, isCredited }, momentOf(runtime))
        if (effects) await carryOut(tx, effects, momentOf(runtime))
        return effects !== undefined
      }),
    restartSigner: wide.restart,
    close: async () => {
      await wide.close()
      await pool.end()
    },
  }
}

/** Addresses that differ from the chain, and assets whose custody in the ledger is not the sum of its addresses. */
const unequalAddresses = async (db: Db, network: Network): Promise<{ asset: string }[]> => {
  const addresses = await sql<{ asset: string; address: string; booked: bigint; difference: bigint }>`
    select asset, address, booked, difference from custody_addresses where network = ${network} and difference <> 0`.execute(
    db,
  )
  const ledger = await sql<{ asset: string; ledger: bigint; addresses: bigint }>`
    select l.asset, l.units as ledger, coalesce(c.units, 0) as addresses
    from (select asset, -sum(posted) as units from ledger_accounts where kind = ${`custody:${network}`} group by asset) l
    left join (select asset, sum(booked) as units from custody_addresses where network = ${network} group by asset) c using (asset)
    where l.units <> coalesce(c.units, 0)`.execute(db)
  return [...addresses.rows, ...ledger.rows]
}

/** Runs a job until it has nothing left to do at once. */
export const runAll = async (job: Job, most = 100): Promise<void> => {
  const { signal } = new AbortController()
  for (let run = 0; run < most && (await job.run(signal)); run += 1);
}
