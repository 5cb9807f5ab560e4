/** The part of a run's output that programs read. */
import { expect, test } from 'vitest'
import { readSummary, summaryOf, writeSummary } from './summary.ts'

test('is read from the output of a run that has ended, and from no other', () => {
  const summary = summaryOf({
    ops: 784,
    faults: new Map([
      ['bank garbage', 2],
      ['signer repeat', 3],
    ]),
    problems: ['M1 has 1 BTC'],
  })
  expect(summary).toEqual({ operations: 784, faults: 5, problems: 1 })
  expect(readSummary(`1 mine\n${writeSummary('7', summary, 12.34)}, trace 00ff\n- M1 has 1 BTC`)).toEqual(summary)
  expect(readSummary('1 mine\nError: the node has ended')).toBeUndefined()
})
