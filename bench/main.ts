/**
 * Runs every bench, each in a process of its own, prints one table and how long each took, and writes the figures to
 * bench/results/, bench/README.md and the README. `npm run bench`, or `npm run bench -- ledger edge` for some: the
 * figures of the others stay as they were, with their date. A quick look, of fewer than three rounds, is printed only.
 * A bench that ends without figures is a row that says so; the others are run all the same.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { tableOf } from './report.ts'
import { ROUNDS } from './rounds.ts'
import { reported, type Row } from './row.ts'
import { writeTables, type Measured } from './tables.ts'

const BENCHES = [
  'ledger',
  'withdrawals',
  'exchange',
  'edge',
  'watch',
  'webhooks',
  'memory',
  'sweeps',
  'tron-sweeps',
  'tron-payouts',
  'bitcoin-costs',
  'payouts',
  'checkout',
]

/** Rounds that a figure in the table is the median of, at least. */
const WORTH_KEEPING = 3

const runOne = async (name: string): Promise<Row[]> => {
  const child = fork(new URL(`${name}.ts`, import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  let rows: Row[] | undefined
  child.on('message', (message) => (rows = message as Row[]))
  await once(child, 'exit')
  return rows ?? [{ ...reported(`${name}: ended without figures`, 0, 'figures'), ok: false }]
}

const machine = (): string =>
  `${availableParallelism()} processors (${cpus()[0]!.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`

const at = (file: string): URL => new URL(file, import.meta.url)
const LATEST = 'results/latest.json'

const write = (measured: Readonly<Record<string, Measured>>): void => {
  mkdirSync(at('results/'), { recursive: true })
  const known = existsSync(at(LATEST)) ? (JSON.parse(readFileSync(at(LATEST), 'utf8')) as Record<string, Measured>) : {}
  const newest = { ...known, ...measured }
  const all = Object.fromEntries(BENCHES.filter((name) => newest[name]).map((name) => [name, newest[name]!]))
  writeFileSync(at(LATEST), `${JSON.stringify(all, null, 2)}\n`)
  writeTables(all)
}

const wanted = process.argv.slice(2)
if (wanted.length === 1 && wanted[0] === '--show') {
  write({})
  process.exit()
}
const strange = wanted.filter((name) => !BENCHES.includes(name))
if (strange.length > 0) throw new Error(`no such bench: ${strange.join(', ')}; there are ${BENCHES.join(', ')}`)

const measured: Record<string, Measured> = {}
const took: string[] = []
const secondsOf = (since: number): string => `${Math.round((performance.now() - since) / 1_000)} s`
const start = performance.now()
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  console.log(`\n${name}`)
  const since = performance.now()
  measured[name] = { date: new Date().toISOString().slice(0, 10), machine: machine(), rows: await runOne(name) }
  took.push(`${name} ${secondsOf(since)}`)
}
const rows = Object.values(measured).flatMap((one) => one.rows)
console.log(`\n${tableOf(rows)}\n\nTook ${secondsOf(start)}: ${took.join(', ')}.`)
if (ROUNDS >= WORTH_KEEPING) write(measured)
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
