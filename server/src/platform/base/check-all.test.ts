import { expect, test } from 'vitest'
import { checkAll, type FormRefusal } from './check-all.ts'

class Refusal extends Error implements FormRefusal {
  readonly reason: string
  others: readonly Refusal[] = []
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}
const isRefusal = (error: unknown): error is Refusal => error instanceof Refusal
const refuse = (reason: string) => (): never => {
  throw new Refusal(reason)
}

test('results of all checks are returned in their order', () => {
  expect(checkAll<[number, string]>(isRefusal, [() => 1, () => 'two'])).toEqual([1, 'two'])
})

test('every check runs, and refusals are thrown together, one for each reason', () => {
  const run = (): unknown => checkAll(isRefusal, [refuse('a'), () => 1, refuse('b'), refuse('a')])
  expect(run).toThrow(expect.objectContaining({ reason: 'a', others: [expect.objectContaining({ reason: 'b' })] }))
})

test('another error is thrown as it is, at once', () => {
  const fails = (): never => {
    throw new TypeError('broken')
  }
  expect(() => checkAll(isRefusal, [refuse('a'), fails])).toThrow(TypeError)
})
