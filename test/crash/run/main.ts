/**
 * `npm run crash -- [--rounds N] [--minutes M] [--only TEXT] [--seed S] [--dry]`
 *
 * Kills real processes in one sandbox with real nodes, cell by cell (`cells.ts`), at low priority. After each batch
 * everything must come to its end and agree; only then its kills are added to docs/operating/crashes.md, so that a run
 * that is ended loses one batch at most, and the next one goes on with the cells that were killed least. `--dry` leaves
 * the page as it is.
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
    rounds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    only: { type: 'string', default: '' },
    seed: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
})

const root = join(import.meta.dirname, '../../..')
/** Cells between two comparisons, which take longer than a cell. */
const BATCH = 24
/** Below other work, and above nothing that has to happen. */
const NICE = 5
/** What the merchants can spend. */
const CREDITS = [
  ['BTC', '5'],
  ['USDT', '100000'],
] as const

setPriority(NICE)
process.env['TMPDIR'] ??= fastFolder() ?? '/tmp'
// Both look at TMPDIR when they are loaded.
const { startSandbox } = await import('../../system/sandbox.ts')
const { CELLS } = await import('./cells.ts')
const { check, startOf } = await import('./checking.ts')
const { createLoad } = await import('./load.ts')
const { addRows, readRows } = await import('./page.ts')

const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()
const day = new Date().toISOString().slice(0, 10)
const seed = values.seed ?? `${Date.now()}`
const random = createRandom(seed)
const until = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000
const chosen = CELLS.filter(({ name }) => name.includes(values.only))
/** Those that were killed least come first; equal ones in an order that the seed draws. */
const kills = new Map(chosen.map(({ name }) => [name, readRows().get(name)?.kills ?? 0]))
const queue = Array.from({ length: Number(values.rounds) }, () =>
  shuffled(chosen).toSorted((a, b) => kills.get(a.name)! - kills.get(b.name)!),
).flat()

function shuffled(cells: readonly Cell[]): Cell[] {
  const drawn = cells.map((cell) => ({ cell, at: random.next() }))
  return drawn.toSorted((a, b) => a.at - b.at).map(({ cell }) => cell)
}

const sandbox = await startSandbox({
  BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
  BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
  BURSAR_BLOCK_SECONDS_BSC: '0.5',
})
const stop = (): void => void sandbox.stop().finally(() => process.exit(130))
process.once('SIGINT', stop).once('SIGTERM', stop)
console.log(`${chosen.length} cells, seed ${seed}, logs in ${sandbox.dir}`)

const runBatch = async (cells: readonly Cell[]): Promise<string[]> => {
  const load = createLoad(sandbox)
  const start = await startOf(sandbox)
  const scene = { sandbox, load, draw: (below: number) => random.int(below) }
  const rows: Row[] = []
  for (const cell of cells) {
    if (performance.now() >= until) break
    const began = performance.now()
    const { kills, readyMs } = await cell.run(scene)
    await load.done()
    console.log(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${kills} kills  ${cell.name}`)
    rows.push({ cell: cell.name, kills, readyMs, day, commit })
  }
  const began = performance.now()
  const wrong = await check(sandbox, load, start)
  if (wrong.length > 0) return wrong
  const total = values.dry ? 0 : addRows(rows)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  const orders = load.withdrawals.length + load.deposits.length + load.exchanges.length
  console.log(
    `${seconds.padStart(6)} s  compared: ${orders} orders, nothing lost, nothing twice; ${total} kills in all`,
  )
  return []
}

const run = async (): Promise<number> => {
  for (const merchant of sandbox.merchants)
    for (const [ticker, amount] of CREDITS) await sandbox.credit(merchant, ticker, amount)
  for (let at = 0; at < queue.length && performance.now() < until; at += BATCH) {
    const wrong = await runBatch(queue.slice(at, at + BATCH))
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
  const kept = join(root, '.bursar', `crash-${seed}`)
  cpSync(join(sandbox.dir, 'logs'), kept, { recursive: true })
  console.error(`The logs are in ${kept}`)
}
await sandbox.stop()
process.exit()
