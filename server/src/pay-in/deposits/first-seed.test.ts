/** Deposits at addresses of a stolen first seed: what a decision, a reorganisation and screening do to them. */
import { SECOND_SEED } from '@bursar/chainkit'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { E18, pay, useDeposits, type Owned } from '../../../../test/world/deposits.ts'
import { knowHotAddresses, noteStolenSeed } from '../../chain/addresses/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { decidedSums, undecidedDeposits, type Deposit } from './index.ts'

let isHeld = false
let owned: Owned
const world = useDeposits({ holds: () => (isHeld ? sql`true` : sql`false`) })
const FEE = E18 / 100n
const CLEAN = { risky: false } as NonNullable<Deposit['compliance']>
const RISKY = { ...CLEAN, risky: true }

beforeEach(async () => {
  isHeld = false
  owned = await world.address('ETHEREUM')
})
afterEach(async () => expect(await auditLedger(world.db)).toEqual([]))

/** A second seed is active, and another party may have the first. */
const steal = async (): Promise<void> => {
  const hot = (index: number) => ({ family: 'EVM' as const, address: `0xhot${index}`, index })
  await knowHotAddresses(world.db, 0, [hot(0), hot(SECOND_SEED)], new Date(world.now))
  await noteStolenSeed(world.db, new Date(world.now))
}
const settle = async (head: number, final = head): Promise<void> => {
  // Raw: no watcher follows a chain here.
  await sql`insert into watch_cursors(network, height, hash, head_height, final_height, traces, updated_at)
    values ('ETHEREUM', ${head}, 'x', ${head}, ${final}, false, ${new Date(world.now)}) on conflict (network) do update set final_height = ${final}`.execute(
    world.db,
  )
  await world.settle('ETHEREUM', head, final)
  await world.settle('ETHEREUM', head, final)
}
const waiting = async (): Promise<string[]> => (await undecidedDeposits(world.db, 10)).map(({ id }) => id)
const decide = async (isCredited: boolean): Promise<void> => {
  const ids = await waiting()
  expect(ids).not.toEqual([])
  await world.act(async (tx, moment) => (await world.deposits.decide(tx, { ids, isCredited }, moment)) ?? noEffects)
}
const keyOf = async (): Promise<{ merchantId: string; id: string }> => {
  const { rows } = await sql<{ id: string }>`select id from deposits`.execute(world.db)
  return { merchantId: owned.merchantId, id: rows[0]!.id }
}
const verify = async (compliance: typeof CLEAN): Promise<void> => {
  const key = await keyOf()
  await world.act((tx, moment) => world.deposits.verify(tx, { ...key, compliance }, moment))
}
const clear = async (): Promise<void> => {
  const key = await keyOf()
  await world.act(
    async (tx, moment) => (await world.deposits.clear(tx, { ...key, compliance: RISKY }, moment)) ?? noEffects,
  )
}
const books = async () => ({
  merchant: await world.balance(owned.merchantId, 'ETH'),
  suspense: await world.balance(owned.merchantId, 'ETH', 'suspense'),
  quarantine: await world.balance(owned.merchantId, 'ETH', 'quarantine'),
})
const NONE = { merchant: 0n, suspense: 0n, quarantine: 0n }
const CREDITED = { ...NONE, merchant: E18 - FEE }
const payment = () => pay(owned.address, E18, { hash: 'paid', keys: ['paid:in'] })
/** Two deposits of half the minimum each, whose sum waits. */
const twoSmall = async (branch = 'a'): Promise<void> => {
  const parts = ['one', 'two'].map((hash) => pay(owned.address, E18 / 2_000n, { hash, keys: [hash] }))
  await world.mine('ETHEREUM', 100, parts, branch)
  await settle(200)
}

test('a reorganisation takes the decision to credit back: the deposit waits again, and is credited by a second decision', async () => {
  await steal()
  await world.mine('ETHEREUM', 100, [payment()])
  await settle(200)
  expect(await books()).toEqual(NONE)
  await decide(true)
  await settle(200)
  expect(await books()).toEqual(CREDITED)
  await world.orphan('ETHEREUM', 100)
  expect([await books(), await waiting()]).toEqual([NONE, []])
  expect(await decidedSums(world.db)).toEqual(new Map())
  await world.mine('ETHEREUM', 101, [payment()], 'b')
  await settle(200)
  expect([await books(), (await waiting()).length]).toEqual([NONE, 1])
  await decide(true)
  await settle(200)
  expect(await books()).toEqual(CREDITED)
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
})

test('a refused deposit stays refused after a reorganisation, because its merchant was told Failed', async () => {
  await steal()
  await world.mine('ETHEREUM', 100, [payment()])
  await settle(200)
  await decide(false)
  await settle(200)
  expect(await books()).toEqual({ ...NONE, suspense: E18 })
  await world.orphan('ETHEREUM', 100)
  expect(await books()).toEqual(NONE)
  await world.mine('ETHEREUM', 101, [payment()], 'b')
  await settle(200)
  expect(await books()).toEqual({ ...NONE, suspense: E18 })
  expect([await waiting(), await world.statuses()]).toEqual([[], ['Pending', 'Failed']])
})

test('a refused sum of small deposits fails, its money stays in suspense, and later small deposits begin a new sum', async () => {
  await steal()
  await twoSmall()
  expect((await undecidedDeposits(world.db, 10)).map(({ units }) => units)).toEqual([E18 / 1_000n])
  await decide(false)
  await settle(200)
  expect(await books()).toEqual({ ...NONE, suspense: E18 / 1_000n })
  const more = ['three', 'four'].map((hash) => pay(owned.address, E18 / 2_000n, { hash, keys: [hash] }))
  await world.mine('ETHEREUM', 201, more)
  await settle(300)
  expect((await undecidedDeposits(world.db, 10)).map(({ units }) => units)).toEqual([E18 / 1_000n])
  await decide(true)
  await settle(300)
  expect(await books()).toEqual({ ...NONE, merchant: E18 / 1_000n - FEE / 1_000n, suspense: E18 / 1_000n })
})

test('a refused sum whose parts are mined again in other blocks is not posted again, and holds up no block', async () => {
  await steal()
  await twoSmall()
  await decide(false)
  await world.orphan('ETHEREUM', 100)
  expect(await books()).toEqual(NONE)
  await twoSmall('b')
  expect(await books()).toEqual({ ...NONE, suspense: E18 / 1_000n })
})

test('a held sum that is refused, and mined again in other blocks, leaves its money in suspense', async () => {
  isHeld = true
  await twoSmall()
  expect(await books()).toEqual({ ...NONE, quarantine: E18 / 1_000n })
  await steal()
  await decide(false)
  await world.orphan('ETHEREUM', 100)
  await twoSmall('b')
  expect(await books()).toEqual({ ...NONE, suspense: E18 / 1_000n })
  expect(await waiting()).toEqual([])
})

test('a deposit that screening holds waits for both: neither its clean result nor an operator credits it before the decision', async () => {
  isHeld = true
  await world.mine('ETHEREUM', 100, [payment()])
  await settle(200)
  await steal()
  await verify(CLEAN)
  await expect(clear()).rejects.toThrow('first-seed text')
  expect(await books()).toEqual({ ...NONE, quarantine: E18 })
  await decide(true)
  expect(await books()).toEqual(CREDITED)
  expect(await world.statuses()).toEqual(['Pending', 'Done', 'Verified'])
})

test('a decision does not clear a deposit that screening finds risky or has not judged, and screening goes on', async () => {
  isHeld = true
  await steal()
  await world.mine('ETHEREUM', 100, [payment()])
  await settle(200)
  expect(await books(), 'not in quarantine before the decision').toEqual(NONE)
  await decide(true)
  await settle(200)
  expect(await books()).toEqual({ ...NONE, quarantine: E18 })
  await verify(RISKY)
  expect(await books()).toEqual({ ...NONE, quarantine: E18 })
  await clear()
  expect(await books()).toEqual(CREDITED)
})

test('a held deposit that is refused stays in quarantine, and no later result of screening releases it', async () => {
  isHeld = true
  await world.mine('ETHEREUM', 100, [payment()])
  await settle(200)
  await steal()
  await decide(false)
  await verify(CLEAN)
  await settle(200)
  expect(await books()).toEqual({ ...NONE, quarantine: E18 })
  expect(await world.statuses()).toEqual(['Pending', 'Failed'])
})
