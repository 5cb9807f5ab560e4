import { inspect } from 'node:util'
import { expect } from 'vitest'
import { AcquirerRefusal, AcquirerUnreachable } from '../port.ts'
import type { AcquirerWorld } from './world.ts'

/** Asserts that a value contains neither a key nor a card number, at any depth, including its stack and cause. */
export const expectNothingSecret = ({ secrets, cards }: AcquirerWorld, value: unknown): void => {
  const everything = inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })
  for (const secret of [...secrets, ...Object.values(cards)]) expect(everything.includes(secret)).toBe(false)
}

/** Returns the error that a call throws. Asserts that it is one of the port's two and contains no secret. */
export const whatIsThrown = async (world: AcquirerWorld, call: () => Promise<unknown>): Promise<unknown> => {
  const error = await call().then(
    (value) => expect.fail(`it answered ${inspect(value)}`),
    (thrown: unknown) => thrown,
  )
  expect(error instanceof AcquirerUnreachable || error instanceof AcquirerRefusal, inspect(error)).toBe(true)
  expectNothingSecret(world, error)
  return error
}

/** Asserts that a call throws AcquirerUnreachable. */
export const anyFailure = async (
  world: AcquirerWorld,
  call: () => Promise<unknown>,
  { sent }: { sent: boolean },
): Promise<void> => {
  const error = await whatIsThrown(world, call)
  expect(error).toBeInstanceOf(AcquirerUnreachable)
  expect(error).toMatchObject({ sent })
}
