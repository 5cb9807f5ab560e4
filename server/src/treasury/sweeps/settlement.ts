import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { ownCosts, type OutgoingChange, type OutgoingSubscriber } from '../../chain/transactions/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { failingSubject } from './failing.ts'
import type { SweepEvent } from './machine.ts'
import { movedAmong } from './queries.ts'
import { moveSweeps, sweepsOf } from './store.ts'
import { borrowersOf } from './tron/loans.ts'

const EVENTS: Record<OutgoingChange['event'], SweepEvent> = {
  refused: 'refused',
  accepted: 'accepted',
  mined: 'mined',
  reorganized: 'reorganized',
  final: 'final',
  reverted: 'reverted',
}

/**
 * Events of sweeps when the transaction that prepares them changes. Before it is final it may be lost again, together
 * with the rows that depend on it.
 */
const PREPARES: Partial<Record<OutgoingChange['event'], SweepEvent>> = {
  final: 'prepared',
  reverted: 'dropped',
  refused: 'dropped',
}

/**
 * Creates the subscriber that changes the states of sweeps with their transactions, and charges their costs to the
 * merchants whose deposits they move. The ledger's custody does not change, because it is one account for each network,
 * not for each address.
 */
export const createSweepSettlement =
  (catalogue: Catalogue): OutgoingSubscriber =>
  async (tx, change, moment) => {
    const { id, purpose } = change.outgoing
    if (purpose !== 'sweep' && purpose !== 'gas' && purpose !== 'resources') return noEffects
    const sweeps = await sweepsOf(tx, id)
    if (change.event === 'final') await settleMoved(tx, change, moment)
    else await moveSweeps(tx, { outgoingId: id }, EVENTS[change.event], moment.at)
    const prepares = PREPARES[change.event]
    if (prepares) await moveSweeps(tx, { fundingId: id }, prepares, moment.at)
    const payers = [...sweeps.map(({ merchantId }) => merchantId), ...(await borrowersOf(tx, id))]
    return ownCosts(catalogue, change, payers.length > 0 ? payers : [PLATFORM], moment)
  }

/** Settles each sweep of a batch according to its block: a part that failed has left its money at the address. */
const settleMoved = async (
  tx: Tx,
  { outgoing: { id, network }, hash }: OutgoingChange,
  { at }: Moment,
): Promise<void> => {
  const carried = (await sweepsOf(tx, id)).filter(({ outgoingId }) => outgoingId === id)
  if (carried.length === 0) return
  const moved = await movedAmong(tx, network, hash!, carried)
  const ids = (ofMoved: boolean): string[] =>
    carried.filter((sweep) => moved.has(sweep.id) === ofMoved).map((sweep) => sweep.id)
  for (const sweep of await moveSweeps(tx, { ids: ids(true) }, 'final', at))
    await resolveAlert(tx, 'sweep-failing', failingSubject(sweep), at)
  await moveSweeps(tx, { ids: ids(false) }, 'reverted', at)
}
