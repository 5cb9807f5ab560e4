import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { noEffects } from '../../ledger/effects/index.ts'
import { applyAll, auditLedger, PLATFORM } from '../../ledger/postings/index.ts'
import type { DepositSubscriber } from './subscribers.ts'
import { E18, pay, type Owned, useDeposits } from '../../../../test/world/deposits.ts'

/** BTC: the least is 10,000 satoshi; the fee is 1,000 and 1 %. */
const PART = 4_000n
const SUM = 3n * PART
const FEE = 1_000n + SUM / 100n
let owned: Owned
let held = false
/** The outcome of the sum, as subscribers get it. */
let became: string[] = []
const follower: DepositSubscriber = async (_, followed) => {
  became.push(
    ...followed.flatMap((one) => (one.deposit.index.startsWith('s:') ? [`${one.became} ${one.deposit.units}`] : [])),
  )
  return { effects: noEffects, unnotified: new Set(), afterAll: new Set() }
}

const world = useDeposits({ depositSubscribers: [follower], holds: () => (held ? sql`true` : sql`false`) })
beforeEach(async () => {
  held = false
  became = []
  owned = await world.address('BITCOIN')
})
afterEach(async () => expect(await auditLedger(world.db)).toEqual([]))

const parts = (...names: string[]) => names.map((hash) => pay(owned.address, PART, { hash, keys: [`${hash}:in`] }))
/** Deep enough for everything so far. Money in suspense is credited at the next look. */
const settle = async (head: number, final = 0): Promise<void> => {
  await world.settle('BITCOIN', head, final)
  await world.settle('BITCOIN', head, final)
}
const books = async () => ({
  merchant: await world.balance(owned.merchantId, 'BTC'),
  suspense: await world.balance(owned.merchantId, 'BTC', 'suspense'),
  quarantine: await world.balance(owned.merchantId, 'BTC', 'quarantine'),
  owed: -(await world.balance(owned.merchantId, 'BTC', 'receivable')),
  custody: -(await world.balance(owned.merchantId, 'BTC', 'custody:BITCOIN')),
})
const NONE = { merchant: 0n, suspense: 0n, quarantine: 0n, owed: 0n, custody: 0n }
const CREDITED = { ...NONE, merchant: SUM - FEE, custody: SUM }
/** The notifications of each deposit, in order, by its transaction and amount. */
const notified = async () => {
  const notices = await world.notices()
  return [...Map.groupBy(notices, ({ objectId }) => objectId).values()].map(
    (all) => `${String(all[0]!.body.hash)} ${String(all[0]!.body.amount)} ${all.map(({ status }) => status).join()}`,
  )
}
const PARTS_TOLD = ['one', 'two', 'three'].map((hash) => `${hash} 0.00004 Pending,Failed`)

/** Three blocks with a part each, the last at 102, and all of them deep enough. */
const threeParts = async (): Promise<void> => {
  for (const [at, transaction] of parts('one', 'two', 'three').entries())
    await world.mine('BITCOIN', 100 + at, [transaction])
  await settle(107)
}

test('audit M-D1: small deposits stay Failed, and become one deposit with its own id and the last hash when they add up to the minimum', async () => {
  for (const [at, transaction] of parts('one', 'two').entries()) await world.mine('BITCOIN', 100 + at, [transaction])
  await settle(106)
  expect(await books()).toEqual({ ...NONE, suspense: 2n * PART, custody: 2n * PART })
  await world.mine('BITCOIN', 102, parts('three'))
  await settle(107)
  await settle(120, 115)
  expect(await books()).toEqual(CREDITED)
  expect(await notified()).toEqual([...PARTS_TOLD, 'three 0.00012 Pending,Done'])
  const ids = new Set((await world.notices()).map(({ objectId }) => objectId))
  expect(ids.size).toBe(4)
})

test('audit M-D1: each asset and each address adds up for itself, and a deposit above the minimum is not counted', async () => {
  const other = await world.address('BITCOIN')
  await world.mine('BITCOIN', 100, [
    ...parts('one', 'two'),
    pay(other.address, PART, { hash: 'elsewhere' }),
    pay(owned.address, 10_000n, { hash: 'large' }),
  ])
  await settle(120)
  expect((await notified()).filter((one) => one.includes('Done'))).toEqual(['large 0.0001 Pending,Done'])
  expect(await world.balance(owned.merchantId, 'BTC', 'suspense')).toBe(2n * PART)
})

test('audit M-D1: the next small deposits begin a new sum', async () => {
  await threeParts()
  await world.mine('BITCOIN', 108, parts('four', 'five', 'six'))
  await settle(120)
  expect(await books()).toEqual({ ...CREDITED, merchant: 2n * (SUM - FEE), custody: 2n * SUM })
})

test('audit M-D1: a part that is lost takes the sum with it, and brings it back without a notification when it is mined again', async () => {
  await threeParts()
  await world.orphan('BITCOIN', 102)
  expect(await books()).toEqual({ ...NONE, suspense: 2n * PART, custody: 2n * PART })
  await world.mine('BITCOIN', 102, parts('three'), 'b')
  await settle(107)
  expect(await books()).toEqual(CREDITED)
  expect(await notified()).toEqual([...PARTS_TOLD, 'three 0.00012 Pending,Done'])
})

test('audit M-D1: depositSubscribers learn that the sum has a block again, as of any other deposit', async () => {
  await threeParts()
  await world.orphan('BITCOIN', 102)
  await world.mine('BITCOIN', 102, parts('three'), 'b')
  await settle(107)
  expect(became).toEqual(['sighted', 'credited', 'orphaned', 'mined', 'credited'].map((one) => `${one} ${SUM}`))
})

test('audit M-D1: all parts lost at once leave nothing behind, in any order', async () => {
  await threeParts()
  await world.orphan('BITCOIN', 100)
  expect(await books()).toEqual(NONE)
})

test('audit M-D1: a sum that was spent is owed when a part is lost', async () => {
  await threeParts()
  await world.act(async (tx, { at, newId }) => {
    const id = newId()
    const entry = (kind: 'merchant' | 'custody:BITCOIN', posted: bigint) => ({
      account: { merchantId: owned.merchantId, asset: 'BTC', kind },
      posted,
      held: 0n,
    })
    await applyAll(tx, [
      {
        transfer: {
          id,
          merchantId: owned.merchantId,
          kind: 'post',
          cause: { kind: 'withdrawal', id },
          entries: [entry('merchant', FEE - SUM), entry('custody:BITCOIN', SUM - FEE)],
          at,
        },
      },
    ])
    return { items: [], notices: [] }
  })
  await world.orphan('BITCOIN', 102)
  expect(await books()).toEqual({ ...NONE, suspense: 2n * PART, owed: SUM - FEE, custody: FEE - PART })
})

test('audit M-D1: a part that is replaced for good fails the sum, and the others add up with the next parts', async () => {
  await threeParts()
  await world.orphan('BITCOIN', 102)
  await world.mine('BITCOIN', 102, [pay('elsewhere', PART, { hash: 'conflict', keys: ['three:in'] })], 'b')
  await settle(110, 105)
  expect((await notified()).at(-1)).toBe('three 0.00012 Pending,Done,Failed')
  await world.mine('BITCOIN', 111, parts('four'), 'b')
  await settle(120, 115)
  expect(await books()).toEqual(CREDITED)
  expect((await notified()).at(-1)).toBe('four 0.00012 Pending,Done')
})

test('audit M-D1: a merchant that has money screened first has the sum in quarantine', async () => {
  held = true
  await threeParts()
  expect(await books()).toEqual({ ...NONE, quarantine: SUM, custody: SUM })
})

test('audit M-D1: an amount that was posted out of suspense meanwhile is not credited a second time', async () => {
  for (const [at, transaction] of parts('one', 'two').entries()) await world.mine('BITCOIN', 100 + at, [transaction])
  await settle(106)
  await world.act(async (tx, { at, newId }) => {
    const id = newId()
    const post = (merchantId: string, kind: 'suspense' | 'capital', posted: bigint) => ({
      transfer: {
        id: newId(),
        merchantId,
        kind: 'post' as const,
        cause: { kind: 'adjustment' as const, id },
        at,
        entries: [
          { account: { merchantId, asset: 'BTC', kind }, posted, held: 0n },
          { account: { merchantId, asset: 'BTC', kind: 'clearing' as const }, posted: -posted, held: 0n },
        ],
      },
    })
    await applyAll(tx, [post(owned.merchantId, 'suspense', -PART), post(PLATFORM, 'capital', PART)])
    return { items: [], notices: [] }
  })
  await world.mine('BITCOIN', 107, parts('three'))
  await settle(120)
  expect(await books()).toMatchObject({ merchant: 0n, suspense: 2n * PART })
  const { rows } = await sql<{ kind: string }>`select kind from alerts where resolved_at is null`.execute(world.db)
  expect(rows).toEqual([{ kind: 'small-deposits-short' }])
})

test('audit M-D1: the expected balances of addresses count the parts alone', async () => {
  const { address, merchantId } = await world.address('ETHEREUM')
  for (const at of [100, 101]) await world.mine('ETHEREUM', at, [pay(address, E18 / 2_000n, { index: 'n' })])
  await world.settle('ETHEREUM', 110, 105)
  await world.settle('ETHEREUM', 110, 105)
  expect(await world.balance(merchantId, 'ETH')).toBe(((E18 / 1_000n) * 99n) / 100n)
  const { rows } = await sql<{
    booked: bigint
  }>`select booked from custody_addresses where address = ${address}`.execute(world.db)
  expect(rows).toEqual([{ booked: E18 / 1_000n }])
})
