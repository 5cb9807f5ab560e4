/** What the screening provider makes of people outside: at once, late, or never. */
import type { Verdict } from '../provider.ts'
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

export const SCREENING: readonly Action[] = [suspect, decide]
