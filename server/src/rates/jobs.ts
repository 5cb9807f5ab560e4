import { sql } from 'kysely'
import type { RateSource } from '../adapters/rates/port.ts'
import { inTransaction } from '../db/index.ts'
import type { Job } from '../jobs/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import { choosePrices, isJump, type ChosenPrice } from './choosing.ts'
import { LONGEST_AGE_MS, listPrices } from './queries.ts'

/** A price that moves by more than this factor between two readings is not believed until the old one is stale. */
const JUMP_FACTOR = 3n

/** Asks every source and stores the prices that can be believed. What fails or jumps is left out; the old price ages. */
export const createRatesJob = (deps: {
  runtime: Runtime
  sources: readonly RateSource[]
  tickers: readonly string[]
  everyMs: number
}): Job => ({
  name: 'prices',
  everyMs: deps.everyMs,
  run: async () => {
    const { runtime, sources, tickers } = deps
    const answers = await Promise.allSettled(sources.map((source) => source.quotes(tickers)))
    const quotes = answers.flatMap((answer, i) => {
      if (answer.status === 'fulfilled') return answer.value.map((quote) => ({ source: sources[i]!.name, quote }))
      runtime.log.warn({ err: answer.reason, source: sources[i]!.name }, 'a price source gave nothing')
      return []
    })
    await store(runtime, choosePrices(quotes, runtime.clock.now(), LONGEST_AGE_MS))
    return false
  },
})

const store = async (runtime: Runtime, chosen: readonly ChosenPrice[]): Promise<void> => {
  const before = new Map((await listPrices(runtime.db)).map((price) => [price.ticker, price]))
  const now = runtime.clock.now()
  await inTransaction(runtime.db, async (tx) => {
    for (const price of chosen) {
      const last = before.get(price.ticker)
      const lastIsFresh = last !== undefined && now - last.observedAt.getTime() < LONGEST_AGE_MS
      if (lastIsFresh && isJump(last.usd, price.usd, JUMP_FACTOR)) {
        const text = `The price of ${price.ticker} jumped more than ${JUMP_FACTOR} times; the old one is kept until it is stale`
        await raiseAlert(tx, { kind: 'price-jump', subject: price.ticker, text }, momentOf(runtime))
        continue
      }
      await resolveAlert(tx, 'price-jump', price.ticker, momentOf(runtime).at)
      await sql`insert into rates(ticker, usd_e18, source, observed_at)
        values (${price.ticker}, ${price.usd}, ${price.source}, ${price.observedAt})
        on conflict (ticker) do update set usd_e18 = excluded.usd_e18, source = excluded.source, observed_at = excluded.observed_at`.execute(tx)
    }
  })
}
