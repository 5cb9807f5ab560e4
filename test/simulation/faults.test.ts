/** Of the faults that the simulation draws: which exchanges of a step fail. */
import { expect, test } from 'vitest'
import { createRandom } from '../../sandbox/random.ts'
import { createFaults } from './faults.ts'

const STATEMENTS = 200

const failuresOf = (isAlike?: (front: string) => boolean): number[] => {
  const faults = createFaults(createRandom('faults'), isAlike)
  faults.set('database', 0.5, ['deadlock'])
  return Array.from({ length: STATEMENTS }, (_, step) => {
    faults.begin(step)
    return [1, 2].filter(() => faults.decide('database', 'select 1') !== undefined).length
  })
}

test('of two equal exchanges of a step one may fail alone', () => {
  expect(new Set(failuresOf())).toEqual(new Set([0, 1, 2]))
})

test('equal exchanges of a front that treats them alike fail together, in any order', () => {
  expect(new Set(failuresOf((front) => front === 'database'))).toEqual(new Set([0, 2]))
})

test('one exchange fails once: the next of its content, after as many others of it', () => {
  const faults = createFaults(createRandom('faults'))
  faults.failOnce('database', 'lose-answer', /^commit$/, 1)
  const asked = ['select 1', 'commit', 'select 1', 'commit', 'commit']
  expect(asked.map((content) => faults.decide('database', content))).toEqual([
    undefined,
    undefined,
    undefined,
    'lose-answer',
    undefined,
  ])
  faults.failOnce('database', 'lose-answer', /^commit$/, 0)
  faults.clear()
  expect(faults.decide('database', 'commit')).toBeUndefined()
})

test('a story that clears the faults has none until the end of its step, and they go on after it', () => {
  const faults = createFaults(createRandom('faults'))
  const decide = (front: string): unknown => faults.decide(front, 'select 1')
  faults.begin(1)
  faults.set('database', 1, ['deadlock'])
  expect(decide('database')).toBe('deadlock')
  faults.clear()
  expect(decide('database')).toBeUndefined()
  faults.set('signer', 1, ['lose-answer'])
  expect(decide('signer')).toBe('lose-answer')
  faults.begin(2)
  expect([decide('database'), decide('signer')]).toEqual(['deadlock', undefined])
  faults.end()
  expect(decide('database')).toBeUndefined()
  faults.begin(3)
  expect(decide('database')).toBeUndefined()
})

test('an exchange is delayed at its content, after as many others of it, once', async () => {
  const faults = createFaults(createRandom('faults'))
  const stall = faults.stall('database', 1, /^begin$/)
  const waiting = ['begin', 'select 1', 'begin', 'begin'].map((content) => faults.waits('database', content))
  expect(waiting.map((one) => one !== undefined)).toEqual([false, false, true, false])
  await stall.reached
  stall.release()
  await waiting[2]
})
