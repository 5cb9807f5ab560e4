/** Runs Debian's pgbench on our database: the speed of PostgreSQL without our code. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

export interface Pace {
  perSecond: number
  /** ms a call */
  p99: number
}

export interface Pgbench {
  /** Sixteen clients, one posting a call. */
  oneCall(seconds: number): Promise<Pace>
  /** Two clients, 64 postings a call; `perSecond` counts postings. */
  batches(seconds: number): Promise<Pace>
  /** As many clients as the exchange bench has connections, the statements of one exchange a transaction. */
  exchanges(seconds: number): Promise<Pace>
  /** The same of an estimate. */
  estimates(seconds: number): Promise<Pace>
}

const BATCH = 64
/** The reason shown when there is no limit. */
export const NO_PGBENCH = "pgbench is not installed: it is in Debian's package postgresql"

const find = (): string | undefined => {
  const folders = [...(process.env.PATH ?? '').split(':'), ...debianFolders()]
  return folders.map((folder) => join(folder, 'pgbench')).find((file) => existsSync(file))
}

const debianFolders = (): string[] => {
  const root = '/usr/lib/postgresql'
  return existsSync(root)
    ? readdirSync(root)
        .sort()
        .toReversed()
        .map((version) => join(root, version, 'bin'))
    : []
}

/** Creates the functions that pgbench calls in the database. Returns undefined when pgbench is not installed. */
export const preparePgbench = async (url: string): Promise<Pgbench | undefined> => {
  const program = find()
  if (program === undefined) return undefined
  execFileSync(program, ['--version'])
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(readFileSync(new URL('functions.sql', import.meta.url), 'utf8'))
  await client.end()
  const runWith = (script: string, clients: number) => (seconds: number) =>
    measure(program, url, { script, clients, seconds })
  const one = runWith('one-call.pgbench', 16)
  const batches = runWith('batches.pgbench', 2)
  return {
    oneCall: one,
    exchanges: runWith('exchange.pgbench', 64),
    estimates: runWith('estimate.pgbench', 64),
    batches: async (seconds) => {
      const { perSecond, p99 } = await batches(seconds)
      return { perSecond: perSecond * BATCH, p99 }
    },
  }
}

const measure = async (
  program: string,
  url: string,
  { script, clients, seconds }: { script: string; clients: number; seconds: number },
): Promise<Pace> => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-pgbench-'))
  try {
    const { stdout } = await promisify(execFile)(program, [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${clients}`,
      '--jobs=2',
      `--time=${seconds}`,
      '--log',
      `--log-prefix=${join(folder, 'log')}`,
      `--file=${new URL(script, import.meta.url).pathname}`,
      url,
    ])
    const perSecond = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
    if (!/^number of failed transactions: 0 /m.test(stdout) || !(perSecond > 0))
      throw new Error(`pgbench failed:\n${stdout}`)
    return { perSecond, p99: p99Of(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The third column of pgbench's log is a transaction's time in µs. */
const p99Of = (folder: string): number => {
  const times = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[2])),
  )
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]! / 1_000
}
