import { randomBytes } from 'node:crypto'
import { signalKeys, dangerSignalKeys, Compliance } from '@bursar/contract'
import { Value } from 'typebox/value'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { sql } from 'kysely'
import type { Screened, Screener, Subject } from '../../adapters/screening/port.ts'
import { noSignals } from '../../adapters/screening/signals.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  ask,
  conclude,
  createScreenJob,
  createWaitingAlarm,
  decide,
  findScreening,
  importList,
  listLists,
  listOpen,
  lookUpListed,
  type Screening,
  type ScreeningRules,
} from './index.ts'
import { complianceOf, judge } from './judging.ts'
import { retryAfter } from './jobs.ts'
import { ageInDays, watchAges } from './lists.ts'
import { spellingOf } from './spelling.ts'
import { useDb } from '../../../../test/world/database.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'

const { db } = useDb()
const START = Date.UTC(2026, 10, 21)
const MERCHANT = '0199a000-0000-7000-8000-0000000000a1'
const RULES: ScreeningRules = {
  riskyFrom: 0.5,
  lateAfterMs: 60_000,
  whenUnanswered: 'hold',
  deciders: 1,
  rescreenMs: 86_400_000,
}
let now = START
const newId = () => uuidv7(now, randomBytes(10))
const moment = (): Moment => ({ at: new Date(now), newId })
const newToken = () => randomBytes(16).toString('hex')
const subject: Subject = {
  network: 'TRON',
  asset: 'USDT',
  direction: 'deposit',
  transaction: 'aa',
  own: 'TOurs',
  others: ['TStranger'],
}
const report = (
  riskScore: number,
  more: Partial<ReturnType<typeof noSignals>> = {},
  flags: string[] = [],
): Screened => ({
  kind: 'report',
  report: { riskScore, signals: { ...noSignals(), ...more }, flags, madeAt: START - 5, raw: { stored: true } },
})

beforeAll(async () => {
  await makeMerchant(db, START, { id: MERCHANT })
})
beforeEach(async () => {
  now = START
  await sql`truncate screenings, alerts, screening_list_entries, screening_lists cascade`.execute(db)
})

const asked = async (): Promise<string> => {
  const subjectId = newId()
  await ask(db, [{ merchantId: MERCHANT, kind: 'deposit', subjectId, subject }], newToken, moment())
  return subjectId
}
const found = async (subjectId: string): Promise<Screening> =>
  (await findScreening(db, 'deposit', MERCHANT, subjectId))!

/** Answers in order; the last again and again. An Error is thrown. */
const scripted = (name: string, ...answers: (Screened | Error)[]): Screener & { calls: string[] } => {
  const calls: string[] = []
  const next = async (what: string): Promise<Screened> => {
    calls.push(what)
    const answer = answers[Math.min(calls.length, answers.length) - 1]!
    if (answer instanceof Error) throw answer
    return answer
  }
  return { name, calls, screen: () => next('screen'), recheck: (_subject, ref) => next(ref) }
}
const notified: { id: string; risky: boolean }[] = []
const runtime = () => ({ ...createTestRuntime(db, () => now), newId })
const jobOf = (...screeners: Screener[]) =>
  createScreenJob({
    runtime: runtime(),
    screeners,
    rules: RULES,
    mustBeKnown: async () => false,
    pause: async () => {},
    onJudged: [
      async (_tx, screening) => {
        notified.push({ id: screening.subjectId, risky: screening.report.risky })
        return { items: [], notices: [] }
      },
    ],
  })
const run = (job: ReturnType<typeof jobOf>) => job.run(new AbortController().signal)

describe('a screening', () => {
  test('is judged once all providers have answered, by the worst of them, notified once, and stored with their answers', async () => {
    notified.length = 0
    const id = await asked()
    const job = jobOf(
      scripted('a', report(0.2, { exchange: 90, mixer: 3 })),
      scripted('b', report(0.1, { mixer: 7 })),
      scripted('c', { kind: 'nothing' }),
    )
    await run(job)
    await run(job)
    expect(await found(id)).toMatchObject({
      state: 'clean',
      report: { riskScore: 0.2, risky: false, providers: ['a', 'b'], signals: { exchange: 90, mixer: 7 } },
      answers: { a: { report: { raw: { stored: true } } } },
    })
    expect(notified).toEqual([{ id, risky: false }])
  })

  test('that is pending is requested again by its reference, later and later; other providers are not asked again', async () => {
    const id = await asked()
    const [slow, quick] = [
      scripted('slow', { kind: 'pending', ref: 'r1' }, { kind: 'pending', ref: 'r2' }, report(0.9)),
      scripted('quick', report(0)),
    ]
    const job = jobOf(slow, quick)
    await run(job)
    await run(job)
    expect(slow.calls).toEqual(['screen'])
    now += retryAfter(1)
    await run(job)
    now += retryAfter(2) - 1
    await run(job)
    expect(slow.calls).toEqual(['screen', 'r1'])
    now += 1
    await run(job)
    expect([slow.calls, quick.calls]).toEqual([['screen', 'r1', 'r2'], ['screen']])
    expect(await found(id)).toMatchObject({ state: 'risky', report: { riskScore: 0.9, risky: true } })
  })

  test('without an answer is never clean: an alert is raised after a while, still asked, and judged when there is one', async () => {
    const id = await asked()
    const job = jobOf(scripted('down', new Error('no answer'), new Error('no answer'), report(0)))
    await run(job)
    expect(await found(id)).toMatchObject({ state: 'asked', problem: 'no answer', report: null })
    now += RULES.lateAfterMs
    await run(job)
    expect((await found(id)).state).toBe('unanswered')
    expect((await listOpen(db, 10)).map(({ subjectId }) => subjectId)).toEqual([id])
    const alerts = async () => {
      await createWaitingAlarm(runtime()).run(new AbortController().signal)
      return (
        await sql<{
          open: boolean
        }>`select resolved_at is null as open from alerts where kind like 'screening%'`.execute(db)
      ).rows
    }
    expect(await alerts()).toEqual([{ open: true }])
    now += retryAfter(2)
    await run(job)
    expect(await found(id)).toMatchObject({ state: 'clean', problem: null })
    expect(await alerts()).toEqual([{ open: false }])
  })

  test('of a worker that died is taken over after its lease, and judged once by two workers at a time', async () => {
    notified.length = 0
    const id = await asked()
    const dies = createScreenJob({
      runtime: runtime(),
      screeners: [scripted('a', report(0))],
      rules: RULES,
      onJudged: [],
      mustBeKnown: async () => false,
      pause: async (name) => {
        if (name === 'screening-asked') throw new Error('killed')
      },
    })
    await expect(run(dies)).rejects.toThrow('killed')
    await run(jobOf(scripted('a', report(0))))
    expect((await found(id)).state).toBe('asked')
    now += 3 * 60_000
    await Promise.all([1, 2, 3].map(() => run(jobOf(scripted('a', report(0))))))
    expect(notified).toEqual([{ id, risky: false }])
  })

  test('is asked once for a subject, and judged once', async () => {
    const id = await asked()
    await ask(db, [{ merchantId: MERCHANT, kind: 'deposit', subjectId: id, subject }], newToken, moment())
    const judged = (score: number) => ({ answers: {}, report: judge({ a: { ...report(score), at: now } }, RULES, now) })
    const first = await inTransaction(db, async (tx) => conclude(tx, await found(id), judged(0.1), [], moment()))
    const second = await inTransaction(db, async (tx) => conclude(tx, await found(id), judged(0.9), [], moment()))
    expect([first === undefined, second === undefined]).toEqual([false, true])
    expect((await found(id)).state).toBe('clean')
  })

  test('a risky one is decided by an operator, once, and no other one is', async () => {
    const id = await asked()
    const decideAs = (event: 'released' | 'rejected') =>
      inTransaction(db, async (tx) => (await decide(tx, await found(id), event, moment()))?.state)
    expect(await decideAs('released')).toBeUndefined()
    await run(jobOf(scripted('a', report(1, { sanctions: 100 }, ['on a list']))))
    expect([await decideAs('released'), await decideAs('rejected')]).toEqual(['released', undefined])
  })
})

describe('a judgement', () => {
  const of = (...all: Screened[]) =>
    judge(Object.fromEntries(all.map((one, i) => [`p${i}`, { ...one, at: START }])), RULES, START)
  test.each([
    ['below the limit', of(report(0.49)), false],
    ['at the limit', of(report(0.5)), true],
    ['a flag with a score of 0', of(report(0, {}, ['frozen'])), true],
    ['a trace of sanctions', of(report(0, { sanctions: 1 })), true],
    ['one of two', of(report(0), report(0.8)), true],
    ['nothing to ask about', of({ kind: 'nothing' }), false],
  ])('%s', (_what, { risky }, wanted) => expect(risky).toBe(wanted))

  test('has the shape of the wire: 47 signals, 19 of danger, an address of its own', () => {
    const body = complianceOf(
      { token: 'ab', report: of(report(0.2, { mixer: 7, exchange: 1 })) },
      'https://pay.example',
    )
    expect(Value.Errors(Compliance, body)).toEqual([])
    expect(Object.keys(body.signals).sort()).toEqual([...signalKeys].sort())
    expect(Object.keys(body.dangerSignals).sort()).toEqual([...dangerSignalKeys].sort())
    expect(body).toMatchObject({
      url: 'https://pay.example/compliance/ab.pdf',
      dangerSignals: { mixer: 7 },
      timestamp: START - 5,
      risky: false,
    })
  })
})

describe('lists', () => {
  const file = (addresses: string[], date = '2026-11-20') => ({
    source: 'OFAC SDN',
    sha256: `${date}${addresses.join('')}`,
    date,
    entries: addresses.map((address) => ({ address, asset: 'XBT', name: 'X' })),
  })
  const load = (given: ReturnType<typeof file>, force = false) =>
    inTransaction(db, (tx) => importList(tx, given, force, moment()))

  test('are compared in one spelling; Base58 as it is', async () => {
    expect(await lookUpListed(db, ['0xAA'])).toEqual({ complete: false, listed: [] })
    await load(file(['0xAbCd', 'TAbC']))
    const hits = async (...addresses: string[]) =>
      (await lookUpListed(db, addresses)).listed.map(({ address }) => address)
    expect([await hits('0xABCD', 'TAbC'), await hits('tabc', '0x01')]).toEqual([['0xabcd', 'TAbC'], []])
    expect(spellingOf('BC1QX')).toBe('bc1qx')
  })

  test('keep their versions; a delisted address is no longer found', async () => {
    expect([await load(file(['0x1', '0x2'])), await load(file(['0x1', '0x2']))]).toEqual(['imported', 'unchanged'])
    now += 1_000
    expect(await load(file(['0x1'], '2026-11-21'))).toBe('imported')
    expect((await lookUpListed(db, ['0x1', '0x2'])).listed.map(({ address }) => address)).toEqual(['0x1'])
    expect((await listLists(db)).map(({ published, current, entries }) => [published, current, entries])).toEqual([
      ['2026-11-21', true, 1],
      ['2026-11-20', false, 2],
    ])
  })

  test('that are older, or far shorter, come in force by force only', async () => {
    await load(file(['0x1', '0x2', '0x3']))
    await expect(load(file(['0x1', '0x2', '0x3'], '2026-11-01'))).rejects.toThrow('is of 2026-11-20')
    await expect(load(file(['0x1'], '2026-11-21'))).rejects.toThrow('has 3 addresses')
    expect(await load(file(['0x1'], '2026-11-21'), true)).toBe('imported')
  })

  test('that are over 7 days old have an alert, until a new one comes', async () => {
    await load(file(['0x1'], '2026-11-20'))
    const open = () =>
      sql`select 1 from alerts where kind = 'screening-list-old' and resolved_at is null`
        .execute(db)
        .then(({ rows }) => rows.length)
    now = Date.UTC(2026, 10, 27, 23)
    await watchAges(db, moment())
    expect([ageInDays({ published: '2026-11-20' }, new Date(now)), await open()]).toEqual([7, 0])
    now += 3_600_000
    await watchAges(db, moment())
    expect(await open()).toBe(1)
    await load(file(['0x1'], '2026-11-28'))
    await watchAges(db, moment())
    expect(await open()).toBe(0)
  })
})
