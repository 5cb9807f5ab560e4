/** Runs pairs one after another on several databases at once. */
import { nameOf, type Pair } from './operations/index.ts'
import { openBench, type Failure, type PairCounts } from './pair.ts'

export interface CampaignOptions {
  /** migrated, empty databases without other users; each runs one pair at a time */
  databaseUrls: readonly string[]
  pairs: readonly Pair[]
  /** orders of each pair */
  most: number
  seed: string
  /** called when a pair has ended */
  onPair?(pair: Pair, counts: PairCounts, failure: Failure | undefined): void
}

export interface Campaign extends Omit<PairCounts, 'complete'> {
  pairs: number
  /** pairs of which every order was tried */
  completePairs: number
  failures: Failure[]
}

export const runCampaign = async (options: CampaignOptions): Promise<Campaign> => {
  const { databaseUrls, pairs, most, seed, onPair } = options
  const all: Campaign = { pairs: 0, completePairs: 0, schedules: 0, waits: 0, deadlocks: 0, failures: [] }
  const queue = [...pairs]
  const work = async (databaseUrl: string): Promise<void> => {
    const bench = await openBench(databaseUrl)
    try {
      for (let pair = queue.shift(); pair !== undefined; pair = queue.shift()) {
        const { counts, failure } = await bench.open(pair).explore({ most, seed: `${seed}/${nameOf(pair)}` })
        all.pairs += 1
        all.completePairs += Number(counts.complete)
        all.schedules += counts.schedules
        all.waits += counts.waits
        all.deadlocks += counts.deadlocks
        if (failure) all.failures.push(failure)
        onPair?.(pair, counts, failure)
      }
    } finally {
      await bench.close()
    }
  }
  await Promise.all(databaseUrls.map(work))
  return all
}

/** A failure as a person reads it. */
export const textOfFailure = ({ pair, schedule, steps, results, problems }: Failure): string =>
  [
    `${pair} ${schedule}`,
    ...steps.map(({ turn, text }) => `  ${turn} ${oneLine(text)}`),
    `  results: ${results.map(String).join(' | ')}`,
    ...problems.map((problem) => `  ${problem}`),
    `Run it again: npm run interleave -- --pair ${pair} --schedule ${schedule}`,
  ].join('\n')

/** A statement in the width of a terminal. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 150)
