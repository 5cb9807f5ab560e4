import type { Block, Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import type { ChainSubscriber } from './subscriber.ts'

const nothing = async (): Promise<Effects> => noEffects

/** Raises an alert about internal transactions of a kind that this version does not know: one alert for each kind. */
export const createUnknownNoteAlarm = (): ChainSubscriber => ({
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    for (const note of block.unknownNotes ?? []) {
      const text =
        `The node of ${network} lists an internal transaction with the note "${note}" in block ${block.height}, which this version of Bursar ` +
        `does not know. Nothing is credited for it. Look at the block: if such transactions move coin to your addresses, update Bursar ` +
        `and run \`bursar rescan ${network} ${block.height} ${block.height}\``
      await raiseAlert(
        tx,
        { kind: 'unknown-internal-transaction', subject: `${network}/${note}`, text, detail: { height: block.height } },
        moment,
      )
    }
    return noEffects
  },
  orphaned: nothing,
  settled: nothing,
  mempool: nothing,
})
