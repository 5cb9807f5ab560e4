/**
 * Withdrawals with an outcome of their own, in one step: the receiver is a contract that pays a deposit address of a
 * merchant in the same transaction, or the transaction runs out of energy.
 */
import { NATIVE_TICKER } from '@bursar/chainkit'
import type { SimulatedChain } from '../chains/index.ts'
import { LOW_ESTIMATES } from '../chains/tron/dialects.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { newAddress } from './lost-money.ts'
import { place, resultOf } from './merchants.ts'
import { calm, carry, drawPayment, isComplete, mine, statusOf } from './sent.ts'

/** Blocks that make every block before them final. */
const TO_FINAL = 5

const passingChains = ({ chains }: Simulation): SimulatedChain[] => chains.filter((one) => one.passOn !== undefined)

const passedOn: Action = {
  name: 'a receiver pays the coin to a deposit address',
  weight: (simulation) => (isComplete(simulation) && passingChains(simulation).length > 0 ? 2 : 0),
  run: async (simulation, random) => {
    const chain = random.pick(passingChains(simulation))
    const { network } = chain
    await calm(simulation, chain)
    const passesOn = await newAddress(simulation, random, chain)
    if (passesOn === undefined) return 'no address'
    const ticker = NATIVE_TICKER[network]
    const { merchant, address } = passesOn
    const wanted = {
      ...(await drawPayment(simulation, random, chain, ticker)),
      passesOn: { merchant, network, address },
    }
    await chain.passOn!(wanted.to, address)
    simulation.books.paidOut.push(wanted)
    const result = resultOf(await place(simulation, wanted))
    await carry(simulation, chain)
    await mine(simulation, chain, 1)
    await mine(simulation, chain, TO_FINAL)
    return `${wanted.merchant} ${network} ${wanted.units} to ${merchant}: ${result}, ${await statusOf(simulation, wanted)}`
  },
}

const tronOf = ({ chains }: Simulation): SimulatedChain | undefined => chains.find(({ network }) => network === 'TRON')

/** The node's estimate was too low, so that the transaction fails in its block. */
const outOfEnergy: Action = {
  name: 'a payment of ours runs out of energy',
  weight: (simulation) => (isComplete(simulation) && tronOf(simulation) !== undefined ? 1 : 0),
  run: async (simulation, random) => {
    const chain = tronOf(simulation)!
    await calm(simulation, chain)
    const wanted = await drawPayment(simulation, random, chain, 'USDT')
    simulation.books.paidOut.push(wanted)
    const result = resultOf(await place(simulation, wanted))
    chain.front.setDialect([LOW_ESTIMATES])
    await carry(simulation, chain)
    await mine(simulation, chain, 1)
    chain.front.mend()
    await mine(simulation, chain, TO_FINAL)
    return `${wanted.merchant} ${wanted.units}: ${result}, ${await statusOf(simulation, wanted)}`
  },
}

export const PASSED_ON: readonly Action[] = [passedOn, outOfEnergy]
