/**
 * `npm run crash -- [--rounds N] [--minutes M] [--only TEXT] [--seed S] [--dry]`
 *
 * Kills real processes in one sandbox with real nodes, cell by cell (`cells.ts`), at low priority. A round kills at
 * each cell once, those of different roles at once (`lanes.ts`). After it everything must come to its end and agree;
 * only then its kills are added to docs/operating/crashes.md, so that a run that is ended loses one round at most.
 * `--rounds N` goes on until that page counts N kills of each cell, `--minutes M` for that time; without either there
 * is one round. `--dry` leaves the page as it is.
 */
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fastFolder } from '../../setup/fast-folder.ts'
import { createRandom } from '../../../sandbox/random.ts'
import type { Cell } from './cells.ts'
import type { Row } from './page.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    only: { type: 'string', default: '' },
    seed: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
})

const root = join(import.meta.dirname, '../../..')
/** Below other work, and above nothing that has to happen. */
const NICE = 5
/** The money that the merchants can spend. */
const CREDITS = [
  ['BTC', '5'],
  ['USDT', '100000'],
  ['USDC', '1000'],
] as const

setPriority(NICE)
process.env['TMPDIR'] ??= fastFolder() ?? '/tmp'
// Both look at TMPDIR when they are loaded.
const { startSandbox } = await import('../../system/sandbox.ts')
const { CELLS, isMoment } = await import('./cells.ts')
const { check, startOf } = await import('./checking.ts')
const { runLanes } = await import('./lanes.ts')
const { createLoad } = await import('./load.ts')
const { addRows, readRows } = await import('./page.ts')

const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()
const day = new Date().toISOString().slice(0, 10)
const seed = values.seed ?? `${Date.now()}`
const random = createRandom(seed)
const until = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000
const chosen = CELLS.filter(({ name }) => name.includes(values.only))
const isOver = (): boolean => performance.now() >= until

/** Kills of each cell so far, those of this run included. */
const kills = new Map([...readRows().values()].map((row) => [row.cell, row.kills]))

/** Cells of the next round: those that were killed least come first, equal ones in an order that the seed draws. */
const inOrder = (): Cell[] => {
  const wanted = Number(values.rounds ?? Infinity)
  const drawn = chosen.map((cell) => ({ cell, killed: kills.get(cell.name) ?? 0, at: random.next() }))
  return drawn
    .filter(({ killed }) => killed < wanted)
    .toSorted((a, b) => a.killed - b.killed || a.at - b.at)
    .map(({ cell }) => cell)
}

const sandbox = await startSandbox({
  BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
  BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
  BURSAR_BLOCK_SECONDS_BSC: '0.5',
})
const stop = (): void => void sandbox.stop().finally(() => process.exit(130))
process.once('SIGINT', stop).once('SIGTERM', stop)
console.log(`${chosen.length} cells, seed ${seed}, logs in ${sandbox.dir}`)

/** `seq` of a message that came before this round */
let known = 0

const seconds = (ms: number): string => (ms / 1_000).toFixed(1).padStart(6)

const runRound = async (cells: readonly Cell[]): Promise<string[]> => {
  const load = createLoad(sandbox)
  const scene = { sandbox, load, draw: (below: number) => random.int(below) }
  const start = await startOf(sandbox, known)
  known = start.after
  const rows: Row[] = []
  const began = performance.now()
  await runLanes(scene, cells, chosen.filter(isMoment), isOver, ({ cell, kills: killed, readyMs, ms }) => {
    console.log(`${seconds(ms)} s, start ${seconds(readyMs)} s, ${killed} kills  ${cell}`)
    rows.push({ cell, kills: killed, readyMs, day, commit })
  })
  const ended = performance.now()
  const wrong = await check(sandbox, load, start)
  if (wrong.length > 0) return wrong
  for (const row of rows) kills.set(row.cell, (kills.get(row.cell) ?? 0) + row.kills)
  if (!values.dry) addRows(rows)
  const sum = (all: Iterable<number>): number => [...all].reduce((total, one) => total + one, 0)
  const orders = load.withdrawals.length + load.deposits.length + load.exchanges.length
  console.log(
    `${sum(rows.map((row) => row.kills))} kills in ${seconds(ended - began)} s, compared in ` +
      `${seconds(performance.now() - ended)} s: ${orders} orders, nothing lost, nothing twice; ${sum(kills.values())} kills in all`,
  )
  return []
}

const run = async (): Promise<number> => {
  for (const merchant of sandbox.merchants)
    for (const [ticker, amount] of CREDITS) await sandbox.credit(merchant, ticker, amount)
  const isOnce = values.rounds === undefined && values.minutes === undefined
  for (let cells = inOrder(); cells.length > 0 && !isOver(); cells = isOnce ? [] : inOrder()) {
    const wrong = await runRound(cells)
    if (wrong.length === 0) continue
    for (const line of wrong) console.error(`- ${line}`)
    return 1
  }
  return 0
}

process.exitCode = await run().catch((error: unknown) => {
  console.error(error)
  return 1
})
if (process.exitCode !== 0) {
  const copy = join(root, '.bursar', `crash-${seed}`)
  cpSync(join(sandbox.dir, 'logs'), copy, { recursive: true })
  console.error(`The logs are in ${copy}`)
}
await sandbox.stop()
process.exit()
