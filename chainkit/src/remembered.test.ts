import { expect, test } from 'vitest'
import { createRemembered } from './remembered.ts'

test('derives once for each id, and forgets the id that was unused for longest', () => {
  const derived: string[] = []
  const remembered = createRemembered<string>(2)
  const ask = (id: string): string =>
    remembered(id, () => {
      derived.push(id)
      return `of ${id}`
    })
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual(['of a', 'of b', 'of a', 'of c', 'of a', 'of b'])
  expect(derived).toEqual(['a', 'b', 'c', 'b'])
})

test('remembers nothing when the derivation fails', () => {
  const remembered = createRemembered<number>()
  const fails = (): number => {
    throw new RangeError('no such index')
  }
  expect(() => remembered('a', fails)).toThrow('no such index')
  expect(remembered('a', () => 1)).toBe(1)
})
