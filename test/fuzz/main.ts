/**
 * `npm run fuzz -- [--seed N] [--seeds K] [--requests M] [--only NUMBER] [--record] [--verbose]`
 *
 * Sends M requests for each of the seeds N to N + K - 1 to an api of its own. A violation prints the command that
 * repeats it. `--record` counts each seed in docs/operating/reliability.md and begins behind those that are counted.
 */
import { parseArgs } from 'node:util'
import { endComponentsOnSignal } from '../../sandbox/process/child.ts'
import { startDatabases } from '../simulation/databases.ts'
import { nextSeed, record } from './record.ts'
import { fuzz, type FuzzResult } from './run.ts'

endComponentsOnSignal()
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    requests: { type: 'string', default: '10000' },
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

const report = (seed: number, { requests, accepted, counts, problems }: FuzzResult, seconds: number): void => {
  console.log(
    `seed ${seed}: ${requests} requests, ${accepted} accepted, ${problems.length} violations, ${seconds.toFixed(1)} s`,
  )
  if (values.verbose) for (const [group, count] of counts) console.log(`  ${group}: ${count}`)
  for (const { number, kind, about, faults } of problems) {
    console.log(`- ${kind}: ${faults.join('; ')}\n  ${about}`)
    if (number > 0) console.log(`  Send it again: npm run fuzz -- --seed ${seed} --only ${number}`)
  }
}

const run = async (): Promise<number> => {
  const first = values.seed === undefined ? (values.record ? nextSeed() : 1) : Number(values.seed)
  const databases = await startDatabases()
  try {
    for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
      const began = performance.now()
      const result = await databases.use((place) =>
        fuzz({
          seed: String(seed),
          requests: Number(values.requests),
          ...place,
          ...(values.only !== undefined && { only: Number(values.only) }),
          ...(values.verbose && { print: (line: string) => console.log(line) }),
        }),
      )
      report(seed, result, (performance.now() - began) / 1_000)
      if (result.problems.length > 0) return 1
      if (values.record) record({ seed, ...result }, new Date())
    }
    return 0
  } finally {
    await databases.stop()
  }
}

process.exitCode = await run()
