import type { Catalogue } from '../../market/assets/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { ownCosts, type OutgoingSubscriber } from '../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { OFFER_ALERT } from './commands.ts'

/**
 * Creates the subscriber that posts transfers to cold storage: the fee is a cost of the platform. The amount stays in
 * custody, because the cold address is ours too; only the records of the addresses change.
 */
export const createColdSettlement =
  (catalogue: Catalogue): OutgoingSubscriber =>
  async (tx, change, moment) => {
    const { event, outgoing, hash } = change
    if (outgoing.purpose !== 'cold') return noEffects
    if (event === 'accepted') await resolveAlert(tx, OFFER_ALERT, outgoing.id, moment.at)
    if (event === 'reverted') {
      const text = `The transfer to cold storage in ${hash} on ${outgoing.network} was mined without effect: the hot wallet still has the money. Look up the reason in an explorer before you sign the next transfer`
      await raiseAlert(tx, { kind: 'cold-reverted', subject: outgoing.id, text }, moment)
    }
    return ownCosts(catalogue, change, [PLATFORM], moment)
  }
