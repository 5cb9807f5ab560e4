import type { Block, Network } from '@bursar/chainkit'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import type { Effects } from '../effects/index.ts'
import { raiseAlert } from '../platform/alerts.ts'
import type { ChainListener } from './listener.ts'

const nothing = async (): Promise<Effects> => ({ items: [], notices: [] })

/** Tells a person of blocks whose inner calls nobody could show: money in them is found by a rescan on another node. */
export const createUntracedAlarm = (): ChainListener => ({
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    if (block.untraced === true) {
      const text =
        `The node of ${network} could not trace block ${block.height}: native coin that contracts sent in it is not seen. ` +
        `Point the settings at a node that keeps the state and run \`bursar rescan ${network} ${block.height} ${block.height}\``
      await raiseAlert(tx, { kind: 'untraced-block', subject: `${network}/${block.height}`, text }, moment)
    }
    return nothing()
  },
  orphaned: nothing,
  settled: nothing,
  mempool: nothing,
})
