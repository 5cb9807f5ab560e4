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

/** @param answers whether each report is a risky one */
const simulationOf = (holds: boolean, answers: boolean[]): Simulation => ({
  ...stubSimulation({}),
  merchants: [{ name: 'M1', id: '1', privateKey: '', holds }],
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
