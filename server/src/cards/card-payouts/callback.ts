import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { wake } from './attempts.ts'

/**
 * Handles an acquirer's signed callback about an order. It is only a hint: the order is queried now, and nothing is
 * posted before.
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
