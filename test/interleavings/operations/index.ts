/** All operations that move money, or that decide whether it may move. */
import { cardOperations } from './cards.ts'
import { controlOperations } from './control.ts'
import { exchangeOperations } from './exchange.ts'
import type { Operation } from './operation.ts'
import { payInOperations } from './pay-in.ts'
import { withdrawalOperations } from './withdrawals.ts'

export const OPERATIONS: readonly Operation[] = [
  ...withdrawalOperations,
  ...payInOperations,
  ...exchangeOperations,
  ...cardOperations,
  ...controlOperations,
]

export type Pair = readonly [Operation, Operation]

/** Every two of them, and each with itself: then two processes do the same at once, to one object if it has one. */
export const PAIRS: readonly Pair[] = OPERATIONS.flatMap((one, at) =>
  OPERATIONS.slice(at).map((other): Pair => [one, other]),
)

export const nameOf = ([one, other]: Pair): string => `${one.name},${other.name}`
