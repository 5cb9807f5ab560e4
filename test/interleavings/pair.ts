/**
 * Runs two operations in many orders, each from the same rows, and judges the result of each order: every invariant
 * holds, and the outcome is that of one of the two serial orders.
 */
import type pg from 'pg'
import { createAddressHolders } from '../../server/src/pay-out/withdrawals/index.ts'
import { ApiRefusal } from '../../server/src/platform/api/route.ts'
import { createDb, createPool } from '../../server/src/platform/db/index.ts'
import { checkInvariants } from '../../server/src/treasury/invariants/index.ts'
import { stopMoney } from '../world/stops.ts'
import { explore, type Explored } from './exploring.ts'
import { openPrepared, type PreparedDb } from './prepared.ts'
import { differencesOf, outcomeOf, withNames, type Outcome } from './outcome.ts'
import { refused, type Operation, type Process } from './operations/operation.ts'
import { nameOf, type Pair } from './operations/index.ts'
import { makeScene, type Scene } from './scene.ts'
import { following, runSchedule, textOf, type Choose, type Ran, type Step } from './schedule.ts'
import { takeSnapshot, type Snapshot } from './snapshot.ts'
import { startSide, type Side } from './stepping.ts'

/** The fault of one schedule. */
export interface Failure {
  pair: string
  schedule: string
  steps: readonly Step[]
  results: readonly [unknown, unknown]
  problems: readonly string[]
}

export interface PairCounts extends Explored {
  /** times that an operation waited for a lock of the other */
  waits: number
  /** times that each waited for the other, and the server ended one */
  deadlocks: number
}

export interface OpenPair {
  /** Runs one order. @returns undefined when it is right */
  replay(schedule: string): Promise<{ ran: Ran; failure: Failure | undefined }>
  /** Runs up to `most` orders, and ends at the first that is wrong. */
  explore(limits: { most: number; seed: string }): Promise<{ counts: PairCounts; failure: Failure | undefined }>
}

/** A database with the means to step operations on it. */
export interface Bench {
  /** One pair is open at a time. */
  open(pair: Pair): OpenPair
  /** Runs one operation alone. @returns the rows that it has changed or removed, as `outcomeOf` shows them */
  changedBy(operation: Operation): Promise<ReadonlySet<string>>
  close(): Promise<void>
}

/** Longer than a schedule lasts on the slowest machine, ms: a lock that is never released fails with 55P03. */
const LOCK_WAIT_MS = 240_000
/** After it, rows that a job has claimed are due again. */
const LATER_MS = 15 * 60_000
/** Where the books and the records of addresses differ from the beginning: most of a scene's money is on no chain. */
const RECORDS = 'records-are-books'

/** @param url of a migrated, empty database without other users */
export const openBench = async (url: string): Promise<Bench> => {
  const prepared = await openPrepared(url)
  const scene = await makeScene(url)
  const free = await takeBeginning(prepared, scene, 'interleavings_free')
  await stopMoney(prepared.db, { merchantId: scene.merchantId })
  const stopped = await takeBeginning(prepared, scene, 'interleavings_stopped')
  const sides: [Side, Side] = [await startSide(url), await startSide(url)]
  const connections = sides.map(connectionsOf)
  return {
    open: (pair) => {
      const beginning = pair.some(({ isStopped }) => isStopped) ? stopped : free
      const processes = connections.map(({ db, settings, holders }): Process => {
        return { runtime: { ...scene.world.runtime, db }, settings, holders }
      })
      return openPair({ pair, scene, beginning, prepared, sides, processes: processes as [Process, Process] })
    },
    changedBy: async (operation) => {
      const { snapshot, names } = operation.isStopped ? stopped : free
      await snapshot.restore()
      await scene.reset()
      const before = await outcomeOf(prepared.db, names)
      operation.prepare?.(scene)
      const { db, settings, holders } = connections[0]!
      await operation.run({ runtime: { ...scene.world.runtime, db }, settings, holders }, scene)
      const after = await outcomeOf(prepared.db, names)
      // A line that is there before and not after it begins with a minus.
      return new Set(differencesOf(after, before).filter((line) => line.startsWith('-')))
    },
    close: async () => {
      for (const { close } of connections) await close()
      for (const side of sides) await side.close()
      await scene.close()
      await prepared.close()
    },
  }
}

/** Connections as a process of the program has them. They live as long as the bench: only the rows begin anew. */
const connectionsOf = (side: Side) => {
  const through = new URL(side.url)
  const limits = { lock_timeout: LOCK_WAIT_MS, idle_in_transaction_session_timeout: 0 }
  for (const [name, value] of Object.entries(limits)) through.searchParams.set(name, String(value))
  // No time limit may end a statement that waits for its turn.
  const settings = { url: through.href, statementMs: 0, lockWaitMs: LOCK_WAIT_MS, connectMs: 0 }
  const pool = createPool(settings)
  const holders = createAddressHolders(settings)
  const close = async (): Promise<void> => {
    await holders.close()
    await pool.end()
  }
  return { db: createDb(pool), settings, holders, close }
}

/** The rows with which orders begin. */
interface Beginning {
  snapshot: Snapshot
  /** of every id in them */
  names: ReadonlyMap<string, string>
  /** books less records, by address */
  differingRecords: ReadonlyMap<string, bigint>
}

/** @param name of the schema with the copied rows */
const takeBeginning = async (prepared: PreparedDb, scene: Scene, name: string): Promise<Beginning> => {
  const { db } = prepared
  const snapshot = await takeSnapshot(prepared, name)
  return { snapshot, names: await namesOf(db, scene), differingRecords: await differingRecords(db) }
}

interface PairParts {
  pair: Pair
  scene: Scene
  beginning: Beginning
  prepared: PreparedDb
  sides: readonly [Side, Side]
  processes: readonly [Process, Process]
}

const openPair = ({ pair, scene, beginning, prepared, sides, processes }: PairParts): OpenPair => {
  const { db, client } = prepared
  const { snapshot, names, differingRecords: recordsAtFirst } = beginning
  /** of the two serial orders */
  const serial: Judged[] = []

  const run = async (choose: Choose): Promise<Judged> => {
    await snapshot.restore()
    await scene.reset()
    for (const operation of pair) operation.prepare?.(scene)
    const works = pair.map((operation, at) => () => resultOf(operation, processes[at]!, scene))
    const ran = await runSchedule(client as unknown as pg.Client, sides, [works[0]!, works[1]!], choose)
    scene.world.time.now += LATER_MS
    const results = [...ran.results]
    for (const operation of pair) if (operation.isJob) results.push(await resultOf(operation, processes[0], scene))
    const outcome = {
      ...(await outcomeOf(db, names)),
      results: results.map((one, at) => `${at}: ${String(one)}`),
      left: scene.left.lines().map((line) => withNames(line, names)),
    }
    return { ran, outcome, problems: await violationsOf(db, recordsAtFirst) }
  }
  const judged = async (choose: Choose): Promise<{ ran: Ran; failure: Failure | undefined }> => {
    const { ran, outcome, problems } = await run(choose)
    // The first two are serial, and the others are compared with them. Nothing prevents the first operation.
    if (serial.length < 2) {
      const first = String(ran.results[serial.length])
      if (first.startsWith(THREW)) problems.push(`${pair[serial.length]!.name} fails even if it comes first: ${first}`)
      serial.push({ ran, outcome, problems })
    }
    const differences = serial.map((one) => differencesOf(outcome, one.outcome))
    if (differences.every(({ length }) => length > 0))
      for (const [at, lines] of differences.entries())
        problems.push(`neither serial order: with ${pair[at]!.name} first it would be`, ...lines)
    if (problems.length === 0) return { ran, failure: undefined }
    const failure = {
      pair: nameOf(pair),
      schedule: textOf(ran.points),
      steps: ran.steps,
      results: ran.results,
      problems,
    }
    return { ran, failure }
  }
  const serially = async (): Promise<Failure | undefined> => {
    for (const first of ['0', '1'].slice(serial.length)) {
      const { failure } = await judged(following(first))
      if (failure) return failure
    }
    return undefined
  }

  return {
    replay: async (schedule) => {
      const failure = await serially()
      const result = await judged(following(schedule))
      return failure ? { ...result, failure } : result
    },
    explore: async (limits) => {
      let failure: Failure | undefined
      const counts = { schedules: 0, waits: 0, deadlocks: 0 }
      const stop = new Error('one order is wrong')
      const explored = await explore(limits, async (choose) => {
        const result = await judged(choose)
        counts.schedules += 1
        counts.waits += result.ran.waits
        counts.deadlocks += result.ran.deadlocks
        failure = result.failure
        if (failure) throw stop
        return result.ran.points
      }).catch((error: unknown) => {
        if (error !== stop) throw error
        return { complete: false }
      })
      return { counts: { ...counts, complete: explored.complete }, failure }
    },
  }
}

interface Judged {
  ran: Ran
  outcome: Outcome
  problems: string[]
}

/** Begins the result of an operation that threw. */
const THREW = 'threw'

const resultOf = async (operation: Operation, process: Process, scene: Scene): Promise<string> => {
  try {
    const result = await operation.run(process, scene)
    return operation.isJob ? 'ran' : String(result)
  } catch (error) {
    if (error instanceof ApiRefusal) return refused(error.code, error.message)
    return `${THREW} ${textOfError(error)}`
  }
}

const textOfError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const within = error instanceof AggregateError ? error.errors.map(textOfError).join('; ') : ''
  return `${error.name}: ${error.message}${within}`.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
}

/** Every id that is in the rows before the operations begin. */
const namesOf = async (db: PreparedDb['db'], { merchantId, otherId }: Scene): Promise<ReadonlyMap<string, string>> => {
  const names = new Map([
    [merchantId, 'merchant'],
    [otherId, 'other'],
  ])
  const plain = await outcomeOf(db, { get: (id: string) => id } as unknown as Map<string, string>)
  for (const line of Object.values(plain).flat())
    for (const id of line.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? [])
      if (!names.has(id)) names.set(id, `id ${names.size}`)
  return names
}

const differingRecords = async (db: PreparedDb['db']): Promise<ReadonlyMap<string, bigint>> => {
  const found = await checkInvariants(db)
  return new Map(
    found.filter(({ invariant }) => invariant === RECORDS).map(({ subject, text }) => [subject, differenceIn(text)]),
  )
}

/** Books less records, of "the books have 7, the records of addresses 5". */
const differenceIn = (text: string): bigint => {
  const [books, records] = (text.match(/-?\d+/g) ?? []).map(BigInt) as [bigint, bigint]
  return books - records
}

const violationsOf = async (db: PreparedDb['db'], recordsAtFirst: ReadonlyMap<string, bigint>): Promise<string[]> =>
  (await checkInvariants(db))
    .filter(
      ({ invariant, subject, text }) => invariant !== RECORDS || recordsAtFirst.get(subject) !== differenceIn(text),
    )
    .map(({ invariant, subject, text }) => `${invariant}: ${subject}: ${text}`)
