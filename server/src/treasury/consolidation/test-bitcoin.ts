/**
 * Bitcoin money in and out in one process: a real node, the database, the watcher's steps, the worker's jobs, the
 * signer's judgement.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Bitcoind } from '../../../../sandbox/bitcoind/index.ts'
import { Keyring } from '../../../../signer/src/keys/keyring.ts'
import type { SignatureLog } from '../../../../signer/src/log/log.ts'
import { openMemory } from '../../../../signer/src/log/memory.ts'
import { readPolicy } from '../../../../signer/src/policy/policy.ts'
import { Signer as BursarSigner } from '../../../../signer/src/server/signer.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutSocket } from '../../../../test/setup/signer.ts'
import { giveAddress } from '../../../../test/world/address.ts'
import { alertKinds } from '../../../../test/world/observed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { requestWithdrawal, withdrawalState } from '../../../../test/world/withdrawal.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { openBitcoinWorld, type BitcoinWorld } from '../../adapters/chains/bitcoin/test-world.ts'
import type { CoinChainAdapter } from '../../adapters/chains/port.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../../pay-in/deposits/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import {
  bitcoinHotAddress,
  createOvertakenJob,
  createTransactionSubscriber,
  createSendingJob,
  DEFAULT_BITCOIN_POLICY,
  ensureWallets,
  type SendingPolicy,
  type WalletKeys,
} from '../../chain/transactions/index.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createFunding, grantCapital, reconcileFully } from '../reconciliation/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS } from '../../chain/watcher/index.ts'
import {
  createBitcoinPayoutJob,
  createSettlement,
  waitingPayments,
  carriesStopped,
} from '../../pay-out/withdrawals/index.ts'
import { carriedBy } from '../../pay-out/withdrawals/store.ts'
import {
  createConsolidationJob,
  createConsolidationSettlement,
  createRecallJob,
  createSupersededSubscriber,
  createRescueJob,
  DEFAULT_CONSOLIDATION_POLICY,
  payForParent,
  type ConsolidationPolicy,
} from './index.ts'

const catalogue = createCatalogue({
  crypto: [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, minDeposit: '0', minWithdrawal: '0' } } },
  ],
  fiat: [],
})
/** What the signer lets go is not what these tests are about. */
const WIDE = '1000000000000'

export interface Sent {
  id: string
  purpose: string
  state: string
  hash: string | null
  keys: string[]
  fee: bigint
  attempts: number
}

/**
 * Points where a job stands still when the process is to be killed there; jobs of the next process know nothing of it.
 */
type Worker = Record<
  'payouts' | 'consolidation' | 'rescue' | 'sending' | 'recall' | 'overtaken',
  () => Promise<'done' | 'killed'>
>

export interface BitcoinMoney {
  chain: BitcoinWorld
  db: Db
  merchantId: string
  wallet: WalletKeys
  /** thousandths of a satoshi for each virtual byte, from now on */
  rate(milliSatPerVb: bigint): void
  later(ms: number): void
  /** A merchant's new deposit address. */
  address(): Promise<string>
  /** Pays a deposit address at a fee of 1 satoshi a virtual byte; answers the hash. */
  pay(to: string, units: bigint): Promise<string>
  /** Money of the owner's to the hot wallet. */
  fund(units: bigint): Promise<void>
  request(to: string, units: bigint): Promise<string>
  /** A process with the worker's jobs. */
  worker(killedAt?: string): Worker
  /** One run of each job, as often as anything is left to do at once. */
  work(): Promise<void>
  mine(blocks?: number): Promise<void>
  /** The watcher reads blocks and pool. */
  catchUp(): Promise<void>
  sent(): Promise<Sent[]>
  state(id: string): Promise<string>
  alerts(): Promise<string[]>
  /** network-costs by owner */
  costs(): Promise<{ platform: bigint; merchant: bigint }>
  /** Throws unless ledger, records and chain agree at every address to the last satoshi. */
  reconciled(): Promise<void>
  close(): Promise<void>
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
  // Keys of its own: addresses of one world must not hold what an earlier one left there.
  const keyring = Keyring.open(randomBytes(64), 'regtest')
  const wallet: WalletKeys = { ...keyring.publicKeys, bitcoinChain: 'regtest' }
  let ahead = 0
  let rate = 1_000n
  const pool = createPool({ url })
  const db = createDb(pool)
  await emptyTables(db)
  const clock = createClock(() => Date.now() + ahead)
  const runtime = createTestRuntime(db, clock.now)
  await ensureWallets(db, wallet, momentOf(runtime))
  const adapter = {
    ...(chain.adapter as CoinChainAdapter),
    feeRate: async () => ({ kind: 'vbyte' as const, milliSatPerVb: rate }),
  }
  const sending: SendingPolicy = {
    ...DEFAULT_BITCOIN_POLICY,
    batchWaitMs: 0,
    rebroadcastEveryMs: 0,
    bumpAfterMs: 600_000,
    ...more.sending,
  }
  const policy: ConsolidationPolicy = {
    ...DEFAULT_CONSOLIDATION_POLICY,
    percentile: 100,
    leastCoins: 5,
    mostPerMille: 900n,
    ...more.consolidation,
  }
  const subscribers = [createSettlement(catalogue), createConsolidationSettlement(catalogue)]
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => new Map(),
    onCredited: [],
    depositSubscribers: [],
  })
  const follower = await beginFollowing({
    runtime,
    network: 'BITCOIN',
    adapter,
    subscribers: [
      createTransactionSubscriber(subscribers),
      createFunding(catalogue),
      deposits,
      createSupersededSubscriber(),
    ],
    ringBlocks: 200,
    settings: { ...DEFAULT_WATCHER_SETTINGS.BITCOIN, network: 'BITCOIN', identity: '' },
  })
  const { signer, log } = await signerOf(keyring, clock.now, {
    maxFee: more.signerMaxFee ?? 1_000_000n,
    joins: more.signerJoins ?? true,
  })
  const merchantId = randomUUID()

  const jobsOf = (pause: (name: string) => Promise<void>) => {
    const joining = { runtime, catalogue, adapter, wallet, sending, policy, pause }
    const purposeOf: Parameters<typeof createSendingJob>[0]['purposeOf'] = async ({ id, purpose }) =>
      purpose === 'consolidation'
        ? { purpose, intents: [] }
        : {
            purpose: 'payout',
            intents: (await carriedBy(db, id)).map((w) => ({
              id: w.intentId,
              asset: 'BTC',
              to: w.to,
              units: w.units.toString(),
            })),
          }
    const sends: Parameters<typeof createSendingJob>[0] = {
      runtime,
      network: 'BITCOIN',
      adapter,
      signer,
      policy: sending,
      wallet,
      subscribers,
      carriesStopped,
      purposeOf,
      pause,
      payForParent: payForParent(joining),
    }
    return {
      payouts: createBitcoinPayoutJob(
        { runtime, catalogue, adapter, wallet, signer, policy: sending, approved: async (all) => [...all], pause },
        0,
      ),
      consolidation: createConsolidationJob(joining, (at, most) => waitingPayments(joining, at, most)),
      rescue: createRescueJob(joining),
      sending: createSendingJob(sends),
      recall: createRecallJob(joining),
      overtaken: createOvertakenJob(sends, 1),
    }
  }
  const worker = (killedAt?: string): Worker => {
    let die: (end: 'killed') => void
    const death = new Promise<'killed'>((resolve) => (die = resolve))
    // What is dead never goes on, so that nothing it would have caught or written afterwards happens.
    const jobs = jobsOf((name) => (name === killedAt ? new Promise(() => die('killed')) : Promise.resolve()))
    const runs = Object.entries(jobs).map(([name, job]) => [name, () => Promise.race([death, runAll(job)])])
    return Object.fromEntries(runs) as Worker
  }
  const catchUp = async (): Promise<void> => {
    for (let steps = 0; steps < 500; steps += 1) if (!(await follower.step()).more) return
    throw new Error('the watcher does not arrive')
  }
  const address = () => giveAddress(runtime, wallet, { merchantId, blockchain: 'BITCOIN' })
  const mine = async (blocks = 1): Promise<void> => {
    await chain.mine(blocks)
    await catchUp()
  }
  const request = (to: string, units: bigint) =>
    requestWithdrawal(runtime, { merchantId, ticker: 'BTC', blockchain: 'BITCOIN', to, units })
  const sent = async (): Promise<Sent[]> =>
    (
      await sql<Sent>`select o.id, o.purpose, o.state, a.hash, o.keys, a.network_fee as fee, o.attempt as attempts
      from outgoing o join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt order by o.created_at, o.id`.execute(
        db,
      )
    ).rows
  const reconciled = async (): Promise<void> => {
    await catchUp()
    const round = await reconcileFully(runtime, catalogue, adapter, () => {})
    const [line] = round?.lines ?? []
    if (!round || !line || line.booked !== line.onChain || line.short > 0n || line.surplus > 0n) {
      const texts = await sql`select kind, text from alerts where resolved_at is null`.execute(db)
      throw new Error(
        `books and chain differ: ${JSON.stringify({ line, alerts: texts.rows }, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v))}`,
      )
    }
  }
  await inTransaction(db, (tx) =>
    grantCapital(tx, { merchantId, asset: 'BTC', units: 10_000_000_000n }, momentOf(runtime)),
  )
  return {
    chain,
    db,
    merchantId,
    wallet,
    rate: (milliSatPerVb) => void (rate = milliSatPerVb),
    later: (ms) => void (ahead += ms),
    address,
    pay: (to, units) => chain.pay(to, units),
    fund: async (units) => void (await chain.pay(bitcoinHotAddress(wallet), units)),
    request,
    worker,
    work: async () => {
      const { payouts, consolidation, rescue, sending: send } = worker()
      // Planned, signed, handed over; bumped where that is due, and again.
      for (const run of [payouts, consolidation, rescue, send, send, send, send]) await run()
    },
    mine,
    catchUp,
    sent,
    state: (id) => withdrawalState(db, id),
    alerts: () => alertKinds(db),
    costs: async () => {
      const { rows } = await sql<{
        owner: string
        units: bigint
      }>`select merchant_id as owner, -posted as units from ledger_accounts where kind = 'network-costs'`.execute(db)
      const of = (owner: string): bigint => rows.find((row) => row.owner === owner)?.units ?? 0n
      return { platform: of(PLATFORM), merchant: of(merchantId) }
    },
    reconciled,
    close: async () => {
      await log.close()
      await (chain.adapter as CoinChainAdapter & { close(): Promise<void> }).close()
      await pool.end()
    },
  }
}

const runAll = async (job: Job): Promise<'done'> => {
  const { signal } = new AbortController()
  while (await job.run(signal));
  return 'done'
}

const signerOf = async (
  keyring: Keyring,
  now: () => number,
  { maxFee, joins }: { maxFee: bigint; joins: boolean },
): Promise<{ signer: Signer; log: SignatureLog }> => {
  const limits = { enabled: true, maxPerIntent: WIDE, maxPerHour: WIDE, maxPerDay: WIDE }
  const fee = {
    maxUnits: maxFee.toString(),
    maxPerMille: '1000',
    maxMilliSatPerVb: '1000000',
    maxPerHour: WIDE,
    maxPerDay: WIDE,
  }
  const bitcoin = { enabled: true, chain: 'regtest', fee, consolidation: { enabled: joins }, assets: { BTC: limits } }
  const policy = readPolicy(
    JSON.stringify({ version: 1, enabled: true, approvers: [], networks: { BITCOIN: bitcoin } }),
  )
  const header = {
    kind: 'log',
    version: 1,
    at: now(),
    masterFingerprint: keyring.publicKeys.masterFingerprint,
  } as const
  const { log, history } = await openMemory(join(temporaryFolder('bitcoin'), 'log'), header)
  return { signer: withoutSocket(new BursarSigner({ policy, keyring, log, history, now })), log }
}
