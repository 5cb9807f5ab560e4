import type { Book, BookSource, OfficialSource } from '../../adapters/rates/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { agree, officialPrice, type Agreement, type AgreementRules, type LastMiddle } from './agreement.ts'
import { listUsdtMarkets, listOfficialRates, storeUsdtMarket, storeOfficialRates } from './usdt-market-store.ts'
import { marketOf, rulesFor } from './markets.ts'

/** An older official rate is not used. The limit allows for a weekend and a holiday. */
const OFFICIAL_OLDEST_MS = 5 * 24 * 3_600_000

export interface BooksDeps {
  runtime: Runtime
  sources: readonly BookSource[]
  /** assets whose market against USDT is read */
  tickers: readonly string[]
  rules: Readonly<Record<string, Partial<AgreementRules>>>
  everyMs: number
}

/**
 * Reads the order books of every market from all sources that serve it. Stores the books that agree, or the reason why
 * the market is closed.
 */
export const createBooksJob = (deps: BooksDeps): Job => ({
  name: 'order-books',
  everyMs: deps.everyMs,
  run: async () => {
    const { runtime, sources, tickers } = deps
    const read = await Promise.all(
      tickers.map(async (ticker) => ({ ticker, seen: await readMarket(runtime, sources, ticker) })),
    )
    const now = runtime.clock.now()
    const last = new Map((await listUsdtMarkets(runtime.db)).map((market) => [market.ticker, lastOf(market)]))
    const official = await listOfficialRates(runtime.db)
    await inTransaction(runtime.db, async (tx) => {
      for (const { ticker, seen } of read) {
        const rules = rulesFor(ticker, deps.rules)
        const agreement = agree(seen, {
          rules,
          now,
          last: last.get(ticker),
          official: officialPrice(official, ticker, now - OFFICIAL_OLDEST_MS),
        })
        await storeUsdtMarket(tx, { ticker, quorum: rules.quorum, agreement, at: new Date(now) })
        await updateAlert(tx, runtime, ticker, agreement)
      }
    })
    return false
  },
})

const readMarket = async (
  runtime: Runtime,
  sources: readonly BookSource[],
  ticker: string,
): Promise<{ source: string; book: Book }[]> => {
  const market = marketOf(ticker)
  const serving = sources.filter((source) => source.serves(market))
  const answers = await Promise.allSettled(serving.map((source) => source.book(market)))
  return answers.flatMap((answer, i) => {
    const source = serving[i]!.name
    if (answer.status === 'fulfilled') return [{ source, book: answer.value }]
    runtime.log.warn({ err: answer.reason, source, market }, 'a source returned no order book')
    return []
  })
}

const lastOf = ({
  believed,
  believedAt,
}: {
  believed: bigint | null
  believedAt: Date | null
}): LastMiddle | undefined =>
  believed === null || believedAt === null ? undefined : { middle: believed, at: believedAt.getTime() }

const updateAlert = async (
  tx: Parameters<typeof raiseAlert>[0],
  runtime: Runtime,
  ticker: string,
  agreement: Agreement,
): Promise<void> => {
  const moment = momentOf(runtime)
  if (agreement.kind === 'open') return resolveAlert(tx, 'market-closed', ticker, moment.at)
  const text = `${ticker} has no price to exchange at: ${agreement.reason}; see bursar rates`
  await raiseAlert(tx, { kind: 'market-closed', subject: ticker, text, detail: { dropped: agreement.dropped } }, moment)
}

/** Stores the official rates with which the prices of currencies are compared. */
export const createOfficialRatesJob = (deps: {
  runtime: Runtime
  sources: readonly OfficialSource[]
  everyMs: number
}): Job => ({
  name: 'official-rates',
  everyMs: deps.everyMs,
  run: async () => {
    const { runtime, sources } = deps
    const answers = await Promise.allSettled(sources.map((source) => source.rates()))
    for (const [i, answer] of answers.entries()) {
      const { name } = sources[i]!
      if (answer.status === 'fulfilled') await storeOfficialRates(runtime.db, name, answer.value)
      else runtime.log.warn({ err: answer.reason, source: name }, 'no official rates')
    }
    return false
  },
})
