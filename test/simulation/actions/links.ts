/**
 * Payment links of merchants, and payers at their pages and at the pages of crypto invoices: a payer chooses the
 * amount and the network, sends a form twice, or asks for what a link does not allow.
 */
import type { Random } from '../../../sandbox/random.ts'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import { browse, formOf, type Page } from '../members/browser.ts'
import { toLedger, unitsOf, type PaymentLinkMade } from '../model/books.ts'
import { judgePriced } from '../model/priced.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { call, drawInvoice, isServed, named, resultOf } from './merchants.ts'
import { drawUnits } from './payers.ts'
import { BASES, drawPrice, E18, numberOf } from './priced.ts'

const NEWEST = 6
/** The share of links that are in a national currency. */
const PRICED_LINKS = 0.3
/** The payer's browser has no session. */
const payerAt = (simulation: Simulation) => browse(simulation, '')

/** The invoice to which a page leads; undefined: to none. */
const invoiceIn = ({ status, location }: Page): string | undefined =>
  status === 303 ? /\/invoices\/crypto\/([0-9a-f-]{36})/.exec(location)?.[1] : undefined

/**
 * The payer chooses a network at the page of an invoice, which then has an address.
 * @param units that it must ask for, ledger units
 * @returns the result for the trace
 */
const choose = async (
  simulation: Simulation,
  random: Random,
  { merchant, id, ticker, units }: { merchant: string; id: string; ticker: string; units: bigint },
): Promise<string> => {
  const { books, catalogue, chains, problems } = simulation
  const isPriced = catalogue.findCrypto(ticker) === undefined
  const asset = isPriced ? random.pick(catalogue.crypto).ticker : ticker
  const served = chains.filter(({ network }) => catalogue.findCrypto(asset)?.networks.has(network))
  const { network } = random.pick(served)
  const form = { do: 'proceed', email: 'payer@example.com', choice: `${asset}:${network}` }
  const payer = payerAt(simulation)
  await Promise.all(
    Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => payer.post(`/invoices/crypto/${id}`, form)),
  )
  const found = await call(simulation, named(simulation, merchant), (client) => client.invoices.crypto.get(id))
  if ('failure' in found) return found.failure
  const { address, amount, baseAmount, price } = found.answer
  if (address === undefined || amount === null) return 'no address'
  if (isPriced) {
    const what = `invoice ${id} of ${units} ${ticker}`
    if (baseAmount?.ticker !== ticker || numberOf(baseAmount.value) !== units)
      problems.push(`${what}: has the price ${baseAmount?.value} ${baseAmount?.ticker}`)
    const { scale } = catalogue.findCrypto(amount.ticker)!
    const asked = unitsOf(catalogue, amount.ticker, amount.value ?? '0')
    const terms = { asked, worth: units, price: numberOf(price ?? '0'), scale }
    problems.push(...judgePriced(what, { ...terms, paid: 0n, isCredited: false, isPaid: false }))
    return `${asset} on ${network}`
  }
  if (amount.ticker !== ticker || unitsOf(catalogue, ticker, amount.value ?? '0') !== units)
    problems.push(`invoice ${id} asks for ${amount.value} ${amount.ticker}, and its price is ${units} ${ticker}`)
  if (amount.blockchain !== network) return `another network`
  books.addresses.push({ merchant, network, address })
  books.invoiced.push({ merchant, id, network, ticker, address, units })
  return network
}

const chooseAtPage: Action = {
  name: 'a payer chooses the network of an invoice',
  weight: (simulation) => (isServed(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const { merchant, ticker, value, units } = drawInvoice(simulation, random)
    const made = await call(simulation, merchant, (client) =>
      client.invoices.crypto.create({ name: 'Order', amount: { value, ticker } }),
    )
    if ('failure' in made) return `${merchant.name} ${ticker}: ${made.failure}`
    const asked = { merchant: merchant.name, id: made.answer.id, ticker, units }
    return `${merchant.name} ${ticker} ${value}: ${await choose(simulation, random, asked)}`
  },
}

const makeLink: Action = {
  name: 'payment link',
  weight: (simulation) => (isServed(simulation) ? 0.7 : 0),
  run: async (simulation, random) => {
    const { books } = simulation
    const { merchant, ticker, units, other } = drawAmounts(simulation, random)
    const scale = scaleOf(simulation, ticker)
    const [least, most] = units < other ? [units, other] : [other, units]
    const isFixed = random.chance(0.5)
    const maxPayments = random.pick([undefined, 1, 1, 2])
    const amounts = isFixed
      ? { amount: formatUnits(units, scale) }
      : { minAmount: formatUnits(least, scale), maxAmount: formatUnits(most, scale) }
    const made = await call(simulation, merchant, (client) =>
      client.paymentLinks.create({ name: 'Link', method: 'CRYPTO', ticker, ...amounts, maxPayments }),
    )
    const what = `${merchant.name} ${ticker} ${Object.values(amounts).join(' to ')}`
    if ('failure' in made) return `${what}: ${made.failure}`
    const path = new URL(made.answer.url).pathname
    books.links.push({
      merchant: merchant.name,
      id: made.answer.id,
      path,
      ticker,
      amount: isFixed ? units : undefined,
      least: isFixed ? undefined : least,
      most: isFixed ? undefined : most,
      mostPayments: maxPayments,
      invoices: [],
      isDisabled: false,
    })
    return `${what}, at most ${maxPayments ?? 'any'}`
  },
}

/** The decimals in which the amounts of a link are counted. */
const scaleOf = ({ catalogue }: Simulation, ticker: string): number => catalogue.findCrypto(ticker)?.scale ?? E18

/** Two amounts of a new link: in an asset, or in a national currency. */
const drawAmounts = (simulation: Simulation, random: Random) => {
  if (random.of('priced').chance(PRICED_LINKS)) {
    const ticker = random.pick(BASES)
    const drawn = (name: string): bigint => numberOf(drawPrice(random.of(name), ticker))
    return { merchant: random.pick(simulation.merchants), ticker, units: drawn('one'), other: drawn('most') }
  }
  const { merchant, network, ticker, units } = drawInvoice(simulation, random)
  const drawn = drawUnits(simulation, random.of('most'), { ticker, network })
  return { merchant, ticker, units, other: toLedger(simulation.catalogue, ticker, network, drawn) }
}

/** How many invoices of a link are paid or can still be paid; undefined: the api does not say of one. */
const usesOf = async (simulation: Simulation, { merchant, invoices }: PaymentLinkMade): Promise<number | undefined> => {
  let uses = 0
  for (const id of invoices) {
    const found = await call(simulation, named(simulation, merchant), (client) => client.invoices.crypto.get(id))
    if ('failure' in found) return undefined
    if (found.answer.status !== 'EXPIRED') uses += 1
  }
  return uses
}

/** What a payer types: mostly what the link allows; on a link with an amount, perhaps another one. */
const drawTyped = (
  simulation: Simulation,
  random: Random,
  { ticker, amount, least, most }: PaymentLinkMade,
): bigint => {
  const scale = scaleOf(simulation, ticker)
  if (amount !== undefined) return amount / 10n
  const cents = 10n ** BigInt(Math.max(0, scale - 6))
  const edge = random.next()
  if (edge < 0.2) return least! - cents
  if (edge < 0.4) return most! + cents
  return edge < 0.7 ? least! : most!
}

const payLink: Action = {
  name: 'payer at a payment link',
  weight: (simulation) => (isServed(simulation) && simulation.books.links.length > 0 ? 4 : 0),
  run: async (simulation, random) => {
    const { books, problems, together } = simulation
    const link = random.pick(books.links.slice(-NEWEST))
    const { merchant, path, ticker, amount, least, most, mostPayments } = link
    const payer = payerAt(simulation)
    const key = formOf(await payer.get(path), { name: 'key' })?.['key']
    if (key === undefined) return `${merchant} ${ticker}: no form`
    const before = await usesOf(simulation, link)
    const isDisabled = link.isDisabled
    const typed = drawTyped(simulation, random, link)
    const value = formatUnits(typed, scaleOf(simulation, ticker)).replace(/\.\d{3}$/, '$&0')
    const answers = await Promise.all(
      Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => payer.post(path, { key, value })),
    )
    const ids = [...new Set(answers.flatMap((answer) => invoiceIn(answer) ?? []))]
    const what = `the link of ${merchant} for ${amount ?? 'any'} ${ticker}`
    if (ids.length > 1) problems.push(`${what}: one form made ${ids.length} invoices`)
    const [id] = ids
    if (id === undefined) {
      // It may have made an invoice whose answer was lost.
      if (answers.some(({ status }) => status === 0 || status >= 500)) link.mostPayments = undefined
      return `${merchant} ${ticker} ${value}: ${answers.map(({ status }) => status).join(', ')}`
    }
    link.invoices.push(id)
    if (isDisabled && together === 1) problems.push(`${what}: made an invoice, and is disabled`)
    if (together === 1 && before !== undefined && mostPayments !== undefined && before >= mostPayments)
      problems.push(`${what}: made invoice ${before + 1}, and ${mostPayments} may be paid`)
    if (amount === undefined && (typed < least! || typed > most!))
      problems.push(`${what}: made an invoice of ${typed}, which its limits forbid`)
    const chosen = await choose(simulation, random, { merchant, id, ticker, units: amount ?? typed })
    return `${merchant} ${ticker} ${value}: ${chosen}`
  },
}

const disableLink: Action = {
  name: 'payment link is disabled',
  weight: (simulation) => (isServed(simulation) && simulation.books.links.length > 0 ? 0.2 : 0),
  run: async (simulation, random) => {
    const link = random.pick(simulation.books.links.slice(-NEWEST))
    const result = await call(simulation, named(simulation, link.merchant), (client) =>
      client.paymentLinks.disable(link.id),
    )
    if ('answer' in result) link.isDisabled = true
    return `${link.merchant} ${link.ticker}: ${resultOf(result)}`
  },
}

export const LINKS: readonly Action[] = [chooseAtPage, makeLink, payLink, disableLink]
