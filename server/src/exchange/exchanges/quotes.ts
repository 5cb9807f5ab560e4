import { estimateErrors } from '@bursar/contract'
import { Batcher } from '../../platform/base/batcher.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { balancesOf } from '../../ledger/postings/index.ts'
import { mulDiv } from '../../platform/money/index.ts'
import { refusal } from '../../ledger/orders/index.ts'
import type { ApiRefusal } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { boundsPassedBy, inventoryOf, type BoundedMove } from './inventory.ts'
import { insertQuotes, quotedTo, type NewQuote } from './store.ts'

/**
 * Prices that are quoted to merchants and kept for them. An estimate reserves nothing (decision 0030): what others were
 * promised does not count, so that no merchant can close the exchange for others by asking. A merchant's own quotes
 * count as far as its balance can pay for them.
 */
export interface QuoteStore {
  /**
   * Resolves when it is stored. @throws ApiRefusal when there is not that much to sell, or a limit of the position
   * closes it
   */
  keep(newQuote: NewQuote): Promise<void>
}

/** What there is to sell is read so often. */
const CACHED_MS = 500
const MOST_AT_ONCE = 200

/** Quotes that arrive while others are stored are stored together. */
export const createQuoteStore = ({ db, clock }: Pick<Runtime, 'db' | 'clock'>): QuoteStore => {
  const inventories = new Map<string, () => Promise<bigint>>()
  const inventory = (asset: string): Promise<bigint> => {
    const read =
      inventories.get(asset) ?? cacheFor(CACHED_MS, clock.now, () => inTransaction(db, (tx) => inventoryOf(tx, asset)))
    inventories.set(asset, read)
    return read()
  }
  const batcher = new Batcher<NewQuote, ApiRefusal | undefined>({
    most: MOST_AT_ONCE,
    run: (quotes) => store(db, quotes, { inventory, now: new Date(clock.now()) }),
  })
  return {
    keep: async (newQuote) => {
      const refused = await batcher.submit(newQuote)
      if (refused) throw refused
    },
  }
}

const noLiquidity = (why: string): ApiRefusal =>
  refusal(estimateErrors.notEnoughLiquidity, `Not enough liquidity: ${why}`)

interface Stock {
  /** what there is to sell of an asset, ledger units */
  inventory(asset: string): Promise<bigint>
  now: Date
}

/** Stores what there is enough for, and no limit of the position closes. */
const store = async (db: Db, quotes: readonly NewQuote[], stock: Stock): Promise<(ApiRefusal | undefined)[]> => {
  const short = await beyondInventory(db, quotes, stock)
  const passed = new Map((await boundsPassedBy(db, quotes.flatMap(movesOf))).map((move) => [move.newQuote, move]))
  await insertQuotes(
    db,
    quotes.filter((newQuote) => !passed.has(newQuote) && !short.has(newQuote)),
  )
  return quotes.map((newQuote) => {
    if (short.has(newQuote)) return noLiquidity(`there is not that much ${newQuote.direction.target.ticker} to sell`)
    const move = passed.get(newQuote)
    return move && noLiquidity(`no more ${move.asset} is ${move.units < 0n ? 'sold' : 'bought'} now`)
  })
}

/**
 * Those that the platform could not honour together with what their own merchant was promised before, and can pay for.
 */
const beyondInventory = async (
  db: Db,
  quotes: readonly NewQuote[],
  { inventory, now }: Stock,
): Promise<ReadonlySet<NewQuote>> => {
  const pairs = quotes.map(({ merchantId, direction: { spend, target } }) => ({
    merchantId,
    spend: spend.ticker,
    target: target.ticker,
  }))
  const earlier = await quotedTo(db, pairs, now)
  const balances = await balancesOf(
    db,
    'merchant',
    pairs.map(({ merchantId, spend }) => ({ merchantId, asset: spend })),
  )
  const added = new Map<string, bigint>()
  const beyond = new Set<NewQuote>()
  for (const [i, newQuote] of quotes.entries()) {
    const {
      merchantId,
      direction: { spend, target },
      quoted,
    } = newQuote
    const key = `${merchantId}/${spend.ticker}/${target.ticker}`
    const own = earlier[i]! + (added.get(key) ?? 0n) + quoted.target
    const payable = mulDiv(quoted.target, balances[i]!.posted - balances[i]!.held, quoted.spend, 'down')
    const least = own < payable ? own : payable
    if ((least > quoted.target ? least : quoted.target) > (await inventory(target.ticker))) beyond.add(newQuote)
    else added.set(key, own - earlier[i]!)
  }
  return beyond
}

/** What an exchange would move of the position. */
const movesOf = (newQuote: NewQuote): (BoundedMove & { newQuote: NewQuote })[] => {
  const {
    direction: { spend, target },
    quoted,
  } = newQuote
  return [
    { newQuote, asset: spend.ticker, units: quoted.exchange, bounds: spend },
    { newQuote, asset: target.ticker, units: -quoted.target, bounds: target },
  ]
}
