import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import { joinEffects, noEffects, type Effects } from '../effects/index.ts'
import { wasTold } from '../webhooks/index.ts'
import type { Deposit } from './deposit.ts'
import { depositNotice } from './notice.ts'
import type { DepositSettings } from './settings.ts'
import { DEPOSIT_COLUMNS } from './store.ts'

/** What screening found out about a deposit. */
export interface Verified {
  merchantId: string
  /** of the deposit */
  id: string
  compliance: NonNullable<Deposit['compliance']>
}

/**
 * Tells that a credited deposit has been screened, once, and lets those act who wait for clean money. Nothing is told of one that is no
 * longer credited, or whose merchant was never told Done of it because something else tells of it in its own words.
 */
export const verifyDeposit = async (tx: Tx, { merchantId, id, compliance }: Verified, { catalogue, onVerified = [] }: DepositSettings, moment: Moment): Promise<Effects> => {
  const { rows } = await sql<Deposit>`update deposits d set told = 'Verified', compliance = ${JSON.stringify(compliance)}, updated_at = ${moment.at}
    where d.merchant_id = ${merchantId} and d.id = ${id} and d.state = 'credited' and d.told = 'Done' returning ${DEPOSIT_COLUMNS}`.execute(tx)
  const [deposit] = rows
  if (!deposit) return noEffects
  const all: Effects[] = [{ items: [], notices: (await wasTold(tx, id, 'Done')) ? [depositNotice(deposit, catalogue)] : [] }]
  if (!compliance.risky) for (const subscriber of onVerified) all.push(await subscriber(tx, [{ deposit, again: false }], moment))
  return joinEffects(all)
}
