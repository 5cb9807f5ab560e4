/**
 * A list that names an address that was judged clean before: payments that have left raise an alert, the others stop.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { nothingSigned } from '../../../../test/setup/signer.ts'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { placeWithdrawal } from '../../../../test/world/withdrawal.ts'
import type { Screener, Screened } from '../../adapters/screening/port.ts'
import { createLocalLists } from '../../adapters/screening/local-lists.ts'
import { createAdmission, createScreeningJobs } from '../../app/composition/screening.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { auditLedger, balancesOf } from '../../ledger/postings/index.ts'
import { mayAsk } from '../../chain/transactions/stopping.ts'
import { grantCapital } from '../../treasury/reconciliation/index.ts'
import { findById, halt, type Withdrawal, carriesStopped } from '../../pay-out/withdrawals/index.ts'
import { nextWaiting } from '../../pay-out/withdrawals/store.ts'
import { tronCatalogue as catalogue } from '../../../../test/world/tron.ts'
import {
  ask,
  createScreenJob,
  decideAs,
  findingsOn,
  findScreening,
  importList,
  listOpen,
  lookUpListed,
  noteFindings,
  screenAgain,
} from './index.ts'

const { db } = useDb()
const DAY = 86_400_000
const RULES = {
  riskyFrom: 0.5,
  lateAfterMs: 60_000,
  whenUnanswered: 'hold' as const,
  deciders: 1,
  rescreenMs: 90 * DAY,
}
const FILE = { providers: [{ kind: 'local-lists' as const }], rules: RULES }
let now = Date.UTC(2026, 10, 21)
let merchantId: string
let versions = 0
const newId = () => uuidv7(now, randomBytes(10))
const moment = () => ({ at: new Date(now), newId })
const runtime = () => ({ ...createTestRuntime(db, () => now), newId })

beforeEach(async () => {
  await emptyTables(db)
  now = Date.UTC(2026, 10, 21)
  merchantId = randomUUID()
  await inTransaction(db, (tx) => grantCapital(tx, { merchantId, asset: 'TRX', units: 1_000n }, moment()))
  await load('Tother')
})
afterEach(async () => expect(await auditLedger(db)).toEqual([]))

/** Brings a list in force, as `bursar screening import` does. */
const load = (...addresses: string[]) => {
  versions += 1
  now += 1_000
  const entries = addresses.map((address) => ({ address, asset: 'TRX', name: '' }))
  return inTransaction(db, async (tx) => {
    await importList(tx, { source: 'OFAC SDN', sha256: String(versions), date: '2026-11-20', entries }, true, moment())
    return screenAgain(tx, 'OFAC SDN', { windowMs: RULES.rescreenMs, halt }, moment())
  })
}
const jobs = () =>
  createScreeningJobs(
    { runtime: runtime(), catalogue, publicUrl: 'https://pay.example', screening: FILE },
    { deposits: { verify: async () => noEffects }, adapters: new Map(), signer: nothingSigned, pause: async () => {} },
  )
const screen = async () => {
  for (const job of jobs())
    while (await job.run(new AbortController().signal)) {
      /* until it is idle */
    }
}
const deposit = async (from: string, othersOmitted = false): Promise<string> => {
  const id = newId()
  const subject = {
    network: 'ETHEREUM' as const,
    asset: 'ETH',
    direction: 'deposit' as const,
    transaction: 'aa',
    own: 'ours',
    others: othersOmitted ? [] : [from],
    ...(othersOmitted && { othersOmitted }),
  }
  await ask(
    db,
    [{ merchantId, kind: 'deposit', subjectId: id, subject }],
    () => randomBytes(16).toString('hex'),
    moment(),
  )
  return id
}
const admit = async (withdrawal: Withdrawal) => {
  const waiting = await nextWaiting(db, 'TRON', 'onChain', new Date(now), 10)
  return (await createAdmission({ runtime: runtime(), screening: FILE })(waiting)).some(
    ({ id }) => id === withdrawal.id,
  )
}
/** A withdrawal that was judged. */
const request = async (to: string): Promise<Withdrawal> => {
  const w = await placeWithdrawal(runtime(), {
    merchantId,
    ticker: 'TRX',
    blockchain: 'TRON',
    to,
    units: 100n,
    fee: 1n,
  })
  await admit(w)
  await screen()
  return w
}
const available = async () => {
  const [balance] = await balancesOf(db, 'merchant', [{ merchantId, asset: 'TRX' }])
  return balance!.posted - balance!.held
}
const notified = async () =>
  (
    await sql<{
      status: string
      body: string
    }>`select status, body from events where merchant_id = ${merchantId} order by sequence`.execute(db)
  ).rows
const alerts = async () =>
  (await sql<{ text: string }>`select text from alerts where resolved_at is null`.execute(db)).rows.map(
    ({ text }) => text,
  )

describe('money that was judged clean', () => {
  test('and whose sender is listed later raises an alert; the judgement and the merchant stay as they were', async () => {
    const [id, other] = [await deposit('0xABcd'), await deposit('0x01')]
    await screen()
    expect(await load('Tother', '0xabCD')).toEqual({ halted: 0, found: 1 })
    await screen()
    const screening = (await findScreening(db, 'deposit', merchantId, id))!
    expect(screening).toMatchObject({ state: 'clean', report: { risky: false } })
    expect([await findingsOn(db, screening.id), await notified(), (await alerts()).length]).toMatchObject([
      [{ address: '0xabcd', list: 'OFAC SDN', published: '2026-11-20', note: null }],
      [],
      1,
    ])
    expect((await listOpen(db, 10)).map(({ subjectId }) => subjectId)).toEqual([id])
    const note = () =>
      inTransaction(db, (tx) =>
        noteFindings(tx, screening.id, { actor: 'cli:ann', note: 'frozen and reported' }, moment()),
      )
    expect([await note(), await note(), await alerts(), await listOpen(db, 10)]).toEqual([true, false, [], []])
    expect((await findScreening(db, 'deposit', merchantId, other))!.state).toBe('clean')
  })

  test('before the period of rescreening is left alone; a sender of the previous list is not found again', async () => {
    await deposit('0xabcd')
    await deposit('Tother')
    await screen()
    now += RULES.rescreenMs + DAY
    expect(await load('Tother', '0xabcd')).toEqual({ halted: 0, found: 0 })
  })
})

describe('money whose senders are too many to be named', () => {
  const release = (id: string) =>
    inTransaction(db, async (tx) => {
      const opinion = { event: 'released' as const, actor: 'ann', reason: 'looked at the transaction' }
      return decideAs(tx, id, opinion, { deciders: 1, subscribers: [], riskyFrom: 0.5 }, moment())
    })

  test('is shown again by each list that adds addresses, and other money is not', async () => {
    const [id] = [await deposit('', true), await deposit('0x01')]
    await screen()
    const screening = (await findScreening(db, 'deposit', merchantId, id))!
    expect(screening).toMatchObject({
      state: 'risky',
      report: { flags: [expect.stringContaining('too many senders')] },
    })
    await release(screening.id)
    const note = () =>
      inTransaction(db, (tx) => noteFindings(tx, screening.id, { actor: 'ann', note: 'none of them' }, moment()))
    for (const more of ['0x02', '0x03']) {
      expect(await load('Tother', '0x02', more)).toEqual({ halted: 0, found: 1 })
      expect(await alerts()).toEqual([expect.stringContaining('too many senders to be compared')])
      expect([await note(), await alerts()]).toEqual([true, []])
    }
    expect(await load('Tother', '0x02', '0x03')).toEqual({ halted: 0, found: 0 })
    expect((await findingsOn(db, screening.id)).map(({ note: said }) => said)).toEqual(['none of them', 'none of them'])
  })
})

test('a sender that left a list, was noted and is listed again raises no alert that cannot be ended', async () => {
  const id = await deposit('0xabcd')
  await screen()
  await load('Tother', '0xabcd')
  const { id: screeningId } = (await findScreening(db, 'deposit', merchantId, id))!
  await inTransaction(db, (tx) => noteFindings(tx, screeningId, { actor: 'ann', note: 'reported' }, moment()))
  await load('Tother')
  await load('Tother', '0xabcd')
  expect(await alerts()).toEqual([])
})

describe('money whose screening has not ended', () => {
  test('while a list comes in force is judged by that list, regardless of the answer of the previous one', async () => {
    const id = await deposit('0xabcd')
    let imported = false
    const lists = createLocalLists(
      (addresses) => lookUpListed(db, addresses),
      () => now,
    )
    const job = createScreenJob({
      runtime: runtime(),
      screeners: [lists],
      rules: RULES,
      onJudged: [],
      mustBeKnown: async () => false,
      pause: async (name) => {
        if (name !== 'screening-asked' || imported) return
        imported = true
        await load('Tother', '0xabcd')
      },
    })
    while (await job.run(new AbortController().signal)) {
      /* until it is idle */
    }
    now += 60_000
    while (await job.run(new AbortController().signal)) {
      /* until it is idle */
    }
    expect((await findScreening(db, 'deposit', merchantId, id))!.state).toBe('risky')
  })

  test('because another provider is down is asked of the new list too', async () => {
    const id = await deposit('0xabcd')
    let answer: Screened | Error = new Error('down')
    const other: Screener = {
      name: 'other',
      screen: async () => {
        if (answer instanceof Error) throw answer
        return answer
      },
      recheck: async () => ({ kind: 'nothing' }),
    }
    const job = createScreenJob({
      runtime: runtime(),
      screeners: [
        createLocalLists(
          (addresses) => lookUpListed(db, addresses),
          () => now,
        ),
        other,
      ],
      rules: RULES,
      onJudged: [],
      mustBeKnown: async () => false,
      pause: async () => {},
    })
    await job.run(new AbortController().signal)
    expect((await findScreening(db, 'deposit', merchantId, id))!.answers['local-lists']).toBeDefined()
    await load('Tother', '0xabcd')
    answer = { kind: 'nothing' }
    await job.run(new AbortController().signal)
    expect((await findScreening(db, 'deposit', merchantId, id))!.state).toBe('risky')
  })
})

describe('a withdrawal that was judged clean', () => {
  test('and waits when its destination is listed is given back, and was never to be planned again', async () => {
    const before = await available()
    const [w, other] = [await request('TDest'), await request('TGood')]
    expect([await admit(w), await admit(other)]).toEqual([true, true])
    expect(await load('Tother', 'TDest')).toEqual({ halted: 1, found: 0 })
    expect([await admit(w), await admit(other)]).toEqual([false, true])
    expect(await findScreening(db, 'withdrawal', merchantId, w.id)).toMatchObject({ state: 'asked', report: null })
    await screen()
    expect(await findById(db, merchantId, w.id)).toMatchObject({ state: 'failed', failReason: 'AML_REJECTED' })
    expect(
      (await notified()).map(({ status, body }) => [status, (JSON.parse(body) as { failReason: string }).failReason]),
    ).toEqual([['Failed', 'AML_REJECTED']])
    expect([await available(), await alerts(), await listOpen(db, 10)]).toEqual([before - 101n, [], []])
  })

  test('and is planned is not signed; once it waits again it is given back', async () => {
    const before = await available()
    const w = await request('TDest')
    const outgoing = await plan(w)
    expect(await load('Tother', 'TDest')).toEqual({ halted: 1, found: 0 })
    expect(
      await inTransaction(db, (tx) => mayAsk(tx, outgoing, { attempt: 1 } as never, carriesStopped, new Date(now))),
    ).toBe(false)
    await screen()
    expect((await findById(db, merchantId, w.id))!.state).toBe('planned')
    await sql`update withdrawals set state = 'requested', outgoing_id = null where id = ${w.id}`.execute(db)
    await screen()
    expect([(await findById(db, merchantId, w.id))!.failReason, await available(), await alerts()]).toEqual([
      'AML_REJECTED',
      before,
      [],
    ])
  })

  test('and may be signed already goes on, and raises an alert', async () => {
    const w = await request('TDest')
    const outgoing = await plan(w)
    expect(
      await inTransaction(db, (tx) => mayAsk(tx, outgoing, { attempt: 1 } as never, carriesStopped, new Date(now))),
    ).toBe(true)
    expect(await load('Tother', 'TDest')).toEqual({ halted: 0, found: 1 })
    await screen()
    expect([(await findScreening(db, 'withdrawal', merchantId, w.id))!.state, (await alerts()).length]).toEqual([
      'clean',
      1,
    ])
  })

  test('and stopped goes on when the list is taken back before it was judged', async () => {
    const w = await request('TDest')
    await load('Tother', 'TDest')
    await load('Tother')
    await screen()
    expect([await admit(w), (await findById(db, merchantId, w.id))!.state]).toEqual([true, 'requested'])
  })
})

const plan = async (w: Withdrawal) => {
  const id = newId()
  // Raw: a planned transaction of a network that has no node here.
  await sql`insert into outgoing(id, network, purpose, senders, keys, state, attempt, next_step_at, created_at, updated_at)
    values (${id}, 'TRON', 'payout', '{THot}', '{}', 'planned', 1, ${new Date(now)}, ${new Date(now)}, ${new Date(now)})`.execute(
    db,
  )
  await sql`insert into outgoing_attempts(outgoing_id, attempt, network, unsigned, signing_keys, fee_rate, network_fee, created_at) values (${id}, 1, 'TRON', 'aa', '[]', '{}', 1, ${new Date(now)})`.execute(
    db,
  )
  await sql`update withdrawals set state = 'planned', outgoing_id = ${id} where id = ${w.id}`.execute(db)
  return { id, network: 'TRON', purpose: 'payout', epoch: 0 } as never
}
