/**
 * A payment to a merchant in a block that its node shows otherwise than it is, in one step: results, logs or
 * transactions are wrong or missing for a while, or coin of contracts is listed otherwise than it came. By single steps
 * alone, the node rarely does so just when a payment comes.
 */
import type { Way } from '../chains/chain.ts'
import { FOREIGN_FINAL } from '../chains/evm/dialects/heads.ts'
import { OTHER_BLOCK } from '../chains/evm/dialects/receipts.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { LISTED_TWICE, MARKED_SUN, NOT_LISTED } from '../chains/tron/dialects.ts'
import type { Address } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { CREDITED, newAddress, pay, statusesOf } from './lost-money.ts'
import { drawUnits, payerOf } from './payers.ts'
import { runJob } from './program.ts'
import { calm, isComplete, mine, servedOn } from './sent.ts'

/** Rows of docs/dialects.md about blocks that are shown otherwise than they are, and what a contract sends in them. */
const WRONG = /^(E-62|T-21)/
const MORE = /^(T-3|T-6)/
/** Blocks that make every block before them final. */
const TO_FINAL = 7
/** Payments at once: a block with one log has no gap between its logs. */
const TOGETHER = 2

/** The chains whose node can speak so. */
const speaking = ({ chains }: Simulation, name: string): SimulatedChain[] =>
  chains.filter(({ front }) => front.dialects.includes(name))

const namesOf = ({ front }: SimulatedChain, which: RegExp): string[] =>
  front.dialects.filter((name) => which.test(name) && name !== LISTED_TWICE && name !== NOT_LISTED)

interface Shown {
  /** dialect of the node meanwhile */
  name: string
  ticker: string
  how: Way
  units: bigint
}

/**
 * Pays an address, and has the block read while the node speaks so, until it is final.
 * @returns the hash of the last payment
 */
const payWhile = async (
  simulation: Simulation,
  chain: SimulatedChain,
  { merchant, network, address }: Address,
  { name, ticker, how, units }: Shown,
  times = 1,
): Promise<string> => {
  chain.front.setDialect([name])
  let hash = ''
  for (let at = 0; at < times; at += 1) {
    hash = await chain.pay({ ticker, to: address, units, how })
    const byContract = how === 'inner' || how === 'destruction'
    const payer = payerOf(simulation, chain, hash)
    simulation.books.paidIn.push({ merchant, network, ticker, address, hash, byContract, units: [units], ...payer })
  }
  await mine(simulation, chain, 1)
  await mine(simulation, chain, TO_FINAL)
  for (const job of simulation.roles.get('worker')?.jobs ?? [])
    if (job.name === `inner transfers ${network}`) await runJob(job)
  return hash
}

const isQuiet = (simulation: Simulation): boolean => isComplete(simulation) && simulation.together === 1

const wrongBlock: Action = {
  name: 'a payment in a block that its node shows wrongly',
  weight: (simulation) =>
    isQuiet(simulation) && simulation.chains.some((chain) => namesOf(chain, WRONG).length > 0) ? 2 : 0,
  run: async (simulation, random) => {
    const chain = random.pick(simulation.chains.filter((one) => namesOf(one, WRONG).length > 0))
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    if (to === undefined) return 'no address'
    const ticker = random.pick(servedOn(simulation, chain))
    const units = drawUnits(simulation, random, { ticker, network: chain.network })
    const name = random.pick(namesOf(chain, WRONG))
    await payWhile(simulation, chain, to, { name, ticker, how: 'plain', units }, TOGETHER)
    chain.front.mend()
    await mine(simulation, chain, 1)
    return `${to.merchant} ${chain.network} ${ticker} ${units}, ${name}`
  },
}

const tronOf = ({ chains }: Simulation): SimulatedChain | undefined => chains.find(({ network }) => network === 'TRON')

/** Coin of a contract, while the node lists acts that move none of it. */
const listedMore: Action = {
  name: 'coin of a contract on a node that lists more',
  weight: (simulation) => (isQuiet(simulation) && tronOf(simulation) !== undefined ? 2 : 0),
  run: async (simulation, random) => {
    const chain = tronOf(simulation)!
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    if (to === undefined) return 'no address'
    const how = random.pick(['inner', 'destruction'] as const)
    const units = drawUnits(simulation, random, { ticker: 'TRX', network: 'TRON' })
    const name = random.pick(namesOf(chain, MORE))
    await payWhile(simulation, chain, to, { name, ticker: 'TRX', how, units })
    return `${to.merchant} ${units} ${how}, ${name}`
  },
}

/**
 * Coin of a contract that the node lists twice: the address does not hold that. Then the same amount comes again, and
 * the node does not list it: now the address holds what the node has listed.
 */
const listedTwice: Action = {
  name: 'coin of a contract that the node lists twice',
  weight: (simulation) => (isQuiet(simulation) && tronOf(simulation) !== undefined ? 1.5 : 0),
  run: async (simulation, random) => {
    const chain = tronOf(simulation)!
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    if (to === undefined) return 'no address'
    // It leaves the list of addresses that payers draw from, so that no other action pays it.
    simulation.books.addresses.pop()
    const { modulus, rest } = MARKED_SUN
    const paid = { ticker: 'TRX', how: 'inner', units: BigInt(2 + random.int(900)) * modulus + rest } as const
    const hash = await payWhile(simulation, chain, to, { name: LISTED_TWICE, ...paid })
    const statuses = await statusesOf(simulation, to.client, hash)
    if (statuses.some((status) => CREDITED.has(status)))
      simulation.problems.push(`${paid.units} TRX to ${to.address} were credited twice: the node lists them twice`)
    await payWhile(simulation, chain, to, { name: NOT_LISTED, ...paid })
    chain.front.mend()
    return `${to.merchant} ${paid.units}: ${statuses.join(', ')}`
  },
}

/** A transfer of a token that fails, while the node shows its receipt in a lost block, where it took place. */
const lostReceipts: Action = {
  name: 'a transfer that fails on a node with receipts of a lost block',
  weight: (simulation) => (isQuiet(simulation) && speaking(simulation, OTHER_BLOCK).length > 0 ? 1 : 0),
  run: async (simulation, random) => {
    const chain = random.pick(speaking(simulation, OTHER_BLOCK))
    const { network } = chain
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    const tokens = chain.assets.filter(
      ({ ticker, contract }) => contract !== undefined && servedOn(simulation, chain).includes(ticker),
    )
    if (to === undefined || tokens.length === 0) return `${network}: no address, or no tokens`
    const { ticker } = random.pick(tokens)
    const units = drawUnits(simulation, random, { ticker, network })
    const hash = await payWhile(simulation, chain, to, { name: OTHER_BLOCK, ticker, how: 'failing', units })
    chain.front.mend()
    await mine(simulation, chain, 1)
    const statuses = await statusesOf(simulation, to.client, hash)
    if (statuses.length > 0)
      simulation.problems.push(`a transfer of ${units} ${ticker} to ${to.address} failed, and is a deposit`)
    return `${to.merchant} ${network} ${ticker} ${units}: ${await chain.transaction(hash)}`
  },
}

/** Blocks from the one with the payment to the head: no node of its branch says that it is final. */
const NOT_FINAL = 4

/** A node says that a block of another branch is final, and that branch takes the payment away. */
const foreignFinal: Action = {
  name: 'the final block of another branch',
  weight: (simulation) => (isQuiet(simulation) && speaking(simulation, FOREIGN_FINAL).length > 0 ? 1 : 0),
  run: async (simulation, random) => {
    const chain = random.pick(speaking(simulation, FOREIGN_FINAL))
    const { network } = chain
    await calm(simulation, chain)
    const to = await newAddress(simulation, random, chain)
    if (to === undefined) return 'no address'
    const ticker = random.pick(servedOn(simulation, chain))
    const units = drawUnits(simulation, random, { ticker, network })
    chain.front.setDialect([FOREIGN_FINAL])
    const hash = await pay(simulation, chain, to, { ticker, units })
    for (let block = 0; block < NOT_FINAL; block += 1) await mine(simulation, chain, 1)
    const statuses = await statusesOf(simulation, to.client, hash)
    if (statuses.some((status) => CREDITED.has(status)))
      simulation.problems.push(`${units} ${ticker} to ${to.address} were credited by the final block of another branch`)
    simulation.reorganised.add(network)
    await chain.reorganise(NOT_FINAL, random.chance(0.5) ? [hash] : [], 'wait')
    chain.front.mend()
    await mine(simulation, chain, 1)
    return `${to.merchant} ${network} ${ticker} ${units}: ${statuses.join(', ')}, then ${await chain.transaction(hash)}`
  },
}

export const SHOWN: readonly Action[] = [wrongBlock, listedMore, listedTwice, lostReceipts, foreignFinal]
