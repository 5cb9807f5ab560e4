import { sql } from 'kysely'
import type { RateSource } from '../../adapters/rates/port.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { AgreementRules } from './agreement.ts'
import { choosePrices, type ChosenPrice, type RefusedPrice } from './choosing.ts'
import { rulesFor } from './markets.ts'
import { LONGEST_AGE_MS, listPrices } from './queries.ts'

export interface RatesDeps {
  runtime: Runtime
  sources: readonly RateSource[]
  tickers: readonly string[]
  /** rules of each ticker's market that differ from the defaults */
  rules: Readonly<Record<string, Partial<AgreementRules>>>
  everyMs: number
}

/** Asks every source and stores the accepted prices. Where none is accepted, the old price remains until it expires. */
export const createRatesJob = (deps: RatesDeps): Job => ({
  name: 'prices',
  everyMs: deps.everyMs,
  run: async () => {
    const { runtime, sources, tickers, rules } = deps
    const answers = await Promise.allSettled(sources.map((source) => source.quotes(tickers)))
    const given = answers.flatMap((answer, i) => {
      const { name: source, agreed = false } = sources[i]!
      if (answer.status === 'fulfilled') return answer.value.map((quote) => ({ source, agreed, quote }))
      runtime.log.warn({ err: answer.reason, source }, 'a price source returned no prices')
      return []
    })
    const now = runtime.clock.now()
    const before = new Map((await listPrices(runtime.db)).map((price) => [price.ticker, price]))
    const { chosen, refused } = choosePrices(given, {
      now,
      oldestMs: LONGEST_AGE_MS,
      silent: answers.filter(({ status }) => status === 'rejected').length,
      rulesOf: (ticker) => rulesFor(ticker, rules),
      lastOf: (ticker) => {
        const last = before.get(ticker)
        return last === undefined || now - last.observedAt.getTime() >= LONGEST_AGE_MS
          ? undefined
          : { usd: last.usd, at: last.observedAt.getTime() }
      },
    })
    await inTransaction(runtime.db, async (tx) => {
      for (const price of chosen) await store(tx, runtime, price)
      for (const one of refused) await alertRefused(tx, runtime, one)
    })
    return false
  },
})

const ALERTS = { jump: 'price-jump', disagreement: 'prices-disagree' } as const

const store = async (tx: Tx, runtime: Runtime, { ticker, usd, source, observedAt }: ChosenPrice): Promise<void> => {
  for (const kind of Object.values(ALERTS)) await resolveAlert(tx, kind, ticker, momentOf(runtime).at)
  await sql`insert into rates(ticker, usd_e18, source, observed_at) values (${ticker}, ${usd}, ${source}, ${observedAt})
    on conflict (ticker) do update set usd_e18 = excluded.usd_e18, source = excluded.source, observed_at = excluded.observed_at`.execute(
    tx,
  )
}

const alertRefused = async (tx: Tx, runtime: Runtime, { ticker, kind, reason }: RefusedPrice): Promise<void> => {
  const text = `The price of ${ticker} is not accepted: ${reason}. The old one is used until it is ${LONGEST_AGE_MS / 60_000} minutes old; then nothing is priced in ${ticker} until sources agree. See bursar rates`
  await raiseAlert(tx, { kind: ALERTS[kind], subject: ticker, text }, momentOf(runtime))
}
