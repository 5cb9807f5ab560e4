import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { wasNotified } from '../../merchants/webhooks/index.ts'
import type { Deposit } from './deposit.ts'
import { consequencesOf } from './consequences.ts'
import { depositNotice } from './notice.ts'
import { isUndecided } from './first-seed.ts'
import type { DepositSettings } from './settings.ts'
import { DEPOSIT_COLUMNS, moveWhere } from './store.ts'

/** The result of screening a deposit. */
export interface Verified {
  merchantId: string
  /** of the deposit */
  id: string
  compliance: NonNullable<Deposit['compliance']>
}

/** Identifies a deposit. */
export type DepositKey = Pick<Verified, 'merchantId' | 'id'>

const isIt = ({ merchantId, id }: DepositKey) => sql`d.merchant_id = ${merchantId} and d.id = ${id}`

/**
 * Credits a held deposit that has been screened, and notifies of Done and Verified together. Returns undefined if it is
 * not held, or is at a stolen seed and an operator has not decided about it.
 */
export const clearDeposit = async (
  tx: Tx,
  verified: Verified,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects | undefined> => {
  const moved = await moveWhere(
    tx,
    'cleared',
    sql`${isIt(verified)} and not ${isUndecided(sql`d`)}`,
    sql`told = 'Verified', compliance = ${JSON.stringify(verified.compliance)}`,
    moment.at,
  )
  return moved.length === 0 ? undefined : consequencesOf(tx, 'cleared', moved, settings, moment)
}

/**
 * Rejects a held deposit: notifies of Failed, and leaves its money in quarantine. Returns undefined if it is not held.
 */
export const rejectDeposit = async (
  tx: Tx,
  key: DepositKey,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects | undefined> => {
  const moved = await moveWhere(
    tx,
    'rejected',
    isIt(key),
    sql`told = 'Failed', fail_reason = 'AML_REJECTED'`,
    moment.at,
  )
  return moved.length === 0 ? undefined : consequencesOf(tx, 'rejected', moved, settings, moment)
}

/**
 * Applies a judgement to a deposit. A held deposit is credited if the judgement is not risky; otherwise it waits for an
 * operator. For a credited deposit the merchant is notified once, and subscribers that wait for clean money are called.
 * There is no notification if the deposit is no longer credited, or if its merchant was never notified of Done because
 * another object reports it.
 */
export const verifyDeposit = async (
  tx: Tx,
  verified: Verified,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const cleared = verified.compliance.risky ? undefined : await clearDeposit(tx, verified, settings, moment)
  if (cleared === undefined)
    await sql`update deposits d set compliance = ${JSON.stringify(verified.compliance)} where ${isIt(verified)} and d.state = 'held'
      and ${isUndecided(sql`d`)}`.execute(tx)
  return cleared ?? notifyVerified(tx, verified, settings, moment)
}

const notifyVerified = async (
  tx: Tx,
  { merchantId, id, compliance }: Verified,
  { catalogue, onVerified = [] }: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const { rows } =
    await sql<Deposit>`update deposits d set told = 'Verified', compliance = ${JSON.stringify(compliance)}, updated_at = ${moment.at}
    where d.merchant_id = ${merchantId} and d.id = ${id} and d.state = 'credited' and d.told = 'Done' returning ${DEPOSIT_COLUMNS}`.execute(
      tx,
    )
  const [deposit] = rows
  if (!deposit) return noEffects
  const all: Effects[] = [
    {
      items: [],
      notices: (await wasNotified(tx, { id, madeAt: deposit.createdAt }, 'Done'))
        ? [depositNotice(deposit, catalogue)]
        : [],
    },
  ]
  if (!compliance.risky)
    for (const subscriber of onVerified) all.push(await subscriber(tx, [{ deposit, again: false }], moment))
  return joinEffects(all)
}
