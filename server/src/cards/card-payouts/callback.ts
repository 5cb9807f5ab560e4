import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { wake } from './attempts.ts'

/**
 * An acquirer calls about an order, under its signature. It is a hint: the order is asked for now, and nothing is
 * booked before.
 * @returns undefined when the account has no such order of this module
 */
export const hearPayoutCallback = async (
  tx: Tx,
  {
    acquirer,
    reference,
    state,
    lookAt,
  }: { acquirer: string; reference: string; state: Pick<AcquirerState, 'kind'>; lookAt?: Date },
  { at }: Moment,
): Promise<Effects | undefined> =>
  (await wake(tx, { reference, account: acquirer, said: state.kind }, at, lookAt)) ? noEffects : undefined
