/** One run: requests drawn by the seed in rounds, with the oracles of each round. */
import { sql } from 'kysely'
import { createDb, createPool, type Db } from '../../server/src/platform/db/index.ts'
import { checkInvariants } from '../../server/src/treasury/invariants/index.ts'
import { createRandom, type Random } from '../../sandbox/random.ts'
import { drawCase, type Case } from './cases/index.ts'
import type { Created } from './cases/case.ts'
import { openConnections, type Answer, type Connections } from './connection.ts'
import { createOpenFiles, type OpenFiles } from './files.ts'
import { openInstallation, type Installation } from './installation.ts'
import { makeWorld, type FuzzWorld } from './objects.ts'
import { refusalOf } from './oracles/answers.ts'
import { changedTables, snapshot, tablesOf, type Snapshot } from './oracles/effects.ts'
import { createObjects, type Objects } from './oracles/orders.ts'
import { createReplays, type Replays } from './replays.ts'

export interface FuzzOptions {
  seed: string
  /** how many requests are drawn */
  requests: number
  /** of an empty, migrated database */
  databaseUrl: string
  /** an empty folder of this run */
  dir: string
  /** this case alone, by its number */
  only?: number
  print?: (line: string) => void
}

export interface Problem {
  /** of the case; 0: of a whole round */
  number: number
  kind: string
  about: string
  faults: readonly string[]
}

export interface FuzzResult {
  /** sent, repetitions and replays included */
  requests: number
  /** answered with a status below 400 */
  accepted: number
  /** by group */
  counts: ReadonlyMap<string, number>
  problems: readonly Problem[]
}

const ROUND = 1_000
const AT_ONCE = 16
/** A case that waited longer is drawn again, so that its timestamp is new. */
const STALE_MS = 15_000
/** A slower answer proves nothing about the timestamp, because the machine was busy. */
const LATE_MS = 40_000
const MOST_PROBLEMS = 40

interface Drawn {
  number: number
  at: number
  case: Case & { group: string }
}

interface Run {
  options: Pick<FuzzOptions, 'print'>
  random: Random
  installation: Installation
  connections: Connections
  world: FuzzWorld
  db: Db
  tables: readonly string[]
  objects: Objects
  replays: Replays
  files: OpenFiles
  counts: Map<string, number>
  problems: Problem[]
  requests: number
  accepted: number
}

/** An installation under fuzz. */
export interface FuzzSession {
  readonly result: FuzzResult
  /** Sends the cases `from` to `to`, both included. */
  send(from: number, to: number): Promise<void>
  /** Checks the invariants. */
  finish(): Promise<void>
  close(): Promise<void>
}

export const openFuzz = async (options: Omit<FuzzOptions, 'requests' | 'only'>): Promise<FuzzSession> => {
  const installation = await openInstallation(options.databaseUrl, options.dir)
  const connections = openConnections(installation.port)
  const pool = createPool({ url: options.databaseUrl, applicationName: 'bursar fuzz oracle', max: 1 })
  const db = createDb(pool)
  const close = async (): Promise<void> => {
    connections.close()
    await installation.close()
    await pool.end()
  }
  try {
    const run: Run = {
      options,
      random: createRandom(options.seed),
      installation,
      connections,
      world: await makeWorld(installation, connections),
      db,
      tables: await tablesOf(db),
      objects: createObjects(db),
      replays: createReplays(),
      files: createOpenFiles(),
      counts: new Map(),
      problems: [],
      requests: 0,
      accepted: 0,
    }
    await run.objects.look()
    return {
      result: run,
      send: (from, to) => runRounds(run, from, to),
      finish: async () => void run.problems.push(...(await violations(db))),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** One seed from beginning to end. */
export const fuzz = async ({ requests, only, ...options }: FuzzOptions): Promise<FuzzResult> => {
  const session = await openFuzz(options)
  try {
    await session.send(only ?? 1, only ?? requests)
    await session.finish()
    return session.result
  } finally {
    await session.close()
  }
}

const runRounds = async (run: Run, from: number, to: number): Promise<void> => {
  for (let first = from; first <= to && run.problems.length < MOST_PROBLEMS; first += ROUND) {
    const last = Math.min(to, first + ROUND - 1)
    const drawn = Array.from({ length: last - first + 1 }, (_, at) => draw(run, first + at))
    await acceptingRound(
      run,
      drawn.filter((one) => one.case.effect === 'something'),
    )
    await refusedRound(
      run,
      drawn.filter((one) => one.case.effect === 'nothing'),
    )
    noteFailures(run)
    run.options.print?.(`${run.requests} requests, ${run.accepted} accepted, ${run.problems.length} problems`)
  }
}

const draw = (run: Run, number: number): Drawn => ({
  number,
  at: Date.now(),
  case: drawCase(run.world, run.random.of('case', number)),
})

const refreshed = (run: Run, drawn: Drawn): Drawn =>
  Date.now() - drawn.at > STALE_MS ? draw(run, drawn.number) : drawn

/** Calls `work` for each item, some at a time. */
const each = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const left = items[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const complain = (run: Run, { number, case: { kind, about } }: Drawn, faults: readonly string[]): void => {
  if (faults.length > 0) run.problems.push({ number, kind, about, faults })
}

/** Sends a case and judges its answers. */
const ask = async (run: Run, before: Drawn): Promise<{ drawn: Drawn; answers: Answer[] }> => {
  const drawn = refreshed(run, before)
  const flight = run.files.begin(drawn.case.parts)
  const answers = await run.connections.send(drawn.case).finally(flight.end)
  run.requests += 1
  run.counts.set(drawn.case.group, (run.counts.get(drawn.case.group) ?? 0) + 1)
  if (answers.some(({ status }) => status < 400)) run.accepted += 1
  const isLate = Date.now() - drawn.at > LATE_MS
  complain(run, drawn, isLate ? [] : (flight.faultsOf(answers) ?? drawn.case.judge(answers)))
  return { drawn, answers }
}

/** Requests that may be accepted: the object exists once afterwards, and a repetition has the same answer. */
const acceptingRound = async (run: Run, all: readonly Drawn[]): Promise<void> => {
  const created: Created[] = []
  const silent: Drawn[] = []
  await each(all, async (one) => {
    const { drawn, answers } = await ask(run, one)
    const named = drawn.case.created?.(answers) ?? []
    created.push(...named)
    if (named.length === 0) silent.push(drawn)
    if (drawn.case.isRepeated) await repeat(run, drawn, answers)
    run.replays.note(drawn.case, answers)
  })
  const differences = await run.objects.compare(created)
  if (differences.length === 0) return
  for (const one of await placedOf(run, silent))
    complain(run, one, ['an order was placed, and its answer does not name it'])
  for (const difference of differences)
    run.problems.push({ number: 0, kind: 'objects', about: numbersOf(all), faults: [difference] })
}

const repeat = async (run: Run, drawn: Drawn, first: readonly Answer[]): Promise<void> => {
  const again = await run.connections.send(drawn.case)
  run.requests += 1
  if (saidOf(again) !== saidOf(first) && Date.now() - drawn.at < LATE_MS)
    complain(run, drawn, [`the repetition said ${saidOf(again)}, the first ${saidOf(first)}`])
}

/** Statuses and bodies, without the parts that name the request. */
const saidOf = (answers: readonly Answer[]): string =>
  answers
    .map((answer) => {
      const refusal = refusalOf(answer)
      const said = refusal === undefined ? answer.body.toString() : JSON.stringify({ ...refusal, requestId: '' })
      return `${answer.status} ${said}`
    })
    .join(' ')

/** Requests that must be refused, or only read: no row is different afterwards. */
const refusedRound = async (run: Run, all: readonly Drawn[]): Promise<void> => {
  const replays = run.replays
    .due()
    .map((one) => ({ number: 0, at: Date.now(), case: { ...one, group: 'replayed later' } }))
  const before = await snapshot(run.db, run.tables)
  await each([...all, ...replays], async (one) => void (await ask(run, one)))
  const changed = changedTables(before, await snapshotAfter(run))
  if (changed.length === 0) return
  await findCulprits(run, all, changed)
  await run.objects.look()
}

/** After everything that the api still did has ended, as far as a request can find out. */
const snapshotAfter = async (run: Run): Promise<Snapshot> => {
  await run.connections.send({ parts: [Buffer.from('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')] })
  return snapshot(run.db, run.tables)
}

/** The localId that a case has for itself. */
const localIdOf = ({ case: { parts } }: Drawn): string | undefined =>
  /f-[0-9a-f]{16}/.exec(Buffer.concat([...parts]).toString('latin1'))?.[0]

/** The cases whose order was placed. */
const placedOf = async ({ db }: Run, all: readonly Drawn[]): Promise<Drawn[]> => {
  const { rows } = await sql<{ localId: string }>`select local_id as "localId" from local_ids
    where local_id = any(${all.flatMap((one) => localIdOf(one) ?? [])}::text[])`.execute(db)
  const placed = new Set(rows.map(({ localId }) => localId))
  return all.filter((one) => placed.has(localIdOf(one) ?? ''))
}

/**
 * Finds the cases that changed a table: by the localId of an order that was placed, because its repetition changes
 * nothing; otherwise by sending halves again until single cases remain.
 */
const findCulprits = async (run: Run, all: readonly Drawn[], changed: readonly string[]): Promise<void> => {
  const placed = await placedOf(run, all)
  for (const one of placed) complain(run, one, ['an order was placed'])
  if (placed.length > 0) return
  const found: string[] = []
  const search = async (some: readonly Drawn[]): Promise<void> => {
    if (some.length === 0 || found.length > 5) return
    const before = await snapshot(run.db, run.tables)
    await each(some, async (one) => void (await run.connections.send(refreshed(run, one).case)))
    const tables = changedTables(before, await snapshotAfter(run))
    if (tables.length === 0) return
    if (some.length === 1) {
      found.push(String(some[0]!.number))
      complain(run, some[0]!, [`changed ${tables.join(', ')}`])
      return
    }
    const half = some.length >> 1
    await search(some.slice(0, half))
    await search(some.slice(half))
  }
  await search(all)
  if (found.length === 0)
    run.problems.push({
      number: 0,
      kind: 'effects',
      about: numbersOf(all),
      faults: [`changed ${changed.join(', ')}, once`],
    })
}

const numbersOf = (all: readonly Drawn[]): string =>
  all.length === 0 ? 'no case' : `cases ${all[0]!.number} to ${all.at(-1)!.number}`

/** Failures that the api logged, and its end. */
const noteFailures = (run: Run): void => {
  const { failures, isRunning } = run.installation
  for (const line of failures.splice(0))
    run.problems.push({ number: 0, kind: 'logged as a failure', about: line.slice(0, 2_000), faults: [] })
  if (!isRunning()) throw new Error('the api has ended')
}

/** Money here is on no address: balances of addresses are not recorded (test/world/database.ts). */
const NOT_RECORDED = 'records-are-books'

const violations = async (db: Db): Promise<Problem[]> =>
  (await checkInvariants(db))
    .filter(({ invariant }) => invariant !== NOT_RECORDED)
    .map(({ invariant, text }) => ({ number: 0, kind: `invariant ${invariant}`, about: text, faults: [] }))
