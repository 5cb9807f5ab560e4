import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { SecretRing } from '../../platform/config/secrets.ts'
import { cardOf } from './sending.ts'
import { replaceSealedCard, sealedWithOlderKeys } from './store.ts'

const MOST_AT_ONCE = 100

/**
 * Creates the job that seals card numbers with the newest key, so that an older key can be removed from the key file.
 */
export const createResealingJob = (
  { runtime, cards }: { runtime: Runtime; cards: SecretRing },
  everyMs: number,
): Job => ({
  name: 'seal card numbers with the newest key',
  everyMs,
  run: async () => {
    const older = await sealedWithOlderKeys(runtime.db, cards.newest, MOST_AT_ONCE)
    let resealed = 0
    for (const { merchantId, id, sealed } of older) {
      try {
        const of = cardOf({ merchantId, id })
        await replaceSealedCard(runtime.db, { merchantId, id, sealed }, cards.seal(cards.open(sealed, of), of))
        resealed += 1
      } catch (error) {
        runtime.log.error(
          { err: error, payout: id },
          'a card number is sealed with a key that is missing: put it back into the file of card keys',
        )
      }
    }
    return resealed === MOST_AT_ONCE
  },
})
