import { NATIVE_TICKER } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { postpone } from './commands.ts'
import { refuseImpossible } from './impossible.ts'
import type { PayoutDeps } from './payouts.ts'
import type { Withdrawal } from './withdrawal.ts'

const DAY_MS = 24 * 3_600_000
/** What a receiver's code may cost the platform: so many payments of coin that fail on chain, in thirty days. */
const MOST_OF_RECEIVER = 2
const RECEIVER_MS = 30 * DAY_MS
/** And so many of one merchant in a day, as anybody can make another receiver for each payment. */
const MOST_OF_MERCHANT = 20
const AGAIN_MS = { receiver: 60_000, merchant: 3_600_000 }

/**
 * Whether coin may be paid to a receiver whose code runs. A look ahead is no bound of what such a payment costs: code
 * can tell it from a block, and burn there what the payment allows. After two payments that failed on chain a
 * withdrawal to the same receiver is given back, while one is on its way to a receiver that failed once the next waits,
 * and twenty failed ones of a merchant in a day have its others wait.
 */
export const mayPayCode = async (
  deps: Pick<PayoutDeps, 'runtime' | 'catalogue' | 'signer' | 'withdrawalSubscribers'>,
  withdrawal: Withdrawal,
): Promise<boolean> => {
  const { runtime } = deps
  const { merchantId, id, blockchain, to } = withdrawal
  const { ofReceiver, ofMerchant, isUnderWay } = await failuresOf(runtime.db, withdrawal, runtime.clock.now())
  if (ofReceiver >= MOST_OF_RECEIVER)
    return refuseImpossible(
      deps,
      withdrawal,
      `${ofReceiver} payments to ${to} have failed on chain lately, and each costs what its code burns`,
    )
  const moment = momentOf(runtime)
  if (ofMerchant >= MOST_OF_MERCHANT) {
    const text = `${ofMerchant} payments of merchant ${merchantId} to contracts on ${blockchain} have failed on chain within a day, at our cost: withdrawal ${id} and others to contracts wait. See docs/operating/recovery.md`
    await raiseAlert(runtime.db, { kind: 'receivers-fail', subject: `${blockchain}/${merchantId}`, text }, moment)
    await postpone(runtime.db, withdrawal, new Date(moment.at.getTime() + AGAIN_MS.merchant))
    return false
  }
  if (ofReceiver === 0 || !isUnderWay) return true
  await postpone(runtime.db, withdrawal, new Date(moment.at.getTime() + AGAIN_MS.receiver))
  return false
}

const failuresOf = async (
  db: Db,
  { merchantId, blockchain, to }: Withdrawal,
  now: number,
): Promise<{ ofReceiver: number; ofMerchant: number; isUnderWay: boolean }> => {
  const failed = sql`select count(*) from withdrawals w join outgoing o on o.id = w.outgoing_id and o.succeeded = false
    where w.state = 'failed' and w.outgoing_id is not null and w.blockchain = ${blockchain} and w.ticker = ${NATIVE_TICKER[blockchain]}`
  const { rows } = await sql<{ ofReceiver: number; ofMerchant: number; isUnderWay: boolean }>`select
    (${failed} and w.to_address = ${to} and w.updated_at > ${new Date(now - RECEIVER_MS)}) as "ofReceiver",
    (${failed} and w.merchant_id = ${merchantId} and w.updated_at > ${new Date(now - DAY_MS)}) as "ofMerchant",
    exists (select from withdrawals w where w.blockchain = ${blockchain} and w.state in ('planned', 'sent', 'mined') and w.to_address = ${to}) as "isUnderWay"`.execute(
    db,
  )
  return rows[0]!
}
