/** docs/operating/crashes.md: how often each cell was killed, and whether anything was lost or made twice. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '../../../docs/operating/crashes.md')
const ROW = /^\| `([^`]+)` \| (\d+) \| (\d+) \| ([\d-]+) \| (\w+) \|$/

export interface Row {
  /** the kind of order, the role, and the point at which it was killed */
  cell: string
  /** processes that were killed, all roles */
  kills: number
  /** ms from the start of a killed role to its answer, the longest */
  readyMs: number
  /** yyyy-mm-dd */
  day: string
  commit: string
}

export const readRows = (): Map<string, Row> => {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : ''
  return new Map(
    text.split('\n').flatMap((line) => {
      const match = ROW.exec(line)
      if (match === null) return []
      const [, cell, kills, readyMs, day, commit] = match as unknown as [string, string, string, string, string, string]
      return [[cell, { cell, kills: Number(kills), readyMs: Number(readyMs), day, commit }] as const]
    }),
  )
}

/** Adds rows to those of the page, and writes it again. */
export const addRows = (added: readonly Row[]): number => {
  const rows = readRows()
  for (const row of added) {
    const before = rows.get(row.cell)
    rows.set(row.cell, {
      ...row,
      kills: row.kills + (before?.kills ?? 0),
      readyMs: Math.max(row.readyMs, before?.readyMs ?? 0),
    })
  }
  const all = [...rows.values()].toSorted((a, b) => (a.cell < b.cell ? -1 : 1))
  const kills = all.reduce((sum, row) => sum + row.kills, 0)
  writeFileSync(
    FILE,
    `# Killed processes

Written by \`npm run crash\`. Each row is one cell: a kind of order, a role, and the point at which the role was killed
with kill -9 while the order was processed. \`any moment\` is a random time, under load. A round kills each cell once:
the cells of one role one after another, those of different roles concurrently, so that several roles are often down at
the same time. A role whose cells are done is killed at random times until the other roles are done. A round is counted
only if every order has ended and the comparison finds no difference: each order was executed once and notified once,
each receiver has the ordered amount, the balances equal the sums of the orders, and \`bursar reconcile --full\` finds no
difference on any chain. \`test/crash/matrix.ts\` lists all points, and the tests of \`.ci/run\` that kill at them.

A kill costs about 3.3 s of processor time, including the orders around it (73 kills of one run on 2026-11-27). At that
cost two idle processors make 35 kills a minute, and 5,000 take two and a half hours. This is computed, not measured.
Beside 40 other busy processes the run made 6 kills a minute.

| command | what it does |
|---|---|
| \`npm run crash -- --rounds 20\` | runs until the page counts 20 kills of each cell |
| \`npm run crash -- --minutes 30\` | runs for half an hour |
| \`npm run crash -- --only watcher\` | runs only cells whose name contains this text |

A run that finds a difference prints it, copies the logs to \`.bursar/crash-SEED\`, and does not count that round.

So far: ${kills.toLocaleString('en')} kills, 0 lost, 0 made twice. The goal is 5,000.

| cell | kills | longest start, ms | day | commit |
|---|---:|---:|---|---|
${all.map(({ cell, kills: count, readyMs, day, commit }) => `| \`${cell}\` | ${count} | ${readyMs} | ${day} | ${commit} |`).join('\n')}
`,
  )
  return kills
}
