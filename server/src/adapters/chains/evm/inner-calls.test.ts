import { describe, expect, test } from 'vitest'
import { checksumAddress } from '@bursar/chainkit/evm'
import { innerTransfers } from './inner-calls.ts'

const A = `0x${'a1'.repeat(20)}`
const B = `0x${'b2'.repeat(20)}`
const frame = (type: string, value: string | undefined, more: object = {}) => ({
  type,
  from: A,
  to: B,
  ...(value && { value }),
  ...more,
})
const outermost = (...calls: object[]) => frame('CALL', '0x5', { calls })
const found = (...calls: object[]) => innerTransfers(outermost(...calls)).map(({ index, units }) => [index, units])

describe('inner calls', () => {
  test('move value by calls, creations and destructions, each named by its path', () => {
    const calls = [
      frame('CALL', '0x1', {
        calls: [frame('STATICCALL', undefined), frame('CREATE', '0x2', { calls: [frame('SELFDESTRUCT', '0x3')] })],
      }),
      frame('CREATE2', '0x4'),
    ]
    expect(found(...calls)).toEqual([
      ['t:0', 1n],
      ['t:0.1', 2n],
      ['t:0.1.0', 3n],
      ['t:1', 4n],
    ])
    const [transfer] = innerTransfers(outermost(frame('CALL', '0x1')))
    expect(transfer).toEqual({
      index: 't:0',
      contract: null,
      from: [checksumAddress(A)],
      to: checksumAddress(B),
      units: 1n,
    })
  })

  test.for(['DELEGATECALL', 'CALLCODE', 'STATICCALL'])(
    '%s moves nothing, whatever value it shows; what it calls does',
    (type) => {
      expect(found(frame(type, '0x9', { calls: [frame('CALL', '0x1')] }))).toEqual([['t:0.0', 1n]])
    },
  )

  test('that failed undo everything below them, and nothing beside them', () => {
    const failed = frame('CALL', '0x7', {
      error: 'execution reverted',
      calls: [frame('CALL', '0x1', { calls: [frame('CALL', '0x1')] })],
    })
    expect(found(failed, frame('CALL', '0x2'))).toEqual([['t:1', 2n]])
    expect(innerTransfers({ ...outermost(frame('CALL', '0x1')), error: 'out of gas' })).toEqual([])
  })

  test('without value are no transfers, and the outermost is the transaction itself', () => {
    expect(found(frame('CALL', '0x0'), frame('CALL', undefined))).toEqual([])
    expect(innerTransfers(frame('CALL', '0x5'))).toEqual([])
  })

  test.for([
    ['a list', []],
    ['null', null],
    ['calls that are no list', { calls: {} }],
    ['a call that is no object', outermost('x' as never)],
    ['a value that is no quantity', outermost(frame('CALL', '12'))],
    ['no receiver', outermost({ type: 'CALL', from: A, value: '0x1' })],
  ] as const)('shown as %s are not believed', ([, trace]) => {
    expect(() => innerTransfers(trace)).toThrow(expect.objectContaining({ name: 'Malformed' }))
  })
})
