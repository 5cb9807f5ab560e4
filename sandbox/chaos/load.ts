/** Acts as merchants and their payers until the signal aborts. The kind of each order is chosen at random. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { askCardInvoice, askCryptoInvoice, askDeposit } from './money-in.ts'
import type { Ask } from './money-in.ts'
import { askCardPayout, askExchange, askExchangeAndWithdrawal, askWithdrawal } from './money-out.ts'
import type { Chaos } from './orders.ts'

/** How often each is chosen. */
const MIX: readonly (readonly [weight: number, ask: (ask: Ask) => Promise<void>])[] = [
  [6, askDeposit],
  [6, askWithdrawal],
  [3, askCryptoInvoice],
  [2, askCardInvoice],
  [2, askExchange],
  [2, askExchangeAndWithdrawal],
  [1, askCardPayout],
]
const ASKS = MIX.flatMap(([weight, ask]) => Array.from({ length: weight }, () => ask))
const ACTORS = 6
const PAUSE_MS = 1_000
/** With more orders under way, a slow machine would need long to end them all. */
const MOST_WAITING = 100

/** Resolves when each actor has ended its operation. @param waiting how many orders have not ended */
export async function makeLoad(
  chaos: Chaos,
  { random, signal, waiting }: { random: Random; signal: AbortSignal; waiting: () => number },
): Promise<void> {
  const act = async (actor: number): Promise<void> => {
    for (let turn = 1; !signal.aborted; turn += 1) {
      const chance = random.of(actor, turn)
      if (waiting() < MOST_WAITING) {
        const merchant = chance.pick(chaos.merchants)
        await chance.pick(ASKS)({ chaos, merchant, random: chance, name: `chaos-${actor}-${turn}` })
      }
      await sleep(chance.int(PAUSE_MS), undefined, { signal }).catch(() => {})
    }
  }
  await Promise.all(Array.from({ length: ACTORS }, (_, actor) => act(actor + 1)))
}
