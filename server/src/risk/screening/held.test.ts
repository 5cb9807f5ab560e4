/**
 * Merchants that want money screened before it is theirs: what is held, let through, quarantined, decided and
 * reorganised.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { ReplenishDone, ReplenishFailed, ReplenishVerified } from '@bursar/contract'
import { Value } from 'typebox/value'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../test/setup/signer.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { keyDeps, makeMerchant } from '../../../../test/world/merchant.ts'
import { setSetting } from '../../merchants/accounts/index.ts'
import { createScreenCredited, createScreenHeld, createScreeningJobs } from '../../app/composition/screening.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { CreditedSubscriber, Deposits } from '../../pay-in/deposits/index.ts'
import {
  catalogue,
  createWorld,
  E18,
  pay,
  START,
  wipe,
  type Owned,
  type World,
} from '../../pay-in/deposits/test-world.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { holdsUntilVerified } from '../../merchants/accounts/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { importList, listOpen, listRejected, lockDeposits, opinionsOn, screenAgain, type Opinion } from './index.ts'
import { decideFirst, receiveFromMerchant } from './test-held.ts'

const database = useDatabase({ template: migrated })
const PUBLIC = 'https://pay.example'
const FILE = {
  providers: [{ kind: 'local-lists' as const }],
  rules: { riskyFrom: 0.5, lateAfterMs: 60_000, whenUnanswered: 'hold' as const, deciders: 1, rescreenMs: 86_400_000 },
}
const NET = (E18 * 99n) / 100n
let world: World
let owned: Owned
const targets: string[] = []
const onVerified: CreditedSubscriber = async (_tx, all) => {
  targets.push(...all.map(({ deposit }) => deposit.id))
  return noEffects
}

beforeAll(() => {
  world = createWorld(
    database.url,
    [(...all) => createScreenCredited(PUBLIC, () => world.deposits)(...all)],
    [],
    [onVerified],
    {
      holds: holdsUntilVerified,
      onHeld: [(...all) => createScreenHeld(PUBLIC, () => world.deposits)(...all)],
    },
  )
})
afterAll(() => world.close())
beforeEach(async () => {
  await wipe(world.db)
  await withoutTriggers(world.db, (tx) =>
    sql`truncate screenings, screening_decisions, screening_list_entries, screening_lists, merchants cascade`.execute(
      tx,
    ),
  )
  world.now = START
  targets.length = 0
  owned = await world.address('ETHEREUM')
  await makeMerchant(world.db, START, { id: owned.merchantId, settings: { holdUntilVerified: true } })
  await list('bad')
})
afterEach(async () => expect(await auditLedger(world.db)).toEqual([]))

const setHolding = (on: boolean) =>
  inTransaction(world.db, (tx) =>
    setSetting(tx, owned.merchantId, { name: 'holdUntilVerified', value: String(on) }, keyDeps, world.moment()),
  )
const list = (...addresses: string[]) => {
  const entries = addresses.map((address) => ({ address, asset: 'ETH', name: '' }))
  return inTransaction(world.db, (tx) =>
    importList(tx, { source: 'OFAC SDN', sha256: addresses.join(), date: '2026-01-01', entries }, true, world.moment()),
  )
}
const runtime = (): Runtime => ({
  db: world.db,
  newId: () => uuidv7(world.now, randomBytes(10)),
  clock: { now: () => world.now, business: () => world.now } as Runtime['clock'],
  log: { warn: () => {}, info: () => {} } as unknown as Runtime['log'],
})
const screen = async (
  deposits: Pick<Deposits, 'verify'> = world.deposits,
  pause: (point: string) => Promise<void> = async () => {},
): Promise<void> => {
  const [job, alarm] = createScreeningJobs(
    { runtime: runtime(), catalogue, publicUrl: PUBLIC, screening: FILE },
    { deposits, adapters: new Map(), signer: nothingSigned, pause },
  )
  while (await job!.run(new AbortController().signal)) {
    /* until it is idle */
  }
  await alarm!.run(new AbortController().signal)
}
const mine = async (from: string, hash = 'h1', height = 10): Promise<void> => {
  const transaction = pay(owned.address, E18, { hash })
  transaction.transfers[0] = { ...transaction.transfers[0]!, from: [from] }
  await world.mine('ETHEREUM', height, [transaction])
}
const settle = () => world.settle('ETHEREUM', 10_000, 10_000)
const arrive = async (from = 'payer'): Promise<string> => {
  await mine(from)
  await settle()
  return (await deposit()).id
}
const deposit = async () =>
  (
    await sql<{
      id: string
      state: string
      told: string
      failReason: string | null
    }>`select id, state, told, fail_reason as "failReason" from deposits`.execute(world.db)
  ).rows[0]!
const decide = (event: Opinion['event'], actor = 'cli:ann', deciders = 1) =>
  decideFirst(world, PUBLIC, { event, actor, deciders })
const receiveFrom = (sender: string) => receiveFromMerchant(world, sender, owned)
/** balance, quarantine, custody and fees */
const books = async () =>
  Promise.all(
    (['merchant', 'quarantine', 'custody:ETHEREUM', 'fees'] as const).map((kind) =>
      world.balance(owned.merchantId, 'ETH', kind),
    ),
  )
const HELD = [0n, E18, -E18, 0n]
const CREDITED = [NET, 0n, -E18, E18 - NET]
const NOTHING = [0n, 0n, 0n, 0n]

describe('a deposit of a merchant that has money held until it is verified', () => {
  test('is Pending and in quarantine until it is judged; then Done and Verified are notified together, and targets run', async () => {
    const id = await arrive()
    expect([await world.statuses(), await books(), (await deposit()).state]).toEqual([['Pending'], HELD, 'held'])
    await screen()
    await screen()
    expect([await world.statuses(), await books(), targets]).toEqual([['Pending', 'Done', 'Verified'], CREDITED, [id]])
    const [, done, verified] = (await world.notices()).map(({ body }) => body)
    expect([Value.Errors(ReplenishDone, done), Value.Errors(ReplenishVerified, verified)]).toEqual([[], []])
    expect([done, verified]).toMatchObject([
      { id, status: 'Done', block: 10 },
      { id, status: 'Verified', block: 10, compliance: { risky: false } },
    ])
    expect(done).not.toHaveProperty('compliance')
    const { rows } = await sql<{
      n: bigint
    }>`select count(distinct created_at) as n from events where status in ('Done', 'Verified')`.execute(world.db)
    expect(Number(rows[0]!.n)).toBe(1)
  })

  test('from a listed sender stays Pending, an alert says so, and nothing runs', async () => {
    await arrive('bad')
    await screen()
    world.now += 90 * 86_400_000
    await screen()
    await settle()
    expect([await world.statuses(), await books(), targets]).toEqual([['Pending'], HELD, []])
    expect((await listOpen(world.db, 10)).map(({ state }) => state)).toEqual(['risky'])
  })

  test('is credited when an operator releases it, once, and it is kept who did and why', async () => {
    const id = await arrive('bad')
    await screen()
    expect([await decide('released'), await decide('released'), await decide('rejected')]).toEqual([
      0,
      undefined,
      undefined,
    ])
    expect([await world.statuses(), await books(), targets]).toEqual([['Pending', 'Done', 'Verified'], CREDITED, [id]])
    expect((await world.notices()).at(-1)!.body).toMatchObject({ compliance: { risky: true } })
    const { rows } = await sql<{ id: string }>`select id from screenings`.execute(world.db)
    expect(await opinionsOn(world.db, rows[0]!.id)).toMatchObject([
      { event: 'released', actor: 'cli:ann', reason: 'looked at it' },
    ])
  })

  test('that is rejected is Failed, AML_REJECTED, and the money stays in quarantine', async () => {
    const id = await arrive('bad')
    await screen()
    expect([await decide('rejected'), await decide('released')]).toEqual([0, undefined])
    expect([await world.statuses(), await books(), targets]).toEqual([['Pending', 'Failed'], HELD, []])
    const { body } = (await world.notices()).at(-1)!
    expect([Value.Errors(ReplenishFailed, body), body]).toMatchObject([
      [],
      { id, status: 'Failed', failReason: 'AML_REJECTED' },
    ])
    expect((await listRejected(world.db, 10)).map(({ subjectId }) => subjectId)).toEqual([id])
  })

  test('takes as many people as the installation says', async () => {
    await arrive('bad')
    await screen()
    expect([
      await decide('released', 'cli:ann', 2),
      await decide('released', 'cli:ann', 2),
      await decide('rejected', 'cli:bob', 2),
    ]).toEqual([1, 1, 1])
    expect(await books()).toEqual(HELD)
    expect([await decide('rejected', 'cli:ann', 2), await books(), (await deposit()).state]).toEqual([
      0,
      HELD,
      'rejected',
    ])
  })

  test('that nobody can judge waits for hours, with one alert for all that wait; then all go', async () => {
    await sql`truncate screening_list_entries, screening_lists cascade`.execute(world.db)
    for (const n of [1, 2, 3]) await mine('payer', `h${n}`, 9 + n)
    await settle()
    for (let hour = 0; hour < 6; hour += 1) {
      await screen()
      world.now += 3_600_000
    }
    await screen()
    const alerts = async () =>
      (await sql<{ text: string }>`select text from alerts where resolved_at is null order by kind`.execute(world.db))
        .rows
    expect(await alerts()).toMatchObject([
      { text: expect.stringMatching(/3 deposits and 0 withdrawals, the oldest for 6\.0 h.*no list has been imported/) },
    ])
    expect((await books())[1]).toBe(3n * E18)
    const { rows } = await sql<{ attempts: number }>`select max(attempts) as attempts from screenings`.execute(world.db)
    expect(Number(rows[0]!.attempts)).toBeLessThan(10)
    await list('bad')
    world.now += 15 * 60_000
    await screen()
    expect([(await books())[0], (await books())[1], await alerts()]).toEqual([3n * NET, 0n, []])
  })

  test.each([
    ['clean', 'payer', CREDITED, ['Pending', 'Done', 'Verified']],
    ['risky', 'bad', HELD, ['Pending']],
  ] as const)(
    'that a reorganisation takes away while it is held leaves nothing behind; %s when it is back',
    async (_what, from, wanted, statuses) => {
      await arrive(from)
      await world.orphan('ETHEREUM', 10)
      expect([await books(), (await deposit()).state]).toEqual([NOTHING, 'orphaned'])
      await screen()
      expect([await books(), await world.statuses()]).toEqual([NOTHING, ['Pending']])
      await arrive(from)
      await screen()
      expect([await books(), await world.statuses()]).toEqual([wanted, statuses])
    },
  )

  test('that was rejected and comes back on another branch is rejected still, and not notified again', async () => {
    await arrive('bad')
    await screen()
    await decide('rejected')
    await world.orphan('ETHEREUM', 10)
    expect(await books()).toEqual(NOTHING)
    await setHolding(false)
    await arrive('bad')
    await screen()
    expect([await books(), await deposit(), await world.statuses()]).toMatchObject([
      HELD,
      { state: 'rejected', failReason: 'AML_REJECTED' },
      ['Pending', 'Failed'],
    ])
  })

  test('that was released and comes back on another branch is credited, and not notified again', async () => {
    await arrive('bad')
    await screen()
    await decide('released')
    await world.orphan('ETHEREUM', 10)
    expect(await books()).toEqual(NOTHING)
    await arrive('bad')
    expect([await books(), await world.statuses()]).toEqual([CREDITED, ['Pending', 'Done', 'Verified']])
  })

  test('that is released while a reorganisation has taken it away is credited when it is back', async () => {
    await arrive('bad')
    await screen()
    await world.orphan('ETHEREUM', 10)
    expect([await decide('released'), await books()]).toEqual([0, NOTHING])
    await arrive('bad')
    expect([await books(), await world.statuses()]).toEqual([CREDITED, ['Pending', 'Done', 'Verified']])
  })

  test('is held whatever its merchant sets afterwards', async () => {
    await arrive('bad')
    await setHolding(false)
    await world.orphan('ETHEREUM', 10)
    await arrive('bad')
    expect(await books()).toEqual(HELD)
  })

  test('that was Done before the merchant wanted it so is credited again after a reorganisation', async () => {
    await setHolding(false)
    await arrive()
    await setHolding(true)
    await world.orphan('ETHEREUM', 10)
    await arrive()
    expect([await books(), await world.statuses()]).toEqual([CREDITED, ['Pending', 'Done']])
  })

  test('on the balance already can not be rejected; to release it is a note', async () => {
    await setHolding(false)
    await arrive('bad')
    await screen()
    await expect(decide('rejected')).rejects.toThrow('on the balance already')
    expect([await decide('released'), await books(), targets]).toEqual([0, CREDITED, []])
  })

  test('below the minimum is Failed as ever', async () => {
    await world.mine('ETHEREUM', 10, [pay(owned.address, 1n)])
    await settle()
    expect((await deposit()).failReason).toBe('LESS_THEN_MIN_AMOUNT')
    expect(await world.balance(owned.merchantId, 'ETH', 'suspense')).toBe(1n)
  })

  test('that comes back in the moment it is judged is credited all the same', async () => {
    await arrive()
    await world.orphan('ETHEREUM', 10)
    let back: Promise<string> | undefined
    await screen({
      verify: async (tx, one, moment) => {
        const effects = await world.deposits.verify(tx, one, moment)
        back = arrive()
        await new Promise((resolve) => setTimeout(resolve, 500))
        return effects
      },
    })
    await back
    expect([await books(), await world.statuses()]).toEqual([CREDITED, ['Pending', 'Done', 'Verified']])
  })

  test('is not judged while it is being held: the judge sees it held, or is seen', async () => {
    const id = await arrive()
    const [locked, judged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = inTransaction(world.db, async (tx) => {
      await locked.promise
      await lockDeposits(tx, [{ merchantId: owned.merchantId, id }])
      judged.resolve()
      await new Promise((resolve) => setTimeout(resolve, 700))
      const { rows } = await sql<{ state: string }>`select state from screenings`.execute(world.db)
      return rows[0]!.state
    })
    await screen(world.deposits, async (point) => {
      if (point !== 'screening-asked') return
      locked.resolve()
      await judged.promise
    })
    expect([await holding, await books()]).toEqual(['asked', CREDITED])
  })

  test('from a merchant of ours is held like any other: nothing is known against it', async () => {
    await receiveFrom(randomUUID())
    const internal = () =>
      Promise.all(
        (['merchant', 'quarantine', 'clearing'] as const).map((kind) => world.balance(owned.merchantId, 'ETH', kind)),
      )
    expect([await world.statuses(), await internal()]).toEqual([['Pending'], [0n, E18, -E18]])
    await screen()
    expect([await world.statuses(), await internal()]).toEqual([
      ['Pending', 'Done', 'Verified'],
      [NET, 0n, -E18],
    ])
  })
})

describe('audit F-2: what no provider knows anything of is not clean', () => {
  const pooled = (from: string[]) => {
    const transaction = pay(owned.address, E18, { hash: 'h9' })
    transaction.transfers[0] = { ...transaction.transfers[0]!, from }
    return world.poolHas('ETHEREUM', [transaction])
  }
  const nothingKnown = () =>
    sql<{ state: string; problem: string }>`select state, problem from screenings`
      .execute(world.db)
      .then(({ rows }) => rows[0])

  test.each([
    ['none of its senders', []],
    ['some of its senders', ['payer']],
  ])('audit F-2: the senders are those of the block where the pool showed %s', async (_what, from) => {
    await pooled(from)
    await mine('bad', 'h9')
    await settle()
    await screen()
    expect([await books(), (await listOpen(world.db, 10)).map(({ state }) => state)]).toEqual([HELD, ['risky']])
    const { rows } = await sql<{ senders: string[] }>`select senders from deposits`.execute(world.db)
    expect(rows).toEqual([{ senders: ['bad'] }])
  })

  test('audit F-2: it stays held, an alert says so, and it is asked about again', async () => {
    await world.mine('ETHEREUM', 10, [
      { ...pay(owned.address, E18), transfers: pay(owned.address, E18).transfers.map((one) => ({ ...one, from: [] })) },
    ])
    await settle()
    await screen()
    expect([await books(), await world.statuses(), await nothingKnown()]).toMatchObject([
      HELD,
      ['Pending'],
      { state: 'unanswered', problem: expect.stringContaining('no provider knows') },
    ])
    const { rows } = await sql<{
      text: string
    }>`select text from alerts where kind = 'screening-waiting' and resolved_at is null`.execute(world.db)
    expect(rows).toMatchObject([
      { text: expect.stringMatching(/1 deposits and 0 withdrawals.*no provider knows anything of it/) },
    ])
    const attempts = async () =>
      Number((await sql<{ attempts: number }>`select attempts from screenings`.execute(world.db)).rows[0]!.attempts)
    const before = await attempts()
    world.now += 3_600_000
    await screen()
    expect([await attempts(), await books()]).toEqual([before + 1, HELD])
  })

  test.each([
    ['released', CREDITED, ['Pending', 'Done', 'Verified']],
    ['rejected', HELD, ['Pending', 'Failed']],
  ] as const)('people decide about it: %s', async (event, wanted, statuses) => {
    await pooled([])
    await world.mine('ETHEREUM', 10, [
      {
        ...pay(owned.address, E18, { hash: 'h9' }),
        transfers: pay(owned.address, E18).transfers.map((one) => ({ ...one, from: [] })),
      },
    ])
    await settle()
    await screen()
    expect([await decide(event), await books(), await world.statuses()]).toEqual([0, wanted, statuses])
    const { rows } = await sql<{
      report: { complete: boolean; risky: boolean }
    }>`select report from screenings`.execute(world.db)
    expect(rows).toMatchObject([{ report: { complete: false, risky: false } }])
  })

  test('audit F-2: of a merchant that does not hold money it is Verified, and the judgement says that it is not complete', async () => {
    await setHolding(false)
    await world.mine('ETHEREUM', 10, [
      { ...pay(owned.address, E18), transfers: pay(owned.address, E18).transfers.map((one) => ({ ...one, from: [] })) },
    ])
    await settle()
    await screen()
    const { rows } = await sql<{ report: { complete: boolean } }>`select report from screenings`.execute(world.db)
    expect([await world.statuses(), rows]).toMatchObject([
      ['Pending', 'Done', 'Verified'],
      [{ report: { complete: false } }],
    ])
    await expect(decide('released')).resolves.toBeUndefined()
  })
})

describe('audit F-2: money from another merchant inherits what is open about that merchant', () => {
  let sender: Owned
  let receiver: Owned
  beforeEach(async () => {
    receiver = owned
    sender = await world.address('ETHEREUM')
    owned = sender
    await makeMerchant(world.db, START, { id: sender.merchantId })
  })
  const send = async () => {
    world.now += 1_000
    owned = receiver
    await receiveFrom(sender.merchantId)
  }
  const quarantined = () => world.balance(receiver.merchantId, 'ETH', 'quarantine')

  test('audit F-2: it waits for the judgement of what the sender has received, and goes when that is clean', async () => {
    await sql`truncate screening_list_entries, screening_lists cascade`.execute(world.db)
    await arrive('payer')
    await send()
    await screen()
    expect(await quarantined()).toBe(E18)
    await list('bad')
    world.now += 3_600_000
    await screen()
    world.now += 3_600_000
    await screen()
    expect(await quarantined()).toBe(0n)
  })

  test('audit F-2: it stays held while the sender has money that was found risky, and names nobody to its receiver', async () => {
    await arrive('bad')
    await screen()
    await send()
    await screen()
    expect(await quarantined()).toBe(E18)
    const { rows } = await sql<{
      state: string
      report: { flags: string[] }
    }>`select state, report from screenings where merchant_id = ${receiver.merchantId}`.execute(world.db)
    expect(rows).toMatchObject([
      { state: 'risky', report: { flags: [expect.stringContaining('a merchant of this service')] } },
    ])
    expect(JSON.stringify(rows[0]!.report)).not.toContain(sender.merchantId)
  })

  test('what people have looked at, and what came after, is not inherited', async () => {
    await arrive('bad')
    await screen()
    await decide('released')
    await send()
    owned = sender
    world.now += 1_000
    await mine('bad', 'later', 11)
    owned = receiver
    await settle()
    await screen()
    expect(await quarantined()).toBe(0n)
  })

  test('audit F-2: it inherits a sender who was listed after being judged', async () => {
    await arrive('payer')
    await screen()
    await list('bad', 'payer')
    const settings = { windowMs: 86_400_000, halt: async () => new Set<string>() }
    await inTransaction(world.db, (tx) => screenAgain(tx, 'OFAC SDN', settings, world.moment()))
    await send()
    await screen()
    expect(await quarantined()).toBe(E18)
  })
})
