import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { tronIntent, tronRequest } from '../../../../test/world/tron-requests.ts'
import { evmRequest } from '../../../../test/world/signer.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { attachSigned, createClosedJob, giveBack, intentIdOf } from './index.ts'
import { refuseImpossible } from './receivers.ts'
import { findById } from './store.ts'
import {
  catalogue,
  createPayoutWorld,
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
const open = async (options: Parameters<typeof createPayoutWorld>[1] = {}): Promise<PayoutWorld> =>
  (world = await createPayoutWorld(database.url, options))

const UNITS = 1_000_000n
/** The signer has signed the payment of a withdrawal; the database that took over has never heard of it. */
const forgotten = async (nonce = 0n): Promise<{ id: string; hash: string; signed: string }> => {
  const id = world.runtime.newId()
  const answer = await world.made.signer.sign(
    evmRequest({ id, asset: 'USDT', to: STRANGER, units: UNITS.toString() }, { nonce }),
  )
  return { id: await world.request(UNITS, { id }), ...answer }
}
const key = (id: string) => ({ merchantId: world.merchantId, id })
const deps = () => ({ runtime: world.runtime, catalogue, signer: world.signer })
const attach = (id: string, readAgain = async (): Promise<void> => {}) =>
  attachSigned({ ...deps(), wallet: WALLET, adapter: world.adapter, readAgain }, key(id))
const outgoingOf = async (id: string) =>
  (
    await sql<{
      state: string
      nonce: number
      hash: string
      raw: string
    }>`select o.state, o.nonce, a.hash, a.raw from withdrawals w join outgoing o on o.id = w.outgoing_id
    join outgoing_attempts a on a.outgoing_id = o.id where w.id = ${id} order by a.attempt`.execute(world.db)
  ).rows

describe('a withdrawal that the signer has signed and the database has forgotten', () => {
  test.each(['the chain says that it cannot succeed', 'the operator gives it up'])(
    'audit M-A5: is not given back when %s',
    async (why) => {
      await open()
      const { id, hash } = await forgotten()
      const before = await world.available('USDT')
      if (why.startsWith('the chain'))
        await refuseImpossible(
          deps(),
          (await findById(world.db, world.merchantId, id))!,
          'execution reverted: Pausable: paused',
        )
      else expect(await giveBack(deps(), key(id))).toMatchObject({ kind: 'signed', transactions: [{ hash }] })
      expect(await world.stateOf(id)).toBe('requested')
      expect(await world.available('USDT')).toBe(before)
      expect(await world.alerts()).toMatchObject([
        {
          kind: 'withdrawal-signed-before',
          subject: id,
          text: expect.stringContaining(`bursar withdrawal attach ${world.merchantId} ${id}`) as string,
        },
      ])
    },
  )

  test.each([true, false])(
    'audit M-A5: is not planned anew, and takes no nonce for long; asked ahead: %s',
    async (looksAhead) => {
      await open({ looksAhead })
      const { id } = await forgotten(5n)
      await world.work(3, 301_000)
      expect(await world.stateOf(id)).toBe('requested')
      expect((await world.outgoing()).filter(({ state }) => state !== 'abandoned')).toEqual([])
      expect((await world.outgoing()).length).toBe(looksAhead ? 0 : 1)
      expect(await world.alerts()).toMatchObject([{ kind: 'withdrawal-signed-before', subject: id }])
    },
  )

  test('audit M-A5: is attached to the signed transaction, which is then sent as any other', async () => {
    await open()
    const { id, hash, signed } = await forgotten()
    await world.work()
    const handed: string[] = []
    world.node.broadcast = (raw) => (handed.push(raw), { kind: 'accepted' })
    expect(await attach(id)).toEqual({ kind: 'attached', hashes: [hash], minedAt: null })
    expect(await outgoingOf(id)).toEqual([{ state: 'signed', nonce: 0, hash, raw: signed }])
    expect(await world.alerts()).toEqual([])
    await world.work()
    expect([await world.stateOf(id), handed]).toEqual(['sent', [signed]])
    const other = await world.request(UNITS)
    await world.work()
    expect(await outgoingOf(other)).toMatchObject([{ nonce: 1 }])
  })

  test('audit M-A5: is attached with every replacement, and posted from the block that holds one', async () => {
    await open()
    const { id, hash } = await forgotten()
    const dearer = await world.made.signer.sign(
      evmRequest({ id, asset: 'USDT', to: STRANGER, units: UNITS.toString() }, { maxFeePerGas: 23n * 10n ** 9n }),
    )
    world.node.statusOf = (asked) =>
      asked === dearer.hash
        ? { kind: 'mined', height: 90, blockHash: 'h90', succeeded: true, fee: 5n }
        : { kind: 'unknown' }
    const transactions = [{ hash: dearer.hash, keys: ['hot:0'], succeeded: true, fee: 5n, transfers: [paidLog(UNITS)] }]
    const read: number[] = []
    const done = await attach(id, async () => {
      read.push(90)
      await world.block({ height: 90, transactions } as never)
    })
    expect([done, read]).toEqual([{ kind: 'attached', hashes: [hash, dearer.hash], minedAt: 90 }, [90]])
    expect(await world.stateOf(id)).toBe('mined')
    await world.block({ height: 101, transactions: [] }, 95)
    expect(await world.stateOf(id)).toBe('settled')
  })

  test('audit M-A5: is not attached to a payment of another amount under the same name', async () => {
    await open()
    const { id } = await forgotten()
    await withoutTriggers(world.db, (tx) =>
      sql`update withdrawals set units = units - 1, fee_units = fee_units + 1 where id = ${id}`.execute(tx),
    )
    await world.work()
    expect(await world.alerts()).toMatchObject([{ kind: 'withdrawal-signed-before', subject: id }])
    await expect(attach(id)).rejects.toThrow('it is another payment under the same name')
    expect(await giveBack(deps(), key(id))).toMatchObject({ kind: 'signed' })
  })

  test.each([0, 9 * 60_000])(
    'audit M-A5: on TRON is looked for in the blocks of our own watcher, with a signer %i ms ahead',
    async (aheadMs) => {
      await open()
      const intent = tronIntent(1)
      const expiresAt = world.time.now + 60_000
      const { hash } = await world.made.signer.sign(tronRequest(intent, { expiration: expiresAt }))
      await world.request(UNITS, { id: intent.id, blockchain: 'TRON', to: intent.to })
      await readEmptyBlocks(world.runtime, 'TRON', { height: 945, final: 940, head: 1_000 })
      // A block every three seconds, the newest two minutes after the expiration; the payment is in block 950.
      const times = (height: number) => expiresAt + 120_000 - aheadMs - (1_000 - height) * 3_000
      const asked: number[] = []
      const adapter = {
        network: 'TRON' as const,
        statusOf: async () => ({ kind: 'unknown' as const }),
        blockAt: async (height: number) => {
          asked.push(height)
          // The watcher reads on while the blocks are looked through.
          if (height === 940) await sql`update watch_cursors set height = 1000 where network = 'TRON'`.execute(world.db)
          return {
            height,
            hash: `b${height}`,
            parent: '',
            time: times(height),
            transactions: height === 950 ? [{ hash, keys: [hash], succeeded: true, fee: 1n, transfers: [] }] : [],
          }
        },
      }
      const read: number[] = []
      const done = await attachSigned(
        { ...deps(), wallet: WALLET, adapter, readAgain: async (height) => void read.push(height) },
        key(intent.id),
      )
      expect([done, read]).toEqual([{ kind: 'attached', hashes: [hash], minedAt: 950 }, [950]])
      expect(asked.length).toBeLessThan(aheadMs === 0 ? 500 : 700)
    },
  )

  test('goes on when the signer has signed nothing for it after all', async () => {
    await open()
    const id = await world.request(UNITS)
    await sql`update withdrawals set barred = 'signed' where id = ${id}`.execute(world.db)
    await world.work()
    expect(await world.stateOf(id)).toBe('requested')
    expect(await attach(id)).toEqual({ kind: 'nothing-signed' })
    await world.work()
    expect(await world.stateOf(id)).toBe('sent')
  })
})

describe('a withdrawal that is given back', () => {
  test('audit M-A5: is never signed afterwards, even for a restored database', async () => {
    await open()
    const id = await world.request(UNITS)
    expect(await giveBack(deps(), key(id))).toEqual({ kind: 'given-back' })
    expect(await world.stateOf(id)).toBe('failed')
    // The copy from before: the withdrawal waits again.
    const { rows } = await sql<{ hold: string }>`select hold_id as hold from withdrawals where id = ${id}`.execute(
      world.db,
    )
    expect(rows).toHaveLength(1)
    const again = await world.request(UNITS, { intentId: id })
    await sql`update withdrawals set intent_id = gen_random_uuid() where id = ${id}`.execute(world.db)
    await world.work(2)
    expect(await world.stateOf(again)).toBe('requested')
    await createClosedJob(deps()).run(new AbortController().signal)
    expect(await world.stateOf(again)).toBe('failed')
  })

  test('stays planned when it is planned while the signer closes its intent', async () => {
    await open()
    const id = await world.request(UNITS)
    const before = await world.available('USDT')
    const closeIntent = async (intentId: string) => {
      await world.plan()
      return world.signer.closeIntent(intentId)
    }
    expect(await giveBack({ ...deps(), signer: { closeIntent } }, key(id))).toEqual({ kind: 'not-waiting' })
    expect([await world.stateOf(id), await world.available('USDT')]).toEqual(['planned', before])
  })

  test('audit M-A5: stays as it is when the signer cannot be asked', async () => {
    await open()
    const id = await world.request(UNITS)
    await expect(
      giveBack({ ...deps(), signer: { closeIntent: () => Promise.reject(new Error('no answer')) } }, key(id)),
    ).rejects.toThrow('no answer')
    expect(await world.stateOf(id)).toBe('requested')
  })
})

test('audit M-A5: an order whose name these books know from an older one gets an intent of its own', async () => {
  await open()
  const intentId = intentIdOf(world.merchantId, 'key:monthly')
  const first = await world.request(UNITS, { intentId })
  await world.work()
  expect(await world.stateOf(first)).toBe('sent')
  const second = await world.request(UNITS, { intentId })
  await world.work(2)
  expect(await world.stateOf(second)).toBe('sent')
  expect(await world.alerts()).toEqual([])
})

test('a nonce that the signer has signed for something unknown is left alone, then filled when payments wait behind it', async () => {
  await open({ policy: policyWith({}) })
  await world.made.signer.sign(evmRequest({ id: world.runtime.newId(), asset: 'USDT', to: STRANGER, units: '5' }))
  const id = await world.request(UNITS)
  await world.work(3)
  expect(await world.stateOf(id)).toBe('sent')
  expect((await world.outgoing()).map(({ purpose, state, nonce }) => `${purpose} ${state} ${nonce}`)).toEqual([
    'payout abandoned 0',
    'payout broadcast 1',
  ])
  await world.work(2, 400_000)
  expect((await world.outgoing()).map(({ purpose, state, nonce }) => `${purpose} ${state} ${nonce}`)).toContain(
    'filler broadcast 0',
  )
})
