/** The venue on which the position is hedged: how it treats orders, which it refuses, and the owner's money on it. */
import { formatUnits, unitsOf } from '../../../server/src/platform/money/index.ts'
import { VENUE } from '../installation/files.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { runJob } from './program.ts'

/** Every market of the venue is against USDT. */
export const isHedged = ({ catalogue }: Pick<Simulation, 'catalogue'>): boolean =>
  catalogue.findCrypto('USDT') !== undefined

/** Whole units of the owner's money at the venue. */
const STOCK: Record<string, string> = {
  BTC: '0.5',
  ETH: '10',
  BNB: '40',
  TRX: '100000',
  USDC: '20000',
  USDT: '60000',
  KZT: '20000000',
}
const DECIMALS = 8

const stocked = ({ catalogue }: Simulation): string[] => Object.keys(STOCK).filter((ticker) => catalogue.find(ticker))

const onVenue = ({ venue }: Simulation, ticker: string): bigint => unitsOf(venue.balances()[ticker] ?? '0', DECIMALS)

/** Transfers the owner's money to the venue, or back when `units` is negative, and posts it. @param units 1e-8 */
const transfer = async (simulation: Simulation, ticker: string, units: bigint): Promise<void> => {
  const { books, catalogue, operate, venue } = simulation
  const amount = formatUnits(units, DECIMALS)
  const posted = await operate('hedging book', ticker, amount)
  if ('failure' in posted) throw new Error(`hedging book: ${posted.failure}`)
  venue.setBalance(ticker, formatUnits(onVenue(simulation, ticker) + units, DECIMALS))
  const { scale } = catalogue.find(ticker)!
  books.movedToVenue.push({ ticker, units: (units * 10n ** BigInt(scale)) / 10n ** BigInt(DECIMALS) })
}

/** The owner has money at the venue, in each asset that it trades. */
export const stockVenue = async (simulation: Simulation): Promise<void> => {
  if (!isHedged(simulation)) return
  for (const ticker of stocked(simulation)) await transfer(simulation, ticker, unitsOf(STOCK[ticker]!, DECIMALS))
}

const move: Action = {
  name: 'operator moves money at the venue',
  weight: (simulation) => (isHedged(simulation) ? 0.3 : 0),
  run: async (simulation, random) => {
    const ticker = random.pick(stocked(simulation))
    const units = unitsOf(STOCK[ticker]!, DECIMALS) / 10n
    const mayTrade = simulation.venue.orders().some(({ status }) => status === 'NEW' || status === 'PARTIALLY_FILLED')
    const isOut = random.chance(0.4) && !mayTrade && onVenue(simulation, ticker) > 2n * units
    await transfer(simulation, ticker, isOut ? -units : units)
    return `${ticker} ${isOut ? 'out' : 'in'}`
  },
}

/**
 * The faults of an order (sandbox/venue/README.md). Not among them: an answer that never comes, for which ccxt
 * waits in real time, and an unknown status, with which an order stays open until an operator looks at it.
 */
const FATES: readonly object[] = [
  ...[0, 30, 60].map((fill) => ({ fill })),
  { fill: 40, end: 'match' },
  { fill: 40, end: 'price-range' },
  { delayMs: 4_000 },
  { delayMs: 600_000, fill: 50 },
  { lateMs: 2_000 },
  { lateMs: 8_000 },
  ...['cut', 'error', 'garbage', 'bus', 'backend', 'unavailable'].map((answer) => ({ answer })),
  { answer: 'cut', fill: 50 },
  ...['filter', 'balance', 'key', 'position', 'suspended', 'symbol', 'closed', 'liquidity'].map((reject) => ({
    reject,
  })),
]

const treat: Action = {
  name: 'venue treats the next order otherwise',
  weight: (simulation) => (isHedged(simulation) ? 1.5 : 0),
  run: async ({ venue }, random) => {
    const fate = random.pick(FATES)
    venue.next(fate)
    return JSON.stringify(fate)
  },
}

const refuse: Action = {
  name: 'venue refuses',
  weight: (simulation) => (isHedged(simulation) ? 0.15 : 0),
  run: async ({ venue }, random) => {
    const kind = random.pick(['down', 'limited', 'limited-silently', 'banned', 'firewall'])
    venue.refuse(kind)
    return kind
  },
}

const mend: Action = {
  name: 'venue is well',
  weight: (simulation) => (isHedged(simulation) ? 0.5 : 0),
  run: async ({ venue }) => {
    venue.mend()
    return ''
  },
}

/** Shows an order no more, as 90 days later: one that ended without a trade. */
const archive: Action = {
  name: 'venue archives an order',
  weight: (simulation) => (isHedged(simulation) ? 0.2 : 0),
  run: async ({ venue }) => {
    const ended = venue
      .orders()
      .findLast(({ status, executedQty }) => /EXPIRED/.test(status) && !/[1-9]/.test(executedQty))
    if (ended === undefined) return 'there is none'
    venue.archive(ended.clientOrderId)
    return `${ended.side} ${ended.symbol}`
  },
}

const JOBS = [`hedge on ${VENUE}`, `ask ${VENUE} for hedges`, `compare ${VENUE}`]

/** A few seconds of a worker: order books, an order for each exposure, and its result. */
const hedge: Action = {
  name: 'hedging',
  weight: (simulation) => (isHedged(simulation) && simulation.roles.has('worker') ? 3 : 0),
  run: async (simulation, random) => {
    const { clock, roles, venue } = simulation
    const run = async (name: string): Promise<string> => {
      const job = roles.get('worker')?.jobs.find((one) => one.name === name)
      // An action at the same time may have killed the worker.
      return job === undefined ? 'no worker' : runJob(job)
    }
    const results = [await run('order-books'), await run(JOBS[0]!)]
    clock.advance(random.pick([0, 1_000, 3_000, 20_000, 40_000]))
    const due = await venue.goOn()
    for (const name of JOBS.slice(1)) results.push(await run(name))
    simulation.countMore(results.length - 1)
    return `${results.join(', ')}, ${due} late, ${venue.orders().length} orders so far`
  },
}

const goOn: Action = {
  name: 'venue goes on',
  weight: (simulation) => (isHedged(simulation) ? 1 : 0),
  run: async ({ venue }) => String(await venue.goOn()),
}

export const VENUE_ACTIONS: readonly Action[] = [move, treat, refuse, mend, archive, hedge, goOn]
