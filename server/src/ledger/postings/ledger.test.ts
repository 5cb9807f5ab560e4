import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { startPostgresFront } from '../../../../test/simulation/fronts/postgres.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import {
  apply,
  auditLedger,
  balancesOf,
  createCommitter,
  lockKnown,
  sealAccounts,
  type Committer,
  type Item,
} from './index.ts'
import { fund, hold, newId } from './test-items.ts'

// Postings stand for orders that no module stores.
const { db, url } = useDb({ breaks: ['local-id-once'] })
let committers: Committer[]

beforeAll(() => {
  // Two, as two api processes would have.
  committers = [createCommitter({ url: url }), createCommitter({ url: url })]
})
afterAll(() => Promise.all(committers.map((committer) => committer.close())))

const available = async (merchantId: string): Promise<bigint> => {
  const [balance] = await balancesOf(db, 'merchant', [{ merchantId, asset: 'USDT' }])
  return balance!.posted - balance!.held
}
const sound = async () => expect(await auditLedger(db)).toEqual([])

describe('through the group committer', () => {
  test('2,000 requests against a balance for exactly 100: exactly 100 are accepted, from two processes', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 1000n)
    const outcomes = await Promise.all(
      Array.from({ length: 2000 }, (_, i) => committers[i % 2]!.submit(hold(merchant, 10n))),
    )
    expect(outcomes.filter((o) => o.kind === 'applied')).toHaveLength(100)
    expect(outcomes.filter((o) => o.kind === 'refused' && o.guard === 'insufficient')).toHaveLength(1900)
    expect(await available(merchant)).toBe(0n)
    await sound()
  })

  test('L3 one localId sent 100 times at once over two processes: one is accepted and the rest name it', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 1000n)
    const localId = { value: 'order-7', operation: 'withdrawal' }
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, i) => committers[i % 2]!.submit(hold(merchant, 1n, { localId }))),
    )
    expect(outcomes.filter((o) => o.kind === 'applied')).toHaveLength(1)
    const refusals = outcomes.filter((o) => o.kind === 'refused')
    expect(refusals).toHaveLength(99)
    expect(new Set(refusals.map((o) => (o.guard === 'local-id-taken' ? o.objectId : o.guard))).size).toBe(1)
    await sound()
  })

  test('the same request at once over two processes has one effect and one answer', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 1000n)
    const submit = (i: number) => {
      const item = hold(merchant, 1n)
      const answers = {
        keys: [{ key: 'sig:aa', fingerprint: 'f' }],
        of: () => ({ status: 200, body: item.transfer.id }),
      }
      return committers[i % 2]!.submit({ ...item, answers })
    }
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, i) => submit(i)))
    expect(outcomes.filter((o) => o.kind === 'applied')).toHaveLength(1)
    const answers = outcomes.filter((o) => o.kind === 'answered').map((o) => o.answer.body)
    expect(answers).toHaveLength(59)
    expect(new Set(answers).size).toBe(1)
    expect(await available(merchant)).toBe(999n)
  })

  test('an item that breaks does not take its neighbours with it', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 100n)
    const broken = hold(merchant, 1n)
    const items = [
      hold(merchant, 1n),
      { ...broken, transfer: { ...broken.transfer, id: 'not a uuid' } },
      hold(merchant, 1n),
    ]
    const results = await Promise.allSettled(items.map((item) => committers[0]!.submit(item)))
    expect(results.map((r) => r.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await available(merchant)).toBe(98n)
  })

  test('D4 D8 connections cut under load: every answer given is true, and nothing happens twice', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 1_000_000n)
    const killer = new pg.Client({ connectionString: url })
    await killer.connect()
    // Bounded: on a slow machine a connection that never lives long enough for one batch would stop everything.
    const kill = (async () => {
      for (let cut = 0; cut < 40; cut += 1) {
        await new Promise((resolve) => setTimeout(resolve, 25))
        await killer.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'cut me' and datname = current_database()`)
      }
    })()
    const committer = createCommitter({ url: url, applicationName: 'cut me' })
    const items = Array.from({ length: 3000 }, (_, i) =>
      hold(merchant, 1n, { localId: { value: `cut-${i}`, operation: 'w' } }),
    )
    const results = await Promise.allSettled(items.map((item) => committer.submit(item)))
    await kill
    await committer.close()
    await killer.end()
    const { rows } = await sql<{ id: string }>`select id from ledger_transfers where merchant_id = ${merchant}`.execute(
      db,
    )
    const stored = new Set(rows.map((r) => r.id))
    results.forEach((result, i) => {
      if (result.status === 'fulfilled') expect(result.value).toEqual({ kind: 'applied' })
      if (result.status === 'fulfilled') expect(stored.has(items[i]!.transfer.id)).toBe(true)
    })
    expect(results.filter((r) => r.status === 'fulfilled').length).toBeGreaterThan(2000)
    await sound()
  })
})

test('a COMMIT whose answer is lost has applied its items: they are answered so, and not refused for their own localId', async () => {
  let isLost = false
  const front = await startPostgresFront(url, 'api', {
    decide: (_name, content) => {
      if (isLost || content.trim() !== 'commit') return undefined
      isLost = true
      return 'lose-answer'
    },
    counts: new Map(),
    waits: () => undefined,
    note: () => {},
    stepsSince: () => Infinity,
  })
  const committer = createCommitter({ url: front.url })
  const merchant = randomUUID()
  await fund(db, merchant, 100n)
  const items = ['a', 'b', 'c'].map((value) => hold(merchant, 1n, { localId: { value, operation: 'w' } }))
  const outcomes = await Promise.all(items.map((item) => committer.submit(item)))
  expect([isLost, outcomes]).toEqual([true, items.map(() => ({ kind: 'applied' }))])
  expect(await available(merchant)).toBe(97n)
  await committer.close()
  await front.close()
  await sound()
})

describe('through a network that goes silent', () => {
  test('audit M-B5: D4 the outcome of every waiting request is unknown, and none is lost or done twice afterwards', async () => {
    const proxy = await openSilentProxy(url)
    const committer = createCommitter({ url: proxy.url, answerMs: 300 })
    const merchant = randomUUID()
    await fund(db, merchant, 1_000n)
    await committer.submit(hold(merchant, 1n))
    proxy.setSilent(true)
    const items = Array.from({ length: 40 }, (_, i) =>
      hold(merchant, 1n, { localId: { value: `silent-${i}`, operation: 'w' } }),
    )
    const answers = await Promise.allSettled(items.map((item) => committer.submit(item)))
    expect(
      answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as Error).name : answer.value.kind)),
    ).toEqual(items.map(() => 'OutcomeUnknown'))
    proxy.setSilent(false)
    const again = await Promise.all(items.map((item) => committer.submit(item)))
    expect(again.every(({ kind }) => kind === 'applied')).toBe(true)
    expect(await available(merchant)).toBe(959n)
    await committer.close()
    proxy.close()
    await sound()
  })
})

describe('on a full disk', () => {
  test('D6 nothing is placed, each request fails, and each is placed once when the disk has space again', async () => {
    let isFull = false
    const front = await startPostgresFront(url, 'database', {
      decide: () => (isFull ? 'disk-full' : undefined),
      counts: new Map(),
      waits: () => undefined,
      note: () => {},
      stepsSince: () => 0,
    })
    const committer = createCommitter({ url: front.url })
    onTestFinished(async () => {
      await committer.close()
      await front.close()
    })
    const merchant = randomUUID()
    await fund(db, merchant, 10n)
    const items = Array.from({ length: 10 }, () => hold(merchant, 1n))
    isFull = true
    const failed = await Promise.allSettled(items.map((item) => committer.submit(item)))
    expect(failed.map(({ status }) => status)).toEqual(items.map(() => 'rejected'))
    expect(await available(merchant)).toBe(10n)
    isFull = false
    const placed = await Promise.all(items.map((item) => committer.submit(item)))
    expect(placed.map(({ kind }) => kind)).toEqual(items.map(() => 'applied'))
    expect(await available(merchant)).toBe(0n)
    await sound()
  })
})

describe('inside a transaction', () => {
  test('a request that comes twice at once waits for the first, before prices and inventory are read, and gets its answer', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 10n)
    const keys = [{ key: 'idem:1', fingerprint: 'f' }]
    const answer = { status: 200, body: '{"id":"1"}' }
    const identity = { merchantId: merchant, keys, localId: 'order-1' }
    const waiting = async (): Promise<boolean> =>
      (
        await sql`select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`.execute(
          db,
        )
      ).rows.length > 0
    let second: Promise<unknown> | undefined
    let hasEnded = false
    await inTransaction(db, async (tx) => {
      expect(await lockKnown(tx, [identity])).toEqual([undefined])
      second = inTransaction(db, (other) => lockKnown(other, [identity])).finally(() => (hasEnded = true))
      await expect.poll(async () => hasEnded || (await waiting())).toBe(true)
      const localId = { value: identity.localId, operation: 'exchange' }
      await apply(tx, [hold(merchant, 1n, { localId, answers: { keys, of: () => answer } })])
    })
    expect(await second).toEqual([{ kind: 'answered', answer }])
  })

  test('a refusal leaves the others accounts', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 10n)
    const outcomes = await inTransaction(db, (tx) =>
      apply(tx, [hold(merchant, 7n), hold(merchant, 7n), hold(merchant, 3n)]),
    )
    expect(outcomes.map((o) => o.kind)).toEqual(['applied', 'refused', 'applied'])
  })

  test('L6 capture and release race for one hold: one wins, 30 times out of 30', async () => {
    for (let round = 0; round < 30; round += 1) {
      const merchant = randomUUID()
      await fund(db, merchant, 10n)
      const held = hold(merchant, 10n)
      await committers[0]!.submit(held)
      const account = held.transfer.entries[0]!.account
      const end = (kind: 'capture' | 'release'): Item => ({
        transfer: {
          id: newId(),
          merchantId: merchant,
          kind,
          cause: held.transfer.cause,
          closes: held.transfer.id,
          at: new Date(),
          entries:
            kind === 'release'
              ? [{ account, posted: 0n, held: -10n }]
              : [
                  { account, posted: -10n, held: -10n },
                  { account: { ...account, kind: 'transit:ETHEREUM' }, posted: 10n, held: 0n },
                ],
        },
      })
      const outcomes = await Promise.all([
        committers[0]!.submit(end('capture')),
        committers[1]!.submit(end('release')),
        inTransaction(db, (tx) => apply(tx, [end('release')])).then((o) => o[0]!),
      ])
      expect(outcomes.filter((o) => o.kind === 'applied')).toHaveLength(1)
    }
    await sound()
  })

  test('L7 D8 transfers crossing each other never deadlock a caller', async () => {
    const merchants = Array.from({ length: 6 }, () => randomUUID())
    for (const merchant of merchants) await fund(db, merchant, 1000n)
    const pick = (i: number) => merchants[(i * 7) % 6]!
    // Never more at once than the pool has connections, so that no wait for one runs out on a busy machine.
    let next = 0
    const cross = async (): Promise<void> => {
      for (let i = next++; i < 300; i = next++) {
        await inTransaction(db, (tx) => apply(tx, [hold(pick(i), 1n), hold(pick(i + 1), 1n), hold(pick(i + 3), 1n)]))
      }
    }
    await Promise.all(Array.from({ length: 8 }, cross))
    await sound()
  })
})

describe('guards of the tables', () => {
  test('history refuses to be changed', async () => {
    await expect(sql`update ledger_entries set posted = 1`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`delete from ledger_transfers`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`truncate ledger_entries`.execute(db)).rejects.toThrow('append-only')
  })

  test('L5 a balance below zero is refused by the database itself', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 5n)
    const spend = sql`update ledger_accounts set posted = -1 where merchant_id = ${merchant} and kind = 'merchant'`
    await expect(spend.execute(db)).rejects.toThrow('available_not_negative')
  })

  test('L12 NaN, which is above every number, is no balance', async () => {
    const merchant = randomUUID()
    await fund(db, merchant, 5n)
    for (const [posted, held] of [
      ['NaN', '0'],
      ['0', 'NaN'],
    ]) {
      // Raw: no command posts what is no number.
      const forge = sql`with account as (
          update ledger_accounts set posted = posted + ${posted}::numeric, held = held + ${held}::numeric, version = version + 1
            where merchant_id = ${merchant} and kind = 'merchant' returning id, version, posted, held)
        insert into ledger_entries (account_id, version, transfer_id, posted, held, posted_after, held_after)
          select id, version, ${newId()}, ${posted}::numeric, ${held}::numeric, posted, held from account`
      await expect(forge.execute(db)).rejects.toThrow('balances_are_numbers')
    }
    expect(await available(merchant)).toBe(5n)
  })

  const seal = async (): Promise<number> => {
    let sealed = 0
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: { sealed: number; last: number | undefined } = (await inTransaction(db, (tx) =>
        sealAccounts(tx, after!, new Date()),
      ))!
      sealed += page.sealed
      after = page.last
    }
    return sealed
  }

  test('audit M-C1: sealing reads a transfer at most once for each of its entries, under any plan of the query', async () => {
    const merchants = Array.from({ length: 240 }, () => randomUUID())
    await seal()
    const {
      rows: [last],
    } = await sql<{ id: number }>`select max(id) as id from ledger_accounts`.execute(db)
    await Promise.all(merchants.map((merchant) => fund(db, merchant, 1_000_000n)))
    // The statistics are of the first minute of an installation, when no account had many entries.
    await sql`analyze`.execute(db)
    await Promise.all(Array.from({ length: 3_000 }, () => committers[0]!.submit(hold(merchants[0]!, 1n))))
    const read = await inTransaction(db, async (tx) => {
      const transfersRead = async (): Promise<number> => {
        const { rows } = await sql<{
          read: number
        }>`select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as read
          from pg_stat_xact_user_tables where relname = 'ledger_transfers'`.execute(tx)
        return rows[0]!.read
      }
      const before = await transfersRead()
      expect((await sealAccounts(tx, last!.id, new Date()))!.sealed).toBe(480)
      return (await transfersRead()) - before
    })
    expect(read).toBeLessThanOrEqual(3_480)
  })
})
