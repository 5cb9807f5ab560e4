import type { Catalogue } from '../assets/index.ts'
import { noEffects } from '../effects/index.ts'
import { HOUSE } from '../ledger/index.ts'
import { ownCosts, type OutgoingChange, type OutgoingSubscriber } from '../outgoing/index.ts'
import type { SweepEvent } from './machine.ts'
import { moveSweeps, sweepsOf } from './store.ts'

const EVENTS: Record<OutgoingChange['event'], SweepEvent> = {
  refused: 'refused',
  accepted: 'accepted',
  mined: 'mined',
  reorganized: 'reorganized',
  final: 'final',
  reverted: 'reverted',
}

/** How a transaction that prepares sweeps moves them. Until it is final it may be lost again, and what stands on it with it. */
const PREPARES: Partial<Record<OutgoingChange['event'], SweepEvent>> = { final: 'prepared', reverted: 'dropped', refused: 'dropped' }

/**
 * Moves sweeps with their transactions, and charges what these cost to the merchants whose deposits they bring in. The
 * ledger's custody stays as it is: it is of a network, not of an address.
 */
export const createSweepSettlement =
  (catalogue: Catalogue): OutgoingSubscriber =>
  async (tx, change, moment) => {
    const { id, purpose } = change.outgoing
    if (purpose !== 'sweep' && purpose !== 'gas' && purpose !== 'resources') return noEffects
    const sweeps = await sweepsOf(tx, id)
    await moveSweeps(tx, { outgoingId: id }, EVENTS[change.event], moment.at)
    const prepares = PREPARES[change.event]
    if (prepares) await moveSweeps(tx, { fundingId: id }, prepares, moment.at)
    const payers = sweeps.map(({ merchantId }) => merchantId)
    return ownCosts(catalogue, change, payers.length > 0 ? payers : [HOUSE], moment)
  }
