/**
 * Invoices with a price in a national currency, in one step: the payer pays what is asked for, or so little less that
 * only the last digits of its worth are missing.
 */
import { formatUnits, parseUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { fromLedger, toLedger, unitsOf } from '../model/books.ts'
import { judgePriced, pricedWorth } from '../model/priced.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { CREDITED, pay, statusesOf } from './lost-money.ts'
import { call } from './merchants.ts'
import { calm, isComplete, mine, servedOn } from './sent.ts'

/** Blocks that make every block before them final, also on Bitcoin. */
const TO_FINAL = 7
export const BASES = ['USD', 'EUR', 'UAH'] as const
/** Whole units of a price. */
const PRICE = { USD: [20, 900], EUR: [20, 900], UAH: [800, 30_000] } as const

/** A payer leaves out so much of the worth of the price, in its last digits: rounding explains one of them. */
const LEFT_OUT = 2n

interface Priced {
  id: string
  address: string
  /** of the invoice, in 1e-18 of its currency */
  worth: bigint
  /** of one whole unit of the asset, in the same */
  price: bigint
  /** ledger units */
  asked: bigint
}

/** Decimals of a worth and of a price. */
export const E18 = 18

export const numberOf = (text: string): bigint => {
  const parsed = parseUnits(text, E18)
  if (!parsed.ok) throw new Error(`the API answered the price ${text}`)
  return parsed.units
}

/** A price in cents. */
export const drawPrice = (random: Random, base: (typeof BASES)[number]): string => {
  const [least, most] = PRICE[base]
  return formatUnits(BigInt(least * 100 + random.int((most - least) * 100)), 2)
}

/** A new invoice with a price, and with an address. @returns undefined: it was not made, or the answer was lost */
const createPriced = async (
  simulation: Simulation,
  random: Random,
  { merchant, chain, ticker }: { merchant: Simulation['merchants'][number]; chain: SimulatedChain; ticker: string },
): Promise<Priced | undefined> => {
  const base = random.pick(BASES)
  const value = drawPrice(random, base)
  const made = await call(simulation, merchant, (client) =>
    client.invoices.crypto.create({
      name: 'Order',
      baseAmount: { value, ticker: base },
      amount: { ticker, blockchain: chain.network },
      toPendingImmediate: true,
    }),
  )
  if ('failure' in made) return undefined
  const { id } = made.answer
  const found = await call(simulation, merchant, (client) => client.invoices.crypto.get(id))
  if ('failure' in found) return undefined
  const { address, amount, price } = found.answer
  if (address === undefined || price === undefined || amount?.value === undefined) return undefined
  const asked = unitsOf(simulation.catalogue, ticker, amount.value)
  return { id, address, worth: numberOf(value), price: numberOf(price), asked }
}

/** The most that is worth no more than the price without what the payer leaves out, in units of the network. */
const withoutLastDigits = (
  { catalogue }: Simulation,
  { chain, ticker, priced }: { chain: SimulatedChain; ticker: string; priced: Priced },
): bigint => {
  const { scale } = catalogue.findCrypto(ticker)!
  const ledger = ((priced.worth - LEFT_OUT + 1n) * 10n ** BigInt(scale) - 1n) / priced.price
  return fromLedger(catalogue, ticker, chain.network, ledger)
}

const paidPriced: Action = {
  name: 'an invoice with a price in a national currency',
  weight: (simulation) => (isComplete(simulation) && simulation.together === 1 ? 1.5 : 0),
  run: async (simulation, random) => {
    const { catalogue, merchants, problems } = simulation
    const chain = random.pick(simulation.chains)
    const { network } = chain
    await calm(simulation, chain)
    const merchant = random.pick(merchants.filter(({ holds }) => !holds))
    const ticker = random.pick(servedOn(simulation, chain))
    const priced = await createPriced(simulation, random, { merchant, chain, ticker })
    if (priced === undefined) return `${merchant.name} ${network} ${ticker}: no invoice`
    const { id, address, asked, price, worth } = priced
    const isWhole = random.chance(0.4)
    const all = fromLedger(catalogue, ticker, network, asked)
    const units = isWhole ? all : withoutLastDigits(simulation, { chain, ticker, priced })
    const hash = await pay(simulation, chain, { merchant: merchant.name, network, address }, { ticker, units })
    await mine(simulation, chain, TO_FINAL)
    const found = await call(simulation, merchant, (client) => client.invoices.crypto.get(id))
    if ('failure' in found) return `${merchant.name} ${network} ${ticker}: ${found.failure}`
    const { scale } = catalogue.findCrypto(ticker)!
    const paid = toLedger(catalogue, ticker, network, units)
    const what = `invoice ${id} of ${worth} at ${price} a ${ticker}`
    const isCredited = (await statusesOf(simulation, merchant, hash)).some((status) => CREDITED.has(status))
    const isPaid = found.answer.status === 'PAID'
    problems.push(...judgePriced(what, { asked, worth, price, scale, paid, isCredited, isPaid }))
    return `${merchant.name} ${network} ${ticker} ${worth}: ${pricedWorth(paid, price, scale)}, ${found.answer.status}`
  },
}

export const PRICED: readonly Action[] = [paidPriced]
