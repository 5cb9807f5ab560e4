/** Exchanges whose proceeds leave, and money that is exchanged as it comes. */
import type { Network } from '@bursar/chainkit'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import { toLedger, unitsOf, type Address, type ExchangedOut, type Targeted } from '../model/books.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { call, createInvoice, drawInvoice, finestOf, isServed, named, resultOf } from './merchants.ts'
import { drawUnits } from './payers.ts'
import { outsideAddress } from './screening.ts'

interface Destination {
  network: Network
  ticker: string
  address: string
  receiver: string | null
}

/** Mostly an address outside that receives nothing else; sometimes a merchant's, whose money is not exchanged again. */
const drawDestination = async (simulation: Simulation, random: Random): Promise<Destination> => {
  const { chains, catalogue } = simulation
  const chain = random.pick(chains)
  const { network } = chain
  const { ticker } = random.pick(chain.assets.filter((one) => catalogue.findCrypto(one.ticker)?.networks.has(network)))
  const internal = random.chance(0.1) ? plainAddresses(simulation).filter((one) => one.network === network) : []
  if (internal.length === 0)
    return { network, ticker, address: await outsideAddress(simulation, random, chain), receiver: null }
  const { address, merchant } = random.pick(internal)
  return { network, ticker, address, receiver: merchant }
}

/** Addresses whose money is credited as it is. */
const plainAddresses = ({ books, merchants }: Simulation): readonly Address[] => {
  const { addresses, targeted, invoiced } = books
  const others = new Set([...targeted, ...invoiced].map(({ address }) => address))
  const holding = new Set(merchants.filter(({ holds }) => holds).map(({ name }) => name))
  return addresses.filter(({ address, merchant }) => !others.has(address) && !holding.has(merchant))
}

/** An amount that the exchange accepts: not finer than its steps. */
export const drawAmount = (simulation: Simulation, random: Random, ticker: string): string => {
  const { networks, scale } = simulation.catalogue.findCrypto(ticker)!
  const network = [...networks.keys()][0] as Network
  const units = toLedger(simulation.catalogue, ticker, network, drawUnits(simulation, random, { ticker, network }))
  return formatUnits(units - (units % finestOf(scale)), scale)
}

const place = (
  simulation: Simulation,
  { merchant, localId, spend, ticker, network, side, to, price, ...units }: ExchangedOut,
) => {
  const decimal = (name: string, of: bigint): string => formatUnits(of, simulation.catalogue.findCrypto(name)!.scale)
  return call(simulation, named(simulation, merchant), (client) =>
    client.exchange.withdrawals.crypto.create({
      ticker,
      spendTicker: spend,
      side,
      amount: side === 'spend' ? decimal(spend, units.spendUnits) : decimal(ticker, units.amountUnits),
      blockchain: network,
      to,
      fee: decimal(ticker, units.feeUnits),
      exchangeFee: decimal(spend, units.exchangeFeeUnits),
      price,
      localId,
    }),
  )
}

const exchangeOut: Action = {
  name: 'exchange and withdraw',
  weight: (simulation) => (isServed(simulation) ? 4 : 0),
  run: async (simulation, random) => {
    const { books, catalogue } = simulation
    const merchant = random.pick(simulation.merchants)
    const spend = random.pick(catalogue.crypto).ticker
    const { network, ticker, address, receiver } = await drawDestination(simulation, random)
    const side = random.pick(['spend', 'spend', 'withdraw'] as const)
    const amount = drawAmount(simulation, random, side === 'spend' ? spend : ticker)
    const asked = { ticker, spendTicker: spend, amount, side, blockchain: network, to: address }
    const what = `${merchant.name} ${spend} to ${network} ${ticker} of ${receiver ?? 'outside'}, ${side} ${amount}`
    const estimate = await call(simulation, merchant, (client) => client.exchange.withdrawals.crypto.estimate(asked))
    if ('failure' in estimate) return `${what}: ${estimate.failure}`
    const { withdraw, spend: spent, exchange, price } = estimate.answer
    const localId = books.nextLocalId('x')
    const ordered: ExchangedOut = {
      merchant: merchant.name,
      localId,
      spend,
      ticker,
      network,
      side,
      price: price.value,
      spendUnits: unitsOf(catalogue, spend, spent.amount),
      exchangeFeeUnits: unitsOf(catalogue, spend, exchange.fee),
      amountUnits: unitsOf(catalogue, ticker, withdraw.amount),
      feeUnits: unitsOf(catalogue, ticker, withdraw.fee),
      to: address,
      receiver,
    }
    books.exchangedOut.push(ordered)
    if (random.chance(0.1)) simulation.clock.advance(random.pick([5_000, 15_000, 60_000]))
    const results = [await place(simulation, ordered)]
    while (results.length < 3 && random.chance('failure' in results.at(-1)! ? 0.6 : 0.15))
      results.push(await place(simulation, ordered))
    return `${what}: ${results.map(resultOf).join(', ')}`
  },
}

const drawTarget = async (simulation: Simulation, random: Random): Promise<Pick<Targeted, 'ticker' | 'sentTo'>> => {
  const { ticker, network, address, receiver } = await drawDestination(simulation, random)
  return { ticker, sentTo: random.chance(0.5) ? null : { network, address, receiver } }
}

const targetBody = ({ ticker, sentTo }: Pick<Targeted, 'ticker' | 'sentTo'>) => ({
  ticker,
  ...(sentTo !== null && { address: sentTo.address, blockchain: sentTo.network }),
})

const inWords = ({ ticker, sentTo }: Pick<Targeted, 'ticker' | 'sentTo'>): string =>
  sentTo === null ? ticker : `${ticker} on ${sentTo.network} of ${sentTo.receiver ?? 'outside'}`

const targetedAddress: Action = {
  name: 'address with a target',
  weight: (simulation) => (isServed(simulation) ? 2.5 : 0),
  run: async (simulation, random) => {
    const { books, chains } = simulation
    const merchant = random.pick(simulation.merchants)
    const { network } = random.pick(chains)
    const target = await drawTarget(simulation, random)
    const body = { blockchain: network, target: targetBody(target) }
    const isRotating = random.chance(0.3)
    const result = await call(simulation, merchant, (client) =>
      isRotating ? client.rotatingAddresses.create(body) : client.addresses.create(body),
    )
    if ('answer' in result) {
      const { address } = result.answer
      books.addresses.push({ merchant: merchant.name, network, address })
      books.targeted.push({ merchant: merchant.name, address, invoiceId: null, ...target })
    }
    return `${merchant.name} ${network} to ${inWords(target)}: ${resultOf(result)}`
  },
}

const targetedInvoice: Action = {
  name: 'invoice with a target',
  weight: (simulation) => (isServed(simulation) ? 1 : 0),
  run: async (simulation, random) => {
    const drawn = drawInvoice(simulation, random)
    const { merchant, network, ticker, value } = drawn
    const target = await drawTarget(simulation, random)
    // The address is on the page of the invoice, which does not fail; the merchant's own look at it may.
    const made = await createInvoice(simulation, drawn, { target: targetBody(target) }, 3)
    const what = `${merchant.name} ${network} ${ticker} ${value} to ${inWords(target)}`
    if ('failure' in made) return `${what}: ${made.failure}`
    simulation.books.targeted.push({
      merchant: merchant.name,
      address: made.address,
      invoiceId: made.id,
      ...target,
    })
    return `${what}: ok`
  },
}

/** The same order again, long after. */
const repeat: Action = {
  name: 'exchange and withdraw again',
  weight: (simulation) => (isServed(simulation) && simulation.books.exchangedOut.length > 0 ? 0.5 : 0),
  run: async (simulation, random) => {
    const again = random.pick(simulation.books.exchangedOut)
    return `${again.localId}: ${resultOf(await place(simulation, again))}`
  },
}

export const EXCHANGES: readonly Action[] = [exchangeOut, repeat, targetedAddress, targetedInvoice]
