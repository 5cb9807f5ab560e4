/** Orders that meet in the database: one stands still at a statement while the other is placed. */
import type { Bursar } from '@bursar/sdk'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import { fromLedger, toLedger, unitsOf, type PaidOut } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { drawAmount } from './exchanges.ts'
import { call, finestOf, place, resultOf } from './merchants.ts'
import { give } from './operators.ts'
import { MARKET_JOBS, runJob } from './program.ts'
import { calm, drawPayment, isComplete, statusOf } from './sent.ts'
import { during } from './stalled.ts'

/** Statements of the api for one order, of which the first order stands still at one. */
const STATEMENTS = 12
/** Looks at locks, about 0.4 s: the second order may wait for the first one in a queue of the api, without a lock. */
const MOST_LOOKS = 60
/** Shares of a balance that two orders together exceed. */
const [SHARE, OF] = [6n, 10n]

type Answer = { answer: unknown } | { failure: string }

/** The calls of some work reach a second api, as behind a balancer. */
const bySecondApi = async <T>({ roles, startSecondApi }: Simulation, work: () => Promise<T>): Promise<T> => {
  const first = roles.get('api')!
  const second = await startSecondApi()
  roles.set('api', second)
  try {
    return await work()
  } finally {
    roles.set('api', first)
    await second.stop()
  }
}

/**
 * Places the first order until it stands still or is placed, then the second, then lets the first go on. One api places
 * both in the order of its queue; two do not wait for each other.
 */
const atOnce = async (
  simulation: Simulation,
  random: Random,
  first: () => Promise<Answer>,
  placed: () => Promise<Answer>,
): Promise<{ results: [string, string]; stood: boolean }> => {
  const second = random.chance(0.5) ? () => bySecondApi(simulation, placed) : placed
  const stall = simulation.faults.stall('database of the api', random.int(STATEMENTS))
  const running = first()
  let answer: Answer = { failure: 'not placed' }
  const placeSecond = async (): Promise<void> => {
    answer = await second()
  }
  const stood = await during(simulation, stall, running, placeSecond, MOST_LOOKS)
  if (!stood) answer = await second()
  return { results: [resultOf(await running), resultOf(answer)], stood }
}

const draw = async (simulation: Simulation, random: Random): Promise<PaidOut> => {
  const chain = random.pick(simulation.chains)
  await calm(simulation, chain)
  for (const job of simulation.roles.get('worker')?.jobs ?? []) if (MARKET_JOBS.has(job.name)) await runJob(job)
  return drawPayment(simulation, random, chain)
}

/** A withdrawal and an exchange, each of more than half of the balance. */
const overspend: Action = {
  name: 'a withdrawal and an exchange of one balance at once',
  weight: (simulation) =>
    isComplete(simulation) && simulation.together === 1 && simulation.catalogue.crypto.length > 1 ? 2 : 0,
  run: async (simulation, random) => {
    const { books, catalogue, merchants, problems } = simulation
    const drawn = await draw(simulation, random)
    const { network, ticker } = drawn
    const merchant = merchants.find(({ name }) => name === drawn.merchant)!
    await give(simulation, merchant, ticker)
    const { scale } = catalogue.findCrypto(ticker)!
    const listed = await call(simulation, merchant, (client) => client.balances.list([ticker]))
    if ('failure' in listed) return listed.failure
    const balance = unitsOf(catalogue, ticker, listed.answer[0]!.value)
    const share = toLedger(catalogue, ticker, network, fromLedger(catalogue, ticker, network, (balance * SHARE) / OF))
    if (share <= 0n) return 'has nothing'
    const target = random.pick(catalogue.crypto.filter((one) => one.ticker !== ticker)).ticker
    const order = {
      spendTicker: ticker,
      targetTicker: target,
      amount: formatUnits(share - (share % finestOf(scale)), scale),
      side: 'spend',
    } as const
    const estimate = await call(simulation, merchant, (client) => client.exchange.estimate(order))
    if ('failure' in estimate) return `${ticker} to ${target}: ${estimate.failure}`
    const { price, spend, target: got } = estimate.answer
    const localId = books.nextLocalId('e')
    const spendUnits = unitsOf(catalogue, ticker, spend.amount)
    const leastUnits = unitsOf(catalogue, target, got.amount)
    books.exchanged.push({ merchant: merchant.name, localId, spend: ticker, target, spendUnits, leastUnits })
    const wanted = { ...drawn, units: share }
    books.paidOut.push(wanted)
    const withdraw = (): Promise<Answer> => place(simulation, wanted)
    const exchange = (): Promise<Answer> =>
      call(simulation, merchant, (client: Bursar) => client.exchange.create({ ...order, price: price.value, localId }))
    const orders = random.chance(0.5) ? ([withdraw, exchange] as const) : ([exchange, withdraw] as const)
    const { results, stood } = await atOnce(simulation, random, ...orders)
    if (results.every((one) => one === 'ok'))
      problems.push(`${wanted.localId} and ${localId} together spent more ${ticker} than ${merchant.name} had`)
    return `${merchant.name} ${ticker}: ${results.join(', ')}, ${stood ? 'one stood still' : 'none stood still'}`
  },
}

/** A withdrawal, or an exchange at the price of an estimate, which only one order can use. */
const drawOrder = async (
  simulation: Simulation,
  random: Random,
): Promise<{ what: string; localId: string; order(): Promise<Answer> } | { failure: string }> => {
  const { books, catalogue, merchants } = simulation
  const drawn = await draw(simulation, random)
  if (random.chance(0.4)) {
    books.paidOut.push(drawn)
    const order = (): Promise<Answer> => place(simulation, drawn, `key-${drawn.localId}`)
    return { what: `${drawn.merchant} ${drawn.network}`, localId: drawn.localId, order }
  }
  const merchant = merchants.find(({ name }) => name === drawn.merchant)!
  const [spend, target] = [drawn.ticker, random.pick(catalogue.crypto.filter(({ ticker }) => ticker !== drawn.ticker))]
  const asked = {
    spendTicker: spend,
    targetTicker: target.ticker,
    amount: drawAmount(simulation, random, spend),
    side: 'spend',
  } as const
  const what = `${merchant.name} ${spend} to ${target.ticker}`
  const estimate = await call(simulation, merchant, (client) => client.exchange.estimate(asked))
  if ('failure' in estimate) return { failure: `${what}: ${estimate.failure}` }
  const { price, spend: spent, target: got } = estimate.answer
  const localId = books.nextLocalId('e')
  const [spendUnits, leastUnits] = [
    unitsOf(catalogue, spend, spent.amount),
    unitsOf(catalogue, target.ticker, got.amount),
  ]
  books.exchanged.push({ merchant: merchant.name, localId, spend, target: target.ticker, spendUnits, leastUnits })
  const order = (): Promise<Answer> =>
    call(simulation, merchant, (client: Bursar) =>
      client.exchange.create({ ...asked, price: price.value, localId }, { idempotencyKey: `key-${localId}` }),
    )
  return { what, localId, order }
}

/** The same request with the same key comes while the first is being carried out: both get one answer. */
const twice: Action = {
  name: 'one request twice at once',
  weight: (simulation) => (isComplete(simulation) && simulation.together === 1 ? 2 : 0),
  run: async (simulation, random) => {
    const drawn = await drawOrder(simulation, random)
    if ('failure' in drawn) return drawn.failure
    const { what, localId, order } = drawn
    const { results, stood } = await atOnce(simulation, random, order, order)
    const refused = results.find((one) => /^BursarError 4(?!09|29)/.test(one))
    if (results.includes('ok') && refused !== undefined)
      simulation.problems.push(`${localId}: one request is answered ok and ${refused}`)
    return `${what}: ${results.join(', ')}, ${stood ? 'one stood still' : 'none stood still'}`
  },
}

/** COMMITs of the api for one order, of which the answer to one is lost. */
const COMMITS = 2

/** An order whose COMMIT is carried out, and PostgreSQL's answer to it is lost, is not refused for its own localId. */
const lostCommit: Action = {
  name: 'the answer to the COMMIT of an order is lost',
  weight: (simulation) => (isComplete(simulation) && simulation.together === 1 ? 2 : 0),
  run: async (simulation, random) => {
    const { books, faults, problems } = simulation
    const wanted = await draw(simulation, random)
    books.paidOut.push(wanted)
    faults.failOnce('database of the api', 'lose-answer', /^commit$/m, random.int(COMMITS))
    const result = resultOf(await place(simulation, wanted))
    faults.clear()
    const found = await statusOf(simulation, wanted)
    if (/^BursarError 4(?!29)/.test(result) && found !== undefined)
      problems.push(`${wanted.localId}: is ${found}, and its only request was answered ${result}`)
    return `${wanted.merchant} ${wanted.network}: ${result}, ${found ?? 'not placed'}`
  },
}

export const ORDERS_AT_ONCE: readonly Action[] = [overspend, twice, lostCommit]
