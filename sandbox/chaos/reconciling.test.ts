import { expect, test } from 'vitest'
import { reconcile } from './reconciling.ts'

/** Answers of `bursar reconcile` one after the other, the last one again and again. */
const answering = (...answers: { text: string; code: number }[]) => {
  let asked = 0
  return async () => answers[Math.min(asked++, answers.length - 1)]!
}

const compared = 'invariant one-credit: ok\nTRON: compared 30 address(es)\nTRON TRX at 61: books 1, chain 1: equal'

test('a network or a venue that did not answer is compared again', async () => {
  const bursar = answering(
    { text: `${compared}\nbinance: can't be compared: open: no answer within 12000 ms\n1 finding(s)`, code: 1 },
    { text: "TRON: can't be compared now (not read yet, or its head is moving); try again", code: 0 },
    { text: `${compared}\nthe ledger is consistent, and the chains agree with it`, code: 0 },
  )
  expect(await reconcile(bursar, 'every')).toEqual({ problems: [], addresses: 30 })
})

test('a difference is reported without the lines that agree', async () => {
  const differs = 'TRON USDT at 61: books 2, chain 1: differs'
  const bursar = answering({ text: `${compared}\n${differs}\n1 finding(s)`, code: 1 })
  expect(await reconcile(bursar, 'every')).toEqual({ problems: [differs, '1 finding(s)'], addresses: 30 })
})
