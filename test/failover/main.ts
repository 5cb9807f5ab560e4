/**
 * `npm run failover -- [--quorum] [FAULT…]`: the database of three machines loses its primary in the ways of
 * `faults.ts`, or in those whose names contain one of the texts; with `--quorum` under quorum commit of Patroni.
 * Prints the counts of docs/operating/reliability.md.
 */
import { fastFolder } from '../setup/fast-folder.ts'

process.env['TMPDIR'] ??= fastFolder() ?? '/tmp'
// It looks at TMPDIR when it is loaded.
const { runFailovers } = await import('./run.ts')
const { FAULTS, QUORUM_FAULTS } = await import('./faults.ts')
const { whyNoMachines } = await import('./root.ts')

const missing = whyNoMachines()
if (missing !== undefined) {
  console.error(`This machine can't run the database machines: it ${missing}.`)
  process.exit(2)
}
const isQuorum = process.argv.includes('--quorum')
const wanted = process.argv.slice(2).filter((argument) => argument !== '--quorum')
const names = (isQuorum ? QUORUM_FAULTS : Object.keys(FAULTS)).filter(
  (name) => wanted.length === 0 || wanted.some((text) => name.includes(text)),
)
const result = await runFailovers(names, { log: console.log, isQuorum }).catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
console.log(JSON.stringify({ ...result, lost: result.lost.length, twice: result.twice.length }, null, 1))
process.exit([result.lost, result.twice, result.wrong, result.open].every(({ length }) => length === 0) ? 0 : 1)
