import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { opposite } from '../../ledger/address-balances/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { consequencesOf } from './consequences.ts'
import { brought } from './custody.ts'
import type { DepositSettings } from './settings.ts'
import { moveWhere } from './store.ts'
import type { DepositKey } from './verifying.ts'

/**
 * Fails an inner transfer that no balance has confirmed, because an operator has found that it did not happen. The
 * merchant is notified of Failed, and the address's balance in the books decreases by it. If another node shows the
 * transfer later, it waits for confirmation again. Returns undefined if the deposit is no such transfer, or its block
 * is not final.
 */
export const dropDeposit = async (
  tx: Tx,
  { merchantId, id }: DepositKey,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects | undefined> => {
  const moved = await moveWhere(
    tx,
    'lost',
    sql`d.merchant_id = ${merchantId} and d.id = ${id} and d.state = 'pending' and d.index like 't:%' and d.balance_height is null
      and d.block_height <= (select c.final_height from watch_cursors c where c.network = d.network)`,
    sql`told = 'Failed', fail_reason = 'REORGANIZED', block_height = null, block_hash = null, credit_height = null`,
    moment.at,
  )
  if (moved.length === 0) return undefined
  const deposits = moved.map(({ deposit }) => deposit)
  for (const { network, address } of deposits)
    await resolveAlert(tx, 'deposit-not-held', `${network}/${address}`, moment.at)
  return { ...(await consequencesOf(tx, 'lost', moved, settings, moment)), moves: opposite(brought(deposits)) }
}
