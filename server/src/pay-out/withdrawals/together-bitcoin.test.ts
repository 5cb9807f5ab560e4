/** Planners that choose Bitcoin's coins at the same time: a coin is an input of one transaction. */
import { sql } from 'kysely'
import { isRefused } from '@bursar/chainkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, policyWith, WALLET, type PayoutWorld } from '../../../../test/world/payouts.ts'
import type { BroadcastResult, CoinChainAdapter } from '../../adapters/chains/port.ts'
import {
  DEFAULT_BITCOIN_POLICY,
  insertOffered,
  planConsolidation,
  reserveCoins,
  spendableCoins,
  takeChange,
  type OwnCoin,
} from '../../chain/transactions/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { storeJoining } from '../../treasury/consolidation/jobs.ts'

const database = useDatabase({ template: migrated })
const COIN = 5_000_000n
let world: PayoutWorld
beforeEach(async () => {
  world = await createPayoutWorld(database.url, { network: 'BITCOIN', policy: policyWith({}) })
})
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

/** Inputs of more than one transaction that has not ended. */
const shared = async (): Promise<string[]> =>
  (
    await sql<{ key: string }>`select key from outgoing o cross join unnest(o.keys) key
    where o.state <> 'abandoned' group by key having count(*) > 1`.execute(world.db)
  ).rows.map(({ key }) => key)
const purposes = async (): Promise<string[]> =>
  (
    await sql<{
      purpose: string
    }>`select purpose from outgoing where state <> 'abandoned' order by created_at, id`.execute(world.db)
  ).rows.map(({ purpose }) => purpose)

/** Runs the payout job; `other` runs once, after the coins are chosen and before anything is stored. */
const payWhile = async (other: () => Promise<unknown>): Promise<void> => {
  let work: typeof other | undefined = other
  const node = world.adapter as unknown as Pick<CoinChainAdapter, 'wouldTake'>
  node.wouldTake = async (raws) => {
    const now = work
    work = undefined
    await now?.()
    return raws.map((): BroadcastResult => ({ kind: 'accepted' }))
  }
  await world.plan()
}

const freeCoins = () => spendableCoins(world.db, 'BITCOIN', 10, WALLET)

/** Stores a consolidation, as its job does. @returns false when another transaction has a coin */
const join = async (coins: readonly OwnCoin[]): Promise<boolean> => {
  const change = await takeChange(world.db, WALLET)
  const rate = { feeRateMilliSatPerVb: 1_000n, policy: DEFAULT_BITCOIN_POLICY }
  const plan = planConsolidation({ wallet: WALLET, coins, change, ...rate })
  if (isRefused(plan)) throw new Error(plan.message)
  return storeJoining(world, { plan, coins, change, feeRate: {}, paysFor: null })
}

/** A transfer to cold storage of all coins, as it is offered. */
const offer = async (): Promise<void> => {
  const coins = await freeCoins()
  const keys = coins.map(({ transaction, vout }) => `${transaction}:${vout}`)
  await inTransaction(world.db, async (tx) => {
    const moment = momentOf(world.runtime)
    const id = world.runtime.newId()
    const row = { id, network: 'BITCOIN' as const, purpose: 'cold' as const, senders: [], nonce: null, keys }
    const bytes = { unsigned: 'aa', signingKeys: [], feeRate: {}, networkFee: 1n, hash: null }
    await insertOffered(tx, { ...row, ...bytes }, moment)
    expect(await reserveCoins(tx, 'BITCOIN', coins, id)).toBe(true)
  })
}

/** Another worker pays another withdrawal; the one that is being paid is no longer due for it. */
const payAnother = async (): Promise<void> => {
  await sql`update withdrawals set not_before = ${new Date(world.time.now + 60_000)}`.execute(world.db)
  await world.request(3_000_000n)
  await world.plan()
}

test.each<[string, () => Promise<unknown>, string]>([
  ['consolidation', async () => join(await freeCoins()), 'consolidation'],
  ['transfer to cold storage', offer, 'cold'],
  ['payout of another worker', payAnother, 'payout'],
])('coins that a %s takes while a payout is chosen are not spent by it', async (_name, other, purpose) => {
  await world.coins(2, COIN)
  await world.request(9_000_000n)
  await payWhile(other)
  expect(await purposes()).toEqual([purpose])
  expect(await shared()).toEqual([])
})

test('coins that a payout takes while a consolidation is chosen are not joined', async () => {
  await world.coins(2, COIN)
  await world.request(9_000_000n)
  const coins = await freeCoins()
  await world.plan()
  expect(await join(coins)).toBe(false)
  expect([await purposes(), await shared()]).toEqual([['payout'], []])
})
