import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { raiseOrRenewAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { refuseImpossible } from './impossible.ts'
import type { PayoutDeps } from './payouts.ts'
import type { Withdrawal } from './withdrawal.ts'

const AGAIN_MS = 60_000
/**
 * So many withdrawals of a merchant on a network are looked at again each minute; more of them wait longer. Each look
 * costs two questions to the node, which other merchants' payouts would wait for.
 */
const AGAIN_EACH_MINUTE = 20
/** As many are counted: that is a pause of fifty minutes. */
const MOST_COUNTED = 1_000
/** A receiver that refuses a payment for so long is taken to refuse it for good. */
const LASTS_MS = 10 * 60_000
const ALERT = 'payments-revert'

/** Whether the same payment from the same sender would pass when it went to the sender itself. */
export type Control = () => Promise<{ ok: true } | { ok: false; message: string }>

/**
 * A look at a payment shows that it would revert. When the same payment to another account would revert too, the reason
 * is on our side or the token's (paused, our address frozen, a node that is behind a refill): it waits, with one alert
 * for the asset. When only this receiver refuses it, and keeps refusing it for ten minutes, it would revert for any
 * sender, and is given back.
 * @returns false: nothing was planned
 */
export const onRevert = async (
  deps: Pick<PayoutDeps, 'runtime' | 'catalogue' | 'signer' | 'withdrawalSubscribers'>,
  withdrawal: Withdrawal,
  message: string,
  control: Control,
): Promise<false> => {
  const { runtime } = deps
  const { ticker, blockchain } = withdrawal
  const other = await control()
  const { at } = momentOf(runtime)
  const subject = `${blockchain}/${ticker}`
  if (!other.ok) {
    await postponeReverting(runtime, withdrawal, null)
    const text =
      `Every payment of ${ticker} on ${blockchain} from the hot wallet would revert: ${other.message}. The token may be paused or may have frozen the hot address, or the node is behind. ` +
      'The withdrawals wait and are tried again each minute'
    await raiseOrRenewAlert(runtime.db, { kind: ALERT, subject, text }, momentOf(runtime))
    return false
  }
  await resolveAlert(runtime.db, ALERT, subject, at)
  const since = await postponeReverting(runtime, withdrawal, at)
  if (since === undefined || at.getTime() - since.getTime() < LASTS_MS) return false
  return refuseImpossible(deps, withdrawal, `its receiver refuses it since ${since.toISOString()}: ${message}`)
}

/**
 * Looks again in a minute, or in more when many of the merchant's wait so. @returns since when its receiver refuses it;
 * undefined when it does not wait any more
 */
const postponeReverting = async (
  runtime: Runtime,
  { merchantId, id, blockchain }: Withdrawal,
  at: Date | null,
): Promise<Date | undefined> => {
  const now = momentOf(runtime).at
  const others = sql`(select count(*) from (select from withdrawals o where o.merchant_id = ${merchantId} and o.blockchain = ${blockchain}
      and o.state = 'requested' and o.reverting_since is not null and o.id <> ${id} limit ${MOST_COUNTED}) reverting)`
  const { rows } = await sql<{ since: Date | null }>`update withdrawals set
      not_before = ${now}::timestamptz + (1 + ${others} / ${AGAIN_EACH_MINUTE}) * ${AGAIN_MS} * interval '1 ms',
      reverting_since = case when ${at}::timestamptz is null then null else coalesce(reverting_since, ${at}) end
    where merchant_id = ${merchantId} and id = ${id} and state = 'requested' returning reverting_since as since`.execute(
    runtime.db,
  )
  return rows[0]?.since ?? undefined
}

/** Payments of these assets pass. */
export const noLongerReverting = async (
  { runtime }: { runtime: Runtime },
  network: Network,
  tickers: Iterable<string>,
): Promise<void> => {
  const subjects = [...new Set(tickers)].map((ticker) => `${network}/${ticker}`)
  if (subjects.length > 0) await resolveAlertsOf(runtime.db, [ALERT], subjects, momentOf(runtime).at)
}
