import { describe, expect, test } from 'vitest'
import { dustThreshold, estimateVsize, feeAt, inputWeightOf, outputWeightOf } from './size.ts'
import { writeScript } from './script.ts'
import type { ScriptType } from './script.ts'

const scriptOf = (type: ScriptType): Uint8Array =>
  writeScript(type, new Uint8Array(type === 'p2wsh' || type === 'p2tr' ? 32 : 20))

test.each([
  ['p2pkh', 34 * 4, 546n],
  ['p2sh', 32 * 4, 540n],
  ['p2wpkh', 31 * 4, 294n],
  ['p2wsh', 43 * 4, 330n],
  ['p2tr', 43 * 4, 330n],
] as const)("%s: an output's weight and Bitcoin Core's dust threshold", (type, weight, dust) => {
  expect(outputWeightOf(scriptOf(type))).toBe(weight)
  expect(dustThreshold(scriptOf(type))).toBe(dust)
})

test.each([
  ['p2wpkh', 272],
  ['p2tr', 230],
  ['p2pkh', 593],
] as const)("%s: an input's weight", (type, weight) => {
  expect(inputWeightOf(scriptOf(type))).toBe(weight)
})

test.each(['p2sh', 'p2wsh'] as const)('%s: the size of spending it is not known', (type) => {
  expect(() => inputWeightOf(scriptOf(type))).toThrow(/unknown/)
})

describe('estimateVsize', () => {
  const own = scriptOf('p2wpkh')

  test('of one native segwit input and two outputs is 141', () => {
    expect(estimateVsize([own], [own, own])).toBe(141)
  })

  test('counts longer counts from 253 inputs and outputs on', () => {
    const inputs = (count: number): Uint8Array[] => Array.from({ length: count }, () => own)
    const weight = (count: number): number => 42 + count * 272 + 124
    expect(estimateVsize(inputs(252), [own])).toBe(Math.ceil(weight(252) / 4))
    expect(estimateVsize(inputs(253), [own])).toBe(Math.ceil((weight(253) + 8) / 4))
  })
})

test.each([
  [1000n, 141, 141n],
  [1001n, 141, 142n],
  [1n, 1, 1n],
  [0n, 141, 0n],
  [999n, 1000, 999n],
])('at %s thousandths, %i virtual bytes cost %s, rounded up', (rate, vsize, fee) => {
  expect(feeAt(rate, vsize)).toBe(fee)
})
