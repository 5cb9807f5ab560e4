/** Calls of a client that has patience: one that gets no answer is repeated, because roles are killed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { BursarError, BursarNetworkError } from '@bursar/sdk'
import { isUnreachable } from '../try/running.ts'
import type { Random } from '../random.ts'
import { hasLocalId } from './orders.ts'
import type { Chaos, Order } from './orders.ts'

const AGAIN_MS = 300
/** How often a merchant repeats no call that got no answer, and looks the order up at the end. */
const GIVES_UP = 0.3
const LOCAL_ID_PLACED = 0

/** Whether the error leaves open if the call was carried out. */
const isOpen = (error: unknown): boolean =>
  error instanceof BursarNetworkError || (error instanceof BursarError && (error.code === null || error.status >= 500))

/** Repeats a call that changes nothing, or that has an Idempotency-Key, until it is answered. */
export async function patiently<T>(chaos: Chaos, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isOpen(error)) throw error
      chaos.requireRunning()
      chaos.tally.noAnswer += 1
      await sleep(AGAIN_MS)
    }
  }
}

/**
 * Asks for an order until it is accepted or refused. Repetitions have the same `localId`, which the caller puts into
 * the body. Some merchants give up after a call without an answer.
 */
export async function place(
  chaos: Chaos,
  order: Order,
  random: Random,
  call: () => Promise<{ readonly id: string }>,
): Promise<void> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return accept(order, (await call()).id)
    } catch (error) {
      if (isOpen(error)) {
        chaos.requireRunning()
        chaos.tally.noAnswer += 1
        if (hasLocalId(order) && random.chance(GIVES_UP)) {
          order.state = 'unanswered'
          return
        }
        await sleep(AGAIN_MS)
        continue
      }
      if (!(error instanceof BursarError)) throw error
      // The refusal of a repeated call says nothing of the first one.
      if (hasLocalId(order) && (isRepeated || error.code === LOCAL_ID_PLACED)) await lookUp(chaos, order)
      if (order.state !== 'accepted') refuse(order, error)
      return
    }
  }
}

/** Finds out by its localId whether an order exists, and records its id. */
export async function lookUp(chaos: Chaos, order: Order): Promise<void> {
  const found = await patiently(chaos, () => order.merchant.client.withdrawals.find(order.name))
  if (found === undefined) order.state = 'not placed'
  else accept(order, found.id)
}

/** Repeats a call of a payer or an outside service until it succeeds or has failed too often. */
export async function persistently<T>(chaos: Chaos, act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      chaos.requireRunning()
      if (tries === MOST_TRIES || isUnreachable(error)) throw error
      await sleep(AGAIN_MS * tries)
    }
  }
}

const MOST_TRIES = 30

const accept = (order: Order, id: string): void => {
  order.state = 'accepted'
  order.id = id
}

const refuse = (order: Order, error: BursarError): void => {
  order.state = 'refused'
  order.reason = error.message
}
