import { estimateErrors } from '@bursar/contract'
import { Batcher } from '../../platform/base/batcher.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { balancesOf } from '../../ledger/postings/index.ts'
import { mulDiv } from '../../platform/money/index.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { boundsPassedBy, inventoryOf, type BoundedMove } from './inventory.ts'
import { insertQuotes, quotedTo, type NewQuote } from './store.ts'

/**
 * Stores quotes: prices that stay valid for a merchant. An estimate reserves no inventory (decision 0030). Quotes of
 * other merchants are not deducted from the inventory, so that no merchant can exhaust it by requesting estimates. A
 * merchant's own open quotes for the pair are deducted, as far as its balance can pay for them.
 */
export interface QuoteStore {
  /**
   * Stores a quote.
   * @throws ApiRefusal when there is too little inventory to sell, or when a limit of the position forbids the exchange
   */
  keep(newQuote: NewQuote): Promise<void>
}

/** How long a read inventory is cached, in ms. */
const CACHED_MS = 500
const MOST_AT_ONCE = 200

/** Creates the store. Quotes that arrive while others are being stored are stored together in the next batch. */
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
  /** inventory of an asset that can be sold, in ledger units */
  inventory(asset: string): Promise<bigint>
  now: Date
}

/**
 * Stores the quotes for which there is enough inventory and that no limit of the position forbids.
 * @returns for each quote, in order: undefined when it is stored, otherwise the refusal
 */
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
 * The quotes that exceed the inventory. A quote counts together with the open quotes of the same merchant and pair, as
 * far as the merchant's balance can pay for them.
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

/** The moves of the position that an exchange at this quote would make. */
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
