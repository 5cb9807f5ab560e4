import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ChainEnd, Chained, Position } from './log-chain.ts'
import { EMPTY_CHAIN, LogBroken } from './log-chain.ts'

const VERSION = 2
/**
 * The version before approvals. It is rebuilt, because the log may name approvers of signed payments, whom it lacks.
 */
const WITHOUT_APPROVALS = 1
/** Lines in one transaction during a catch-up. */
const LINES_TOGETHER = 5_000
const CACHE_KIB = 8_192

const TABLES = `
create table log (only integer primary key check (only = 1), masterFingerprint text not null, lines integer not null, head text not null) strict;
create table lines (seq integer primary key, segment integer not null, offset integer not null, length integer not null, previous text not null) strict;
create table requests (hash text primary key, intentSet text not null, seq integer not null) strict, without rowid;
create table transactions (id text primary key) strict, without rowid;
create table intents (id text primary key, contents text not null, common text not null, expiresAt integer) strict, without rowid;
create table closed (id text primary key) strict, without rowid;
create table intentLines (id text not null, seq integer not null, primary key (id, seq)) strict, without rowid;
create table nonces (key text primary key, intentSet text not null) strict, without rowid;
create table authorized (account text primary key, nonce text not null, delegate text not null, isContested integer not null) strict, without rowid;
create table authorizations (key text primary key) strict, without rowid;
create table fees (slot text primary key, at integer not null, fee text not null) strict, without rowid;
create index feesByTime on fees (at);
create table spendings (asset text not null, at integer not null, units text not null) strict;
create index spendingsByTime on spendings (asset, at);
`

const APPROVALS = `
create table approvals (id text primary key, intent text not null, contents text not null, approver text not null, key text not null, expiresAt integer not null, isUsed integer not null) strict, without rowid;
create index approvalsByIntent on approvals (intent);
create table approvedBy (intent text not null, approver text not null, primary key (intent, approver)) strict, without rowid;
create table usedApprovals (id text primary key) strict, without rowid;
create table counters (key text primary key, counter integer not null) strict, without rowid;
pragma user_version = ${VERSION};
`

/** Made in an index that lacks it: a log from before second seeds has no such line, so nothing is read again. */
const ROTATIONS = 'create table if not exists rotations (masterFingerprint text not null) strict'

type Value = string | number | null
type Row = Record<string, Value>

/**
 * An index of the log on disk (SQLite), so that the signer's memory does not grow with the log. It is derived from the
 * log line by line; the log is authoritative. A line is committed when it is in the log on the disk. A missing index is
 * rebuilt from all segments, as is one from before approvals, and one that is behind the log catches up. A crash of the
 * process loses nothing; a power cut loses the last lines at most (write-ahead log, synchronised at checkpoints).
 */
export class IndexFile {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  #end: ChainEnd
  /** Lines in the open transaction during a catch-up; otherwise undefined, and the caller commits */
  #together: number | undefined

  private constructor(database: DatabaseSync, end: ChainEnd) {
    this.#database = database
    this.#end = end
  }

  /**
   * Opens or creates the index of a seed's log. Throws LogBroken when it belongs to another seed or has another
   * version.
   */
  static open(path: string, masterFingerprint: string): IndexFile {
    closeSync(openSync(path, 'a', 0o600))
    const database = new DatabaseSync(path)
    try {
      const pragmas = [
        'locking_mode = exclusive',
        'journal_mode = wal',
        'synchronous = normal',
        `cache_size = -${CACHE_KIB}`,
      ]
      database.exec(pragmas.map((pragma) => `pragma ${pragma};`).join(''))
      return new IndexFile(database, endOf(database, path, masterFingerprint))
    } catch (error) {
      database.close()
      throw error
    }
  }

  get end(): ChainEnd {
    return this.#end
  }

  /** The end of the index of an older version in whose place this one is rebuilt; undefined once it is forgotten. */
  get former(): ChainEnd | undefined {
    const isThere = this.row("select 1 from sqlite_schema where name = 'former'") !== undefined
    return isThere ? (this.row('select lines, head from former') as unknown as ChainEnd) : undefined
  }

  /** Forgets the former end: the log holds that line. */
  forgetFormer(): void {
    this.#statements.clear()
    this.#database.exec('drop table if exists former')
  }

  /**
   * Adds a line of the log and everything that `take` writes. The lines since the last `commit` share a transaction; if
   * one fails, all of them are lost.
   */
  add({ seq, previous }: Chained, { segment, offset, length }: Position, head: string, take: () => void): void {
    if (!this.#database.isTransaction) this.#database.exec('begin immediate')
    try {
      this.run('insert into lines values (?, ?, ?, ?, ?)', seq, segment, offset, length, previous)
      take()
      this.run('update log set lines = ?, head = ?', seq + 1, head)
      this.#countLine()
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
    this.#end = { lines: seq + 1, head }
  }

  /** Makes the lines that were added part of the file: they are in the log on the disk. */
  commit(): void {
    if (this.#database.isTransaction) this.#database.exec('commit')
  }

  /** Runs a function that adds many lines that are on the disk; thousands share a transaction. */
  async catchUp<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#together = 0
    this.#database.exec('begin immediate')
    const result = await run()
    this.#database.exec('commit')
    this.#together = undefined
    return result
  }

  row(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined
  }

  rows(sql: string, ...values: Value[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...values) as Iterable<Row>
  }

  run(sql: string, ...values: Value[]): void {
    this.#prepare(sql).run(...values)
  }

  close(): void {
    this.#database.close()
  }

  #countLine(): void {
    if (this.#together === undefined) return
    this.#together++
    if (this.#together % LINES_TOGETHER === 0) this.#database.exec('commit; begin immediate')
  }

  /** @param sql a constant: the prepared statement of each text is cached */
  #prepare(sql: string): ReturnType<DatabaseSync['prepare']> {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)))
    return statement
  }
}

/** Reads the end of the index. A new index is made, and one from before approvals is emptied. */
function endOf(database: DatabaseSync, path: string, masterFingerprint: string): ChainEnd {
  const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number }
  if (version === 0) {
    makeTables(database, masterFingerprint)
    return EMPTY_CHAIN
  }
  if (version !== WITHOUT_APPROVALS && version !== VERSION)
    throw new LogBroken(`${path} is an index of another version. When the log is whole, delete it: it is made anew`)
  const { owner, lines, head } = database.prepare('select masterFingerprint as owner, lines, head from log').get()!
  if (owner !== masterFingerprint)
    throw new LogBroken(`This log belongs to the seed ${owner}, not ${masterFingerprint}`)
  const end = { lines: lines as number, head: head as string }
  if (version === VERSION) {
    database.exec(ROTATIONS)
    return end
  }
  makeTables(database, masterFingerprint, end)
  return EMPTY_CHAIN
}

/** @param former the end of the index whose tables are replaced; absent when there is none */
function makeTables(database: DatabaseSync, masterFingerprint: string, former?: ChainEnd): void {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[]
  const dropped = tables.map(({ name }) => `drop table "${name}";`).join(' ')
  database.exec(`begin immediate; ${dropped} ${TABLES} ${APPROVALS} ${ROTATIONS};`)
  database.prepare('insert into log values (1, ?, ?, ?)').run(masterFingerprint, EMPTY_CHAIN.lines, EMPTY_CHAIN.head)
  if (former) {
    database.exec('create table former (lines integer not null, head text not null) strict')
    database.prepare('insert into former values (?, ?)').run(former.lines, former.head)
  }
  database.exec('commit')
}
