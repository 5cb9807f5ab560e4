import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPolicy } from '../../../../signer/src/policy/policy.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { createPayoutWorld, HOT, policyWith, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { insertPlanned, takeNonce } from '../../chain/transactions/index.ts'
import { freeForgotten } from '../../chain/transactions/nonces.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { fillGaps } from './jobs-evm.ts'
import { hotRow } from './payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})
const open = async (options: Parameters<typeof createPayoutWorld>[1] = {}): Promise<PayoutWorld> =>
  (world = await createPayoutWorld(database.url, options))
const statesOf = (ids: readonly string[]) => Promise.all(ids.map((id) => world.stateOf(id)))

describe.each([true, false])('a payment above a limit of the signer, asked ahead: %s', (looksAhead) => {
  test('audit M-B1: keeps no other Bitcoin withdrawal waiting', async () => {
    await open({ network: 'BITCOIN', policy: policyWith({ maxPerIntent: '1000000' }), looksAhead })
    await world.coins(20, 5_000_000n)
    const large = await world.request(3_000_000n)
    const small = [await world.request(100_000n), await world.request(100_000n), await world.request(100_000n)]
    await world.work(2)
    expect(await statesOf([large, ...small])).toEqual(['requested', 'sent', 'sent', 'sent'])
    expect(await world.alerts()).toMatchObject([{ kind: 'signer-limit', subject: large }])
  })

  test('audit M-B1: a batch above the rest of an hour is paid as far as the hour goes, and the rest later', async () => {
    await open({ network: 'BITCOIN', policy: policyWith({ maxPerHour: '3000000' }), looksAhead })
    await world.coins(20, 5_000_000n)
    const all: string[] = []
    for (let i = 0; i < 4; i += 1) all.push(await world.request(900_000n))
    await world.work(8, 30_000)
    expect((await statesOf(all)).toSorted()).toEqual(['requested', 'sent', 'sent', 'sent'])
    expect(await world.alerts()).toMatchObject([{ kind: 'signer-velocity', subject: 'BITCOIN' }])
    world.later(3_600_000)
    await world.work(2, 61_000)
    expect(await statesOf(all)).toEqual(['sent', 'sent', 'sent', 'sent'])
  })

  test('audit M-B2: costs no gas while it waits for the hourly limit', async () => {
    await open({ policy: policyWith({ maxPerHour: '2000000' }), looksAhead })
    const all: string[] = []
    for (let i = 0; i < 6; i += 1) all.push(await world.request(1_000_000n))
    await world.work(4, 301_000)
    expect((await statesOf(all)).filter((state) => state === 'sent')).toHaveLength(2)
    expect((await world.outgoing()).filter(({ purpose }) => purpose === 'filler')).toEqual([])
    expect(await world.nextNonce()).toBe(looksAhead ? 2 : 6)
  })

  test('audit M-B3: and a signer that is switched off, cost no nonce and raise one alert a network', async () => {
    await open({ policy: policyWith({}), looksAhead })
    const all: string[] = []
    for (let i = 0; i < 5; i += 1) all.push(await world.request(1_000_000n))
    world.made.signer.replacePolicy(readPolicy(JSON.stringify(policyWith({}, { enabled: false }))))
    await world.work(6, 100_000)
    expect(await statesOf(all)).toEqual(all.map(() => 'requested'))
    expect((await world.outgoing()).filter(({ purpose }) => purpose === 'filler')).toEqual([])
    expect(await world.nextNonce()).toBe(looksAhead ? 0 : 5)
    expect(await world.alerts()).toMatchObject([{ kind: 'signer-disabled', subject: 'ETHEREUM' }])
    world.made.signer.replacePolicy(readPolicy(JSON.stringify(policyWith({}))))
    await world.work(2, 61_000)
    expect(await statesOf(all)).toEqual(all.map(() => 'sent'))
    if (looksAhead) expect(await world.alerts()).toEqual([])
  })
})

test.each(['busy', 'log-cut-back'] as const)(
  'a payment that the signer did not judge (%s) stays as it is planned, and is asked for again',
  async (refused) => {
    await open()
    const { sign } = world.signer
    world.signer.sign = async () => ({ refused, message: 'not now' })
    const id = await world.request(1_000_000n)
    await world.work(3, 61_000)
    expect(await world.stateOf(id)).toBe('planned')
    world.signer.sign = sign
    await world.work(1, 61_000)
    expect(await world.stateOf(id)).toBe('sent')
    expect(await world.outgoing()).toMatchObject([{ purpose: 'payout', state: 'broadcast', nonce: 0, n: 1 }])
  },
)

describe('a nonce that was taken for a payment that the signer then refused', () => {
  const sent = async () =>
    (await world.outgoing())
      .filter(({ state }) => state !== 'abandoned')
      .map(({ purpose, nonce }) => `${purpose} ${nonce}`)

  test('audit M-B2: carries the next payment before any filler', async () => {
    await open({ policy: policyWith({ maxPerIntent: '1000000' }), looksAhead: false })
    await world.request(2_000_000n)
    await world.request(1_000_000n)
    await world.work()
    expect(await sent()).toEqual(['payout 1'])
    const third = await world.request(1_000_000n)
    await world.work()
    expect(await sent()).toEqual(['payout 0', 'payout 1'])
    expect(await world.stateOf(third)).toBe('sent')
  })

  test('is filled once signed payments wait behind it and no payment takes it', async () => {
    await open({ policy: policyWith({ maxPerIntent: '1000000' }), looksAhead: false })
    await world.request(2_000_000n)
    await world.request(1_000_000n)
    await world.work(2)
    expect(await sent()).toEqual(['filler 0', 'payout 1'])
  })

  test('is not held by a filler that waits for its turn to plan: a payment would then wait for it, and it for that', async () => {
    await open({ policy: policyWith({ maxPerIntent: '1000000' }), looksAhead: false })
    await world.request(2_000_000n)
    await world.request(1_000_000n)
    await world.work()
    const { db, evm } = world
    const filling = await inTransaction(db, async (tx) => {
      await sql`select from hot_wallets where address = ${HOT} for update`.execute(tx)
      const done = fillGaps(evm)
      while (!(await isWaitingForLock(db))) await sleep(20)
      const free = await sql<{ nonce: number }>`select nonce from free_nonces for update skip locked`.execute(tx)
      expect(free.rows).toEqual([{ nonce: 0 }])
      return { done }
    })
    await filling.done
    expect(await sent()).toEqual(['filler 0', 'payout 1'])
  })

  test.each(['free', 'forgotten'])(
    'is not released again by a worker that plans while another one takes it, %s before',
    async (before) => {
      await open({ policy: policyWith({ maxPerIntent: '1000000' }), looksAhead: false })
      await world.request(2_000_000n)
      await world.work()
      const { db, runtime } = world
      // Raw: a database that was restored has forgotten it. A third worker releases it just before it is taken.
      if (before === 'forgotten') await sql`delete from free_nonces`.execute(db)
      const release = (tx: Tx) =>
        sql`insert into free_nonces(network, address, nonce, since) values ('ETHEREUM', ${HOT}, 0, now())`.execute(tx)
      const planning = await inTransaction(db, async (tx) => {
        const moment = momentOf(runtime)
        if (before === 'forgotten') await release(tx)
        const nonce = await takeNonce(tx, 'ETHEREUM', HOT, moment.at)
        const row = hotRow('ETHEREUM', { address: HOT, index: 0 }, nonce)
        const plan = { unsigned: '0x', networkFee: 1n, feeRate: {} }
        await insertPlanned(tx, { ...row, ...plan, id: runtime.newId(), purpose: 'filler' }, moment)
        let isDone = false
        const done = freeForgotten(db, 'ETHEREUM', HOT, nonce, moment.at).finally(() => (isDone = true))
        while (!isDone && !(await isWaitingForLock(db))) await sleep(20)
        return { nonce, done }
      })
      await planning.done
      expect(planning.nonce).toBe(0)
      expect((await sql`select from free_nonces`.execute(db)).rows).toEqual([])
    },
  )

  test('is left alone while nothing waits behind it', async () => {
    await open({ policy: policyWith({ maxPerIntent: '1000000' }), looksAhead: false })
    await world.request(2_000_000n)
    await world.work(5)
    expect(await sent()).toEqual([])
  })

  test('and was handed out before a restore is found by the chain and used', async () => {
    await open()
    world.node.mined = 3
    await world.request(1_000_000n)
    await world.work()
    expect(await sent()).toEqual(['payout 3'])
  })
})
