import { randomUUID } from 'node:crypto'
import { replenishNotice } from '@bursar/contract'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditLedger } from '../../ledger/postings/index.ts'
import { depositRoutes, type Credited } from './index.ts'
import { blockOf, catalogue, E18, pay, START, useDeposits } from '../../../../test/world/deposits.ts'

const credited: Credited[] = []
let refuseCredit = false
const world = useDeposits({
  onCredited: [
    async (_tx, now) => {
      if (refuseCredit) throw new Error('a subscriber fails')
      credited.push(...now)
      return { items: [], notices: [] }
    },
  ],
})
beforeEach(() => {
  credited.length = 0
  refuseCredit = false
})

const BTC = 100_000_000n
const ETH = E18

describe('a deposit on Bitcoin', () => {
  test('audit D-B2, row B-1: that a miner is paid by its block is Done with the 100th confirmation', async () => {
    const { address, merchantId } = await world.address('BITCOIN')
    await world.mine('BITCOIN', 100, [{ ...pay(address, BTC, { keys: [] }), coinbase: true }])
    await world.settle('BITCOIN', 198, 193)
    expect([await world.statuses(), await world.balance(merchantId, 'BTC')]).toEqual([['Pending'], 0n])
    await world.settle('BITCOIN', 199, 194)
    expect([await world.statuses(), await world.balance(merchantId, 'BTC')]).toEqual([
      ['Pending', 'Done'],
      BTC - 1_001_000n,
    ])
  })

  test('is Pending in the pool, stays so when mined, and is Done and credited once deep enough', async () => {
    const { address, merchantId } = await world.address('BITCOIN')
    const paid = pay(address, BTC)
    await world.poolHas('BITCOIN', [paid])
    expect(await world.statuses()).toEqual(['Pending'])
    world.now += 600_000
    await world.mine('BITCOIN', 100, [paid])
    for (const head of [100, 101, 102, 103, 104]) await world.settle('BITCOIN', head)
    expect(await world.statuses()).toEqual(['Pending'])
    expect(await world.balance(merchantId, 'BTC')).toBe(0n)

    await world.settle('BITCOIN', 105)
    await world.settle('BITCOIN', 106, 106)
    const fee = 1_000_000n + 1_000n
    expect(await world.balance(merchantId, 'BTC')).toBe(BTC - fee)
    expect(await world.balance(merchantId, 'BTC', 'fees')).toBe(fee)
    expect(await world.balance(merchantId, 'BTC', 'custody:BITCOIN')).toBe(-BTC)

    const [pending, done, ...more] = await world.notices()
    expect(more).toEqual([])
    const common = {
      id: pending!.objectId,
      ticker: 'BTC',
      blockchain: 'BITCOIN',
      merchantId,
      hash: paid.hash,
      from: ['payer'],
      to: address,
      amount: '1',
      fee: '0.01001',
      time: START,
      meta: 'order-7',
      kind: 'Replenish',
      internal: false,
    }
    expect(pending!.body).toEqual({ ...common, status: 'Pending' })
    expect(done!.body).toEqual({ ...common, status: 'Done', block: 100 })
    expect(Value.Check(replenishNotice.statuses.Pending!, pending!.body)).toBe(true)
    expect(Value.Check(replenishNotice.statuses.Done!, done!.body)).toBe(true)
    expect(await auditLedger(world.db)).toEqual([])
  })

  test.each([
    ['below 100 USD', 199_999n, 1],
    ['100 USD', 200_000n, 2],
    ['10,000 USD', 20_000_000n, 6],
  ])('of %s needs its tier of confirmations', async (_, units, confirmations) => {
    const { address } = await world.address('BITCOIN')
    await world.mine('BITCOIN', 100, [pay(address, units)])
    if (confirmations > 1) await world.settle('BITCOIN', 100 + confirmations - 2)
    expect(await world.statuses()).toEqual(['Pending'])
    await world.settle('BITCOIN', 100 + confirmations - 1)
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
  })

  test('waits longest when there is no fresh price', async () => {
    world.prices.delete('BTC')
    const { address } = await world.address('BITCOIN')
    await world.mine('BITCOIN', 100, [pay(address, 20_000n)])
    await world.settle('BITCOIN', 104)
    expect(await world.statuses()).toEqual(['Pending'])
    await world.settle('BITCOIN', 105)
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
  })

  test('cut into many small outputs of a transaction waits for their sum, and each is a deposit', async () => {
    const { address, merchantId } = await world.address('BITCOIN')
    const also = Array.from({ length: 499 }, (_, i) => ({
      index: `o:${i + 1}`,
      contract: null,
      from: ['payer'],
      to: address,
      units: 199_999n,
    }))
    const paid = pay(address, 199_999n, { also })
    await world.mine('BITCOIN', 100, [paid])
    await world.mine('BITCOIN', 100, [paid])
    await world.settle('BITCOIN', 104)
    expect(credited).toEqual([])
    await world.settle('BITCOIN', 105)
    expect(credited).toHaveLength(500)
    expect(await world.balance(merchantId, 'BTC')).toBe(500n * (199_999n - 2_000n - 1_000n))
    expect((await world.statuses()).toSorted()).toEqual([...Array(500).fill('Done'), ...Array(500).fill('Pending')])
    expect(await auditLedger(world.db)).toEqual([])
  })
})

test('audit M-E5: many small transactions to one address in one block wait as long as their sum', async () => {
  const [owned, other] = [await world.address('BITCOIN'), await world.address('BITCOIN')]
  const small = (to: string) => pay(to, 199_999n)
  await world.mine('BITCOIN', 100, [...Array.from({ length: 150 }, () => small(owned.address)), small(other.address)])
  await world.settle('BITCOIN', 100)
  expect(credited.map(({ deposit }) => deposit.address)).toEqual([other.address])
  await world.settle('BITCOIN', 104)
  expect(credited).toHaveLength(1)
  await world.settle('BITCOIN', 105)
  expect(credited).toHaveLength(151)
})

describe('a deposit on an EVM chain', () => {
  test('is credited when its block is final, in the ledger decimals of its asset', async () => {
    const { address, merchantId } = await world.address('ETHEREUM')
    const both = pay(address, 5n * ETH, {
      index: 'n',
      also: [
        { index: 'l:0', contract: '0xusdt', from: ['payer'], to: address, units: 250_000_000n },
        { index: 'l:1', contract: '0xfake', from: ['payer'], to: address, units: 250_000_000n },
        { index: 'l:2', contract: '0xusdt', from: ['payer'], to: address, units: 0n },
      ],
    })
    await world.mine('ETHEREUM', 100, [both, pay(address, ETH, { index: 'n', succeeded: false })])
    await world.settle('ETHEREUM', 150, 99)
    expect(await world.statuses()).toEqual(['Pending', 'Pending'])
    await world.settle('ETHEREUM', 151, 100)
    expect((await world.statuses()).toSorted()).toEqual(['Done', 'Done', 'Pending', 'Pending'])
    expect(await world.balance(merchantId, 'ETH')).toBe((5n * ETH * 99n) / 100n)
    expect(await world.balance(merchantId, 'USDT')).toBe(248n * E18)
    expect(await world.balance(merchantId, 'USDT', 'custody:ETHEREUM')).toBe(-250n * E18)
  })

  test('is seen on either EVM chain, whichever the address was asked for', async () => {
    const { address, merchantId } = await world.address('ETHEREUM')
    await world.mine('BINANCE_SMART_CHAIN', 7, [pay(address, 3n * E18, { index: 'l:0', contract: '0xbusdt' })])
    await world.settle('BINANCE_SMART_CHAIN', 9, 7)
    expect(await world.balance(merchantId, 'USDT')).toBe(3n * E18)
    const networks = (await world.notices()).map(({ body }) => body.blockchain)
    expect(networks).toEqual(['BINANCE_SMART_CHAIN', 'BINANCE_SMART_CHAIN'])
  })

  test('never costs more than it is', async () => {
    const { address, merchantId } = await world.address('ETHEREUM')
    await world.mine('ETHEREUM', 100, [pay(address, 1_500_000n, { index: 'l:0', contract: '0xusdt' })])
    await world.settle('ETHEREUM', 100, 100)
    expect((await world.notices()).map(({ body }) => [body.status, body.amount, body.fee])).toEqual([
      ['Pending', '1.5', '1.5'],
      ['Done', '1.5', '1.5'],
    ])
    expect(await world.balance(merchantId, 'USDT')).toBe(0n)
    expect(await world.balance(merchantId, 'USDT', 'fees')).toBe((3n * E18) / 2n)
  })
})

describe('a deposit below the minimum', () => {
  test('B13 is Failed at the depth of a credit and posted to suspense; one unit more is credited', async () => {
    const { address, merchantId } = await world.address('BITCOIN')
    await world.mine('BITCOIN', 100, [pay(address, 9_999n), pay(address, 10_000n)])
    expect(await world.statuses()).toEqual(['Pending', 'Pending'])
    await world.settle('BITCOIN', 100)
    const failed = (await world.notices()).find(({ status }) => status === 'Failed')!
    expect(failed.body).toMatchObject({ amount: '0.00009999', fee: '0', failReason: 'LESS_THEN_MIN_AMOUNT' })
    expect(failed.body).not.toHaveProperty('block')
    expect(Value.Check(replenishNotice.statuses.Failed!, failed.body)).toBe(true)
    expect(await world.balance(merchantId, 'BTC', 'suspense')).toBe(9_999n)
    expect(await world.balance(merchantId, 'BTC')).toBe(10_000n - 100n - 1_000n)
    expect(await world.balance(merchantId, 'BTC', 'custody:BITCOIN')).toBe(-19_999n)
    expect(credited.map(({ deposit }) => deposit.units)).toEqual([10_000n])
  })
})

describe('a rotating address', () => {
  const lease = { untilMs: START + 1_000_000, afterMs: 60_000 }

  test('B14 ends its set time after the first deposit, and a later deposit is credited and marked late', async () => {
    const owned = await world.address('BITCOIN', lease)
    const arrive = async (height: number, at: number) => {
      world.now = START + at
      await world.mine('BITCOIN', height, [pay(owned.address, BTC)])
    }
    await arrive(100, 500_000)
    await arrive(101, 559_999)
    await arrive(102, 560_000)
    await world.settle('BITCOIN', 110)
    const late = credited.map(({ deposit }) => [deposit.blockHeight, deposit.late])
    expect(late).toEqual([
      [100, false],
      [101, false],
      [102, true],
    ])
  })

  test('audit C-19: a deposit after its end is notified like one in time', async () => {
    const owned = await world.address('BITCOIN', lease)
    const notifiedOf = async (height: number, at: number): Promise<object[]> => {
      const before = (await world.notices()).length
      world.now = START + at
      await world.mine('BITCOIN', height, [pay(owned.address, BTC)])
      await world.settle('BITCOIN', height + 10)
      return (await world.notices())
        .slice(before)
        .map(({ status, body: { id: _id, hash: _hash, block: _block, time: _time, ...same } }) => ({ status, ...same }))
    }
    const inTime = await notifiedOf(100, 10_000)
    expect(inTime).toHaveLength(2)
    expect(await notifiedOf(120, 2_000_000)).toEqual(inTime)
  })

  test('is not ended by dust', async () => {
    const owned = await world.address('BITCOIN', lease)
    await world.mine('BITCOIN', 100, [pay(owned.address, 600n)])
    const { rows } = await sql<{ until: Date }>`select leased_until as until from addresses`.execute(world.db)
    expect(rows).toEqual([{ until: new Date(lease.untilMs) }])
  })

  test('judges a block read after a pause by the time it was mined', async () => {
    const owned = await world.address('BITCOIN', lease)
    const old = blockOf(100, [pay(owned.address, BTC)], 'a', START + 1_000)
    world.now = START + 2_000_000
    await world.act((tx, moment) => world.deposits.block(tx, 'BITCOIN', old, moment))
    await world.settle('BITCOIN', 110)
    expect(credited.map(({ deposit }) => deposit.late)).toEqual([false])
  })
})

describe('subscribers', () => {
  test('are called in the transaction that credits: when one fails, nothing has happened', async () => {
    const { address, merchantId } = await world.address('BITCOIN')
    await world.mine('BITCOIN', 100, [pay(address, 20_000n)])
    refuseCredit = true
    await expect(world.settle('BITCOIN', 100)).rejects.toThrow('a subscriber fails')
    expect([await world.balance(merchantId, 'BTC'), await world.statuses()]).toEqual([0n, ['Pending']])
    refuseCredit = false
    await world.settle('BITCOIN', 100)
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
    expect(credited).toMatchObject([{ again: false, deposit: { state: 'credited', merchantId } }])
  })
})

describe('the lookup', () => {
  const find = (merchantId: string, id: string) =>
    depositRoutes({ db: world.db, catalogue })[0]!.handle({
      merchantId,
      params: { id },
      query: {},
      body: undefined,
      keyId: randomUUID(),
      requestId: 'r',
      answerKeys: [],
    })

  test('answers the newest notification, to the owner only', async () => {
    const { address, merchantId } = await world.address('BITCOIN', undefined, null)
    await world.mine('BITCOIN', 100, [pay(address, 20_000n)])
    const pending = (await world.notices()).at(-1)!
    expect(pending.body).not.toHaveProperty('meta')
    expect(await find(merchantId, pending.objectId)).toEqual({ status: 200, body: pending.body })
    await world.settle('BITCOIN', 100)
    const done = (await world.notices()).at(-1)!
    expect(await find(merchantId, done.objectId.toUpperCase())).toEqual({ status: 200, body: done.body })
    const stranger = (await world.address('BITCOIN')).merchantId
    for (const [who, id] of [
      [stranger, done.objectId],
      [merchantId, 'x'],
      [merchantId, stranger],
    ] as const) {
      await expect(find(who, id)).rejects.toMatchObject({ status: 404, code: 101 })
    }
  })
})
