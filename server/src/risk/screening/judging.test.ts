import { expect, test } from 'vitest'
import { signalKeys } from '@bursar/contract'
import type { Screened } from '../../adapters/screening/port.ts'
import type { Signals } from '../../adapters/screening/signals.ts'
import { judge } from './judging.ts'

const signals = Object.fromEntries(signalKeys.map((key) => [key, 0])) as Signals
const report: Screened = { kind: 'report', report: { riskScore: 0.1, signals, flags: [], madeAt: 1, raw: {} } }
const pending: Screened = { kind: 'pending', ref: 'r' }
const nothing: Screened = { kind: 'nothing' }

test.each<[string, Screened[], boolean]>([
  ['no provider has been asked', [], false],
  ['no provider had anything to check', [nothing, nothing], false],
  ['one provider has reported', [report], true],
  ['one has reported, and another had nothing to check', [report, nothing], true],
  ['one has reported, and another needs more time', [report, pending], false],
])('whether a judgement is complete when %s', (_, answers, complete) => {
  const given = Object.fromEntries(answers.map((answer, i) => [`provider ${i}`, { ...answer, at: 0 }]))
  expect(judge(given, { riskyFrom: 0.5 }, 2)).toMatchObject({ complete, risky: false })
})
