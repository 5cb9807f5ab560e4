import type { CardTicker } from '../../adapters/acquirers/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { askAgainAt, findAttempt } from './attempts.ts'
import { giveUp, settle, type Outcome } from './commands.ts'
import { findPart } from './store.ts'

/** By then, a worker that was sending it no longer waits for the answer. */
const LEAST_AGE_MS = 15 * 60_000

/**
 * Records how an order ended, by an operator's decision after asking the acquirer by other means. Throws an Error that
 * says why this is impossible.
 * @param by who decided and why, stored with the order
 */
export const resolve = async (
  tx: Tx,
  { reference, how, by }: { reference: string; how: 'paid' | 'refused'; by: string },
  catalogue: Catalogue,
  moment: Moment,
): Promise<Effects> => {
  const attempt = isUuid(reference) ? await findAttempt(tx, reference) : undefined
  const part = attempt && (await findPart(tx, attempt.partId))
  if (!attempt || !part) throw new Error('there is no order with this reference')
  if (attempt.state !== 'open') throw new Error(`this order has ended: it is ${attempt.state}`)
  if (moment.at.getTime() - attempt.sentAt.getTime() < LEAST_AGE_MS)
    throw new Error('it was sent less than 15 minutes ago and may still be under way')
  const outcome: Outcome =
    how === 'paid'
      ? {
          kind: 'succeeded',
          acquirerReference: by,
          ticker: part.ticker as CardTicker,
          units: part.units,
          feeUnits: undefined,
          maskedCard: undefined,
        }
      : { kind: 'refused', acquirerReference: undefined, code: 'resolved-by-hand', message: by, maskedCard: undefined }
  const { effects, asks } = await settle(
    tx,
    attempt,
    outcome,
    { catalogue, another: false, sendAgainAt: moment.at },
    moment,
  )
  await askAgainAt(tx, attempt, asks === 'no more' ? null : moment.at)
  return effects
}

/** Ends a part that no acquirer has, by an operator's decision. Throws an Error that says why this is impossible. */
export const abandon = async (tx: Tx, partId: string, catalogue: Catalogue, moment: Moment): Promise<Effects> => {
  const part = isUuid(partId) ? await findPart(tx, partId) : undefined
  if (!part) throw new Error('there is no such part')
  const effects = await giveUp(tx, part, catalogue, moment)
  if (!effects)
    throw new Error(`it is ${part.state}: an acquirer may have it. Find its reference by bursar card-payouts`)
  return effects
}
