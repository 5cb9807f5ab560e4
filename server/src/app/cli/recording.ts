import { hostname, userInfo } from 'node:os'
import { createDb, createPool, sqlState } from '../../platform/db/index.ts'
import { appendAction, redactArguments, type Operator, type Outcome } from '../../platform/operators/index.ts'
import { loadConfig, loadDatabaseConfig, newId, type Environment } from '../installation/open.ts'
import type { Command } from './command.ts'
import type { Output } from './output.ts'

/**
 * Commands that change nothing, and so are not recorded. `serve` is a process; `migrate` and `setup` record themselves
 * once the table exists; `setup signer` has no database. Every command that is not listed here is recorded.
 */
export const LOOKING: ReadonlySet<string> = new Set([
  'serve',
  'migrate',
  'setup',
  'setup signer',
  'database roles',
  'data-key',
  'withdrawal approval-text',
  'withdrawal waiting',
  'merchant list',
  'merchant held',
  'merchant status',
  'merchant keys',
  'merchant webhooks',
  'merchant members',
  'order signed-by',
  'audit findings',
  'archive list',
  'backup list',
  'backup verify',
  // A process, like `serve`.
  'backup wal',
  // It runs where there is no database yet.
  'restore',
  'actions',
  'payment show',
  'card-payouts',
  'claims list',
  'cold list',
  'cold show',
  'costs transaction',
  'costs',
  'doctor',
  'smoke',
  'events exhausted',
  'export verify',
  'events attempts',
  'rates',
  'rewind plan',
  'position',
  'hedging',
  'freezes',
  'alerts',
  'alerts test',
  'restored report',
  'restored held',
  'reserves verify',
  'reserves proof',
  'screening list',
  'screening show',
  'screening lists',
  'signer log',
  'treasury',
  'tron status',
  // They run where there is no database, and only prepare a text for `adjust apply` or `person enrol`.
  'adjust text',
  'adjust sign',
  'adjust list',
  'first-seed list',
  'first-seed text',
  'person key',
  'person text',
  'person list',
])

/** The user of a container has a number and no name: `uid 10001`. */
const loginName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid!()}`
  }
}

/** The operating system's login of the operator; with sudo, also the original login. */
export const operatorHere = (env: Environment): Operator => {
  const username = loginName()
  const before = env.SUDO_USER ?? ''
  return {
    login: before === '' || before === username ? username : `${username} (sudo by ${before})`,
    host: hostname(),
  }
}

type Given = Parameters<Command['run']>[0]

/** Runs a command that changes something. Its record is written before it begins, and completed when it has ended. */
export const runRecorded = async (command: Command, given: Given, env: Environment, out: Output): Promise<void> => {
  if (LOOKING.has(command.name)) return command.run(given, env, out)
  const { databaseUrl } = loadConfig(env, 'cli')
  const pool = createPool({ url: databaseUrl, max: 1, applicationName: 'bursar cli record' })
  const db = createDb(pool)
  const id = newId()
  const note = (outcome: Outcome, message: string | null): Promise<void> =>
    appendAction(db, {
      id,
      at: new Date(),
      ...operatorHere(env),
      command: command.name,
      arguments: redactArguments(given),
      outcome,
      message,
    })
  try {
    const isRecorded = await beginRecord(() => note('begun', null))
    try {
      await command.run(given, env, out)
    } catch (error) {
      if (isRecorded)
        await note(
          'failed',
          String(
            redactArguments({ args: { message: error instanceof Error ? error.message : String(error) }, options: {} })
              .message,
          ),
        )
      throw error
    }
    if (isRecorded) await note(Number(process.exitCode ?? 0) === 0 ? 'done' : 'found', null)
  } finally {
    await pool.end()
  }
}

/**
 * Records the start. A command that can't be recorded is not run, unless it will itself report the database's problem.
 */
const beginRecord = async (note: () => Promise<void>): Promise<boolean> => {
  try {
    await note()
    return true
  } catch (error) {
    if (sqlState(error) === '42501')
      throw new Error(
        "this database login may not record operators' commands: set DATABASE_URL to that of the operator, such as bursar_operator",
        { cause: error },
      )
    if (sqlState(error) === '42P01') return false
    throw error
  }
}

/** Records a command that has already run. */
export const recordDone = async (name: string, env: Environment): Promise<void> => {
  const pool = createPool({ url: loadDatabaseConfig(env).databaseUrl, max: 1, applicationName: 'bursar cli record' })
  try {
    await appendAction(createDb(pool), {
      id: newId(),
      at: new Date(),
      ...operatorHere(env),
      command: name,
      arguments: {},
      outcome: 'done',
      message: null,
    })
  } finally {
    await pool.end()
  }
}

/** The operating system's login of the operator, stored with each of the operator's decisions. */
export const actor = (): string => `cli:${operatorHere(process.env).login}`
