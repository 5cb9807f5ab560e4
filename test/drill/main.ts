/**
 * `npm run drill -- [--cuts N] [--seed S] [--record]`
 *
 * Loses and restores the database of an installation N times, with the seeds S to S + N - 1. `--record` counts the cuts
 * in docs/operating/reliability.md and begins where the count ends; nothing is counted when a cut finds a fault.
 */
import { parseArgs } from 'node:util'
import { debianPrograms } from './cluster.ts'
import { isGood, type CutResult } from './counting.ts'
import { runCut } from './drill.ts'
import { drillFolder } from './folder.ts'
import { nextSeed, record } from './record.ts'

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '1' },
    seed: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})
const programs = debianPrograms()
if (!programs) throw new Error('the drill needs PostgreSQL and its tools from Debian: apt install postgresql')
const first = Number(values.seed ?? (values.record ? nextSeed() : 1))
const results: CutResult[] = []
for (let seed = first; seed < first + Number(values.cuts); seed += 1) {
  const result = await runCut(programs, drillFolder(programs), seed)
  process.stdout.write(`${JSON.stringify(result)}\n`)
  results.push(result)
  if (!isGood(result)) process.exitCode = 1
}
if (values.record && results.every(isGood)) record(results, new Date())
