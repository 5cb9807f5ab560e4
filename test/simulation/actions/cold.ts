/** Transfers to cold storage: offered by the program, signed offline, imported or cancelled by an operator. */
import { join } from 'node:path'
import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import type { SimulatedChain } from '../chains/index.ts'
import { COLD_TARGET } from '../installation/files.ts'
import { fromLedger, toLedger, unitsOf, type PaidOut } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { accountChains, evmChains, hotAddressesOf, mostOf, richestOf, supply, takenTogether } from './hot-coin.ts'
import { place, resultOf } from './merchants.ts'
import { fill } from './operators.ts'
import { calm, carry, isComplete, mine } from './sent.ts'
import { during, runNamed } from './stalled.ts'

/** Blocks that make every block before them final. */
const TO_FINAL = 6

interface Offer {
  id: string
  network: Network
  asset: string
  amount: string
}

/** Has the program offer transfers of a chain. @returns the newest that waits for its signature */
const offer = async (simulation: Simulation, { network }: SimulatedChain): Promise<Offer | undefined> => {
  await runNamed(simulation, `cold storage ${network}`)
  const listed = await simulation.operate('cold list')
  if ('failure' in listed) throw new Error(`cold list: ${listed.failure}`)
  const transfers = listed.printed['transfers'] as (Offer & { state: string })[]
  return transfers.find((one) => one.network === network && one.state === 'offered')
}

/** Signs an offer on the machine without a network. @returns the file to import, or why there is none */
const signOffline = async (
  { offline, operate }: Simulation,
  { id }: Offer,
): Promise<{ signed: string } | { failure: string }> => {
  offline.clear()
  const file = join(offline.folder, 'transfer.json')
  const shown = await operate('cold show', id, '--out', file)
  if ('failure' in shown) return shown
  try {
    return { signed: await offline.sign(file) }
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

const importSigned = async ({ operate }: Simulation, { id }: Offer, signed: string): Promise<string> => {
  const imported = await operate('cold import', id, signed)
  return 'failure' in imported ? imported.failure : 'imported'
}

const moveOut: Action = {
  name: 'operator moves coin to cold storage',
  weight: (simulation) => (isComplete(simulation) && accountChains(simulation).length > 0 ? 1 : 0),
  run: async (simulation, random) => {
    const chain = random.pick(accountChains(simulation))
    const offered = await offer(simulation, chain)
    if (offered === undefined) return `${chain.network}: nothing is offered`
    const what = `${chain.network} ${offered.asset}`
    if (random.chance(0.2)) {
      const cancelled = await simulation.operate('cold cancel', offered.id)
      return `${what}: ${'failure' in cancelled ? cancelled.failure : 'cancelled'}`
    }
    const signed = await signOffline(simulation, offered)
    if ('failure' in signed) return `${what}: ${signed.failure}`
    return `${what}: ${await importSigned(simulation, offered, signed.signed)}`
  },
}

/**
 * A payment is planned from the address whose coin a signed transfer takes: by the books there is enough for both, but
 * not at this address.
 */
const importedMeanwhile: Action = {
  name: 'a transfer to cold storage is imported while a payment is planned',
  weight: (simulation) =>
    isComplete(simulation) && simulation.together === 1 && evmChains(simulation).length > 0 ? 1 : 0,
  run: async (simulation, random) => {
    const { books, catalogue, faults, problems, signer } = simulation
    const chain = random.pick(evmChains(simulation))
    const { network } = chain
    const ticker = NATIVE_TICKER[network]
    await calm(simulation, chain)
    await fill(simulation, network, ticker)
    await mine(simulation, chain, TO_FINAL)
    const { index, has, others } = await richestOf(chain)
    const target = COLD_TARGET[ticker]! * 10n ** 18n
    const units = target - others / 2n
    if (others === 0n || units <= others || units > mostOf(simulation, chain, ticker) || units * 10n > has * 9n)
      return `${network}: another address has as much`
    const merchant = random.pick(simulation.merchants.filter(({ holds }) => !holds))
    await supply(simulation, random, chain, { merchant, units })
    const offered = await offer(simulation, chain)
    if (offered?.asset !== ticker) return `${network}: nothing is offered`
    const file = await signOffline(simulation, offered)
    if ('failure' in file) return `${network}: ${file.failure}`
    const wanted: PaidOut = {
      merchant: merchant.name,
      localId: books.nextLocalId('w'),
      network,
      ticker,
      to: await chain.newAddress(random),
      units: toLedger(catalogue, ticker, network, units),
      receiver: null,
    }
    books.paidOut.push(wanted)
    const result = resultOf(await place(simulation, wanted))
    await runNamed(simulation, `payouts ${network}`)
    await runNamed(simulation, 'screen')
    const before = signer.signed.length
    const stall = faults.stall('database of the worker', random.int(2), /^begin/m)
    let imported = 'not imported'
    const stood = await during(simulation, stall, runNamed(simulation, `payouts ${network}`), async () => {
      imported = await importSigned(simulation, offered, file.signed)
    })
    await carry(simulation, chain)
    const taken = takenTogether(signer.signed.slice(before), chain, index)
    const moved = fromLedger(catalogue, ticker, network, unitsOf(catalogue, ticker, offered.amount))
    if (imported === 'imported' && taken + moved > has)
      problems.push(`${taken + moved} ${ticker} leave ${hotAddressesOf(chain)[index]} on ${network}, which has ${has}`)
    await mine(simulation, chain, 1)
    return `${network}: ${result}, ${imported}, ${stood ? 'stood still' : 'had ended'}`
  },
}

export const COLD_STORAGE: readonly Action[] = [moveOut, importedMeanwhile]
