import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { stopMoney } from '../../../../test/world/stops.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createAuditJob, listOpenFindings } from '../auditing/index.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createDb, createPool, inTransaction } from '../../platform/db/index.ts'
import { applyAll, auditLedger, PLATFORM, ruleOf, totalOf, type AccountKind } from '../../ledger/postings/index.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { PAIRS, readAccount } from './accounts.ts'
import { itemsOf } from './postings.ts'
import {
  adjustmentText,
  applyAdjustment,
  auditAdjustments,
  databaseIdentity,
  enrol,
  enrolmentText,
  findAdjustment,
  listAdjustments,
  makePersonKey,
  propose,
  removePerson,
  signText,
  VALID_MS,
} from './index.ts'

const database = useDatabase({ template: migrated })
const newId = () => uuidv7(Date.now(), randomBytes(10))
let pool: pg.Pool
let runtime: Runtime
const clock = createClock()
let ahead = 0

const [SHOP, OWNER] = [randomUUID(), randomUUID()]
const ann = { ...makePersonKey(), id: 'ann', login: 'ann' }
const bob = { ...makePersonKey(), id: 'bob', login: 'bob' }

beforeAll(() => {
  pool = createPool({ url: database.url })
  runtime = { db: createDb(pool), clock, newId, log: pino({ enabled: false }) }
})
afterAll(() => pool.end())
beforeEach(async () => {
  ahead = 0
  await emptyTables(runtime.db)
  for (const id of [SHOP, OWNER]) await makeMerchant(runtime.db, Date.now(), { id })
  await inTransaction(runtime.db, (tx) => enrol(tx, bob, { actor: 'cli:root', voucher: null }, moment()))
})

const moment = () => ({ ...momentOf(runtime), at: new Date(clock.business() + ahead) })
const show = (_asset: string, units: bigint): string => units.toString()
type Typed = {
  from: string
  to: string
  units: bigint
  asset?: string
  address?: string
  deposit?: string
  reason?: string
  by?: string
}

const proposed = ({ from, to, units, asset = 'USDT', address, deposit, reason = 'because', by = 'cli:ann' }: Typed) =>
  inTransaction(runtime.db, (tx) =>
    propose(
      tx,
      {
        asset,
        units,
        amount: units.toString(),
        from: readAccount(from),
        to: readAccount(to),
        address: address ?? null,
        depositId: deposit ?? null,
        reason,
        proposedBy: by,
      },
      show,
      moment(),
    ),
  )

const signatureOf = async (id: string, person = bob): Promise<string> =>
  signText(person.pem, adjustmentText((await findAdjustment(runtime.db, id))!, await databaseIdentity(runtime.db)))

const apply = (id: string, signature: string, person = 'bob') =>
  inTransaction(runtime.db, (tx) =>
    applyAdjustment(tx, { id, person, signature }, { actor: 'cli:ann', show }, moment()),
  )

/** Proposes, has the second person sign, and posts. */
const adjust = async (typed: Typed): Promise<string> => {
  const { id } = await proposed(typed)
  await apply(id, await signatureOf(id))
  return id
}

/** What an account holds, positive on its normal side. */
const balance = async (merchantId: string, kind: AccountKind, asset = 'USDT'): Promise<bigint> => {
  const { rows } = await sql<{
    posted: bigint
  }>`select posted from ledger_accounts where merchant_id = ${merchantId} and asset = ${asset} and kind = ${kind}`.execute(
    runtime.db,
  )
  const posted = rows[0]?.posted ?? 0n
  return ruleOf(kind).normal === 'credit' ? posted : -posted
}

/** Money from outside: an account of an owner gets it, custody of the same owner holds it. */
const given = (merchantId: string, kind: AccountKind, units: bigint, asset = 'USDT') =>
  post(
    merchantId,
    [
      [kind, units],
      ['custody:TRON', -units],
    ],
    asset,
  )
const post = (merchantId: string, entries: readonly (readonly [AccountKind, bigint])[], asset = 'USDT') =>
  inTransaction(runtime.db, (tx) =>
    applyAll(tx, [
      {
        transfer: {
          id: newId(),
          merchantId,
          kind: 'post',
          cause: { kind: 'funding', id: newId() },
          at: new Date(),
          entries: entries.map(([kind, posted]) => ({ account: { merchantId, asset, kind }, posted, held: 0n })),
        },
      },
    ]),
  )

/** Each asset adds up, every clearing is level, and the continuous audit finds nothing. */
const booksHold = async (): Promise<void> => {
  expect(await auditLedger(runtime.db)).toEqual([])
  expect(await totalOf(runtime.db, 'USDT', 'clearing')).toBe(0n)
  await createAuditJob(runtime, 1).run(new AbortController().signal)
  expect((await listOpenFindings(runtime.db)).filter(({ detail }) => detail.includes('adjustment'))).toEqual([])
}

describe('an adjustment', () => {
  test('audit M-D1: moves money that a second person has signed for, once, and is shown with its signature', async () => {
    await given(PLATFORM, 'suspense', 100n)
    const { id } = await proposed({
      from: 'suspense',
      to: `merchant:${SHOP}`,
      units: 60n,
      reason: 'ticket 7: a deposit without a memo',
    })
    expect([await balance(PLATFORM, 'suspense'), await balance(SHOP, 'merchant')]).toEqual([100n, 0n])
    const signature = await signatureOf(id)
    await apply(id, signature)
    expect([await balance(PLATFORM, 'suspense'), await balance(SHOP, 'merchant')]).toEqual([40n, 60n])
    await expect(apply(id, signature)).rejects.toThrow(/was applied at/)
    const { applied, findings } = await auditAdjustments(runtime.db, null)
    expect(applied).toMatchObject([
      {
        id,
        reason: 'ticket 7: a deposit without a memo',
        proposedBy: 'cli:ann',
        signed: { person: 'bob', appliedBy: 'cli:ann' },
      },
    ])
    expect(findings).toEqual([])
    await booksHold()
  })

  test('audit M-D1: is posted for nobody but another, enrolled person, who signed exactly this', async () => {
    await given(PLATFORM, 'suspense', 100n)
    const { id } = await proposed({ from: 'suspense', to: 'capital', units: 10n })
    const other = await proposed({ from: 'suspense', to: 'capital', units: 11n })
    await expect(apply(id, await signatureOf(other.id))).rejects.toThrow(/not bob's of this adjustment/)
    await expect(apply(id, await signatureOf(id, ann))).rejects.toThrow(/not bob's/)
    await expect(apply(id, await signatureOf(id, ann), 'ann')).rejects.toThrow(/ann is not enrolled/)
    const own = await proposed({ from: 'suspense', to: 'capital', units: 12n, by: 'cli:bob' })
    await expect(apply(own.id, await signatureOf(own.id))).rejects.toThrow(
      /bob proposed this adjustment: another person signs it/,
    )
    for (const by of ['cli:service (sudo by bob)', 'cli:bob (sudo by ann)', 'cli:Bob']) {
      const disguised = await proposed({ from: 'suspense', to: 'capital', units: 13n, by })
      await expect(apply(disguised.id, await signatureOf(disguised.id)), by).rejects.toThrow(
        /bob proposed this adjustment/,
      )
    }
    const signature = await signatureOf(id)
    await inTransaction(runtime.db, (tx) => removePerson(tx, 'bob', 'cli:root', new Date()))
    await expect(apply(id, signature)).rejects.toThrow(/bob is not enrolled/)
    expect(await balance(PLATFORM, 'suspense')).toBe(100n)
  })

  test('is posted within seven days, and judged by the books of that moment', async () => {
    await given(PLATFORM, 'suspense', 100n)
    const first = await proposed({ from: 'suspense', to: 'capital', units: 70n })
    const second = await proposed({ from: 'suspense', to: 'capital', units: 70n })
    await apply(first.id, await signatureOf(first.id))
    await expect(signatureOf(second.id).then((signature) => apply(second.id, signature))).rejects.toThrow(
      /suspense has 30 USDT: less than 70/,
    )
    const late = await proposed({ from: 'suspense', to: 'capital', units: 1n })
    ahead = VALID_MS + 1
    await expect(signatureOf(late.id).then((signature) => apply(late.id, signature))).rejects.toThrow(
      /more than seven days ago/,
    )
  })

  test('audit M-D1: neither it nor its signature ever changes', async () => {
    await given(PLATFORM, 'suspense', 100n)
    await adjust({ from: 'suspense', to: 'capital', units: 10n })
    for (const statement of [
      'update adjustments set units = 1',
      'delete from adjustments',
      'delete from adjustment_signatures',
      "update adjustment_signatures set person = 'ann'",
    ]) {
      await expect(sql.raw(statement).execute(runtime.db)).rejects.toThrow(/append/i)
    }
  })

  test.each<[string, Partial<Typed>, RegExp]>([
    [
      'a pair that the table does not have',
      { from: 'capital', to: 'quarantine:' + SHOP },
      /no adjustment goes from capital to quarantine: from capital it goes to merchant, suspense, losses/,
    ],
    ['a merchant that is not there', { to: `merchant:${randomUUID()}` }, /there is no merchant/],
    ['more than there is', { units: 101n }, /suspense has 100 USDT: less than 101/],
    ['a reason of two lines', { reason: 'one\nasset: BTC' }, /one line/],
    [
      'money of quarantine without its deposit',
      { from: `quarantine:${SHOP}`, to: 'suspense' },
      /which rejected deposit/,
    ],
    ['custody without an address', { from: 'losses', to: 'custody:TRON' }, /--address/],
    [
      'custody of another network',
      { from: 'losses', to: 'custody:TRON', address: 'ETHEREUM/0xabc' },
      /on ETHEREUM, the account on TRON/,
    ],
    ['a debt that nobody has', { from: 'losses', to: `receivable:${SHOP}` }, /is 0 USDT: less than 50/],
  ])('is not taken down: %s', async (_name, change, message) => {
    await given(PLATFORM, 'suspense', 100n)
    await given(PLATFORM, 'capital', 100n)
    await expect(proposed({ from: 'suspense', to: 'capital', units: 50n, ...change })).rejects.toThrow(message)
    expect(await listAdjustments(runtime.db)).toEqual([])
  })

  test.each(['cash', 'capital:' + SHOP, 'merchant', 'custody:MARS', 'quarantine', 'receivable:x'])(
    'has no account "%s"',
    (text) => {
      expect(() => readAccount(text)).toThrow(/"/)
    },
  )
})

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
    await stopMoney(runtime.db, { asset: 'USDT', merchantId: SHOP, reason: 'receivable' })
    const stopped = async () =>
      (await sql`select 1 from freezes where merchant_id = ${SHOP} and lifted_at is null`.execute(runtime.db)).rows
        .length
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
      (await sql`select asset from freezes where merchant_id = ${SHOP} and lifted_at is null`.execute(runtime.db)).rows,
    ).toEqual([{ asset: 'UAH' }])
    await booksHold()
  })

  test('audit M-D1: a theft is booked as a loss of the address that the comparison found short, and of no other', async () => {
    await given(PLATFORM, 'capital', 100n)
    await sql`insert into custody_addresses(network, asset, address, booked, difference) values ('TRON', 'USDT', 'Thot', 100, -30), ('TRON', 'USDT', 'Tcold', 50, 0)`.execute(
      runtime.db,
    )
    await expect(adjust({ from: 'losses', to: 'custody:TRON', units: 30n, address: 'TRON/Tcold' })).rejects.toThrow(
      /did not find TRON\/Tcold short by 30 USDT/,
    )
    await adjust({ from: 'losses', to: 'custody:TRON', units: 30n, address: 'TRON/Thot' })
    const { rows } = await sql`select booked, difference from custody_addresses where address = 'Thot'`.execute(
      runtime.db,
    )
    expect(rows).toEqual([{ booked: 70n, difference: 0n }])
    expect([await balance(PLATFORM, 'losses'), await balance(PLATFORM, 'custody:TRON')]).toEqual([30n, 70n])
    await booksHold()
  })

  test('audit M-D1: what addresses hold unexplained leaves suspense with its address', async () => {
    await given(PLATFORM, 'suspense', 100n)
    await sql`insert into custody_addresses(network, asset, address, booked, suspended) values ('TRON', 'USDT', 'Tdeposit', 80, 80)`.execute(
      runtime.db,
    )
    await expect(proposed({ from: 'suspense', to: 'capital', units: 50n })).rejects.toThrow(
      /has 100 USDT, of which 80 belong to addresses \(say which: --address\)/,
    )
    await adjust({ from: 'suspense', to: `merchant:${SHOP}`, units: 50n, address: 'TRON/Tdeposit' })
    expect((await sql`select booked, suspended from custody_addresses`.execute(runtime.db)).rows).toEqual([
      { booked: 80n, suspended: 30n },
    ])
    await adjust({ from: 'suspense', to: 'capital', units: 20n })
    expect(await balance(PLATFORM, 'suspense')).toBe(30n)
    await booksHold()
  })

  test('audit M-D1: a rejected deposit leaves quarantine whole and once, to a merchant of the platform', async () => {
    const deposit = async (state: string, height: number): Promise<string> => {
      const id = newId()
      await sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, block_height, block_hash, keys, hold_until_verified, created_at, updated_at)
        values (${SHOP}, ${id}, 'TRON', 'USDT', ${id}, '0', 'T', ${newId()}, '{Tsender}', 25, 1, ${state}, 'Failed', ${height}, 'b', '{}', true, now(), now())`.execute(
        runtime.db,
      )
      return id
    }
    await given(SHOP, 'quarantine', 75n)
    await sql`insert into watch_cursors(network, height, hash, head_height, final_height, traces, updated_at) values ('TRON', 20, 'h', 20, 10, true, now())`.execute(
      runtime.db,
    )
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

describe('who may sign', () => {
  const vouch = async (person: typeof ann, by: typeof bob): Promise<string> =>
    signText(by.pem, enrolmentText(person, await databaseIdentity(runtime.db)))
  const enrolAs = (person: typeof ann, voucher: { id: string; signature: string } | null) =>
    inTransaction(runtime.db, (tx) => enrol(tx, person, { actor: 'cli:root', voucher }, moment()))

  test('audit M-D1: only the first person needs no voucher, also after it was removed', async () => {
    await expect(enrolAs(ann, null)).rejects.toThrow(/a person who is enrolled vouches for ann/)
    await expect(enrolAs(ann, { id: 'bob', signature: await vouch(ann, ann) })).rejects.toThrow(
      /not bob's of this enrolment/,
    )
    await expect(enrolAs(ann, { id: 'bob', signature: await vouch({ ...ann, login: 'root' }, bob) })).rejects.toThrow(
      /not bob's/,
    )
    await enrolAs(ann, { id: 'bob', signature: await vouch(ann, bob) })
    await given(PLATFORM, 'suspense', 10n)
    const { id } = await proposed({ from: 'suspense', to: 'capital', units: 10n, by: 'cli:bob' })
    await apply(id, await signatureOf(id, ann), 'ann')
    for (const name of ['ann', 'bob'])
      await inTransaction(runtime.db, (tx) => removePerson(tx, name, 'cli:root', new Date()))
    await expect(enrolAs({ ...makePersonKey(), id: 'eve', login: 'eve' }, null)).rejects.toThrow(/vouches for eve/)
    await expect(enrolAs({ ...ann, id: 'ann2' }, null)).rejects.toThrow(/ann was enrolled before/)
    for (const login of ['service (sudo by eve)', 'eve\nperson: ann', ''])
      await expect(enrolAs({ ...makePersonKey(), id: 'eve', login }, null)).rejects.toThrow(/the login is/)
  })

  /** Rows and postings of an adjustment, as anyone who has the password of operators can write them. */
  const forge = async (person: string, signature: (id: string) => Promise<string>): Promise<string> => {
    await given(PLATFORM, 'suspense', 4n)
    const { id } = await proposed({ from: 'suspense', to: `merchant:${SHOP}`, units: 4n })
    await sql`insert into adjustment_signatures(adjustment_id, person, signature, applied_by, applied_at) values (${id}, ${person}, ${await signature(id)}, 'cli:x', now())`.execute(
      runtime.db,
    )
    const part = { account: { merchantId: PLATFORM, asset: 'USDT', kind: 'suspense' as const }, units: 4n }
    await inTransaction(runtime.db, (tx) =>
      applyAll(tx, itemsOf(id, [part], { merchantId: SHOP, asset: 'USDT', kind: 'merchant' }, moment())),
    )
    return id
  }
  const audited = async () => {
    await createAuditJob(runtime, 1).run(new AbortController().signal)
    return listOpenFindings(runtime.db)
  }

  test("audit S-3: a credit by an adjustment whose signature is nobody's is found before it is paid out", async () => {
    await given(PLATFORM, 'suspense', 5n)
    await adjust({ from: 'suspense', to: `merchant:${SHOP}`, units: 5n })
    expect(await audited()).toEqual([])
    const id = await forge('bob', async () => 'ab'.repeat(64))
    expect(await audited()).toMatchObject([
      { finding: 'cause', detail: `it is credited by adjustment ${id}: the signature is not bob's of it` },
    ])
  })

  test.each([
    ['bob', 'ab'.repeat(64), "person eve: the signature is not bob's of this enrolment"],
    [null, null, 'person eve: no person vouches for eve, nor for another one'],
  ])(
    'audit S-3: so is one by a person that was written into the table as vouched for by %s',
    async (voucher, signature, why) => {
      const eve = { ...makePersonKey(), id: 'eve', login: 'eve' }
      await sql`insert into people(id, public_key, login, enrolled_by, enrolled_at, vouched_by, signature) values ('eve', ${eve.publicKey}, 'eve', 'cli:x', '2020-01-01', ${voucher}, ${signature})`.execute(
        runtime.db,
      )
      const id = await forge('eve', (one) => signatureOf(one, eve))
      expect(await audited()).toMatchObject([
        { finding: 'cause', detail: `it is credited by adjustment ${id}: ${why}` },
      ])
      expect((await auditAdjustments(runtime.db, null)).findings).toContain(why)
    },
  )

  test('a signature that was forged into the table, or a posting that says something else, is a finding', async () => {
    await given(PLATFORM, 'suspense', 10n)
    const { id } = await proposed({ from: 'suspense', to: 'capital', units: 4n })
    await sql`insert into adjustment_signatures(adjustment_id, person, signature, applied_by, applied_at) values (${id}, 'bob', ${'ab'.repeat(64)}, 'cli:x', now())`.execute(
      runtime.db,
    )
    expect((await auditAdjustments(runtime.db, null)).findings).toEqual([
      `adjustment ${id}: the signature is not bob's of it`,
      `adjustment ${id}: 0 units were posted, not 4`,
    ])
  })
})
