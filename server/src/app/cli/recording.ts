import { hostname, userInfo } from 'node:os'
import { createDb, createPool, sqlState } from '../../platform/db/index.ts'
import { appendAction, keepable, type Operator, type Outcome } from '../../platform/operators/index.ts'
import { loadConfig, newId, type Environment } from '../installation/open.ts'
import type { Command } from './command.ts'
import type { Output } from './output.ts'

/**
 * Commands that change nothing, and so are not recorded. `serve` is a process, `migrate` records itself once there is a
 * table to record in. Every other command is recorded: a new one is, until it is listed here.
 */
export const LOOKING: ReadonlySet<string> = new Set([
  'serve',
  'migrate',
  'database roles',
  'data-key',
  'withdrawal approval-text',
  'merchant list',
  'merchant held',
  'order signed-by',
  'audit findings',
  'archive list',
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
  'events attempts',
  'rates',
  'rewind plan',
  'position',
  'hedging',
  'freezes',
  'alerts',
  'reserves verify',
  'reserves proof',
  'screening list',
  'screening show',
  'screening lists',
  'signer log',
  'treasury',
  'tron status',
  // Made where there is no database, and no more than a text before `adjust apply` or `person enrol`.
  'adjust text',
  'adjust sign',
  'adjust list',
  'person key',
  'person text',
  'person list',
])

/** Who types, as the machine knows them. With sudo, also who they were before. */
export const operatorHere = (env: Environment): Operator => {
  const { username } = userInfo()
  const before = env.SUDO_USER ?? ''
  return {
    login: before === '' || before === username ? username : `${username} (sudo by ${before})`,
    host: hostname(),
  }
}

type Given = Parameters<Command['run']>[0]

/** Runs a command that changes something, with a row in the record before it begins and one after it ended. */
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
      arguments: keepable(given),
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
            keepable({ args: { message: error instanceof Error ? error.message : String(error) }, options: {} })
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

/** What can't be recorded is not done, unless the command itself will say what is wrong with the database. */
const beginRecord = async (note: () => Promise<void>): Promise<boolean> => {
  try {
    await note()
    return true
  } catch (error) {
    if (sqlState(error) === '42501')
      throw new Error(
        'this login of the database may not record what operators do: set DATABASE_URL to that of the operator, such as bursar_operator',
        { cause: error },
      )
    if (sqlState(error) === '42P01') return false
    throw error
  }
}

/** The same of a command that has run already. */
export const recordDone = async (name: string, env: Environment): Promise<void> => {
  const pool = createPool({ url: loadConfig(env, 'cli').databaseUrl, max: 1, applicationName: 'bursar cli record' })
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
