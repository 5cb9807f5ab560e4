import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { evmRequest } from '../../../../test/world/signer.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { anyChange, DEFAULT_BITCOIN_POLICY, planBitcoinPayout, type OwnCoin } from '../../chain/transactions/index.ts'
import { paymentOf } from './bitcoin-batch.ts'
import { attachSigned } from './index.ts'
import { carriedBy } from './store.ts'
import {
  catalogue,
  createPayoutWorld,
  HOT,
  paidLog,
  policyWith,
  STRANGER,
  WALLET,
  type PayoutWorld,
} from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})
const UNITS = 1_000_000n
const foreign = (keys: string[]) => ({
  hash: `0x${randomBytes(32).toString('hex')}`,
  keys,
  succeeded: true,
  fee: 1n,
  transfers: [],
})
const intentOf = async (id: string) =>
  (
    await sql<{ intent: string }>`select coalesce(intent_id, id) as intent from withdrawals where id = ${id}`.execute(
      world.db,
    )
  ).rows[0]!.intent
const shown = async () => (await world.outgoing()).map(({ purpose, state, nonce }) => `${purpose} ${state} ${nonce}`)

describe('a payment whose nonce another transaction has used', () => {
  test('audit M-B4: ends by proof once the block is final, and is paid once more under another intent', async () => {
    world = await createPayoutWorld(database.url)
    const before = await world.available('USDT')
    const id = await world.request(UNITS)
    await world.work()
    world.node.mined = 1
    world.node.broadcast = () => ({ kind: 'conflict', message: 'nonce too low' })
    await world.block({ height: 101, transactions: [foreign([`${HOT}:0`])] }, 100)
    await world.work(2)
    expect(await shown()).toEqual(['payout broadcast 0'])
    await world.block({ height: 102, transactions: [] }, 101)
    world.node.broadcast = () => ({ kind: 'accepted' })
    await world.work(2)
    expect(await shown()).toEqual(['payout abandoned 0', 'payout broadcast 1'])
    expect(await intentOf(id)).not.toBe(id)
    expect(await world.alerts()).toMatchObject([
      { kind: 'overtaken', text: expect.stringContaining(`used up ${HOT}:0`) as string },
    ])
    const { rows } = await sql<{
      hash: string
    }>`select hash from outgoing_attempts a join outgoing o on o.id = a.outgoing_id where o.state = 'broadcast'`.execute(
      world.db,
    )
    await world.block({
      height: 103,
      transactions: [
        { hash: rows[0]!.hash, keys: [`${HOT}:1`], succeeded: true, fee: 1n, transfers: [paidLog(UNITS)] },
      ],
    })
    await world.block({ height: 104, transactions: [] }, 103)
    expect([await world.stateOf(id), await world.available('USDT')]).toEqual(['settled', before - UNITS - 1_000n])
  })

  test('audit M-B4: ends so too when the node counts it as accepted', async () => {
    world = await createPayoutWorld(database.url)
    const id = await world.request(UNITS)
    await world.work()
    world.node.mined = 1
    await world.block({ height: 101, transactions: [foreign([`${HOT}:0`])] }, 100)
    await world.work()
    expect(await shown()).toEqual(['payout broadcast 0'])
    await world.block({ height: 102, transactions: [] }, 101)
    await world.work(2)
    expect(await shown()).toEqual(['payout abandoned 0', 'payout broadcast 1'])
    expect(await intentOf(id)).not.toBe(id)
  })

  test('audit M-B4: goes on as it was when that block is lost again', async () => {
    world = await createPayoutWorld(database.url)
    await world.request(UNITS)
    await world.work()
    await world.block({ height: 101, transactions: [foreign([`${HOT}:0`])] })
    await inTransaction(world.db, (tx) => world.following.orphaned(tx, 'ETHEREUM', 101, momentOf(world.runtime)))
    await world.block({ height: 101, transactions: [] })
    await world.block({ height: 102, transactions: [] }, 102)
    await world.work()
    expect(await shown()).toEqual(['payout broadcast 0'])
  })

  test('audit M-B4 M-A5: is posted and not paid again when the signer reports that it signed the other transaction', async () => {
    world = await createPayoutWorld(database.url)
    const before = await world.available('USDT')
    const id = await world.request(UNITS)
    await world.work()
    // A dearer form, signed and sent, of which the database has lost the row.
    const { hash } = await world.made.signer.sign(
      evmRequest({ id, asset: 'USDT', to: STRANGER, units: UNITS.toString() }),
    )
    await world.block(
      {
        height: 101,
        transactions: [{ hash, keys: [`${HOT}:0`], succeeded: true, fee: 1n, transfers: [paidLog(UNITS)] }],
      },
      101,
    )
    await world.work()
    expect(await shown()).toEqual(['payout mined 0'])
    await world.block({ height: 102, transactions: [] }, 101)
    expect([await world.stateOf(id), await world.available('USDT')]).toEqual(['settled', before - UNITS - 1_000n])
    expect(await world.alerts()).toEqual([])
  })

  test('audit M-B4: is ended by the next worker when one dies between the proof and its record', async () => {
    world = await createPayoutWorld(database.url, { dieAt: 'superseded-proven' })
    await world.request(UNITS)
    await world.work()
    world.node.mined = 1
    await world.block({ height: 101, transactions: [foreign([`${HOT}:0`])] }, 101)
    await expect(world.work()).rejects.toThrow('killed at superseded-proven')
    expect(await shown()).toEqual(['payout broadcast 0'])
    await world.work(2)
    expect(await shown()).toEqual(['payout abandoned 0', 'payout broadcast 1'])
  })

  test('audit M-B4: has no alert once a block holds the payment itself', async () => {
    world = await createPayoutWorld(database.url)
    world.node.broadcast = () => ({ kind: 'conflict', message: 'nonce too low' })
    const id = await world.request(UNITS)
    await world.work(2)
    expect(await world.alerts()).toMatchObject([{ kind: 'broadcast' }])
    const { rows } = await sql<{ hash: string }>`select hash from outgoing_attempts`.execute(world.db)
    await world.block({
      height: 101,
      transactions: [
        { hash: rows[0]!.hash, keys: [`${HOT}:0`], succeeded: true, fee: 1n, transfers: [paidLog(UNITS)] },
      ],
    })
    expect([await world.stateOf(id), await world.alerts()]).toEqual(['mined', []])
  })

  test('audit M-B4: ends a filler too', async () => {
    world = await createPayoutWorld(database.url, {
      policy: policyWith({ maxPerIntent: '1000000' }),
      looksAhead: false,
    })
    await world.request(2n * UNITS)
    await world.request(UNITS)
    await world.work(2)
    expect(await shown()).toContain('filler broadcast 0')
    world.node.mined = 1
    await world.block({ height: 101, transactions: [foreign([`${HOT}:0`])] }, 101)
    await world.work()
    expect(await shown()).toEqual(expect.arrayContaining(['filler abandoned 0', 'payout broadcast 1']))
  })
})

describe('a Bitcoin payment', () => {
  const paid = async (): Promise<{ id: string; keys: string[] }> => {
    world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
    await world.coins(2, 5_000_000n)
    const id = await world.request(100_000n)
    await world.work()
    const { rows } = await sql<{ keys: string[] }>`select keys from outgoing`.execute(world.db)
    return { id, keys: rows[0]!.keys }
  }

  test('audit M-B4: whose coin another transaction has spent in a final block is paid with other coins', async () => {
    const { id, keys } = await paid()
    await world.block({ height: 101, transactions: [foreign(keys)] }, 101)
    await world.work(2)
    expect((await world.outgoing()).map(({ state }) => state).toSorted()).toEqual(['abandoned', 'broadcast'])
    expect(await world.stateOf(id)).toBe('sent')
    expect(await intentOf(id)).not.toBe(id)
  })

  test('audit M-B4: that spends an output which was never made is paid with other coins', async () => {
    const { id, keys } = await paid()
    const [transaction] = keys[0]!.split(':')
    // The coin was our own change; after a reorganisation another form of the transaction that made it was mined.
    await sql`update utxos set block_height = null where transaction = ${transaction}`.execute(world.db)
    const parent = world.runtime.newId()
    // Raw: the parent of a transaction, long before it.
    await sql`insert into outgoing(id, network, purpose, state, senders, nonce, keys, attempt, mined_hash, mined_height, succeeded, next_step_at, created_at, updated_at)
      values (${parent}, 'BITCOIN', 'payout', 'final', '{x}', null, '{}', 1, 'other', 90, true, now(), now(), now())`.execute(
      world.db,
    )
    await sql`insert into outgoing_attempts(outgoing_id, attempt, network, unsigned, signing_keys, fee_rate, network_fee, hash, raw, created_at)
      values (${parent}, 1, 'BITCOIN', '00', '[]', '{}', 1, ${transaction}, '00', now())`.execute(world.db)
    await world.work(2)
    expect(await world.stateOf(id)).toBe('sent')
    expect(await intentOf(id)).not.toBe(id)
    const { rows } = await sql<{ keys: string[] }>`select keys from outgoing where state = 'broadcast'`.execute(
      world.db,
    )
    expect(rows[0]!.keys).not.toContain(keys[0])
  })

  test('audit M-B4: is not posted as paid by a transaction that pays only another of its withdrawals, which is attached to it', async () => {
    world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
    await world.coins(2, 5_000_000n)
    const ids = [await world.request(100_000n), await world.request(200_000n)]
    await world.work()
    expect(await Promise.all(ids.map(world.stateOf))).toEqual(['sent', 'sent'])
    // An old primary had the first signed alone, with the same coin.
    const { rows: coins } =
      await sql<OwnCoin>`select transaction, vout, address, account, branch, derivation_index as index, units from utxos where reserved_by is not null`.execute(
        world.db,
      )
    const [paid] = await carriedBy(
      world.db,
      (await sql<{ id: string }>`select id from outgoing`.execute(world.db)).rows[0]!.id,
    )
    const payments = [paymentOf({ catalogue, wallet: WALLET }, paid!)]
    const plan = planBitcoinPayout({
      wallet: WALLET,
      coins,
      payments,
      change: anyChange(WALLET),
      feeRateMilliSatPerVb: 2_000n,
      policy: DEFAULT_BITCOIN_POLICY,
    })
    if (!('payout' in plan)) throw new Error('not planned')
    const intents = [{ id: paid!.intentId, asset: 'BTC', to: paid!.to, units: paid!.units.toString() }]
    const { hash } = await world.made.signer.sign({
      network: 'BITCOIN',
      transactionId: world.runtime.newId(),
      purpose: 'payout',
      intents,
      unsigned: Buffer.from(plan.payout.psbt).toString('hex'),
      keys: plan.signingKeys,
    })
    await world.block(
      { height: 101, transactions: [{ hash, keys: plan.keys, succeeded: true, fee: 1n, transfers: [] }] },
      101,
    )
    await world.work(2)
    expect(await Promise.all(ids.map(world.stateOf))).toEqual(['requested', 'sent'])
    // At once, and not only when it has been planned again and the signer refuses.
    expect(await world.alerts()).toContainEqual({
      kind: 'withdrawal-signed-before',
      subject: ids[0],
      text: expect.stringContaining('a final block holds it') as string,
    })
    world.node.statusOf = (asked) =>
      asked === hash ? { kind: 'mined', height: 101, blockHash: 'h101', succeeded: true, fee: 1n } : { kind: 'unknown' }
    const readAgain = async (height: number): Promise<void> => world.block((await world.adapter.blockAt(height))!)
    await attachSigned(
      { runtime: world.runtime, catalogue, signer: world.signer, wallet: WALLET, adapter: world.adapter, readAgain },
      { merchantId: world.merchantId, id: ids[0]! },
    )
    await world.block({ height: 102, transactions: [] }, 102)
    expect(await world.stateOf(ids[0]!)).toBe('settled')
    expect(world.made.log.length - 1).toBe(3)
  })
})
