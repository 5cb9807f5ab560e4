/** A copy of the database that has forgotten payments, beside a signer that has not. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { evmRequest } from '../../../../test/world/signer.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { intentIdOf } from './index.ts'
import { createPayoutWorld, HOT, STRANGER, type PayoutWorld, attachIn } from '../../../../test/world/payouts.ts'

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
const attach = (id: string) => attachIn(world, { merchantId: world.merchantId, id })
const signed = async (): Promise<number> => world.made.log.length - 1

/** The state of the copy: withdrawals that wait, without the transactions that were planned for them. */
const forget = async (intents: Record<string, string>): Promise<void> => {
  await sql`update withdrawals set outgoing_id = null, state = 'requested', not_before = created_at, barred = null`.execute(
    world.db,
  )
  for (const [id, intent] of Object.entries(intents))
    await sql`update withdrawals set intent_id = ${intent} where id = ${id}`.execute(world.db)
  for (const table of ['outgoing_rivals', 'outgoing_attempts', 'free_nonces', 'hot_wallets'])
    await sql`delete from ${sql.table(table)}`.execute(world.db)
  await sql`update utxos set reserved_by = null`.execute(world.db)
  await sql`delete from outgoing`.execute(world.db)
  await sql`delete from alerts`.execute(world.db)
}

describe('audit M-A5: after a restore nothing is paid twice that was paid under another intent', () => {
  test('by the transaction that replaced a superseded payment', async () => {
    world = await createPayoutWorld(database.url)
    const id = await world.request(UNITS)
    await world.work()
    world.node.mined = 1
    const conflict = foreign([`${HOT}:0`])
    await world.block({ height: 101, transactions: [conflict] }, 101)
    await world.work(2)
    expect(await signed()).toBe(2)
    await forget({ [id]: id })
    world.node.mined = 2
    await world.work(2)
    expect(await world.alerts()).toMatchObject([{ kind: 'withdrawal-signed-before', subject: id }])
    await attach(id)
    await world.block({ height: 101, transactions: [conflict] }, 101)
    // As docs/operating/recovery.md says for a copy that is behind the chain.
    await sql`update hot_wallets set next_nonce = 2`.execute(world.db)
    await world.work(4)
    expect(await signed()).toBe(2)
    expect(await world.stateOf(id)).toBe('requested')
    expect((await world.alerts()).map(({ kind }) => kind)).toContain('withdrawal-signed-before')
  })

  test('by an order whose Idempotency-Key was used before', async () => {
    world = await createPayoutWorld(database.url)
    const intentId = intentIdOf(world.merchantId, 'key:monthly')
    const first = await world.request(UNITS, { intentId })
    await world.work()
    const second = await world.request(UNITS, { intentId })
    await world.work(2)
    expect([await world.stateOf(first), await world.stateOf(second), await signed()]).toEqual(['sent', 'sent', 2])
    // The copy knows the first, and the merchant sends the second request again.
    await withoutTriggers(world.db, (tx) =>
      sql`update withdrawals set intent_id = gen_random_uuid(), created_at = created_at + interval '1 day' where id = ${second}`.execute(
        tx,
      ),
    )
    const again = await world.request(UNITS, { intentId })
    await world.work(4)
    expect([await world.stateOf(again), await signed()]).toEqual(['requested', 2])
    expect(await world.alerts()).toMatchObject([{ kind: 'withdrawal-signed-before', subject: again }])
  })
})

test('audit M-A5 M-B4: a forgotten payment whose nonce a transaction of these books has used up is paid anew, once', async () => {
  world = await createPayoutWorld(database.url)
  const forgotten = world.runtime.newId()
  await world.made.signer.sign(evmRequest({ id: forgotten, asset: 'USDT', to: STRANGER, units: UNITS.toString() }))
  await world.request(UNITS)
  await world.work(3)
  await world.work(2, 400_000)
  const { rows } = await sql<{
    hash: string
    purpose: string
  }>`select a.hash, o.purpose from outgoing o join outgoing_attempts a on a.outgoing_id = o.id
    where o.nonce = 0 and a.hash is not null`.execute(world.db)
  expect(rows).toMatchObject([{ purpose: 'filler' }])
  const id = await world.request(UNITS, { id: forgotten })
  await world.work()
  const filler = { hash: rows[0]!.hash, keys: [`${HOT}:0`], succeeded: true, fee: 1n, transfers: [] }
  await world.block({ height: 101, transactions: [filler] }, 100)
  await expect(attach(id)).rejects.toThrow('is in use by the filler')
  await world.block({ height: 102, transactions: [] }, 101)
  expect(await attach(id)).toEqual({ kind: 'superseded', by: [rows[0]!.hash] })
  expect((await world.alerts()).map(({ kind }) => kind)).not.toContain('withdrawal-signed-before')
  const before = await signed()
  await world.work(3)
  expect([await world.stateOf(id), await signed()]).toEqual(['sent', before + 1])
})

describe('audit M-A5: a Bitcoin transaction that paid several withdrawals', () => {
  const paidTogether = async (): Promise<[string, string]> => {
    world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
    await world.coins(2, 5_000_000n)
    const ids: [string, string] = [await world.request(100_000n), await world.request(200_000n)]
    await world.work()
    expect(await signed()).toBe(1)
    await forget({})
    return ids
  }

  test('is not attached to one that asks for another amount under the same name', async () => {
    const [first, second] = await paidTogether()
    // The merchant asked for less under the name of what the copy had forgotten.
    await withoutTriggers(world.db, (tx) =>
      sql`update withdrawals set units = units - 150000, fee_units = fee_units + 150000 where id = ${second}`.execute(
        tx,
      ),
    )
    await world.work()
    await attach(first)
    await world.work()
    expect([await world.stateOf(first), await world.stateOf(second)]).toEqual(['sent', 'requested'])
    expect((await world.alerts()).map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
      `withdrawal-signed-before ${second}`,
    ])
    await expect(attach(second)).rejects.toThrow('it is another payment under the same name')
  })

  test('is ended by proof when something else spent its coin in a block that was read before it was attached', async () => {
    const ids = await paidTogether()
    const { rows } = await sql<{ key: string }>`select transaction || ':' || vout as key from utxos order by 1`.execute(
      world.db,
    )
    const hashes = await Promise.all(ids.map(async (id) => (await world.signer.transactionsOf(id))[0]!.conflictKeys))
    expect(rows.map(({ key }) => key)).toEqual(expect.arrayContaining(hashes[0]!))
    await world.block({ height: 101, transactions: [foreign(hashes[0]!)] }, 101)
    await world.work()
    await attach(ids[0])
    await world.work(3)
    expect(await Promise.all(ids.map(world.stateOf))).toEqual(['sent', 'sent'])
    expect((await world.alerts()).map(({ kind }) => kind)).toEqual(['overtaken'])
    expect(await signed()).toBe(2)
  })

  test.each(['sent', 'mined', 'settled'])(
    'is attached to one that is asked for again when the other is %s',
    async (state) => {
      const [first, second] = await paidTogether()
      const held = await world.available('BTC')
      // The copy has forgotten the second until its merchant asks again.
      await sql`update withdrawals set intent_id = gen_random_uuid(), not_before = 'infinity' where id = ${second}`.execute(
        world.db,
      )
      await attach(first)
      await world.work()
      const {
        rows: [sent],
      } = await sql<{
        hash: string
        keys: string[]
      }>`select a.hash, o.keys from outgoing o join outgoing_attempts a on a.outgoing_id = o.id`.execute(world.db)
      const transaction = { hash: sent!.hash, keys: sent!.keys, succeeded: true, fee: 600n, transfers: [] }
      if (state !== 'sent') await world.block({ height: 101, transactions: [transaction] }, 99)
      if (state === 'settled') await world.block({ height: 102, transactions: [] }, 101)
      expect(await world.stateOf(first)).toBe(state)
      await sql`update withdrawals set intent_id = id, not_before = created_at where id = ${second}`.execute(world.db)
      await world.work(2)
      expect(await world.alerts()).toMatchObject([{ kind: 'withdrawal-signed-before', subject: second }])
      expect(await attach(second)).toMatchObject({ kind: 'attached', hashes: [sent!.hash] })
      expect(await world.stateOf(second)).toBe(state)
      if (state === 'sent') await world.block({ height: 101, transactions: [transaction] }, 99)
      if (state !== 'settled') await world.block({ height: 102, transactions: [] }, 101)
      expect([await world.stateOf(first), await world.stateOf(second), await signed()]).toEqual([
        'settled',
        'settled',
        1,
      ])
      expect(await world.available('BTC')).toBe(held)
    },
  )
})
