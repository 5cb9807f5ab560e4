import { expect, test } from 'vitest'
import type { Simulation } from '../simulation.ts'
import type { PaidIn } from './books.ts'
import { heldBounds, judgeSent } from './held.ts'
import { stubSimulation } from './stub.ts'

const PAID: PaidIn = {
  merchant: 'M1',
  network: 'TRON',
  ticker: 'TRX',
  address: 'mine',
  hash: '01',
  byContract: false,
  units: [5n],
}

const DECIDED = { subjectId: '1', transaction: '01', address: 'mine', ticker: 'TRX' }

/** @param answers whether each report is a risky one */
const simulationOf = (holds: boolean, answers: boolean[]): Simulation => ({
  ...stubSimulation({}),
  merchants: [{ name: 'M1', id: '1', privateKey: '', holds, keys: [] }],
  provider: { answersAbout: () => answers } as unknown as Simulation['provider'],
})

test('only deposits of a merchant with screening wait for it', () => {
  expect(heldBounds(simulationOf(false, [true]), PAID, 5n)).toEqual({ least: 5n, most: 5n })
})

test.each([
  ['nothing', [], 0n, 0n],
  ['clean', [false, false], 5n, 5n],
  ['risky', [true], 0n, 0n],
  ['risky after an answer that may be lost', [false, true], 0n, 5n],
])('of a held deposit of which the provider said %s, so much is credited', (_, answers, least, most) => {
  expect(heldBounds(simulationOf(true, answers), PAID, 5n)).toEqual({ least, most })
})

test('coin of a contract may be judged by the hash of another transaction', () => {
  expect(heldBounds(simulationOf(true, []), { ...PAID, byContract: true }, 5n)).toEqual({ least: 0n, most: 5n })
})

test('a withdrawal that left without a clean answer is a problem', () => {
  expect(judgeSent(simulationOf(false, [false]), 'w-1', 'theirs')).toEqual([])
  expect(judgeSent(simulationOf(false, []), 'w-1', 'theirs')).toHaveLength(1)
  expect(judgeSent(simulationOf(false, [true]), 'w-1', 'theirs')).toHaveLength(1)
})

test('a withdrawal that an operator released may leave without one', () => {
  const simulation = simulationOf(false, [true])
  simulation.books.releasedTo.add('theirs')
  expect(judgeSent(simulation, 'w-1', 'Theirs')).toEqual([])
})

test('money of a payer on a sanctions list waits for an operator', () => {
  expect(heldBounds(simulationOf(true, [false]), { ...PAID, payer: '0xa', wasListed: true }, 5n)).toEqual({
    least: 0n,
    most: 0n,
  })
})

test('a payer that is listed after its payment was sent leaves open whether it was judged before', () => {
  const listed = { ...simulationOf(true, [false]), sanctions: { has: () => true, add: async () => {} } }
  expect(heldBounds(listed, { ...PAID, payer: '0xa', wasListed: false }, 5n)).toEqual({ least: 0n, most: 5n })
})

test.each([
  ['released', [true], ['release'], 5n],
  ['released before it was judged', [], ['release'], 5n],
  ['rejected', [true], ['reject'], 0n],
  ['rejected, though an answer was clean', [false], ['reject'], 0n],
] as const)('a held deposit that operators %s is credited so', (_, answers, events, credited) => {
  const simulation = simulationOf(true, [...answers])
  for (const event of events) simulation.books.decided.push({ ...DECIDED, event })
  expect(heldBounds(simulation, PAID, 5n)).toEqual({ least: credited, most: credited })
})

test('of two outputs, each has a decision of its own', () => {
  const simulation = simulationOf(true, [true])
  simulation.books.decided.push({ ...DECIDED, event: 'release' }, { ...DECIDED, event: 'reject', subjectId: '2' })
  expect(heldBounds(simulation, { ...PAID, units: [5n, 5n] }, 10n)).toEqual({ least: 5n, most: 5n })
})

test('a withdrawal to an address that was listed before is a problem', () => {
  const simulation = simulationOf(false, [false])
  simulation.books.listedFirst.add('theirs')
  expect(judgeSent(simulation, 'w-1', 'Theirs')).toHaveLength(1)
})
