/** Screening: the provider's judgements of people outside, sanctions lists, and operators who decide about money. */
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import type { Decided } from '../model/books.ts'
import type { Verdict } from '../provider.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'

/** Of the money to an address, or of a destination. */
export const SUSPICIONS: readonly Verdict[] = ['pending', 'pending', 'mixer', 'sanctioned', 'gambling', 'clean']

const suspect: Action = {
  name: 'provider suspects payers',
  weight: ({ books }) => (books.addresses.length === 0 ? 0 : 3),
  run: async ({ books, provider }, random) => {
    const { merchant, network, address } = random.pick(books.addresses.slice(-20))
    const verdict = random.pick(SUSPICIONS)
    provider.suspect(address, verdict)
    return `${merchant} ${network}: ${verdict}`
  },
}

const decide: Action = {
  name: 'provider decides',
  weight: ({ provider }) => (provider.pending().length === 0 ? 0 : 2),
  run: async ({ provider }, random) => {
    const verdict = random.pick(['clean', 'clean', 'mixer'] as const)
    provider.suspect(random.pick(provider.pending()), verdict)
    return verdict
  },
}

/** How often a merchant pays to an address that is on a list. */
const TO_LISTED = 0.05

/** An address of a person outside, to which nothing was sent yet. */
export const outsideAddress = async ({ books }: Simulation, random: Random, chain: SimulatedChain): Promise<string> => {
  const at = books.unusedListed.findIndex(({ network }) => network === chain.network)
  if (at >= 0 && random.chance(TO_LISTED)) return books.unusedListed.splice(at, 1)[0]!.address
  return chain.newAddress(random)
}

/** More would leave too few payers whose money is clean. */
const MOST_PAYERS = 2
const NEW_ADDRESSES = 2

/** Addresses that nothing was sent to, one that a merchant pays, or one of a payer. */
const list: Action = {
  name: 'operator imports a sanctions list',
  weight: () => 0.4,
  run: async (simulation, random) => {
    const { books, chains, sanctions } = simulation
    const { network, payers, newAddress } = random.pick(chains)
    const kind = random.pick(['new', 'new', 'destination', 'payer'] as const)
    const listedPayers = payers?.addresses.filter((one) => sanctions.has(one)) ?? []
    if (kind === 'payer' && payers !== undefined && listedPayers.length < MOST_PAYERS)
      return listOne(simulation, random.pick(payers.addresses), `a payer of ${network}`)
    const paid = books.paidOut.filter(({ receiver }) => receiver === null).slice(-10)
    if (kind === 'destination' && paid.length > 0) {
      const { localId, to } = random.pick(paid)
      return listOne(simulation, to, `the destination of ${localId}`)
    }
    const added: { network: Network; address: string }[] = []
    while (added.length < NEW_ADDRESSES) added.push({ network, address: await newAddress(random) })
    await sanctions.add(added.map(({ address }) => address))
    for (const { address } of added) books.listedFirst.add(address.toLowerCase())
    books.unusedListed.push(...added)
    return `${added.length} of ${network}`
  },
}

const listOne = async ({ sanctions }: Simulation, address: string, what: string): Promise<string> => {
  if (sanctions.has(address)) return `${what} is on it`
  await sanctions.add([address])
  return what
}

/** A screening, as `bursar screening list --json` shows it. */
interface Waiting {
  id: string
  kind: 'deposit' | 'withdrawal'
  subjectId: string
  asset: string
  /** null: it came without a transaction */
  transaction: string | null
  own: string | null
}

const NOTHING = 'there is none'

/** Keeping the money where it is needs no command. */
const judge: Action = {
  name: 'operator decides about screened money',
  weight: ({ books }) => (books.paidIn.length === 0 ? 0 : 1.5),
  run: async ({ books, db, operate }, random) => {
    const listed = await operate('screening list')
    if ('failure' in listed) throw new Error(`screening list: ${listed.failure}`)
    const waiting = listed.printed['screenings'] as readonly Waiting[]
    if (waiting.length === 0) return NOTHING
    const { id, kind, subjectId, asset, transaction, own } = random.pick(waiting)
    const event = random.pick(['release', 'release', 'reject', 'note'] as const)
    const done = await operate(`screening ${event}`, id, 'simulation')
    if ('failure' in done) return `${event} ${kind} of ${asset}: refused`
    if (event !== 'note' && kind === 'deposit' && transaction !== null && own !== null)
      books.decided.push({ subjectId, transaction, address: own, ticker: asset, event } satisfies Decided)
    if (event === 'release' && kind === 'withdrawal') {
      const { rows } = await sql<{
        to: string
      }>`select to_address as to from withdrawals where id = ${subjectId}`.execute(db)
      for (const { to } of rows) books.releasedTo.add(to.toLowerCase())
    }
    return `${event} ${kind} of ${asset}`
  },
}

export const SCREENING: readonly Action[] = [suspect, decide, list, judge]

/** Decisions about money that waits. @returns the text of each for the trace */
export const decideSome = async (simulation: Simulation, random: Random, count: number): Promise<string[]> => {
  const lines: string[] = []
  for (let at = 0; at < count && judge.weight(simulation) > 0; at += 1) {
    const line = await judge.run(simulation, random.of('decision', at))
    if (line === NOTHING) break
    lines.push(line)
  }
  return lines
}
