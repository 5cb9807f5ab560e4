import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Acquirer, AcquirerState, CardTicker, PaymentOrder, PayoutOrder, RawCallback } from '../port.ts'
import type { AcquirerWorld, WorldOf } from './world.ts'

/** Builds the suite's orders and waits for their states. */

const HOUR_MS = 3_600_000
const WAIT_MS = 60_000

export const paymentOrder = (
  world: AcquirerWorld,
  ticker: CardTicker,
  more: Partial<PaymentOrder> = {},
): PaymentOrder => ({
  reference: randomUUID(),
  ticker,
  units: ordinary(world.acquirer, 'payIn', ticker),
  description: 'Order 1042, "ї" <b>&amp;</b>',
  callbackUrl: world.callbackUrl,
  returnUrl: 'https://shop.example/thanks?order=1042',
  email: 'payer@example.com',
  language: 'uk',
  expiresAt: Date.now() + HOUR_MS,
  ...more,
})

export const payoutOrder = (
  world: AcquirerWorld,
  ticker: CardTicker,
  more: Partial<PayoutOrder> = {},
): PayoutOrder => ({
  reference: randomUUID(),
  ticker,
  units: ordinary(world.acquirer, 'payout', ticker),
  card: world.cards.payout,
  description: 'Payout 7',
  callbackUrl: world.callbackUrl,
  ...more,
})

/** An amount within the limits whose odd minor units would reveal a conversion to floating point. */
export const ordinary = (acquirer: Acquirer, direction: 'payIn' | 'payout', ticker: CardTicker): bigint => {
  const { least, most } = acquirer.capabilities[direction][ticker]!
  const units = ((least + most) / 2n / 100n) * 100n + 37n
  return units > most ? most : units
}

/** Queries until the state is one of these; fails with the last state on timeout. */
export const settled = async (
  ask: () => Promise<AcquirerState>,
  kinds: readonly AcquirerState['kind'][] = ['succeeded', 'refused', 'reversed'],
): Promise<AcquirerState> => {
  let state: AcquirerState | undefined
  await expect
    .poll(async () => (state = await ask()).kind, { timeout: WAIT_MS, interval: 20 })
    .toSatisfy((kind) => kinds.includes(kind as never))
  return state!
}

/** Makes a payment, pays it with a card, and returns its order. */
export const paid = async (
  world: WorldOf,
  ticker: CardTicker,
  card: 'good' | 'secure' | 'refused' = 'good',
  more: Partial<PaymentOrder> = {},
): Promise<PaymentOrder> => {
  const order = paymentOrder(world(), ticker, more)
  await world().pay(await world().acquirer.createPayment(order), world().cards[card])
  return order
}

/** The callback with the final state. */
export const finalCallback = async (world: AcquirerWorld, reference: string): Promise<RawCallback> => {
  let found: RawCallback | undefined
  await expect
    .poll(
      async () => {
        const arrived = await world.callbacks(reference, 1)
        found = arrived.find((one) => isFinal(world.acquirer.readCallback(one).state))
        return found
      },
      { timeout: WAIT_MS, interval: 20 },
    )
    .toBeDefined()
  return found!
}

export const isFinal = ({ kind }: AcquirerState): boolean => ['succeeded', 'refused', 'reversed'].includes(kind)
