/**
 * Payments to merchants from the pool to the block that decides about them, in one step: few blocks over a large sum, a
 * block that is lost after its money was spent, a payer who pays otherwise. By single steps alone, a short run rarely
 * gets so far.
 */
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import type { SimulatedMerchant } from '../merchants.ts'
import { fromLedger, unitsOf, type Address } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { call, createInvoice, drawInvoice, place, resultOf } from './merchants.ts'
import { calm, isComplete, loseBlock, mine, read, servedOn } from './sent.ts'
import { drawUnits, payerOf } from './payers.ts'

/** Blocks that make every block before them final, also on Bitcoin. */
const TO_FINAL = 7

const bitcoinOf = ({ chains }: Simulation): SimulatedChain | undefined =>
  chains.find(({ network }) => network === 'BITCOIN')

/** Satoshis for whole US dollars, by the price that the program's source has. */
const satoshisOf = ({ prices }: Simulation, dollars: number): bigint =>
  BigInt(Math.floor((dollars / Number(prices.usd()['BTC'])) * 1e8))

/** A new address of a merchant whose deposits are credited before they are screened. */
export const newAddress = async (
  simulation: Simulation,
  random: Random,
  { network }: SimulatedChain,
  merchant = random.pick(simulation.merchants.filter(({ holds }) => !holds)),
): Promise<(Address & { client: SimulatedMerchant }) | undefined> => {
  const made = await call(simulation, merchant, (client) => client.rotatingAddresses.create({ blockchain: network }))
  if ('failure' in made) return undefined
  const address = { merchant: merchant.name, network, address: made.answer.address }
  simulation.books.addresses.push(address)
  return { ...address, client: merchant }
}

interface Sent {
  ticker: string
  units: bigint
  how?: 'plain' | 'two-outputs'
}

export const pay = async (
  simulation: Simulation,
  chain: SimulatedChain,
  { merchant, network, address }: Address,
  { ticker, units, how = 'plain' }: Sent,
): Promise<string> => {
  const hash = await chain.pay({ ticker, to: address, units, how })
  simulation.books.paidIn.push({
    merchant,
    network,
    ticker,
    address,
    hash,
    byContract: false,
    units: how === 'two-outputs' ? [units, units] : [units],
    ...payerOf(simulation, chain, hash),
  })
  return hash
}

/** The statuses of the deposits of a transaction, as the API answers. */
export const statusesOf = async (
  simulation: Simulation,
  merchant: SimulatedMerchant,
  hash: string,
): Promise<string[]> => {
  const found = await call(simulation, merchant, (client) => client.deposits.page({ hash }))
  return 'answer' in found ? found.answer.items.map(({ status }) => status) : []
}

export const CREDITED = new Set(['Done', 'Verified'])

/** Each output of this worth needs one confirmation; two of them need two (docs/contract.md, 18). */
const BELOW_THE_BOUND = 80
/** Needs two confirmations. */
const ABOVE_THE_BOUND = 2_000

/** A sum that needs two confirmations, in one output or in several, has one. */
const tooEarly: Action = {
  name: 'a large sum in one block',
  weight: (simulation) => (isComplete(simulation) && bitcoinOf(simulation) !== undefined ? 2 : 0),
  run: async (simulation, random) => {
    const chain = bitcoinOf(simulation)!
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    if (to === undefined) return 'no address'
    const small = satoshisOf(simulation, BELOW_THE_BOUND)
    const story = random.pick(['one output', 'two outputs', 'two transactions'] as const)
    const hashes: string[] = []
    if (story === 'one output')
      hashes.push(await pay(simulation, chain, to, { ticker: 'BTC', units: satoshisOf(simulation, ABOVE_THE_BOUND) }))
    if (story === 'two outputs')
      hashes.push(await pay(simulation, chain, to, { ticker: 'BTC', units: small, how: 'two-outputs' }))
    if (story === 'two transactions')
      for (let at = 0; at < 2; at += 1)
        hashes.push(await pay(simulation, chain, to, { ticker: 'BTC', units: small + BigInt(at) }))
    await mine(simulation, chain, 1)
    for (const hash of hashes) {
      const statuses = await statusesOf(simulation, to.client, hash)
      // In steps with several actions, another one may mine as well.
      if (simulation.together === 1 && statuses.some((status) => CREDITED.has(status)))
        simulation.problems.push(`${story} of BTC to ${to.address}: credited after one confirmation, and needs two`)
    }
    await mine(simulation, chain, random.pick([1, TO_FINAL]))
    return `${to.merchant}: ${story}`
  },
}

/** Worth of each lost payment, of which two together still need one confirmation; and of the next one, dollars. */
const LOST = 40
const NEXT = 95

/** Withdraws the balance of bitcoins less `left` satoshis and the fee. @returns the answer in words */
const spendAllBut = async (
  simulation: Simulation,
  random: Random,
  { chain, merchant, left }: { chain: SimulatedChain; merchant: SimulatedMerchant; left: bigint },
): Promise<string> => {
  const { books, catalogue } = simulation
  const { network } = chain
  const ticker = 'BTC'
  const { scale } = catalogue.findCrypto(ticker)!
  const to = await chain.newAddress(random)
  const listed = await call(simulation, merchant, (client) => client.balances.list([ticker]))
  if ('failure' in listed) return listed.failure
  const balance = unitsOf(catalogue, ticker, listed.answer[0]!.value)
  const amount = formatUnits(balance, scale)
  const fee = await call(simulation, merchant, (client) =>
    client.withdrawals.crypto.fee({ ticker, amount, blockchain: network, address: to }),
  )
  if ('failure' in fee) return fee.failure
  const units = balance - unitsOf(catalogue, ticker, fee.answer.value) - left
  if (units <= 0n) return 'has too little'
  const wanted = {
    merchant: merchant.name,
    localId: books.nextLocalId('w'),
    network,
    ticker,
    to,
    units,
    receiver: null,
  }
  books.paidOut.push(wanted)
  return resultOf(await place(simulation, wanted))
}

/** Two payments are credited and spent, their block is lost, and a later payment repays the debt. */
const spentAndLost: Action = {
  name: 'money of a lost block was spent',
  weight: (simulation) => (isComplete(simulation) && bitcoinOf(simulation) !== undefined ? 2 : 0),
  run: async (simulation, random) => {
    const chain = bitcoinOf(simulation)!
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    if (to === undefined) return 'no address'
    const units = satoshisOf(simulation, LOST)
    const lost = [
      await pay(simulation, chain, to, { ticker: 'BTC', units }),
      await pay(simulation, chain, to, { ticker: 'BTC', units: units + 1n }),
    ]
    await mine(simulation, chain, 1)
    // One of the two could still be taken back whole, so that both together must not take it.
    const left = random.chance(0.5) ? units + 2n : 0n
    const spent = await spendAllBut(simulation, random, { chain, merchant: to.client, left })
    const isLost = random.chance(0.7)
    await loseBlock(simulation, chain, isLost ? lost : [])
    await mine(simulation, chain, 1)
    await pay(simulation, chain, to, { ticker: 'BTC', units: satoshisOf(simulation, NEXT) })
    await mine(simulation, chain, random.pick([1, TO_FINAL]))
    return `${to.merchant}: spent all but ${left}: ${spent}; ${isLost ? 'lost' : 'mined again'}`
  },
}

/** A payer pays otherwise while the payment waits; the block with the other transaction may be lost again. */
const paidOtherwise: Action = {
  name: 'a payment gives way in a block that is not final',
  weight: (simulation) => (isComplete(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const chain = random.pick(simulation.chains)
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    if (to === undefined) return 'no address'
    const { network } = chain
    const ticker = random.pick(servedOn(simulation, chain))
    const hash = await pay(simulation, chain, to, { ticker, units: drawUnits(simulation, random, { ticker, network }) })
    await read(simulation, chain)
    if ((await chain.replace(hash)) === null) return `${network}: impossible`
    await mine(simulation, chain, 1)
    const statuses = await statusesOf(simulation, to.client, hash)
    if (simulation.together === 1 && statuses.includes('Failed'))
      simulation.problems.push(`${ticker} on ${network}: Failed by a block that is not final`)
    if (random.chance(0.5)) await loseBlock(simulation, chain)
    await mine(simulation, chain, random.pick([1, TO_FINAL]))
    return `${network} ${ticker}: ${statuses.join(', ')}`
  },
}

/** An invoice is paid in the pool, and the payer pays otherwise before a block has the payment. */
const invoicePaidOtherwise: Action = {
  name: 'the payment of an invoice gives way',
  weight: (simulation) => (isComplete(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const drawn = drawInvoice(simulation, random)
    const { merchant, network, ticker, units } = drawn
    const chain = simulation.chains.find((one) => one.network === network)!
    await calm(simulation, chain)
    const made = await createInvoice(simulation, drawn, {}, 3)
    if ('failure' in made) return `${network} ${ticker}: ${made.failure}`
    const to = { merchant: merchant.name, network, address: made.address }
    const sent = { ticker, units: fromLedger(simulation.catalogue, ticker, network, units) }
    if (sent.units === 0n) return 'nothing to send'
    const hash = await pay(simulation, chain, to, sent)
    await read(simulation, chain)
    const found = await call(simulation, merchant, (client) => client.invoices.crypto.get(made.id))
    const status = 'answer' in found ? found.answer.status : found.failure
    if (status === 'PAID' && (await chain.transaction(hash)) === 'pool')
      simulation.problems.push(`invoice ${made.id} of ${ticker}: is PAID, and its payment is in no block`)
    const replaced = await chain.replace(hash)
    await mine(simulation, chain, TO_FINAL)
    return `${network} ${ticker}: ${status}, ${replaced === null ? 'stays' : 'gives way'}`
  },
}

export const LOST_MONEY: readonly Action[] = [tooEarly, spentAndLost, paidOtherwise, invoicePaidOtherwise]
