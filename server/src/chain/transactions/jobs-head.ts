import type { BlockReference } from '@bursar/chainkit/tron'
import { ChainUnavailable, type TronChainAdapter } from '../../adapters/chains/port.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { LIFETIME_MS } from './tron-plan.ts'

/**
 * Greatest age of a head, in ms. A transaction expires ten minutes after the head it refers to; with an older head,
 * less than half of that would be left. There is a block every three seconds.
 */
const MOST_HEAD_AGE_MS = LIFETIME_MS / 2

const KIND = 'head-old'

/**
 * Returns the reference block for new transactions, of a node whose head is recent. A syncing java-tron answers all
 * requests, with balances that have been spent since. While the head is older, this throws `ChainUnavailable` and
 * raises an alert, so that nothing is planned.
 */
export const recentReference = async ({
  runtime,
  adapter,
}: {
  runtime: Runtime
  adapter: Pick<TronChainAdapter, 'reference'>
}): Promise<BlockReference & { time: number }> => {
  const reference = await adapter.reference()
  const moment = momentOf(runtime)
  const isOld = runtime.clock.now() - reference.time > MOST_HEAD_AGE_MS
  if (!isOld) {
    await resolveAlert(runtime.db, KIND, 'TRON', moment.at)
    return reference
  }
  const why = `the newest block of TRON's node was made at ${new Date(reference.time).toISOString()}`
  const text = `Nothing is sent on TRON: ${why}. The node is syncing, is cut off from the network, or this machine's clock is wrong. Sending resumes by itself`
  await raiseOrRenewAlert(runtime.db, { kind: KIND, subject: 'TRON', text }, moment)
  throw new ChainUnavailable(why)
}
