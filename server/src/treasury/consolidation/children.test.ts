/**
 * Transactions that pay for an unconfirmed one by spending from it: what becomes of those that the node does not take.
 */
import { isRefused, type ChainTransaction } from '@bursar/chainkit'
import { outpointOf, parseTransaction } from '@bursar/chainkit/bitcoin'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import type { CoinChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { DEFAULT_BITCOIN_POLICY, oursAmong } from '../../chain/transactions/index.ts'
import { attemptsOf } from '../../chain/transactions/store.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { catalogue, createPayoutWorld, policyWith, WALLET, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { createSupersededSubscriber, DEFAULT_CONSOLIDATION_POLICY, payForParent } from './index.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const COIN = 5_000_000n
const parsed = (raw: string) => {
  const transaction = parseTransaction(Buffer.from(raw, 'hex'))
  if (isRefused(transaction)) throw new Error(transaction.message)
  return transaction
}
const { signal } = new AbortController()

/** A payout that a node has, or refuses, and a child of its change, planned and not handed over. */
const open = async () => {
  world = await createPayoutWorld(database.url, { network: 'BITCOIN', policy: policyWith({}) })
  await world.coins(1, COIN)
  const id = await world.request(1_000_000n)
  await world.work()
  const { rows } = await sql<{ id: string }>`select outgoing_id as id from withdrawals where id = ${id}`.execute(
    world.db,
  )
  const [parent] = await attemptsOf(world.db, rows[0]!.id)
  const deps = {
    runtime: world.runtime,
    catalogue,
    adapter: world.adapter as unknown as CoinChainAdapter,
    wallet: WALLET,
    sending: DEFAULT_BITCOIN_POLICY,
    policy: DEFAULT_CONSOLIDATION_POLICY,
    pause: async () => {},
  }
  expect(await payForParent(deps)(null, parent!, 20_000n)).toBe(true)
  return { id, parent: parent! }
}
const child = async () =>
  (
    await sql<{
      id: string
      state: string
      dropped: boolean
      hash: string
      raw: string
    }>`select o.id, o.state, o.dropped_at is not null as dropped, a.hash, a.raw
    from outgoing o join outgoing_attempts a on a.outgoing_id = o.id where o.purpose = 'consolidation'`.execute(
      world.db,
    )
  ).rows[0]!
const reserved = async (): Promise<number> =>
  (await sql`select from utxos where reserved_by = ${(await child()).id}`.execute(world.db)).rows.length
/** As a block shows a transaction of ours. */
const shown = ({ hash, raw }: { hash: string | null; raw: string | null }): ChainTransaction => {
  const { inputs, outputs } = parsed(raw!)
  return {
    hash: hash!,
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

/** In the words of Bitcoin Core 30 (validation.cpp). */
const TOO_LONG = {
  kind: 'refused',
  reason: 'later',
  message: 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]',
} as const

test('audit D-B9, row B-6: a child that the node never took is dropped when its parent is mined without it, and its coin is free', async () => {
  const { parent } = await open()
  let handed = 0
  world.node.broadcast = (raw) => (parsed(raw).txid === parent.hash ? { kind: 'accepted' } : ((handed += 1), TOO_LONG))
  await world.work(3, 30_000)
  expect([(await child()).state, handed, await reserved()]).toEqual(['signed', 3, 1])
  world.node.statusOf = (hash) =>
    hash === parent.hash
      ? { kind: 'mined', height: 101, blockHash: 'h101', succeeded: true, fee: 282n }
      : { kind: 'unknown' }
  // By now the node would take it.
  world.node.broadcast = (raw) => ((handed += parsed(raw).txid === parent.hash ? 0 : 1), { kind: 'accepted' })
  await world.work(3, 30_000)
  expect([await child(), handed, await reserved()]).toMatchObject([{ state: 'signed', dropped: true }, 3, 0])
})

test('audit D-B9: a child whose acceptance was not heard of goes on', async () => {
  const { parent } = await open()
  world.node.broadcast = () => TOO_LONG
  await world.work(1, 30_000)
  const { hash } = await child()
  world.node.statusOf = (asked) =>
    asked === parent.hash
      ? { kind: 'mined', height: 101, blockHash: 'h101', succeeded: true, fee: 282n }
      : { kind: asked === hash ? 'mempool' : 'unknown' }
  world.node.broadcast = () => ({ kind: 'accepted' })
  await world.work(1, 30_000)
  expect(await child()).toMatchObject({ state: 'broadcast', dropped: false })
})

const drop = async () => {
  const opened = await open()
  world.node.broadcast = () => TOO_LONG
  await world.work(1, 30_000)
  world.node.statusOf = (asked) =>
    asked === opened.parent.hash
      ? { kind: 'mined', height: 101, blockHash: 'h101', succeeded: true, fee: 282n }
      : { kind: 'unknown' }
  await world.work(1, 30_000)
  world.node.broadcast = () => ({ kind: 'accepted' })
  await world.block({ height: 101, transactions: [shown(opened.parent)] })
  expect((await child()).dropped).toBe(true)
  return opened
}

test('audit D-B9: a dropped child ends once another transaction has spent its coin in a final block', async () => {
  await drop()
  const { raw, state } = await child()
  expect(state).toBe('signed')
  const conflict = { ...shown({ hash: 'ab'.repeat(32), raw }), transfers: [] }
  await world.block({ height: 102, transactions: [conflict] })
  await settled(101)
  expect((await child()).state).toBe('signed')
  await settled(102)
  expect((await child()).state).toBe('abandoned')
})

test('the alerts about a dropped child end with it', async () => {
  await drop()
  const { id, raw } = await child()
  for (const kind of ['broadcast', 'stuck', 'signer-velocity'] as const)
    await raiseAlert(world.db, { kind, subject: id, text: 'raised before it was dropped' }, momentOf(world.runtime))
  const kinds = async () => (await world.alerts()).filter(({ subject }) => subject === id).map(({ kind }) => kind)
  const conflict = { ...shown({ hash: 'ab'.repeat(32), raw }), transfers: [] }
  await world.block({ height: 102, transactions: [conflict] })
  await settled(101)
  expect(await kinds()).toEqual(['broadcast', 'signer-velocity', 'stuck'])
  await settled(102)
  expect(await kinds()).toEqual([])
})

test('audit D-B9: a dropped child that is mined after all is posted', async () => {
  await drop()
  const before = await child()
  await world.block({ height: 102, transactions: [shown(before)] }, 102)
  expect((await child()).state).toBe('final')
  expect((await oursAmong(world.db, 'BITCOIN', [before.hash])).get(before.hash)?.state).toBe('final')
})

test('audit D-B9: a payout takes the coin of a dropped child, and is paid once although the child is mined after all', async () => {
  await drop()
  // These blocks name no addresses: the change of the parent is in one as well.
  await sql`update utxos set block_height = 101 where block_height is null`.execute(world.db)
  const given = await child()
  const second = await world.request(2_000_000n)
  await world.work()
  const payments = async () =>
    (
      await sql<{
        state: string
        keys: string[]
      }>`select o.state, o.keys from outgoing o join outgoing_attempts a on a.outgoing_id = o.id
        where o.purpose = 'payout' and o.mined_hash is null order by o.created_at`.execute(world.db)
    ).rows
  expect(await payments()).toEqual([{ state: 'broadcast', keys: parsed(given.raw).inputs.map(outpointOf) }])
  await world.block({ height: 102, transactions: [shown(given)] }, 102)
  await world.coins(1, COIN)
  await world.work(3)
  expect((await payments()).map(({ state }) => state)).toEqual(['abandoned', 'broadcast'])
  expect(await world.stateOf(second)).toBe('sent')
})

/** The pool refuses parent and child alone, in the words of Bitcoin Knots 29.4.3. Collects the packages it accepts. */
const acceptOnlyPackages = (parent: string | null): string[][] => {
  const packages: string[][] = []
  world.node.broadcast = (raw) =>
    parsed(raw).txid === parent
      ? { kind: 'refused', reason: 'fee-too-low', message: 'mempool min fee not met, 282 < 1410' }
      : { kind: 'conflict', message: 'bad-txns-inputs-missingorspent' }
  world.node.broadcastWithParent = (above, below) => (
    packages.push([parsed(above).txid, parsed(below).txid]),
    { kind: 'accepted' }
  )
  return packages
}

test('audit D-B9, row B-9: a parent below the least rate of the pool goes together with its child', async () => {
  const { parent } = await open()
  const packages = acceptOnlyPackages(parent.hash)
  await world.send.run(signal)
  expect([packages, (await child()).state]).toEqual([[[parent.hash, (await child()).hash]], 'broadcast'])
})

test('rows B-9, B-23: a payout and its child that a full pool evicted together go back together', async () => {
  const { parent } = await open()
  await world.send.run(signal)
  expect((await child()).state).toBe('broadcast')
  // Bitcoin Core 31, txmempool.cpp TrimToSize: the worst chunk leaves as a whole, and the least rate rises above it.
  const packages = acceptOnlyPackages(parent.hash)
  await world.work(2, 40 * 60_000)
  expect(packages).toContainEqual([parent.hash, (await child()).hash])
})
