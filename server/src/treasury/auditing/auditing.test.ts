import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createDb, createPool, inTransaction, type Tx } from '../../platform/db/index.ts'
import { applyAll, auditLedger, restoreBalance, type Item } from '../../ledger/postings/index.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { grantCapital } from '../reconciliation/index.ts'
import { proveAccount, type AuditedEntry } from './account.ts'
import { acceptFinding, auditAccounts, createAuditJob, listOpenFindings, provedPayments } from './index.ts'

const database = useDatabase({ template: migrated })
const newId = () => uuidv7(Date.now(), randomBytes(10))
let pool: pg.Pool
let runtime: Runtime

beforeAll(() => {
  pool = createPool({ url: database.url })
  runtime = { db: createDb(pool), clock: createClock(), newId, log: pino({ enabled: false }) }
})
afterAll(() => pool.end())
beforeEach(() => emptyTables(runtime.db))

const grant = (merchantId: string, asset: string, units: bigint) =>
  inTransaction(runtime.db, (tx) => grantCapital(tx, { merchantId, asset, units }, momentOf(runtime)))
const accountOf = async (merchantId: string, asset: string): Promise<number> => {
  const { rows } = await sql<{
    id: number
  }>`select id from ledger_accounts where merchant_id = ${merchantId} and asset = ${asset} and kind = 'merchant'`.execute(
    runtime.db,
  )
  return rows[0]!.id
}
/** Posts as who has the right to insert would: with entries, each going on from the one before. */
const post = (
  merchantId: string,
  cause: Item['transfer']['cause'],
  entries: readonly [kind: 'merchant' | 'capital' | 'clearing', posted: bigint][],
  asset = 'USDT',
) =>
  inTransaction(runtime.db, (tx) =>
    applyAll(tx, [
      {
        transfer: {
          id: newId(),
          merchantId,
          kind: 'post',
          cause,
          at: new Date(),
          entries: entries.map(([kind, posted]) => ({ account: { merchantId, asset, kind }, posted, held: 0n })),
        },
      },
    ]),
  )
const round = async (most?: number): Promise<void> => {
  const job = createAuditJob(runtime, 1_000, most)
  for (let i = 0; i < 10; i += 1) await job.run(new AbortController().signal)
}
const stops = async (): Promise<unknown[]> =>
  (
    await sql`select asset, merchant_id as "merchantId" from freezes where lifted_at is null order by asset`.execute(
      runtime.db,
    )
  ).rows
const alerts = async (): Promise<string[]> =>
  (await sql<{ text: string }>`select text from alerts where resolved_at is null`.execute(runtime.db)).rows.map(
    ({ text }) => text,
  )
/** An open withdrawal of 10 and 1 of fee, on a hold of its own unless it is said to have none. */
const withdrawal = async (merchantId: string, held: bigint | null = 11n, ticker = 'USDT') => {
  const [id, hold] = [randomUUID(), randomUUID()]
  const write = async (tx: Tx): Promise<void> => {
    const transfer = {
      id: hold,
      merchantId,
      kind: 'hold' as const,
      cause: { kind: 'withdrawal' as const, id },
      at: new Date(),
    }
    if (held !== null)
      await applyAll(tx, [
        {
          transfer: {
            ...transfer,
            entries: [{ account: { merchantId, asset: ticker, kind: 'merchant' }, posted: 0n, held }],
          },
        },
      ])
    // Raw: rows whose postings are forged or left out.
    await sql`insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, state, internal, hold_id, not_before, created_at, updated_at)
      values (${merchantId}, ${id}, ${ticker}, 'ETHEREUM', 'x', 10, 1, 'requested', false, ${hold}, now(), now(), now())`.execute(
      tx,
    )
  }
  await inTransaction(runtime.db, write)
  return { id, merchantId, ticker }
}
const proved = async (...payments: { id: string; merchantId: string; ticker: string }[]) =>
  (await provedPayments(runtime, 'withdrawal', payments)).map(({ id }) => id)

describe('the audit', () => {
  test('audit S-3: L19 finds a balance that was changed and nothing else, stops asset and merchant, and says so once', async () => {
    const [merchant, other] = [randomUUID(), randomUUID()]
    await grant(merchant, 'USDT', 1_000n)
    await grant(other, 'USDT', 1_000n)
    await round(2)
    expect(await listOpenFindings(runtime.db)).toEqual([])
    const id = await accountOf(merchant, 'USDT')
    await withoutTriggers(runtime.db, (tx) =>
      sql`update ledger_accounts set posted = posted + 400 where id = ${id}`.execute(tx),
    )
    await round(2)
    await round(2)
    expect(await listOpenFindings(runtime.db)).toMatchObject([
      {
        accountId: id,
        version: 1,
        finding: 'balance',
        merchantId: merchant,
        detail: 'the account says 1400/0 at version 1, its entries 1000/0 at 1',
      },
    ])
    expect(await stops()).toEqual([
      { asset: 'USDT', merchantId: null },
      { asset: null, merchantId: merchant },
    ])
    expect(await alerts()).toEqual([
      expect.stringContaining(`Account ${id} (merchant of merchant ${merchant} in USDT) can't be proved`),
    ])
    // Set right, it is proved again; the stops stay until a person lifts them.
    expect(await inTransaction(runtime.db, (tx) => restoreBalance(tx, id))).toEqual({
      before: [1_400n, 0n],
      after: [1_000n, 0n],
    })
    await round()
    expect(await listOpenFindings(runtime.db)).toEqual([])
    expect(await alerts()).toEqual([])
    expect(await stops()).toHaveLength(2)
    expect(await auditLedger(runtime.db)).toEqual([])
  })

  test.each([
    ['deposit'],
    ['adjustment'],
    ['exchange'],
    ['payment'],
    ['refund'],
    ['withdrawal'],
    ['card-payout'],
    ['hedge'],
    ['settlement'],
    ['outgoing'],
  ] as const)('audit S-3: finds a balanced forgery whose %s does not exist, although all sums hold', async (kind) => {
    const merchant = randomUUID()
    await post(merchant, { kind, id: randomUUID() }, [
      ['capital', -400n],
      ['merchant', 400n],
    ])
    expect(await auditLedger(runtime.db)).toEqual([])
    await round()
    expect(await listOpenFindings(runtime.db)).toMatchObject([
      { merchantId: merchant, version: 1, finding: 'cause', detail: expect.stringContaining('which does not exist') },
    ])
    expect(await stops()).toHaveLength(2)
  })

  test('audit S-3: finds a cause that credited more than it brought, and lets one that was taken back and given again', async () => {
    const merchant = randomUUID()
    const id = randomUUID()
    // Raw: its postings follow in four parts.
    await sql`insert into capital_grants(id, merchant_id, asset, units, created_at) values (${id}, ${merchant}, 'USDT', 100, now())`.execute(
      runtime.db,
    )
    const move = (units: bigint) =>
      post(merchant, { kind: 'adjustment', id }, [
        ['clearing', -units],
        ['merchant', units],
      ])
    for (const units of [100n, -100n, 60n, 40n]) await move(units)
    await round()
    expect(await listOpenFindings(runtime.db)).toEqual([])
    await move(1n)
    await round()
    expect(await listOpenFindings(runtime.db)).toMatchObject([
      { version: 5, finding: 'cause', detail: `adjustment ${id} brought 100 and has credited 101` },
    ])
  })

  test('audit S-3: finds a transfer that does not add up, and money freed that no hold held', async () => {
    const [one, two] = [randomUUID(), randomUUID()]
    await grant(one, 'USDT', 100n)
    await grant(two, 'USDT', 100n)
    await withdrawal(two)
    // Raw: forged.
    const forge = async (merchantId: string, posted: number, held: number): Promise<void> => {
      const [id, account] = [newId(), await accountOf(merchantId, 'USDT')]
      await sql`insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, created_at) values (${merchantId}, ${id}, 'hold', 'withdrawal', ${id}, now())`.execute(
        runtime.db,
      )
      await sql`with n as (update ledger_accounts set posted = posted + ${posted}, held = held + ${held}, version = version + 1 where id = ${account} returning *)
        insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after) select id, version, ${id}, ${posted}, ${held}, posted, held from n`.execute(
        runtime.db,
      )
    }
    await forge(one, -5, 0)
    await forge(two, 0, -11)
    await round()
    expect(
      (await listOpenFindings(runtime.db)).map(({ finding, detail }) => [
        finding,
        detail.replace(/[0-9a-f-]{36}/, 'X'),
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['transfer', 'its transfer X adds up to -5 USDT'],
        ['transfer', 'its transfer X frees 11 that no hold of its own has held'],
      ]),
    )
  })

  test('audit S-3: goes on behind a finding that an operator accepted, and a balance can not be accepted', async () => {
    const merchant = randomUUID()
    await post(merchant, { kind: 'deposit', id: randomUUID() }, [
      ['capital', -400n],
      ['merchant', 400n],
    ])
    await post(merchant, { kind: 'adjustment', id: randomUUID() }, [
      ['capital', 400n],
      ['merchant', -400n],
    ])
    await grant(merchant, 'USDT', 7n)
    const id = await accountOf(merchant, 'USDT')
    expect([...(await auditAccounts(runtime, [id]))]).toEqual([id])
    const accept = (version: number) =>
      inTransaction(runtime.db, (tx) =>
        acceptFinding(
          tx,
          { accountId: id, version },
          { actor: 'cli:ann', reason: 'corrected by the next posting' },
          new Date(),
        ),
      )
    expect(await accept(2)).toBe(false)
    expect(await accept(1)).toBe(true)
    expect([...(await auditAccounts(runtime, [id]))]).toEqual([])
    await withoutTriggers(runtime.db, (tx) => sql`update ledger_accounts set posted = 0 where id = ${id}`.execute(tx))
    expect([...(await auditAccounts(runtime, [id]))]).toEqual([id])
    expect(await accept(3)).toBe(false)
  })
})

describe('a payment', () => {
  test('audit S-3: is planned when all that its merchant may spend is proved, in any asset', async () => {
    const [honest, forger] = [randomUUID(), randomUUID()]
    for (const merchant of [honest, forger]) await grant(merchant, 'USDT', 1_000n)
    const payments = [await withdrawal(honest), await withdrawal(forger)]
    expect(await proved(...payments)).toEqual(payments.map(({ id }) => id))
    await post(
      forger,
      { kind: 'deposit', id: randomUUID() },
      [
        ['capital', -400n],
        ['merchant', 400n],
      ],
      'BTC',
    )
    expect(await proved(...payments)).toEqual([payments[0]!.id])
    expect(await alerts()).toHaveLength(1)
  })

  test('audit S-3: is not planned without an open hold of its own that covers it', async () => {
    const merchant = randomUUID()
    await grant(merchant, 'USDT', 1_000n)
    const [good, less, none] = [
      await withdrawal(merchant),
      await withdrawal(merchant, 10n),
      await withdrawal(merchant, null),
    ]
    const borrowed = await withdrawal(merchant, null)
    await withoutTriggers(runtime.db, (tx) =>
      sql`update withdrawals set hold_id = (select hold_id from withdrawals where id = ${good.id}) where id = ${borrowed.id}`.execute(
        tx,
      ),
    )
    expect(await proved(good, less, none, borrowed)).toEqual([good.id])
    expect((await alerts()).filter((text) => text.includes('has no open hold'))).toHaveLength(3)
  })
})

describe('proving an account', () => {
  const account = {
    id: 7,
    merchantId: 'm',
    asset: 'USDT',
    kind: 'merchant',
    version: 5,
    posted: 30n,
    held: 4n,
    proved: { version: 3, posted: 10n, held: 0n },
  }
  const entry = (
    version: number,
    posted: bigint,
    held: bigint,
    postedAfter: bigint,
    heldAfter: bigint,
  ): AuditedEntry => ({ version, transferId: 't', posted, held, postedAfter, heldAfter })
  const [fourth, fifth] = [entry(4, 20n, 0n, 30n, 0n), entry(5, 0n, 4n, 30n, 4n)]
  const findingOf = (entries: readonly AuditedEntry[], more: Partial<typeof account> = {}) =>
    proveAccount({ ...account, ...more }, entries, true, new Map()).finding?.finding

  test('goes from where it was last proved to its last entry', () => {
    expect(proveAccount(account, [fourth, fifth], true, new Map())).toEqual({
      proved: { version: 5, posted: 30n, held: 4n },
      finding: null,
    })
    expect(proveAccount(account, [fourth], false, new Map())).toEqual({
      proved: { version: 4, posted: 30n, held: 0n },
      finding: null,
    })
  })

  test('ends before an entry that is missing, does not add up, or has a fault', () => {
    expect(findingOf([fifth])).toBe('history')
    expect(findingOf([entry(4, 20n, 0n, 31n, 0n), fifth])).toBe('history')
    expect(findingOf([fourth])).toBe('balance')
    expect(findingOf([fourth, fifth], { posted: 31n })).toBe('balance')
    expect(findingOf([fourth, fifth, entry(6, 1n, 0n, 31n, 4n)])).toBe('balance')
    const fault = { finding: 'cause', detail: 'it is credited by nothing' } as const
    expect(proveAccount(account, [fourth, fifth], true, new Map([[5, fault]]))).toEqual({
      proved: { version: 4, posted: 30n, held: 0n },
      finding: { accountId: 7, version: 5, ...fault },
    })
  })
})
