import { inspect } from 'node:util'
import { expect } from 'vitest'
import { AcquirerRefusal, AcquirerUnreachable } from '../port.ts'
import type { AcquirerWorld } from './world.ts'

/** Neither a key nor a card number is in a value, however deep, its stack and its cause included. */
export const expectNothingSecret = ({ secrets, cards }: AcquirerWorld, value: unknown): void => {
  const everything = inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })
  for (const secret of [...secrets, ...Object.values(cards)]) expect(everything.includes(secret)).toBe(false)
}

/** The error a call throws. One of the port's two, and with nothing secret in it. */
export const whatIsThrown = async (world: AcquirerWorld, call: () => Promise<unknown>): Promise<unknown> => {
  const error = await call().then(
    (value) => expect.fail(`it answered ${inspect(value)}`),
    (thrown: unknown) => thrown,
  )
  expect(error instanceof AcquirerUnreachable || error instanceof AcquirerRefusal, inspect(error)).toBe(true)
  expectNothingSecret(world, error)
  return error
}

/** A call that must throw AcquirerUnreachable. */
export const anyFailure = async (
  world: AcquirerWorld,
  call: () => Promise<unknown>,
  { sent }: { sent: boolean },
): Promise<void> => {
  const error = await whatIsThrown(world, call)
  expect(error).toBeInstanceOf(AcquirerUnreachable)
  expect(error).toMatchObject({ sent })
}
