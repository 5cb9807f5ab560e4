import type { Catalogue } from '../../market/assets/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { ownCosts, type OutgoingSubscriber } from '../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { OFFER_ALERT } from './commands.ts'

/**
 * What a transfer to cold storage does to the books: its fee is a cost of the platform. The amount stays in custody, as
 * the cold address is ours like the hot one: what moves is what each of them should hold.
 */
export const createColdSettlement =
  (catalogue: Catalogue): OutgoingSubscriber =>
  async (tx, change, moment) => {
    const { event, outgoing, hash } = change
    if (outgoing.purpose !== 'cold') return noEffects
    if (event === 'accepted') await resolveAlert(tx, OFFER_ALERT, outgoing.id, moment.at)
    if (event === 'reverted') {
      const text = `The transfer to cold storage in ${hash} on ${outgoing.network} was mined without effect; the money is where it was`
      await raiseAlert(tx, { kind: 'cold-reverted', subject: outgoing.id, text }, moment)
    }
    return ownCosts(catalogue, change, [PLATFORM], moment)
  }
