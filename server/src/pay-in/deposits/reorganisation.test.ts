import type { Block } from '@bursar/chainkit'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyAll, auditLedger } from '../../ledger/postings/index.ts'
import type { Credited } from './index.ts'
import { blockOf, DAY, E18, pay, type Owned, useDeposits } from '../../../../test/world/deposits.ts'

const BTC = 100_000_000n
const NET = BTC - 1_001_000n
const credited: Credited[] = []
let owned: Owned
const world = useDeposits({
  onCredited: [
    async (_tx, now) => {
      credited.push(...now)
      return { items: [], notices: [] }
    },
  ],
})
beforeEach(async () => {
  credited.length = 0
  owned = await world.address('BITCOIN')
})
afterEach(async () => expect(await auditLedger(world.db)).toEqual([]))

const books = async () => ({
  merchant: await world.balance(owned.merchantId, 'BTC'),
  owed: -(await world.balance(owned.merchantId, 'BTC', 'receivable')),
  fees: await world.balance(owned.merchantId, 'BTC', 'fees'),
  custody: -(await world.balance(owned.merchantId, 'BTC', 'custody:BITCOIN')),
  suspense: await world.balance(owned.merchantId, 'BTC', 'suspense'),
})
const NOTHING = { merchant: 0n, owed: 0n, fees: 0n, custody: 0n, suspense: 0n }
const CREDITED = { ...NOTHING, merchant: NET, fees: BTC - NET, custody: BTC }

/** The merchant withdraws: the money leaves its balance and our wallet. */
const withdraw = (units: bigint): Promise<void> =>
  world.act(async (tx, { at, newId }) => {
    const account = (kind: 'merchant' | 'custody:BITCOIN') => ({ merchantId: owned.merchantId, asset: 'BTC', kind })
    const id = newId()
    const entries = [
      { account: account('merchant'), posted: -units, held: 0n },
      { account: account('custody:BITCOIN'), posted: units, held: 0n },
    ]
    const cause = { kind: 'withdrawal', id } as const
    await applyAll(tx, [{ transfer: { id, merchantId: owned.merchantId, kind: 'post', cause, entries, at } }])
    return { items: [], notices: [] }
  })
const openFreezes = async () =>
  (
    await sql<{ asset: string; merchant_id: string }>`
    select asset, merchant_id from freezes where lifted_at is null`.execute(world.db)
  ).rows
const openAlerts = async () => {
  const { rows } = await sql<{ kind: string }>`
    select kind from alerts where resolved_at is null order by kind`.execute(world.db)
  return rows.map(({ kind }) => kind)
}

describe('a block is lost before the credit', () => {
  test('B1 and the transaction comes back: one Pending, one Done', async () => {
    const paid = pay(owned.address, BTC)
    await world.mine('BITCOIN', 100, [paid])
    await world.orphan('BITCOIN', 100)
    await world.settle('BITCOIN', 120)
    expect([await world.statuses(), await books()]).toEqual([['Pending'], NOTHING])
    await world.mine('BITCOIN', 102, [paid], 'b')
    await world.settle('BITCOIN', 106)
    expect(await books()).toEqual(NOTHING)
    await world.settle('BITCOIN', 107)
    expect([await world.statuses(), await books()]).toEqual([['Pending', 'Done'], CREDITED])
    expect((await world.notices())[1]!.body.block).toBe(102)
  })

  test('and another transaction takes its place for good: Failed once that is final, and not before', async () => {
    const paid = pay(owned.address, BTC, { keys: ['coin:1', 'coin:2'] })
    const conflict = pay('payer', BTC, { keys: ['coin:2'] })
    await world.poolHas('BITCOIN', [paid])
    await world.mine('BITCOIN', 100, [conflict])
    await world.settle('BITCOIN', 105, 99)
    expect(await world.statuses()).toEqual(['Pending'])
    // The conflict is lost as well, and mined again higher up.
    await world.orphan('BITCOIN', 100)
    await world.settle('BITCOIN', 105, 100)
    expect(await world.statuses()).toEqual(['Pending'])
    await world.mine('BITCOIN', 101, [conflict], 'b')
    await world.settle('BITCOIN', 105, 101)
    const [, failed, ...more] = await world.notices()
    expect(more).toEqual([])
    const body = { failReason: 'TRANSACTION_REPLACED', amount: '1', hash: paid.hash }
    expect(failed).toMatchObject({ status: 'Failed', body })
    expect(await books()).toEqual(NOTHING)
  })

  test('rows B-22, B-23: or the transaction leaves the pool for good: Failed when the window has passed since it left', async () => {
    const paid = pay(owned.address, BTC)
    await world.poolHas('BITCOIN', [paid])
    world.now += 30 * DAY
    await world.settle('BITCOIN', 100)
    await world.poolHas('BITCOIN', [])
    world.now += 10 * DAY
    await world.poolHas('BITCOIN', [paid])
    await world.poolHas('BITCOIN', [])
    world.now += 14 * DAY - 1
    await world.settle('BITCOIN', 101)
    expect(await world.statuses()).toEqual(['Pending'])
    world.now += 1
    await world.settle('BITCOIN', 102)
    await world.settle('BITCOIN', 103)
    expect((await world.notices()).map(({ body }) => [body.status, body.failReason])).toEqual([
      ['Pending', undefined],
      ['Failed', 'REORGANIZED'],
    ])
  })
})

describe('a credited deposit is lost', () => {
  const creditFirst = async () => {
    const paid = pay(owned.address, BTC)
    await world.mine('BITCOIN', 100, [paid])
    await world.settle('BITCOIN', 105)
    expect(await books()).toEqual(CREDITED)
    return paid
  }

  test('B2 before the merchant spent it: the balance is as before, and no webhook is sent', async () => {
    const paid = await creditFirst()
    await world.orphan('BITCOIN', 100)
    expect([await books(), await world.statuses()]).toEqual([NOTHING, ['Pending', 'Done']])
    expect([await openFreezes(), await openAlerts()]).toEqual([[], ['deposit-reversed']])

    await world.mine('BITCOIN', 101, [paid], 'b')
    await world.settle('BITCOIN', 106)
    expect([await books(), await world.statuses()]).toEqual([CREDITED, ['Pending', 'Done']])
    expect(await openAlerts()).toEqual([])
    expect(credited.map(({ again }) => again)).toEqual([false, true])
  })

  test('B2 after the merchant spent it all: it owes, can not withdraw, and its next deposits repay first', async () => {
    const paid = await creditFirst()
    await withdraw(NET)
    await world.orphan('BITCOIN', 100)
    expect(await books()).toEqual({ merchant: 0n, owed: NET, fees: 0n, custody: -NET, suspense: 0n })
    expect(await openFreezes()).toEqual([{ asset: 'BTC', merchant_id: owned.merchantId }])

    const half = { units: BTC / 2n, net: BTC / 2n - 500_000n - 1_000n }
    await world.mine('BITCOIN', 100, [pay(owned.address, half.units)], 'b')
    await world.settle('BITCOIN', 105)
    expect(await books()).toMatchObject({ merchant: 0n, owed: NET - half.net })
    expect(await openFreezes()).toHaveLength(1)

    // Two credits in one transaction, the first of which ends the debt.
    await world.mine('BITCOIN', 106, [pay(owned.address, half.units), pay(owned.address, half.units)], 'b')
    await world.settle('BITCOIN', 111)
    expect(await books()).toMatchObject({ merchant: 3n * half.net - NET, owed: 0n })
    expect(await openFreezes()).toEqual([])

    await world.mine('BITCOIN', 112, [paid], 'b')
    await world.settle('BITCOIN', 117)
    expect(await books()).toMatchObject({ merchant: 3n * half.net, owed: 0n })
    expect((await world.statuses()).filter((status) => status === 'Done')).toHaveLength(4)
  })

  test('after the merchant spent a part: the rest is taken, and the return of the deposit repays the debt', async () => {
    const paid = await creditFirst()
    await withdraw(NET - 7n)
    await world.orphan('BITCOIN', 100)
    expect(await books()).toMatchObject({ merchant: 0n, owed: NET - 7n })
    await world.mine('BITCOIN', 101, [paid], 'b')
    await world.settle('BITCOIN', 106)
    expect([await books(), await openFreezes()]).toEqual([{ ...CREDITED, merchant: 7n, custody: 7n + BTC - NET }, []])
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
  })

  test('together with others of the same merchant: one balance is not taken twice', async () => {
    const first = await creditFirst()
    await world.mine('BITCOIN', 106, [pay(owned.address, BTC)])
    await world.settle('BITCOIN', 111)
    await withdraw(NET)
    await world.orphan('BITCOIN', 100)
    expect(await books()).toEqual({ merchant: 0n, owed: NET, fees: 0n, custody: -NET, suspense: 0n })
    await world.mine('BITCOIN', 101, [first], 'b')
    await world.settle('BITCOIN', 106)
    expect(await books()).toMatchObject({ merchant: 0n, owed: 0n })
  })

  test('and replaced for good: Failed after Done', async () => {
    const paid = await creditFirst()
    await world.orphan('BITCOIN', 100)
    await world.mine('BITCOIN', 100, [pay('payer', BTC, { keys: paid.keys })], 'b')
    await world.settle('BITCOIN', 105, 100)
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Failed'])
    expect(await books()).toEqual(NOTHING)
  })

  test('and back after it was notified as Failed: in suspense with an alert, and nothing more on the wire', async () => {
    const paid = await creditFirst()
    await world.orphan('BITCOIN', 100)
    world.now += 14 * DAY
    await world.settle('BITCOIN', 110)
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Failed'])
    await world.mine('BITCOIN', 111, [paid], 'b')
    await world.settle('BITCOIN', 116)
    expect(await books()).toEqual({ ...NOTHING, custody: BTC, suspense: BTC })
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Failed'])
    expect(await openAlerts()).toContain('deposit-returned')
    await world.orphan('BITCOIN', 111)
    expect(await books()).toEqual(NOTHING)
  })
})

describe('a deposit below the minimum is lost', () => {
  const move = (from: 'suspense' | 'merchant', to: 'suspense' | 'merchant', units: bigint) =>
    world.act(async (tx, { at, newId }) => {
      const id = newId()
      const entry = (kind: 'suspense' | 'merchant', posted: bigint) => ({
        account: { merchantId: owned.merchantId, asset: 'BTC', kind },
        posted,
        held: 0n,
      })
      const entries = [entry(from, -units), entry(to, units)]
      const cause = { kind: 'adjustment', id } as const
      await applyAll(tx, [{ transfer: { id, merchantId: owned.merchantId, kind: 'post', cause, entries, at } }])
      return { items: [], notices: [] }
    })

  test('while it is in suspense: taken back from there, and posted there again', async () => {
    const small = pay(owned.address, 9_000n)
    await world.mine('BITCOIN', 100, [small])
    await world.settle('BITCOIN', 100)
    expect(await books()).toEqual({ ...NOTHING, custody: 9_000n, suspense: 9_000n })
    await world.orphan('BITCOIN', 100)
    expect([await books(), await openAlerts()]).toEqual([NOTHING, []])
    await world.mine('BITCOIN', 101, [small], 'b')
    await world.settle('BITCOIN', 101)
    expect([await books(), await world.statuses()]).toEqual([
      { ...NOTHING, custody: 9_000n, suspense: 9_000n },
      ['Pending', 'Failed'],
    ])
  })

  test('after an operator gave a part of it to the merchant: that part is owed', async () => {
    await world.mine('BITCOIN', 100, [pay(owned.address, 9_000n)])
    await world.settle('BITCOIN', 100)
    await move('suspense', 'merchant', 4_000n)
    await world.orphan('BITCOIN', 100)
    expect(await books()).toEqual({ ...NOTHING, merchant: 4_000n, owed: 4_000n })
    expect([await openAlerts(), (await openFreezes()).length]).toEqual([['deposit-reversed'], 1])
  })
})

test('a transaction that does something else when it is mined again is another deposit', async () => {
  const evm = await world.address('ETHEREUM')
  const swap = (units: bigint) =>
    pay(evm.address, units, { hash: 'swap', index: 'l:3', contract: '0xusdt', keys: ['0xTrader:9'] })
  await world.mine('ETHEREUM', 100, [swap(100_000_000n)])
  await world.orphan('ETHEREUM', 100)
  await world.mine('ETHEREUM', 101, [swap(90_000_000n)], 'b')
  await world.settle('ETHEREUM', 101, 100)
  expect(await world.statuses()).toEqual(['Pending', 'Pending'])
  await world.settle('ETHEREUM', 101, 101)
  const notified = (await world.notices()).map(({ body }) => [body.amount, body.status, body.failReason])
  expect(notified.toSorted()).toEqual([
    ['100', 'Failed', 'REORGANIZED'],
    ['100', 'Pending', undefined],
    ['90', 'Done', undefined],
    ['90', 'Pending', undefined],
  ])
  expect(await world.balance(evm.merchantId, 'USDT')).toBe(88n * E18)
})

test('a transaction whose logs are numbered otherwise in its new block brings the same deposits', async () => {
  const evm = await world.address('ETHEREUM')
  const swap = (first: number) => {
    const log = (at: number, units: bigint) => ({
      index: `l:${first + at}`,
      contract: '0xusdt',
      from: ['pool'],
      to: evm.address,
      units,
    })
    const logs = [log(0, 10_000_000n), log(1, 20_000_000n), log(2, 20_000_000n)]
    return { hash: 'swap', keys: ['0xTrader:9'], succeeded: true, fee: 1n, transfers: logs }
  }
  for (const [height, first] of [
    [100, 5],
    [101, 6],
    [102, 4],
    [103, 4],
  ] as const) {
    await world.mine('ETHEREUM', height, [swap(first)])
    await world.orphan('ETHEREUM', height)
  }
  await world.mine('ETHEREUM', 104, [swap(7)])
  await world.settle('ETHEREUM', 104, 104)
  expect((await world.statuses()).toSorted()).toEqual(['Done', 'Done', 'Done', 'Pending', 'Pending', 'Pending'])
  expect(await world.balance(evm.merchantId, 'USDT')).toBe(44n * E18)
})

test('a transaction mined again without effect ends the deposit as reorganised', async () => {
  const evm = await world.address('ETHEREUM')
  const paid = pay(evm.address, 5n * E18, { index: 'n' })
  await world.mine('ETHEREUM', 100, [paid])
  await world.orphan('ETHEREUM', 100)
  await world.mine('ETHEREUM', 101, [{ ...paid, succeeded: false, transfers: [] }], 'b')
  await world.settle('ETHEREUM', 101, 101)
  expect((await world.notices()).map(({ body }) => body.failReason)).toEqual([undefined, 'REORGANIZED'])
})

test('B12 reading a block again changes nothing, for any state of its deposits', async () => {
  const paid = pay(owned.address, BTC)
  const small = pay(owned.address, 5_000n)
  await world.mine('BITCOIN', 100, [paid, small])
  const again = async () => {
    const before = [await books(), await world.statuses()]
    await world.mine('BITCOIN', 100, [paid, small])
    expect([await books(), await world.statuses()]).toEqual(before)
  }
  await again()
  await world.settle('BITCOIN', 105)
  await again()
  expect(await world.statuses()).toHaveLength(4)
})

test("audit M-A4: a contract's transfer in an untraced new block has not failed, and is credited once that is traced", async () => {
  const { address, merchantId } = await world.address('ETHEREUM')
  const paid = pay(address, E18, { hash: 'inner', index: 't:0' })
  const read = (height: number, more: Partial<Block>, transactions = [paid]) =>
    world.act((tx, moment) =>
      world.deposits.block(tx, 'ETHEREUM', { ...blockOf(height, transactions, 'b'), ...more }, moment),
    )
  await world.mine('ETHEREUM', 100, [paid])
  await world.orphan('ETHEREUM', 100)
  await read(101, { untraced: true }, [{ ...paid, transfers: [] }])
  await world.settle('ETHEREUM', 200, 150)
  expect(await world.statuses()).toEqual(['Pending'])
  await read(101, {})
  await world.settle('ETHEREUM', 201, 151)
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
  expect(await world.balance(merchantId, 'ETH', 'custody:ETHEREUM')).toBe(-E18)
})
