import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { inTransaction, type Db, type Tx } from '../db/index.ts'

/** The person who runs a command, and the machine. */
export interface Operator {
  login: string
  host: string
}

/** `found`: the command succeeded and found a problem. */
export type Outcome = 'begun' | 'done' | 'found' | 'failed'

/** One row: a command began or ended. Both rows of a command have the same id. */
export interface Action extends Operator {
  id: string
  /** real time */
  at: Date
  databaseUser: string
  command: string
  /** arguments and options as typed, without secrets */
  arguments: unknown
  outcome: Outcome
  message: string | null
}

interface Row extends Action {
  number: number
  hash: Buffer
}

const GENESIS = Buffer.alloc(32)
/** Key of the advisory lock that serialises rows. Any number, the same in every process. */
const LOCK = 7_262_635_020

const linkOf = (previous: Buffer, number: number, action: Action): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(
      JSON.stringify([
        number,
        action.id,
        action.at.getTime(),
        action.login,
        action.databaseUser,
        action.host,
        action.command,
        sorted(action.arguments),
        action.outcome,
        action.message,
      ]),
    )
    .digest()

/** Sorts keys, so that the same value always gives the same text. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

const COLUMNS = sql.raw(
  `number, id, at, login, database_user as "databaseUser", host, command, arguments, outcome, message, hash`,
)

/** Appends a row, with the hash of the last one. */
export const appendAction = (db: Db, action: Omit<Action, 'databaseUser'>): Promise<void> =>
  inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
    const {
      rows: [last],
    } = await sql<{
      number: number
      hash: Buffer
    }>`select number, hash from operator_actions order by number desc limit 1`.execute(tx)
    const {
      rows: [who],
    } = await sql<{ user: string }>`select session_user::text as user`.execute(tx)
    const [number, whole] = [(last?.number ?? 0) + 1, { ...action, databaseUser: who!.user }]
    await sql`insert into operator_actions(number, id, at, login, database_user, host, command, arguments, outcome, message, hash)
      values (${number}, ${whole.id}, ${whole.at}, ${whole.login}, ${whole.databaseUser}, ${whole.host}, ${whole.command}, ${JSON.stringify(whole.arguments)}, ${whole.outcome},
        ${whole.message}, ${linkOf(last?.hash ?? GENESIS, number, whole)})`.execute(tx)
  })

/** The newest rows, newest first. */
export const listActions = async (
  db: Db,
  { most, command }: { most: number; command: string | null },
): Promise<Action[]> => {
  const { rows } = await sql<Row>`select ${COLUMNS} from operator_actions
    where ${command}::text is null or command = ${command} or starts_with(command, ${command} || ' ') order by number desc limit ${most}`.execute(
    db,
  )
  return rows.map(({ number: _number, hash: _hash, ...action }) => action)
}

const PAGE = 1_000

/** The number of the first row that does not match the hash of the one before it; null when all match. */
export const findBrokenAction = async (db: Db): Promise<number | null> => {
  let previous: Pick<Row, 'number' | 'hash'> = { number: 0, hash: GENESIS }
  for (;;) {
    const { rows } =
      await sql<Row>`select ${COLUMNS} from operator_actions where number > ${previous.number} order by number limit ${PAGE}`.execute(
        db,
      )
    for (const row of rows) {
      if (row.number !== previous.number + 1 || !linkOf(previous.hash, row.number, row).equals(row.hash))
        return previous.number + 1
      previous = row
    }
    if (rows.length < PAGE) return null
  }
}

/** The number of rows, and the hash of the last one, which covers all. */
export const headOfActions = async (tx: Db | Tx): Promise<{ number: number; hash: string } | null> => {
  const { rows } = await sql<{
    number: number
    hash: Buffer
  }>`select number, hash from operator_actions order by number desc limit 1`.execute(tx)
  return rows[0] ? { number: rows[0].number, hash: rows[0].hash.toString('hex') } : null
}
