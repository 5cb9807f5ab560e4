import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bookAt, storeComparison, suspendAt } from '../../../../test/world/custody.ts'
import { stopMoney } from '../../../../test/world/stops.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { PAIRS, readAccount } from './accounts.ts'
import { OWNER, SHOP, useAdjustments } from './test-adjustments.ts'

const { db, runtime, proposed, adjust, balance, given, post, booksHold } = useAdjustments()

describe('every account has a way out', () => {
  test('audit M-D1: the owner takes fees of all merchants and capital, but nothing that costs and losses have eaten', async () => {
    await given(SHOP, 'fees', 30n)
    await given(OWNER, 'fees', 5n)
    await given(PLATFORM, 'capital', 100n)
    await post(PLATFORM, [
      ['network-costs', -20n],
      ['custody:TRON', 20n],
    ])
    await adjust({ from: 'fees', to: `merchant:${OWNER}`, units: 35n })
    expect([await balance(SHOP, 'fees'), await balance(OWNER, 'fees'), await balance(OWNER, 'merchant')]).toEqual([
      0n,
      0n,
      35n,
    ])
    await expect(proposed({ from: 'capital', to: `merchant:${OWNER}`, units: 81n })).rejects.toThrow(
      /less costs and losses, are 80: less than 81/,
    )
    await adjust({ from: 'capital', to: `merchant:${OWNER}`, units: 80n })
    expect(await balance(OWNER, 'merchant')).toBe(115n)
    await booksHold()
  })

  test('audit M-D1: a debt is written off, and the merchant goes on when it owes nothing any more', async () => {
    await post(SHOP, [
      ['receivable', -40n],
      ['custody:TRON', 40n],
    ])
    await stopMoney(db, { asset: 'USDT', merchantId: SHOP, reason: 'receivable' })
    const stopped = async () =>
      (await sql`select 1 from freezes where merchant_id = ${SHOP} and lifted_at is null`.execute(db)).rows.length
    await adjust({ from: 'losses', to: `receivable:${SHOP}`, units: 15n })
    expect([await balance(SHOP, 'receivable'), await stopped()]).toEqual([25n, 1])
    await adjust({ from: 'losses', to: `receivable:${SHOP}`, units: 25n })
    expect([await balance(SHOP, 'receivable'), await balance(PLATFORM, 'losses'), await stopped()]).toEqual([
      0n,
      40n,
      0,
    ])
    await given(PLATFORM, 'capital', 40n)
    await adjust({ from: 'capital', to: 'losses', units: 40n })
    expect([await balance(PLATFORM, 'capital'), await balance(PLATFORM, 'losses')]).toEqual([0n, 0n])
    await booksHold()
  })

  test('audit M-D1: a card that was paid after all is owed by the merchant that got the money back, which is stopped', async () => {
    await post(
      PLATFORM,
      [
        ['acquirer:bank', -50n],
        ['capital', 50n],
      ],
      'UAH',
    )
    await adjust({ from: `receivable:${SHOP}`, to: 'acquirer:bank', units: 20n, asset: 'UAH' })
    expect([await balance(SHOP, 'receivable', 'UAH'), await balance(PLATFORM, 'acquirer:bank', 'UAH')]).toEqual([
      20n,
      30n,
    ])
    expect(
      (await sql`select asset from freezes where merchant_id = ${SHOP} and lifted_at is null`.execute(db)).rows,
    ).toEqual([{ asset: 'UAH' }])
    await booksHold()
  })

  test('audit M-D1: a theft is posted as a loss of the address that the comparison found short, and of no other', async () => {
    await given(PLATFORM, 'capital', 100n)
    for (const [address, booked, held] of [
      ['Thot', 100n, 70n],
      ['Tcold', 50n, 50n],
    ] as const) {
      const at = { network: 'TRON', asset: 'USDT', address } as const
      await bookAt(db, at, booked)
      await storeComparison(db, at, { booked, held }, new Date())
    }
    await expect(adjust({ from: 'losses', to: 'custody:TRON', units: 30n, address: 'TRON/Tcold' })).rejects.toThrow(
      /did not find TRON\/Tcold short by 30 USDT/,
    )
    await adjust({ from: 'losses', to: 'custody:TRON', units: 30n, address: 'TRON/Thot' })
    const { rows } = await sql`select booked, difference from custody_addresses where address = 'Thot'`.execute(db)
    expect(rows).toEqual([{ booked: 70n, difference: 0n }])
    expect([await balance(PLATFORM, 'losses'), await balance(PLATFORM, 'custody:TRON')]).toEqual([30n, 70n])
    await booksHold()
  })

  test('audit M-D1: an unexplained balance of an address leaves suspense with its address', async () => {
    await given(PLATFORM, 'suspense', 100n)
    await suspendAt(db, { network: 'TRON', asset: 'USDT', address: 'Tdeposit' }, 80n, new Date())
    await expect(proposed({ from: 'suspense', to: 'capital', units: 50n })).rejects.toThrow(
      /has 100 USDT, of which 80 belong to addresses \(say which: --address\)/,
    )
    await adjust({ from: 'suspense', to: `merchant:${SHOP}`, units: 50n, address: 'TRON/Tdeposit' })
    expect((await sql`select booked, suspended from custody_addresses`.execute(db)).rows).toEqual([
      { booked: 80n, suspended: 30n },
    ])
    await adjust({ from: 'suspense', to: 'capital', units: 20n })
    expect(await balance(PLATFORM, 'suspense')).toBe(30n)
    await booksHold()
  })

  test('audit M-D1: a rejected deposit leaves quarantine whole and once, to a merchant of the platform', async () => {
    const deposit = async (state: string, height: number): Promise<string> => {
      const id = runtime.newId()
      // Raw: states that only screening gives, at given heights.
      await sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, block_height, block_hash, keys, hold_until_verified, created_at, updated_at)
        values (${SHOP}, ${id}, 'TRON', 'USDT', ${id}, '0', 'T', ${runtime.newId()}, '{Tsender}', 25, 1, ${state}, 'Failed', ${height}, 'b', '{}', true, now(), now())`.execute(
        db,
      )
      return id
    }
    await given(SHOP, 'quarantine', 75n)
    await readEmptyBlocks(runtime, 'TRON', { height: 20, final: 10 })
    const [rejected, young, held] = [
      await deposit('rejected', 10),
      await deposit('rejected', 11),
      await deposit('held', 10),
    ]
    const from = `quarantine:${SHOP}`
    const take = (id: string, units = 25n) => adjust({ from, to: `merchant:${OWNER}`, units, deposit: id })
    await expect(take(held)).rejects.toThrow(/is held: only a rejected one/)
    await expect(take(young)).rejects.toThrow(/not final yet/)
    await expect(take(rejected, 24n)).rejects.toThrow(/is 25 USDT: it leaves whole/)
    const id = await take(rejected)
    await expect(take(rejected)).rejects.toThrow(new RegExp(`left quarantine by adjustment ${id}`))
    expect([await balance(SHOP, 'quarantine'), await balance(OWNER, 'merchant')]).toEqual([50n, 25n])
    await booksHold()
  })

  test('audit M-D1: the table names only accounts of the ledger, and no pair twice', () => {
    const place = { custody: 'TRON', acquirer: 'bank', merchant: SHOP, quarantine: SHOP, receivable: SHOP } as Record<
      string,
      string
    >
    for (const [from, to] of PAIRS)
      for (const kind of [from, to])
        expect(() => readAccount(kind in place ? `${kind}:${place[kind]}` : kind)).not.toThrow()
    expect(new Set(PAIRS.map(([from, to]) => `${from} ${to}`)).size).toBe(PAIRS.length)
  })
})
