/** How often exchanges with counterparties and the database fail: changed one at a time, or for most at once. */
import { ACCOUNTS } from '../acquirers/interfaces.ts'
import type { Fault, FaultControl } from '../faults.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Action } from './action.ts'

/** The program must not be able to distinguish a lost request from a lost answer. */
const CONNECTION_FAULTS: readonly Fault[] = ['lose-request', 'lose-answer', 'crash-before', 'crash-after']
/** PostgreSQL refuses a statement and keeps the connection. */
const STATEMENT_FAULTS: readonly Fault[] = ['disk-full', 'deadlock', 'statement-timeout']
/** Faults of a signer behind a socket: its answers are not garbage, and its protocol has no rate limit. */
const SIGNER_FAULTS: readonly Fault[] = ['lose-request', 'lose-answer', 'repeat', 'broken-off']
/** Of a counterparty that is reached by HTTP. */
const HTTP_FAULTS: readonly Fault[] = [
  'lose-request',
  'lose-answer',
  'repeat',
  'garbage',
  'half',
  'empty',
  'broken-off',
  'http-500',
  'http-429',
  'http-503',
]
const WITHOUT_REPETITION = HTTP_FAULTS.filter((kind) => kind !== 'repeat')

interface Front {
  name: string
  kinds: readonly Fault[]
  /** drawn from, for each exchange */
  chances: readonly number[]
}

const FRONTS: readonly Front[] = [
  ...(['api', 'worker', 'watcher'] as const).flatMap((role) => [
    { name: `database of the ${role}`, kinds: CONNECTION_FAULTS, chances: [0, 0.002, 0.005, 0.02] },
    // One kind at a time: of two statements at once, either may fail first, and the trace shows how.
    ...STATEMENT_FAULTS.map((kind) => ({
      name: `database of the ${role}`,
      kinds: [kind],
      chances: [0, 0.01, 0.05, 0.3],
    })),
  ]),
  { name: 'signer', kinds: SIGNER_FAULTS, chances: [0, 0.05, 0.3] },
  { name: 'receivers', kinds: HTTP_FAULTS, chances: [0, 0.1, 0.5] },
  ...ACCOUNTS.map((name) => ({ name, kinds: HTTP_FAULTS, chances: [0, 0.1, 0.5] })),
  { name: 'screening', kinds: HTTP_FAULTS, chances: [0, 0.1, 0.5] },
  { name: 'prices', kinds: HTTP_FAULTS, chances: [0, 0.1] },
  { name: 'market', kinds: HTTP_FAULTS, chances: [0, 0.1] },
  // An order that comes twice trades twice, as at Binance: nothing between the program and a venue repeats requests.
  { name: 'venue', kinds: WITHOUT_REPETITION, chances: [0, 0.1, 0.3] },
  ...(['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'] as const).map((network) => ({
    name: `node of ${network}`,
    kinds: WITHOUT_REPETITION,
    chances: [0, 0.01, 0.1],
  })),
]

const drawRate = (control: FaultControl, random: Random, { name, kinds, chances }: Front): string => {
  const chance = random.pick(chances)
  control.set(name, chance, kinds)
  return `${name}: ${chance} ${kinds[0]}`
}

const one: Action = {
  name: 'faults',
  weight: () => 5,
  run: async ({ faults }, random) => drawRate(faults, random, random.pick(FRONTS)),
}

/** As when a network or a machine that many of them use fails. */
const most: Action = {
  name: 'faults of most counterparties',
  weight: () => 1,
  run: async ({ faults }, random) => {
    const fronts = FRONTS.filter(() => random.chance(0.6))
    return fronts.map((front) => drawRate(faults, random, front)).join(', ')
  },
}

/** So that work goes on between phases with many faults. */
const none: Action = {
  name: 'faults end',
  weight: () => 1,
  run: async ({ faults }) => {
    faults.end()
    return ''
  },
}

export const FAULTY: readonly Action[] = [one, most, none]
