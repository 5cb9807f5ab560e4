import type { Network } from '@bursar/chainkit'
import { contentsOf } from '../protocol/intent-set.ts'
import type { Intent } from '../protocol/protocol.ts'

export interface WaitingIntent {
  network: Network
  intent: Intent
  /** ms since the epoch: the first and the last time that the signer was asked */
  since: number
  seen: number
}

/** The server asks again every minute for a payment that waits. */
const FORGOTTEN_AFTER_MS = 15 * 60_000
/** Most payments that wait at once. More are refused as always, but they are not listed. */
const MOST = 200

/**
 * The payments that the signer refused only because approvals are missing. The list is in memory and bounded. After a
 * restart it is filled again when the server asks again.
 */
export class WaitingList {
  readonly #intents = new Map<string, WaitingIntent>()

  /** @param now ms since the epoch. Returns false when the list is full. */
  add(network: Network, intent: Intent, now: number): boolean {
    const key = keyOf(network, intent)
    const known = this.#intents.get(key)
    if (known) {
      known.seen = now
      return true
    }
    this.#removeOld(now)
    if (this.#intents.size >= MOST) return false
    const { id, asset, to, units } = intent
    this.#intents.set(key, { network, intent: { id, asset, to, units }, since: now, seen: now })
    return true
  }

  remove(network: Network, intent: Intent): void {
    this.#intents.delete(keyOf(network, intent))
  }

  /** Returns the payments that wait, the oldest first. */
  list(now: number): WaitingIntent[] {
    this.#removeOld(now)
    return [...this.#intents.values()]
  }

  /** Returns the payments that wait with an intent's id. A caller may have asked for one id with several contents. */
  find(network: string, intentId: string, now: number): WaitingIntent[] {
    return this.list(now).filter((one) => one.network === network && one.intent.id === intentId)
  }

  #removeOld(now: number): void {
    for (const [key, { seen }] of this.#intents) if (now - seen > FORGOTTEN_AFTER_MS) this.#intents.delete(key)
  }
}

/** An intent with other contents is another payment, until one of them is signed. */
function keyOf(network: Network, intent: Intent): string {
  return `${intent.id}: ${contentsOf(network, intent)}`
}
