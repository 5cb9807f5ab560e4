import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { distrustRecords } from './cursor.ts'

/**
 * Stops all outgoing payments of a network whose final blocks were lost: an operator has to decide which blocks are
 * right, and lifts the stop. Signed transactions are processed further, and deposits are read on the new branch. Call
 * it before the cursor goes back.
 */
export const stopForBrokenFinality = async (
  tx: Tx,
  network: Network,
  height: number,
  moment: Moment,
): Promise<void> => {
  await createStop(
    tx,
    { asset: null, merchantId: null, network, reason: `final blocks of ${network} were lost` },
    moment,
  )
  await distrustRecords(tx, network)
  const text =
    `${network} replaced blocks that were final, down to ${height}: nothing is sent there any more. Compare its node with another one ` +
    `before you lift the stop (bursar freezes, bursar unfreeze ID). See docs/operating/chain-trouble.md`
  await raiseAlert(tx, { kind: 'finality-broken', subject: network, text }, moment)
}
