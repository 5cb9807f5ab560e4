/** A simulated chain of accounts that the watcher follows, and a hot wallet on it: for comparing books with a chain. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import { privateKeyToAccount } from 'viem/accounts'
import { fundWithdrawal, planWithdrawal } from './withdrawal.ts'
import { readToHead } from './watcher.ts'
import type { SimulatedChain, SimulatedSettings } from '../../server/src/adapters/chains/simulated/index.ts'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { withoutTriggers } from '../setup/unguarded.ts'
import { catalogue, E18, type Owned, type World } from './deposits.ts'
import { recordOwn } from './own-address.ts'
import { createTransactionSubscriber, insertPlanned } from '../../server/src/chain/transactions/index.ts'
import { recordSigned } from '../../server/src/chain/transactions/commands.ts'
import { OUTGOING_COLUMNS } from '../../server/src/chain/transactions/store.ts'
import type { Outgoing } from '../../server/src/chain/transactions/transaction.ts'
import { createClock } from '../../server/src/platform/runtime/clock.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS, type Follower } from '../../server/src/chain/watcher/index.ts'
import { createSettlement } from '../../server/src/pay-out/withdrawals/index.ts'
import {
  createFunding,
  createReconcileJob,
  reconcileNetwork,
  type Round,
} from '../../server/src/treasury/reconciliation/index.ts'

export { catalogue, E18 } from './deposits.ts'
export const USDT = '0xusdt'
const CHAIN_ID = 31_337
const FINAL_DEPTH = 6
/** The chain that a test makes (`adapters/chains/simulated`). */
export const CHAIN: SimulatedSettings = {
  network: 'ETHEREUM',
  seed: 'treasury',
  chainId: BigInt(CHAIN_ID),
  finalDepth: FINAL_DEPTH,
  tokens: [{ contract: USDT, decimals: 6 }],
}

export interface Treasury extends SimulatedChain {
  world: World
  runtime: Runtime
  hot: string
  follower: Follower
  /** a merchant with a deposit address */
  owner(): Promise<Owned>
  /**
   * Pays a withdrawal of a merchant's ETH from the hot wallet: signed, stored, handed to the node. Answers the
   * outgoing's id.
   */
  withdraw(merchantId: string, units: bigint): Promise<string>
  /** A withdrawal of one chain unit waits. */
  waits(merchantId: string, ticker: string): Promise<void>
  /** The watcher reads all there is. */
  catchUp(): Promise<void>
  /** moves both clocks */
  later(ms: number): void
  /**
   * From now on the node says that balances of an asset are wrong by so much, by address, in chain units.
   * @returns which balances it is asked for
   */
  lieAbout(wrong: ReadonlyMap<string, bigint>, asset?: string | null): { asked: string[] }
  round(): Promise<Round>
  runJob(): Promise<boolean>
  /** A merchant with 5 ETH at their address, the hot wallet with 3, and 1 of it paid out. */
  someBusiness(): Promise<Owned>
}

export const createTreasury = async (world: World, simulated: SimulatedChain): Promise<Treasury> => {
  await world.reset()
  await withoutTriggers(world.db, (tx) =>
    sql`truncate utxos, withdrawal_approvals,  outgoing, outgoing_attempts, withdrawals, fundings, house_addresses, custody_rounds, custody_recent, network_costs, network_costs_counted cascade`.execute(
      tx,
    ),
  )
  const { chain, adapter } = simulated
  chain.mine(FINAL_DEPTH)
  const account = privateKeyToAccount(`0x${'7'.repeat(64)}`)
  const hot = account.address as string
  const clock = createClock(() => world.now)
  const runtime: Runtime = {
    db: world.db,
    clock,
    newId: () => uuidv7(world.now, randomBytes(10)),
    log: pino({ enabled: false }),
  }
  await recordOwn(runtime, 'EVM', 'hot', hot)
  const subscribers = [createSettlement(catalogue)]
  const following = createTransactionSubscriber(subscribers)
  const follower = await beginFollowing({
    runtime,
    network: 'ETHEREUM',
    adapter,
    subscribers: [following, createFunding(catalogue), world.deposits],
    ringBlocks: 50,
    settings: { ...DEFAULT_WATCHER_SETTINGS.ETHEREUM, network: 'ETHEREUM', identity: '', ahead: 2, mostBlocks: 2 },
  })
  let nonce = 0

  const withdraw = async (merchantId: string, units: bigint): Promise<string> => {
    const moment = world.moment()
    const outgoingId = runtime.newId()
    const to = chain.newAddress()
    const raw = await account.signTransaction({
      type: 'legacy',
      chainId: CHAIN_ID,
      nonce,
      gas: 21_000n,
      gasPrice: 5_000_000_000n,
      to: to as `0x${string}`,
      value: units,
    })
    const { keccak256 } = await import('viem')
    const hash = keccak256(raw)
    await inTransaction(world.db, async (tx) => {
      await insertPlanned(
        tx,
        {
          id: outgoingId,
          network: 'ETHEREUM',
          purpose: 'payout',
          senders: [hot],
          nonce,
          keys: [`${hot}:${nonce}`],
          unsigned: '00',
          signingKeys: [{ account: 'hot', branch: 0, index: 0 }],
          feeRate: {},
          networkFee: 1n,
        },
        moment,
      )
      await planWithdrawal(tx, runtime, { merchantId, ticker: 'ETH', blockchain: 'ETHEREUM', to, units }, outgoingId)
      const { rows } =
        await sql<Outgoing>`select ${OUTGOING_COLUMNS} from outgoing o where o.id = ${outgoingId}`.execute(tx)
      await recordSigned(tx, rows[0]!, 1, { raw, hash }, moment)
    })
    nonce += 1
    const answer = await adapter.broadcast(raw)
    if (answer.kind !== 'accepted') throw new Error(`the chain does not take it: ${JSON.stringify(answer)}`)
    return outgoingId
  }

  const waits = async (merchantId: string, ticker: string): Promise<void> => {
    await fundWithdrawal(runtime, { merchantId, ticker, blockchain: 'ETHEREUM', to: 'x', units: 1n, fee: 0n })
  }

  const treasury: Treasury = {
    ...simulated,
    world,
    runtime,
    hot,
    follower,
    owner: () => world.address('ETHEREUM', undefined, null),
    withdraw,
    waits,
    catchUp: () => readToHead(world.db, 'ETHEREUM', follower, () => chain.head.hash),
    later: (ms) => {
      world.now += ms
    },
    lieAbout: (wrong, asset = null) => {
      const asked: string[] = []
      const truth = adapter.balancesAt.bind(adapter)
      adapter.balancesAt = async (height, wanted) => {
        asked.push(...wanted.map(({ address, contract }) => `${address}/${contract}`))
        return (await truth(height, wanted)).map(
          (units, i) => units + (wanted[i]!.contract === asset ? (wrong.get(wanted[i]!.address) ?? 0n) : 0n),
        )
      }
      return { asked }
    },
    round: async () => (await reconcileNetwork(runtime, catalogue, adapter))!,
    runJob: () => createReconcileJob(runtime, catalogue, [adapter], 1).run(new AbortController().signal),
    someBusiness: async () => {
      const owner = await treasury.owner()
      chain.pay([{ to: owner.address, units: 5n * E18 }])
      chain.pay([{ to: hot, units: 3n * E18 }])
      chain.mine(10)
      await treasury.catchUp()
      await withdraw(owner.merchantId, E18)
      chain.mine(10)
      await treasury.catchUp()
      return owner
    },
  }
  return treasury
}
