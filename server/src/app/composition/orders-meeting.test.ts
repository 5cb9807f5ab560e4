/**
 * Orders that meet another transaction, lose a race, or whose COMMIT gets no answer: placed once, and answered as the
 * contract says.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { startLosingProxy, type LosingProxy } from '../../../../test/setup/losing-proxy.ts'
import { useEdge, type Answer } from '../../../../test/world/edge.ts'
import { giveBalance } from '../../../../test/world/exchange.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { newWithdrawal } from '../../../../test/world/withdrawal.ts'
import { apply, type Item } from '../../ledger/postings/index.ts'
import { holdItem } from '../../pay-out/withdrawals/placing.ts'
import { createDb, createPool, inTransaction } from '../../platform/db/index.ts'
import { moneyOperations, openOrders, ORDERS, signedRoutes, type OrderWorld } from './test-orders.ts'

const edge = useEdge({ routes: signedRoutes(() => world) })
let world: OrderWorld
beforeAll(async () => {
  world = await openOrders(edge, { url: edge.pool.options.connectionString! })
})
afterAll(() => world.close())

describe('when another transaction has just taken', () => {
  beforeAll(() => giveBalance(edge.db, edge.merchant.id, 'BTC', 1_000n))

  /** A withdrawal that shares no account with the orders of this file. */
  const withdrawal = (localId: string | null) =>
    newWithdrawal(createTestRuntime(edge.db), {
      merchantId: edge.merchant.id,
      ticker: 'BTC',
      blockchain: 'BITCOIN',
      to: 'bcrt1qoutside',
      units: 1n,
      fee: 0n,
      localId,
    })

  const placeMeanwhile = async (item: Item, send: () => Promise<Answer>): Promise<Answer> => {
    const [stored, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = inTransaction(edge.db, async (tx) => {
      await apply(tx, [item])
      stored.resolve()
      await held.promise
    })
    await stored.promise
    const answer = send()
    while (!(await isWaitingForLock(edge.db))) await new Promise((resolve) => setTimeout(resolve, 5))
    held.resolve()
    await other
    return answer
  }

  test.each(moneyOperations.map(({ id }) => id))('the localId, %s is refused with code 0', async (operation) => {
    const localId = `overtaken ${operation}`
    const other = withdrawal(localId)
    const item = { ...holdItem(other, null), localId: { value: localId, operation: 'createCryptoWithdrawal' } }
    const { status, body } = await placeMeanwhile(item, () => world.place(operation, { ...ORDERS[operation], localId }))
    expect({ status, code: body.code }).toEqual({ status: 400, code: 0 })
    expect(body.description).toContain(other.id)
  })

  test.each(moneyOperations.map(({ id, path }) => [id, path]))(
    'the Idempotency-Key, %s is refused with code 103',
    async (operation, path) => {
      const key = `overtaken-${operation}`
      const keys = [{ key: `key:${key}`, fingerprint: 'of another request' }]
      const item = { ...holdItem(withdrawal(null), null), answers: { keys, of: () => ({ status: 200, body: '{}' }) } }
      const { status, body } = await placeMeanwhile(item, () =>
        edge.call('POST', path!, JSON.stringify({ ...ORDERS[operation!], meta: key }), {
          headers: ['Idempotency-Key', key],
        }),
      )
      expect({ status, code: body.code }).toEqual({ status: 409, code: 103 })
    },
  )
})

describe('an order whose COMMIT gets no answer', () => {
  let proxy: LosingProxy
  let usual: OrderWorld
  let close: () => Promise<void>
  beforeAll(async () => {
    proxy = await startLosingProxy(edge.pool.options.connectionString!)
    const lossy = createPool({ url: proxy.url })
    usual = world
    world = await openOrders({ ...edge, db: createDb(lossy) }, { url: proxy.url })
    close = async () => {
      await world.close()
      world = usual
      await lossy.end()
      await proxy.close()
    }
  })
  afterAll(() => close())

  test.each(moneyOperations.map(({ id }) => id))('%s is answered as placed, and is placed once', async (operation) => {
    const localId = `unanswered ${operation}`
    const lost = proxy.lost()
    proxy.loseNextCommit()
    const { status, body, text } = await world.place(operation, { ...ORDERS[operation], localId })
    expect([proxy.lost() - lost, status], text).toEqual([1, 200])
    expect(await world.find(encodeURIComponent(localId))).toMatchObject([{ id: (body as { id: string }).id }])
  })
})

describe('L8 an order whose transaction lost a race at any of its statements, or at COMMIT, is placed once, with the effects of one', () => {
  beforeAll(async () => {
    // Sequences count on when a transaction is rolled back: the statement with this number fails once.
    await sql`create sequence written`.execute(edge.db)
    await sql`create sequence loser`.execute(edge.db)
    await sql`create function lose_race() returns trigger language plpgsql as $$ begin
      if nextval('written') = (select last_value from loser) then
        raise exception 'lost a race' using errcode = '40001';
      end if;
      return null;
    end $$`.execute(edge.db)
    await sql`do $$ declare named regclass; begin
      for named in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and not relispartition loop
        execute format('create trigger lose_race before insert or update or delete on %s
          for each statement execute function lose_race()', named);
      end loop;
    end $$`.execute(edge.db)
    // COMMIT is one more.
    await sql`create constraint trigger lose_race_late after insert on ledger_transfers deferrable initially deferred
      for each row execute function lose_race()`.execute(edge.db)
  })
  afterAll(() => sql`drop function lose_race cascade`.execute(edge.db))

  const rowsNow = async (): Promise<Record<string, number>> => {
    const { rows } = await sql<Record<string, number>>`select
      (select count(*) from ledger_transfers)::int as transfers, (select count(*) from ledger_entries)::int as entries,
      (select count(*) from events)::int as events, (select count(*) from local_ids)::int as "localIds",
      (select count(*) from request_answers)::int as answers, (select count(*) from withdrawals)::int as withdrawals,
      (select count(*) from exchanges)::int as exchanges, (select count(*) from card_payouts)::int as payouts,
      (select count(*) from card_payout_parts)::int as parts,
      (select count(*) from exchange_withdrawals)::int as wholes`.execute(edge.db)
    return rows[0]!
  }
  /** Places an order of which the statement of this number fails. @returns what it changed, and whether one failed */
  const placeLosing = async (operation: string, number: number) => {
    await sql`select setval('written', 1, false), setval('loser', ${number}, false)`.execute(edge.db)
    const [rows, balances] = [await rowsNow(), await world.balances()]
    const localId = `lost ${number} ${operation}`
    const { status, body, text } = await world.place(operation, { ...ORDERS[operation], localId })
    expect(status, text).toBe(200)
    expect(await world.find(encodeURIComponent(localId))).toMatchObject([{ id: (body as { id: string }).id }])
    const { rows: counted } = await sql<{ written: number }>`select last_value::int as written from written`.execute(
      edge.db,
    )
    const [rowsAfter, balancesAfter] = [await rowsNow(), await world.balances()]
    return {
      hasLost: counted[0]!.written >= number,
      rows: Object.entries(rowsAfter).map(([name, count]) => [name, count - rows[name]!]),
      spent: Object.entries(balancesAfter).map(([asset, units]) => [asset, BigInt(units) - BigInt(balances[asset]!)]),
    }
  }

  test.each(moneyOperations.map(({ id }) => id))('%s', async (operation) => {
    const { rows, spent } = await placeLosing(operation, 1_000)
    let lost = 0
    for (let number = 1; ; number += 1) {
      const placed = await placeLosing(operation, number)
      if (!placed.hasLost) break
      expect([number, placed.rows, placed.spent]).toEqual([number, rows, spent])
      lost += 1
    }
    expect(lost).toBeGreaterThan(1)
  })
})
