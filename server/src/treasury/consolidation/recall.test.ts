/**
 * Payouts that are signed and that the node then never takes: they are taken back by proof, and paid anew without what
 * offends.
 */
import { isRefused, type ChainTransaction } from '@bursar/chainkit'
import { outpointOf, parseTransaction } from '@bursar/chainkit/bitcoin'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import type { BroadcastResult, CoinChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { DEFAULT_BITCOIN_POLICY } from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { catalogue, createPayoutWorld, policyWith, WALLET, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { createSupersededSubscriber, createRecallJob, DEFAULT_CONSOLIDATION_POLICY } from './index.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const { signal } = new AbortController()
const HALF_AN_HOUR = 30 * 60_000
const parsed = (raw: string) => {
  const transaction = parseTransaction(Buffer.from(raw, 'hex'))
  if (isRefused(transaction)) throw new Error(transaction.message)
  return transaction
}
/** Bitcoin Knots 29 after its operator, or `-dustdynamic`, has raised what is dust. */
const dearDust = (raw: string): BroadcastResult =>
  parsed(raw).outputs.some(({ units }) => units < 2_940n)
    ? { kind: 'refused', reason: 'invalid', message: 'dust-nonanchor' }
    : { kind: 'accepted' }

/** A batch with one payment that has become dust between its plan and its hand over. */
const open = async (pause: (name: string) => Promise<void> = async () => {}) => {
  world = await createPayoutWorld(database.url, { network: 'BITCOIN', policy: policyWith({}) })
  await world.coins(4, 5_000_000n)
  world.node.broadcast = dearDust
  const small = await world.request(1_000n)
  const other = await world.request(100_000n)
  await world.work()
  const recall = createRecallJob({
    runtime: world.runtime,
    catalogue,
    adapter: world.adapter as unknown as CoinChainAdapter,
    wallet: WALLET,
    sending: DEFAULT_BITCOIN_POLICY,
    policy: DEFAULT_CONSOLIDATION_POLICY,
    pause,
  })
  return { small, other, recall: () => recall.run(signal) }
}
const all = async () =>
  (
    await sql<{
      purpose: string
      state: string
      hash: string
      raw: string
    }>`select o.purpose, o.state, a.hash, a.raw from outgoing o
    join outgoing_attempts a on a.outgoing_id = o.id order by o.created_at, o.id`.execute(world.db)
  ).rows
const shown = ({ hash, raw }: { hash: string; raw: string }): ChainTransaction => {
  const { inputs, outputs } = parsed(raw)
  return {
    hash,
    keys: inputs.map(outpointOf),
    succeeded: true,
    fee: 282n,
    transfers: outputs.map(({ units }, vout) => ({
      index: `o:${vout}`,
      contract: null,
      from: [],
      to: `to ${vout}`,
      units,
    })),
  }
}
const settled = (finalHeight: number): Promise<void> =>
  inTransaction(world.db, async (tx) => {
    const moment = momentOf(world.runtime)
    await carryOut(tx, await createSupersededSubscriber().settled(tx, 'BITCOIN', { finalHeight }, moment), moment)
  })

test('audit D-B8, row B-12: a signed batch that the node never takes is taken back, the offender is given back, and the others are paid', async () => {
  const { small, other, recall } = await open()
  await recall()
  expect(await all()).toMatchObject([{ purpose: 'payout', state: 'signed' }])
  await world.work(1, HALF_AN_HOUR)
  await recall()
  await recall()
  await world.send.run(signal)
  expect(await all()).toMatchObject([
    { purpose: 'payout', state: 'signed' },
    { purpose: 'consolidation', state: 'broadcast' },
  ])
  expect((await world.alerts()).map(({ kind }) => kind)).toContain('payout-recalled')
  world.node.wouldTake = dearDust
  await world.block({ height: 101, transactions: [shown((await all())[1]!)] })
  await world.work()
  expect([await world.stateOf(small), await world.stateOf(other)]).toEqual(['planned', 'planned'])
  await world.block({ height: 107, transactions: [] }, 101)
  await world.work(3)
  expect([await world.stateOf(small), await world.stateOf(other)]).toEqual(['failed', 'sent'])
  expect((await all()).map(({ purpose, state }) => `${purpose} ${state}`)).toEqual([
    'payout abandoned',
    'consolidation final',
    'payout broadcast',
  ])
  expect((await world.alerts()).map(({ kind }) => kind)).toEqual(['withdrawal-impossible'])
})

test('audit D-B8: a payout that is mined although the node refused it is posted, and the transaction to recall it ends', async () => {
  const { small, other, recall } = await open()
  await world.work(1, HALF_AN_HOUR)
  await recall()
  await world.send.run(signal)
  await world.block({ height: 101, transactions: [shown((await all())[0]!)] }, 101)
  await settled(101)
  await world.work(2)
  expect([await world.stateOf(small), await world.stateOf(other)]).toEqual(['settled', 'settled'])
  expect((await all()).map(({ purpose, state }) => `${purpose} ${state}`)).toEqual([
    'payout final',
    'consolidation abandoned',
  ])
})

test('killed at recall-chosen: the next worker takes it back, once', async () => {
  let isKilled = false
  const { recall } = await open(async (name) => {
    if (name !== 'recall-chosen' || isKilled) return
    isKilled = true
    throw new Error('killed')
  })
  await world.work(1, HALF_AN_HOUR)
  await expect(recall()).rejects.toThrow('killed')
  expect((await all()).map(({ purpose }) => purpose)).toEqual(['payout'])
  await recall()
  await recall()
  expect((await all()).map(({ purpose }) => purpose)).toEqual(['payout', 'consolidation'])
})

test('two workers that recall a payout at once do so once', async () => {
  const both = Promise.withResolvers<void>()
  let chosen = 0
  const { recall } = await open(async (name) => {
    if (name !== 'recall-chosen') return
    chosen += 1
    if (chosen === 2) both.resolve()
    await both.promise
  })
  await world.work(1, HALF_AN_HOUR)
  await Promise.all([recall(), recall()])
  expect(chosen).toBe(2)
  expect((await all()).map(({ purpose }) => purpose)).toEqual(['payout', 'consolidation'])
})
