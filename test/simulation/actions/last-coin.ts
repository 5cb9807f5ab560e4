/** Payments that together are more than a hot address has, planned one after the other or by two workers at once. */
import { isEvmNetwork, NATIVE_TICKER } from '@bursar/chainkit'
import { evmHotKeys } from '../../../server/src/chain/transactions/index.ts'
import type { KeyReference } from '../../../signer/src/protocol/protocol.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { HOT_ADDRESSES, signerPolicy } from '../installation/files.ts'
import { WALLET } from '../installation/keys.ts'
import { toLedger, type PaidOut } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { newAddress, pay } from './lost-money.ts'
import { place, resultOf } from './merchants.ts'
import { hotAddressOf } from './operators.ts'
import { calm, carry, isComplete, mine } from './sent.ts'
import { during, runNamed } from './stalled.ts'

/** Blocks that make every block before them final. */
const TO_FINAL = 6
/** Together they have more than both orders and their fees. */
const ADDRESSES = 8
/** Longer than until a payment is judged again whose screening did not answer, ms. */
const JUDGED_AGAIN_MS = 1_320_000
/** Statements of a planning worker, of which it stands still at one. */
const STATEMENTS = 14

/** Bitcoin's payments spend chosen coins, which no two of them can share. */
const accountChains = ({ chains }: Simulation): SimulatedChain[] =>
  chains.filter(({ network }) => network !== 'BITCOIN')

const mostOf = ({ chains }: Simulation, { network }: SimulatedChain, ticker: string): bigint => {
  const { networks } = signerPolicy(chains) as {
    networks: Record<string, { assets: Record<string, { maxPerIntent: string }> }>
  }
  return BigInt(networks[network]!.assets[ticker]!.maxPerIntent)
}

/** Hot addresses of a chain, in the order of their keys. */
const hotAddressesOf = ({ network }: SimulatedChain): string[] =>
  isEvmNetwork(network) ? evmHotKeys(WALLET, HOT_ADDRESSES).map(({ address }) => address) : [hotAddressOf(network)]

/** The hot address with the most coin, and the most that another one has. */
const richestOf = async (chain: SimulatedChain): Promise<{ index: number; has: bigint; others: bigint }> => {
  const balances = await Promise.all(hotAddressesOf(chain).map((address) => chain.balance(address, null)))
  const inOrder = balances.toSorted((a, b) => (a < b ? 1 : -1))
  return { index: balances.indexOf(inOrder[0]!), has: inOrder[0]!, others: inOrder[1] ?? 0n }
}

const isOf = (index: number, key: KeyReference | undefined): boolean => key?.account === 'hot' && key.index === index

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
const planAtOnce = async (simulation: Simulation, random: Random, name: string): Promise<boolean> => {
  const second = await simulation.startSecondWorker()
  try {
    const stall = simulation.faults.stall('database of the worker', random.int(STATEMENTS))
    const running = runNamed(simulation, name)
    return await during(simulation, stall, running, async () => {
      simulation.clock.advance(JUDGED_AGAIN_MS)
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
    if (before.others > 0n)
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
    // The money stays at addresses of the merchant until it is swept, and none of them can pay an order alone.
    for (let at = 0; at < ADDRESSES; at += 1) {
      const to = await newAddress(simulation, random, chain, merchant)
      if (to !== undefined) await pay(simulation, chain, to, { ticker, units: (units * 3n) / 10n })
    }
    await mine(simulation, chain, TO_FINAL)
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
    const stood = isAtOnce && (await planAtOnce(simulation, random, planning))
    await carry(simulation, chain)
    const signed = signedSince(simulation, count, chain, { ticker, index })
    if (signed > has) {
      if (simulation.together === 1)
        problems.push(`${signed} ${ticker} leave the hot address of ${network}, which has ${has}`)
      // The node of the simulation cannot mine a payment of more coin than its sender has.
      return `${network}: more than there is`
    }
    await mine(simulation, chain, 1)
    return `${network}: ${results.join(', ')}${isAtOnce ? `, ${stood ? 'a worker stood still' : 'no worker stood still'}` : ''}`
  },
}

export const LAST_COIN: readonly Action[] = [lastCoin]
