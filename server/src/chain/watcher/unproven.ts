import type { Block, Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseOrRenewAlert } from '../../platform/runtime/alerts.ts'
import { openRange } from '../../platform/runtime/range-alerts.ts'
import type { ChainSubscriber } from './subscriber.ts'

const KIND = 'unproven-block'
const nothing = async (): Promise<Effects> => noEffects

/**
 * Raises an alert about blocks whose transactions do not match their header: one for each network, for a range of
 * blocks.
 */
export const createUnprovenAlarm = (): ChainSubscriber => ({
  block: async (tx: Tx, network: Network, { height, isUnproven }: Block, moment: Moment): Promise<Effects> => {
    if (!isUnproven) return noEffects
    const open = await openRange(tx, KIND, network)
    const [from, to] = [Math.min(height, open?.from ?? height), Math.max(height, open?.to ?? height)]
    const text =
      `The node of ${network} shows blocks from ${from} to ${to} whose transactions do not match their headers: one may be missing, and a deposit with it. ` +
      `Run \`bursar rescan ${network} ${from} ${to}\` on another node. See docs/operating/chain-trouble.md`
    await raiseOrRenewAlert(tx, { kind: KIND, subject: network, text, detail: { from, to } }, moment)
    return noEffects
  },
  orphaned: nothing,
  settled: nothing,
  mempool: nothing,
})
