import type { Clock } from '../../platform/runtime/clock.ts'
import type { MerchantDirectory } from './directory.ts'
import { validKeys, type Merchant } from './merchant.ts'

/** Where and how notifications of a merchant are sent. */
export interface Endpoint {
  url: string
  /**
   * key of SIGNATURE, a header with one signature only: the oldest valid key, so that a receiver has the whole overlap
   * of a rotation to learn the new one
   */
  signingKey: string
  /** Standard Webhooks secrets, newest first */
  webhookSecrets: readonly string[]
}

/** The merchant's endpoint; null when the merchant is unknown or has no notifications URL or no valid key. */
export const endpointOf = (merchant: Merchant | null, at: number): Endpoint | null => {
  if (!merchant || merchant.settings.notificationsUrl === null) return null
  const [signing] = validKeys(merchant, 'api', at)
  if (!signing) return null
  return {
    url: merchant.settings.notificationsUrl,
    signingKey: signing.secret,
    webhookSecrets: validKeys(merchant, 'webhook', at)
      .map((key) => key.secret)
      .toReversed(),
  }
}

/**
 * Creates a function that finds a merchant's current endpoint. It returns a value, not a promise, for a merchant in
 * memory: that saves a delivery turns of the microtask queue.
 */
export const createEndpoints =
  (directory: Pick<MerchantDirectory, 'find'>, clock: Pick<Clock, 'business'>) =>
  (merchantId: string): Endpoint | null | Promise<Endpoint | null> => {
    const found = directory.find(merchantId)
    return found instanceof Promise
      ? found.then((merchant) => endpointOf(merchant, clock.business()))
      : endpointOf(found, clock.business())
  }
