/**
 * Payments of the platform from the request to their last block, in one step: their block is lost, they have no effect,
 * they meet a stop. By single steps alone, a short run rarely gets so far.
 */
import { NATIVE_TICKER } from '@bursar/chainkit'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import { createStop } from '../../../server/src/ledger/stops/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { toLedger, unitsOf, type PaidOut } from '../model/books.ts'
import { ROLES, type Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { call, named, place, resultOf } from './merchants.ts'
import { signerPolicy } from '../installation/files.ts'
import { drawUnits } from './payers.ts'
import { liftOwnStops } from './operators.ts'
import { runJob, stepWatcher } from './program.ts'

export const isComplete = ({ roles }: Simulation): boolean => roles.size === ROLES.length

/** Blocks that make every block before them final. */
const TO_FINAL = 5
/** Payments wait for others of their kind for a moment, and for the answer of the screening. */
const ROUNDS = 3

/** A withdrawal of a usual amount to a new address of a person outside. */
export const drawPayment = async (
  simulation: Simulation,
  random: Random,
  chain: SimulatedChain,
  ticker = random.pick(servedOn(simulation, chain)),
): Promise<PaidOut> => {
  const { books, catalogue, merchants } = simulation
  const { network } = chain
  const units = toLedger(catalogue, ticker, network, drawUnits(simulation, random, { ticker, network }))
  const to = await chain.newAddress(random)
  const merchant = random.pick(merchants).name
  return { merchant, localId: books.nextLocalId('w'), network, ticker, to, units, receiver: null }
}

export const servedOn = ({ catalogue }: Pick<Simulation, 'catalogue'>, { network, assets }: SimulatedChain): string[] =>
  assets.flatMap(({ ticker }) => (catalogue.findCrypto(ticker)?.networks.has(network) === true ? [ticker] : []))

/** What a withdrawal needs before it is accepted. */
const PREPARE = new Set(['prices', 'fee estimates'])

/** Ends what hinders payments on a chain, so that most stories get to their end. */
export const calm = async (simulation: Simulation, chain: SimulatedChain): Promise<void> => {
  simulation.faults.clear()
  chain.front.mend()
  await chain.pause?.(false)
  await liftOwnStops(simulation)
  simulation.signer.setPolicy(signerPolicy(simulation.chains))
  await mine(simulation, chain, 1)
  for (const job of simulation.roles.get('worker')?.jobs ?? []) if (PREPARE.has(job.name)) await runJob(job)
}

/** Runs the jobs that lead a withdrawal from its request to a node. */
export const carry = async (
  simulation: Simulation,
  { network }: SimulatedChain,
  worker = simulation.roles.get('worker'),
): Promise<void> => {
  const names = new Set(['screen', `payouts ${network}`, `send ${network}`, `refusals ${network}`])
  for (let round = 0; round < ROUNDS; round += 1) {
    simulation.clock.advance(1_000)
    for (const job of worker?.jobs ?? [])
      if (names.has(job.name)) {
        await runJob(job)
        simulation.countMore(1)
      }
  }
}

/** Mines blocks and has the watcher read them. */
export const mine = async (simulation: Simulation, chain: SimulatedChain, blocks: number): Promise<void> => {
  simulation.clock.advance(1_000)
  await chain.mine(blocks)
  await read(simulation, chain)
}

export const read = async ({ roles, countMore }: Simulation, { network }: SimulatedChain): Promise<void> => {
  const watcher = roles.get('watcher')?.watchers.get(network)
  if (watcher === undefined) return
  for (let steps = 0; steps < 10; steps += 1) {
    countMore(1)
    if ((await stepWatcher(watcher)) !== 'more') return
  }
}

const describe = ({ catalogue }: Simulation, { merchant, network, ticker, units }: PaidOut): string =>
  `${merchant} ${network} ${ticker} ${formatUnits(units, catalogue.findCrypto(ticker)!.scale)}`

/** As the API answers now; undefined: it has no such withdrawal, or does not answer. */
export const statusOf = async (simulation: Simulation, { merchant, localId }: PaidOut): Promise<string | undefined> => {
  const found = await call(simulation, named(simulation, merchant), (client) => client.withdrawals.find(localId))
  return 'answer' in found && found.answer !== undefined && 'status' in found.answer ? found.answer.status : undefined
}

/** A merchant that has the amount and the fee is not refused, while nothing is stopped. */
const judgeRefusal = async (
  simulation: Simulation,
  { merchant, localId, network, ticker, to, units }: PaidOut,
  placed: Awaited<ReturnType<typeof place>>,
): Promise<void> => {
  const { catalogue, problems, together } = simulation
  const { networks, scale } = catalogue.findCrypto(ticker)!
  if (together > 1 || 'answer' in placed || !REFUSED.test(placed.failure)) return
  if (units < networks.get(network)!.minWithdrawal) return
  const asked = { ticker, amount: formatUnits(units, scale), blockchain: network, address: to }
  const found = await call(simulation, named(simulation, merchant), async (client) => {
    const [[balance], fee] = [await client.balances.list([ticker]), await client.withdrawals.crypto.fee(asked)]
    return unitsOf(catalogue, ticker, balance!.value) - unitsOf(catalogue, ticker, fee.value)
  })
  if ('answer' in found && found.answer >= units)
    problems.push(`${localId}: was refused with ${placed.failure}, and ${merchant} has the amount and the fee`)
}

/** Answers that decide on an order. */
const REFUSED = /^BursarError 4(?!09|29)/

/** The block of a payment is lost as soon as it was read; the payment waits again, and is mined again. */
const lostBlock: Action = {
  name: 'a payment of ours in a lost block',
  weight: (simulation) => (isComplete(simulation) ? 4 : 0),
  run: async (simulation, random) => {
    const chain = random.pick(simulation.chains)
    await calm(simulation, chain)
    const wanted = await drawPayment(simulation, random, chain)
    simulation.books.paidOut.push(wanted)
    const placed = await place(simulation, wanted)
    await judgeRefusal(simulation, wanted, placed)
    const result = resultOf(placed)
    await carry(simulation, chain)
    await mine(simulation, chain, 1)
    await loseBlock(simulation, chain)
    await mine(simulation, chain, random.pick([1, TO_FINAL]))
    return `${describe(simulation, wanted)}: ${result}`
  },
}

/** @param lost payments of the block that never happened; all others wait again */
export const loseBlock = async (
  simulation: Simulation,
  chain: SimulatedChain,
  lost: readonly string[] = [],
): Promise<void> => {
  simulation.reorganised.add(chain.network)
  simulation.clock.advance(1_000)
  await chain.reorganise(1, lost, 'wait')
  await read(simulation, chain)
}

export const refusingChains = ({ chains }: Simulation): SimulatedChain[] =>
  chains.filter((one) => one.refuse !== undefined)

/** Code at a receiver refuses the coin in the block; perhaps in a second one as well, when the first is lost. */
const withoutEffect: Action = {
  name: 'a payment of ours without effect',
  weight: (simulation) => (isComplete(simulation) && refusingChains(simulation).length > 0 ? 4 : 0),
  run: async (simulation, random) => {
    const { books } = simulation
    const chain = random.pick(refusingChains(simulation))
    await calm(simulation, chain)
    const wanted = await drawPayment(simulation, random, chain, NATIVE_TICKER[chain.network])
    books.paidOut.push(wanted)
    const result = resultOf(await place(simulation, wanted))
    await carry(simulation, chain)
    await chain.refuse!(wanted.to, true)
    // In steps with several actions, another one may have mined the payment before.
    if (simulation.together === 1 && (await chain.balance(wanted.to, null)) === 0n) books.refused.add(wanted.localId)
    await mine(simulation, chain, 1)
    const story = random.pick(['final', 'lost', 'lost, then taken'] as const)
    if (story !== 'final') {
      await loseBlock(simulation, chain)
      if (story === 'lost, then taken') {
        books.refused.delete(wanted.localId)
        await chain.refuse!(wanted.to, false)
      }
    }
    await mine(simulation, chain, random.pick([1, TO_FINAL]))
    return `${describe(simulation, wanted)} ${story}: ${result}`
  },
}

/** After one payment without effect, the receiver asks for several more, which are planned together. */
const AGAIN = 3

const failingReceiver: Action = {
  name: 'several payments to a receiver that failed',
  weight: (simulation) => (isComplete(simulation) && refusingChains(simulation).length > 0 ? 2 : 0),
  run: async (simulation, random) => {
    const { books, problems } = simulation
    const chain = random.pick(refusingChains(simulation))
    await calm(simulation, chain)
    const first = await drawPayment(simulation, random, chain, NATIVE_TICKER[chain.network])
    const { to } = first
    const more: PaidOut[] = []
    for (let at = 0; at < AGAIN; at += 1)
      more.push({ ...(await drawPayment(simulation, random.of(at), chain, first.ticker)), to })
    await chain.refuse!(to, false)
    const attempt = async (payments: readonly PaidOut[]): Promise<number> => {
      for (const payment of payments) {
        books.paidOut.push(payment)
        await place(simulation, payment)
      }
      await carry(simulation, chain)
      await chain.refuse!(to, true)
      const { height } = await chain.head()
      await mine(simulation, chain, 1)
      await mine(simulation, chain, TO_FINAL)
      return chain.attemptsTo!(to, height + 1, (await chain.head()).height)
    }
    const failed = await attempt([first])
    const status = await statusOf(simulation, first)
    // Payments to it are limited once its failure is final.
    if (failed === 0 || status !== 'Failed') return `${describe(simulation, first)}: ${failed} paid, ${status}`
    await chain.refuse!(to, false)
    const again = await attempt(more)
    if (again > 1 && simulation.together === 1)
      problems.push(`${again} payments were made at once to ${to}, where one has failed`)
    return `${describe(simulation, first)}: ${failed}, ${again}`
  },
}

/** A payment to another merchant meets a stop that is made before it is delivered. */
const stoppedInside: Action = {
  name: 'a payment inside meets a stop',
  weight: (simulation) => (isComplete(simulation) && simulation.books.addresses.length > 0 ? 2 : 0),
  run: async (simulation, random) => {
    const { books, chains, db, problems } = simulation
    const { network, address, merchant: receiver } = random.pick(books.addresses)
    const chain = chains.find((one) => one.network === network)!
    await calm(simulation, chain)
    const wanted = { ...(await drawPayment(simulation, random, chain)), to: address, receiver }
    books.paidOut.push(wanted)
    const result = resultOf(await place(simulation, wanted))
    const reach = { asset: random.chance(0.5) ? wanted.ticker : null, merchantId: null }
    await inTransaction(db, (tx) =>
      createStop(tx, { ...reach, reason: 'simulation', actor: 'simulation' }, simulation.moment()),
    )
    const before = await statusOf(simulation, wanted)
    simulation.clock.advance(1_000)
    for (const job of simulation.roles.get('worker')?.jobs ?? [])
      if (job.name === 'deliver internal withdrawals' || job.name === 'screen') await runJob(job)
    const after = await statusOf(simulation, wanted)
    if (simulation.together === 1 && before === 'Pending' && after === 'Done')
      problems.push(`${wanted.localId}: was delivered although ${reach.asset ?? 'everything'} is stopped`)
    await liftOwnStops(simulation)
    return `${describe(simulation, wanted)}: ${result}, ${before}, ${after}`
  },
}

/** A merchant's mistake: the money would be lost. */
const toToken: Action = {
  name: 'withdrawal to the contract of a token',
  weight: (simulation) => (isComplete(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const { chains, problems } = simulation
    const chain = random.pick(chains)
    const served = servedOn(simulation, chain)
    // The program cannot know the contract of a token that it does not serve.
    const contracts = chain.assets.flatMap(({ ticker, contract }) =>
      contract !== undefined && served.includes(ticker) ? [contract] : [],
    )
    if (contracts.length === 0) return `${chain.network}: has no tokens`
    await calm(simulation, chain)
    const wanted = { ...(await drawPayment(simulation, random, chain)), to: random.pick(contracts) }
    const result = await place(simulation, wanted)
    if ('answer' in result) problems.push(`${wanted.localId}: was accepted, to the contract of a token, ${wanted.to}`)
    return `${describe(simulation, wanted)}: ${resultOf(result)}`
  },
}

export const SENT: readonly Action[] = [lostBlock, withoutEffect, failingReceiver, stoppedInside, toToken]
