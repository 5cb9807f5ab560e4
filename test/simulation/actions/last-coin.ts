/** Payments that together are more than a hot address has, planned one after the other or by two workers at once. */
import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { toLedger, type PaidOut } from '../model/books.ts'
import type { Stall } from '../faults.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { accountChains, hotAddressesOf, isOf, mostOf, richestOf, supply } from './hot-coin.ts'
import { place, resultOf } from './merchants.ts'
import { calm, carry, isComplete, mine } from './sent.ts'
import { during, runNamed } from './stalled.ts'

/** Blocks that make every block before them final. */
const TO_FINAL = 6
/** Longer than until a payment is judged again whose screening did not answer, ms. */
const JUDGED_AGAIN_MS = 1_320_000
/** Requests and answers of a planning worker at its node before it has read all balances. */
const NODE_EXCHANGES = 8
/** Its transactions, of which it stores a plan in the second one: the first one stores the audit of the money. */
const TRANSACTIONS = [1, 1, 0, 2] as const

/** Where a planning worker stands still: while it reads balances, or before it stores its plan. */
export const stallPlanning = ({ faults }: Simulation, random: Random, { network }: SimulatedChain): Stall =>
  random.chance(0.3)
    ? faults.stall(`node of ${network}`, random.int(NODE_EXCHANGES))
    : faults.stall('database of the worker', random.pick(TRANSACTIONS), /^begin/m)

/** Base units that the hot address was signed to pay since then, each payment once. */
const signedSince = (
  { signer }: Simulation,
  count: number,
  { network }: SimulatedChain,
  { ticker, index }: { ticker: string; index: number },
): bigint => {
  const payments = new Map<string, bigint>()
  for (const request of signer.signed.slice(count))
    if (request.network === network && request.purpose === 'payout' && isOf(index, request.keys[0]))
      for (const { id, asset, units } of request.intents) if (asset === ticker) payments.set(id, BigInt(units))
  return [...payments.values()].reduce((sum, units) => sum + units, 0n)
}

/**
 * The second worker plans while the first one has read the balance, and not planned yet. It finds the older payment
 * judged, which the first one did not.
 */
const planAtOnce = async (simulation: Simulation, random: Random, chain: SimulatedChain): Promise<boolean> => {
  const name = `payouts ${chain.network}`
  const second = await simulation.startSecondWorker()
  try {
    // Before the first one plans: on TRON its plan expires sooner.
    simulation.clock.advance(JUDGED_AGAIN_MS)
    const stall = stallPlanning(simulation, random, chain)
    const running = runNamed(simulation, name)
    return await during(simulation, stall, running, async () => {
      await runNamed(simulation, 'screen', second)
      await runNamed(simulation, name, second)
    })
  } finally {
    await second.stop()
  }
}

const lastCoin: Action = {
  name: 'payments of more than a hot address has',
  weight: (simulation) => (isComplete(simulation) && accountChains(simulation).length > 0 ? 2 : 0),
  run: async (simulation, random) => {
    const { books, catalogue, problems, roles, signer } = simulation
    const chain = random.pick(accountChains(simulation))
    const { network } = chain
    const ticker = NATIVE_TICKER[network]
    await calm(simulation, chain)
    const before = await richestOf(chain)
    // The owner fills one address, so that no other one can pay.
    if (before.others * 10n > before.has * 5n)
      await chain.pay({ ticker, to: hotAddressesOf(chain)[before.index]!, units: before.others, how: 'plain' })
    await mine(simulation, chain, TO_FINAL)
    const { index, has, others } = await richestOf(chain)
    // No other hot address can pay one of them.
    const share = (has * 6n) / 10n > others ? (has * 6n) / 10n : others + 1n
    const most = mostOf(simulation, chain, ticker)
    const units = share < most ? share : most
    if (units * 2n <= has) return `${network}: has too much`
    if (units <= others || units * 10n > has * 9n) return `${network}: another address has as much`
    const merchant = random.pick(simulation.merchants.filter(({ holds }) => !holds))
    await supply(simulation, random, chain, { merchant, units: units * 2n })
    // The blocks since then may hold transfers to the hot address.
    const held = await chain.balance(hotAddressesOf(chain)[index]!, null)
    const orders: PaidOut[] = []
    for (let at = 0; at < 2; at += 1)
      orders.push({
        merchant: merchant.name,
        localId: books.nextLocalId('w'),
        network,
        ticker,
        to: await chain.newAddress(random.of('receiver', at)),
        units: toLedger(catalogue, ticker, network, units),
        receiver: null,
      })
    const count = signer.signed.length
    const isAtOnce = random.chance(0.7)
    const results: string[] = []
    const [planning, worker] = [`payouts ${network}`, roles.get('worker')!]
    for (const [at, one] of orders.entries()) {
      books.paidOut.push(one)
      results.push(resultOf(await place(simulation, one)))
      // Planning asks for the screening. The older payment waits for it, so that two workers choose different payments.
      await runNamed(simulation, planning, worker)
      simulation.faults.set('screening', at === 0 && isAtOnce ? 1 : 0, ['http-500'])
      await runNamed(simulation, 'screen', worker)
      simulation.faults.set('screening', 0)
      if (at === 0 && !isAtOnce) await runNamed(simulation, planning, worker)
    }
    const stood = isAtOnce && (await planAtOnce(simulation, random, chain))
    await carry(simulation, chain)
    const signed = signedSince(simulation, count, chain, { ticker, index })
    if (signed > held) {
      if (simulation.together === 1)
        problems.push(`${signed} ${ticker} leave the hot address of ${network}, which has ${held}`)
      // The node of the simulation cannot mine a payment of more coin than its sender has.
      return `${network}: more than there is`
    }
    await mine(simulation, chain, 1)
    return `${network}: ${results.join(', ')}${isAtOnce ? `, ${stood ? 'a worker stood still' : 'no worker stood still'}` : ''}`
  },
}

export const LAST_COIN: readonly Action[] = [lastCoin]
