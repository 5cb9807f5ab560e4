/**
 * `npm run interleave -- [--pair a,b] [--most N] [--seed S] [--record]`, `-- --pair a,b --schedule 0110`
 *
 * Runs every two operations that move money, statement by statement, in up to N orders. An order that is wrong is
 * printed with the command that repeats it; `--schedule` prints its statements. A run that was ended goes on where it
 * was: pairs that have ended are in `.bursar/interleavings`. `--record` adds the counts to
 * docs/operating/reliability.md.
 */
import { parseArgs } from 'node:util'
import { endComponentsOnSignal } from '../../sandbox/process/child.ts'
import { startDatabases, type Databases } from '../simulation/databases.ts'
import { oneLine, runCampaign, textOfFailure } from './campaign.ts'
import { nameOf, PAIRS, type Pair } from './operations/index.ts'
import { openBench, type Failure } from './pair.ts'
import { openProgress, record } from './record.ts'

endComponentsOnSignal()
const { values } = parseArgs({
  options: {
    pair: { type: 'string' },
    schedule: { type: 'string' },
    most: { type: 'string', default: '34' },
    seed: { type: 'string', default: '1' },
    databases: { type: 'string', default: '2' },
    record: { type: 'boolean', default: false },
  },
})

/** Those with this name, or with an operation of this name. */
const wanted = (): readonly Pair[] => {
  const { pair } = values
  if (pair === undefined) return PAIRS
  const found = PAIRS.filter((one) => nameOf(one) === pair)
  const some = found.length > 0 ? found : PAIRS.filter((one) => one.some(({ name }) => name === pair))
  if (some.length === 0) throw new Error(`there is no pair ${pair}`)
  return some
}

const replay = (databases: Databases, pair: Pair, schedule: string): Promise<Failure | undefined> =>
  databases.use(async ({ databaseUrl }) => {
    const bench = await openBench(databaseUrl)
    try {
      const { ran, failure } = await bench.open(pair).replay(schedule)
      for (const { turn, text } of ran.steps) console.log(`${turn} ${pair[turn].name}: ${oneLine(text)}`)
      for (const [at, result] of ran.results.entries()) console.log(`${pair[at]!.name}: ${String(result)}`)
      return failure
    } finally {
      await bench.close()
    }
  })

/** Calls `work` with so many databases. */
const useMany = async <T>(databases: Databases, count: number, work: (urls: string[]) => Promise<T>): Promise<T> => {
  const use = (urls: string[]): Promise<T> =>
    urls.length === count ? work(urls) : databases.use(({ databaseUrl }) => use([...urls, databaseUrl]))
  return use([])
}

const run = async (databases: Databases): Promise<boolean> => {
  if (values.schedule !== undefined) {
    const [pair, ...more] = wanted()
    if (more.length > 0) throw new Error('a schedule is of one pair: --pair a,b')
    const failure = await replay(databases, pair!, values.schedule)
    if (failure) console.log(textOfFailure(failure))
    return failure === undefined
  }
  const most = Number(values.most)
  const progress = openProgress(`${most}-${values.seed}`)
  const pairs = wanted().filter((pair) => !progress.has(nameOf(pair)))
  const campaign = await useMany(databases, Number(values.databases), (databaseUrls) =>
    runCampaign({
      databaseUrls,
      pairs,
      most,
      seed: values.seed,
      onPair: (pair, counts, failure) => {
        const { schedules, complete, waits, deadlocks } = counts
        const all = complete ? 'all ' : ''
        console.log(`${nameOf(pair)}: ${all}${schedules} schedules, ${waits} waits, ${deadlocks} deadlocks`)
        if (failure) console.log(textOfFailure(failure))
        else progress.add(nameOf(pair), counts)
      },
    }),
  )
  const failed = campaign.failures.length
  console.log(`${campaign.schedules} schedules of ${campaign.pairs} pairs, ${failed} wrong`)
  if (values.record && failed === 0) record(progress.take(), values.seed, new Date())
  return failed === 0
}

const databases = await startDatabases()
try {
  process.exitCode = (await run(databases)) ? 0 : 1
} finally {
  await databases.stop()
}
