/** Hedges: the operator's commands and the ledger, compared with the venue itself, read past its front. */
import {
  auditExposures,
  clientIdOf,
  hedgeFlows,
  newestOrders,
  type HedgeOrder,
} from '../../../server/src/exchange/hedging/index.ts'
import { totalsOf } from '../../../server/src/ledger/postings/index.ts'
import { mulDiv, unitsOf } from '../../../server/src/platform/money/index.ts'
import { VENUE } from '../installation/files.ts'
import type { Simulation } from '../simulation.ts'
import type { VenueOrder, VenueTrade } from '../venue/index.ts'

/** More than any run places. */
const MOST_ORDERS = 100_000
const SCALE = 18
/** Digits of the venue's amounts. */
const VENUE_DECIMALS = 8

export const compareHedges = async (simulation: Simulation): Promise<string[]> => {
  const { db, venue } = simulation
  const orders = await newestOrders(db, { venue: VENUE }, MOST_ORDERS)
  const shown = {
    flows: await hedgeFlows(db),
    held: await totalsOf(db, `venue:${VENUE}`),
    costs: await totalsOf(db, 'venue-costs'),
  }
  const wrong = await auditExposures(db)
  return [
    ...judgeHedgeOrders(orders, venue.orders()),
    ...judgeVenueBooks(simulation, shown),
    ...wrong.map(
      ({ asset, exposure, moved }) =>
        `the position of ${asset} differs from the owner's money by ${exposure}, and exchanges and hedges moved ${moved}`,
    ),
  ]
}

type Shown = Pick<HedgeOrder, 'id' | 'base' | 'quote' | 'side' | 'amount' | 'price' | 'executed' | 'state'>

const e18 = (text: string): bigint => unitsOf(text, SCALE)

/** Each order that the program placed is at the venue once, as it was placed, and traded as much as is posted. */
export const judgeHedgeOrders = (orders: readonly Shown[], atVenue: readonly VenueOrder[]): string[] => {
  const problems: string[] = []
  for (const order of orders) {
    const { base, quote, side, amount, price, executed, state } = order
    const id = clientIdOf(order)
    const found = atVenue.filter(({ clientOrderId }) => clientOrderId === id)
    const what = `hedge ${id} (${side} ${amount} ${base}/${quote})`
    if (state === 'sending' || state === 'open') problems.push(`${what}: is ${state} at rest`)
    if (found.length > 1) problems.push(`${what}: is at the venue ${found.length} times`)
    const isAbsent = state === 'rejected' || state === 'lapsed'
    if (isAbsent !== (found.length === 0)) problems.push(`${what}: is ${state}, and the venue has ${found.length}`)
    const traded = sumOf(found.map(({ executedQty }) => e18(executedQty)))
    if (traded !== executed) problems.push(`${what}: is ${state} with ${executed}, and the venue traded ${traded}`)
    const isWhole = traded === amount
    if (found.length > 0 && (state === 'filled') !== isWhole) problems.push(`${what}: is ${state} with ${traded}`)
    const placed = `${base}${quote} ${side.toUpperCase()} ${amount} ${price}`
    for (const one of found) {
      const taken = `${one.symbol} ${one.side} ${e18(one.origQty)} ${e18(one.price)}`
      if (taken !== placed) problems.push(`${what}: is ${taken} at the venue, and ${placed} in the books`)
    }
  }
  const known = new Set(orders.map(clientIdOf))
  for (const { clientOrderId, symbol } of atVenue)
    if (!known.has(clientOrderId))
      problems.push(`the venue has an order ${clientOrderId} on ${symbol} that the program did not place`)
  return problems
}

interface ShownBooks {
  flows: readonly { asset: string; boughtUnits: bigint; soldUnits: bigint }[]
  /** ledger units, credit positive */
  held: ReadonlyMap<string, bigint>
  costs: ReadonlyMap<string, bigint>
}

/** The ledger's balance of each asset follows from the trades of the venue, and equals the venue's balance. */
export const judgeVenueBooks = (
  { books, catalogue, venue }: Pick<Simulation, 'books' | 'catalogue' | 'venue'>,
  { flows, held, costs }: ShownBooks,
): string[] => {
  const problems: string[] = []
  const [trades, balances] = [venue.trades(), venue.balances()]
  for (const { ticker, scale } of [...catalogue.crypto, ...catalogue.fiat]) {
    const { bought, sold, fees, count } = sumsOf(trades, ticker, scale)
    const flow = flows.find(({ asset }) => asset === ticker) ?? { boughtUnits: 0n, soldUnits: 0n }
    if (flow.boughtUnits !== bought || flow.soldUnits !== sold)
      problems.push(
        `hedges of ${ticker}: the books bought ${flow.boughtUnits} and sold ${flow.soldUnits}, the venue ${bought} and ${sold}`,
      )
    const cost = -(costs.get(ticker) ?? 0n)
    if (cost !== fees) problems.push(`hedges of ${ticker}: the books have fees of ${cost}, the venue ${fees}`)
    const booked = -(held.get(ticker) ?? 0n)
    const funded = sumOf(books.movedToVenue.filter((moved) => moved.ticker === ticker).map(({ units }) => units))
    if (booked !== funded + bought - sold - fees)
      problems.push(
        `${ticker} at the venue: the books have ${booked}, and should have ${funded + bought - sold - fees}`,
      )
    const onVenue = toUnits(e18(balances[ticker] ?? '0'), scale, 'down')
    // A trade is rounded to units up to three times, against the platform.
    const rounding = scale < VENUE_DECIMALS ? 3n * count : 0n
    if (onVenue < booked || onVenue > booked + rounding)
      problems.push(`${ticker} at the venue: the books have ${booked}, and it holds ${onVenue}`)
  }
  return problems
}

/** The trades' sums of one asset in ledger units; received amounts are rounded down, spent and charged ones up. */
const sumsOf = (trades: readonly VenueTrade[], ticker: string, scale: number) => {
  const sums = { bought: 0n, sold: 0n, fees: 0n, count: 0n }
  for (const { symbol, qty, quoteQty, isBuyer, commission, commissionAsset } of trades) {
    const [base, quote] = symbol.startsWith('USDT') ? ['USDT', symbol.slice(4)] : [symbol.slice(0, -4), 'USDT']
    if (ticker !== base && ticker !== quote) continue
    const amount = e18(ticker === base ? qty : quoteQty)
    if ((ticker === base) === isBuyer) sums.bought += toUnits(amount, scale, 'down')
    else sums.sold += toUnits(amount, scale, 'up')
    if (ticker === commissionAsset) sums.fees += toUnits(e18(commission), scale, 'up')
    sums.count += 1n
  }
  return sums
}

const toUnits = (units: bigint, scale: number, rounding: 'down' | 'up'): bigint =>
  mulDiv(units, 1n, 10n ** BigInt(SCALE - scale), rounding)

const sumOf = (all: readonly bigint[]): bigint => all.reduce((sum, one) => sum + one, 0n)
