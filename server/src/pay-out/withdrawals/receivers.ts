import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import type { Contract } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import type { CostEstimate } from '../../adapters/chains/port.ts'
import type { Db } from '../../platform/db/index.ts'
import { raiseAlert, raiseOrRenewAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { postpone } from './commands.ts'
import type { PayoutDeps } from './payouts.ts'
import { giveBack } from './refusals.ts'
import type { Withdrawal } from './withdrawal.ts'

/**
 * A receiver's code runs at the platform's cost, while the withdrawal fee is that of a plain payment. Payments that
 * need more energy are refused.
 */
const MOST_ENERGY = 50_000n

/**
 * Returns the estimate of a payment of TRX, or a refusal if the receiver is a contract whose code may use too much
 * energy. The limit applies to the energy that the fee limit would allow, not to the energy used in the estimate: a
 * contract can let a call pass only if much energy is available (then `estimateenergy` returns a high limit,
 * `Wallet.estimateEnergy` of java-tron), and burn all of it in the payment.
 */
export const boundedForReceiver = (contract: Contract, cost: CostEstimate): CostEstimate => {
  if (!cost.ok || !runsReceiverCode(contract)) return cost
  const { energy, energyLimit = energy } = cost.usage
  const most = energyLimit > energy ? energyLimit : energy
  if (most <= MOST_ENERGY) return cost
  return {
    ok: false,
    reason: 'reverted',
    message: `its receiver is a contract that takes up to ${most} energy, and at most ${MOST_ENERGY} is paid for`,
  }
}

export const runsReceiverCode = (contract: Contract): boolean =>
  contract.kind === 'TriggerSmartContract' && contract.callValue > 0n

const DAY_MS = 24 * 3_600_000
/** The failures of coin payments on chain that one receiver may cause in thirty days. */
const MOST_OF_RECEIVER = 2
const RECEIVER_MS = 30 * DAY_MS
/** The same for one merchant in a day, because anyone can create another receiver for each payment. */
const MOST_OF_MERCHANT = 20
const AGAIN_MS = { receiver: 60_000, merchant: 3_600_000 }
const RECEIVERS_FAIL = 'receivers-fail'

/**
 * Whether coin may be paid to a receiver whose code runs. An estimate does not bound the cost of such a payment,
 * because code can distinguish an estimate from a block, and burn in the block all that the payment allows. Limits:
 * - after two payments that failed on chain, a withdrawal to the same receiver is given back;
 * - after one, the next waits while another payment to the receiver is under way;
 * - after twenty of one merchant in a day, the merchant's other withdrawals to contracts wait.
 * @param chosen receivers of this run's payments that are not stored yet; the receiver is added when it may be paid
 */
export const mayPayCode = async (
  deps: Pick<PayoutDeps, 'runtime' | 'catalogue' | 'signer' | 'withdrawalSubscribers'>,
  withdrawal: Withdrawal,
  chosen = new Set<string>(),
): Promise<boolean> => {
  const { runtime } = deps
  const { merchantId, id, blockchain, to } = withdrawal
  const { ofReceiver, ofMerchant, isUnderWay } = await failuresOf(runtime.db, withdrawal, runtime.clock.now())
  if (ofReceiver >= MOST_OF_RECEIVER)
    return refuseImpossible(
      deps,
      withdrawal,
      `${ofReceiver} payments to ${to} have failed on chain lately, and each costs the gas or energy that the receiver's code uses`,
    )
  const moment = momentOf(runtime)
  if (ofMerchant >= MOST_OF_MERCHANT) {
    const text = `${ofMerchant} payments of merchant ${merchantId} to contracts on ${blockchain} have failed on chain within a day, at our cost: withdrawal ${id} and others to contracts wait. See docs/operating/recovery.md`
    await raiseAlert(runtime.db, { kind: RECEIVERS_FAIL, subject: `${blockchain}/${merchantId}`, text }, moment)
    await postpone(runtime.db, withdrawal, new Date(moment.at.getTime() + AGAIN_MS.merchant))
    return false
  }
  await resolveAlert(runtime.db, RECEIVERS_FAIL, `${blockchain}/${merchantId}`, moment.at)
  if (ofReceiver === 0 || !(isUnderWay || chosen.has(to))) {
    chosen.add(to)
    return true
  }
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

const LOOK_AGAIN_MS = 60_000
/**
 * This many withdrawals of a merchant on a network are tried again each minute; if there are more, they wait longer.
 * Each try costs two requests to the node, which delay the payouts of other merchants.
 */
const AGAIN_EACH_MINUTE = 20
/** The count stops at this number, which gives a pause of fifty minutes. */
const MOST_COUNTED = 1_000
/** A receiver that refuses a payment for this long counts as refusing it permanently. */
const LASTS_MS = 10 * 60_000
/** Kind of the alert that all payments of an asset would revert. */
export const PAYMENTS_REVERT = 'payments-revert'

/** Tries the same payment with the sender as receiver; a success shows that the receiver is the cause. */
export type Control = () => Promise<{ ok: true } | { ok: false; message: string }>

/**
 * Handles a payment that would revert according to its estimate. If the same payment to another account would revert,
 * too, the cause is the platform or the token (paused, our address frozen, a node that lags behind a refill): the
 * withdrawal waits, with one alert for the asset. If only this receiver refuses it, for ten minutes, it would revert
 * for any sender, and is given back.
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
    await raiseOrRenewAlert(runtime.db, { kind: PAYMENTS_REVERT, subject, text }, momentOf(runtime))
    return false
  }
  await resolveAlert(runtime.db, PAYMENTS_REVERT, subject, at)
  const since = await postponeReverting(runtime, withdrawal, at)
  if (since === undefined || at.getTime() - since.getTime() < LASTS_MS) return false
  return refuseImpossible(deps, withdrawal, `its receiver has refused it since ${since.toISOString()}: ${message}`)
}

/**
 * Postpones a withdrawal by a minute, or by more if many of the merchant's are reverting. @returns when its receiver
 * began to refuse it; undefined if it is not waiting any more, or the receiver is not the cause
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
      not_before = ${now}::timestamptz + (1 + ${others} / ${AGAIN_EACH_MINUTE}) * ${LOOK_AGAIN_MS} * interval '1 ms',
      reverting_since = case when ${at}::timestamptz is null then null else coalesce(reverting_since, ${at}) end
    where merchant_id = ${merchantId} and id = ${id} and state = 'requested' returning reverting_since as since`.execute(
    runtime.db,
  )
  return rows[0]?.since ?? undefined
}

/** Resolves the alerts of assets whose payments pass. */
export const noLongerReverting = async (
  { runtime }: { runtime: Runtime },
  network: Network,
  tickers: Iterable<string>,
): Promise<void> => {
  const subjects = [...new Set(tickers)].map((ticker) => `${network}/${ticker}`)
  if (subjects.length > 0) await resolveAlertsOf(runtime.db, [PAYMENTS_REVERT], subjects, momentOf(runtime).at)
}

/**
 * Gives back a withdrawal that can't succeed, once the signer has closed its intent.
 * @returns false: nothing was planned
 */
export const refuseImpossible = async (
  deps: Pick<PayoutDeps, 'runtime' | 'catalogue' | 'signer' | 'withdrawalSubscribers'>,
  withdrawal: Withdrawal,
  message: string,
): Promise<false> => {
  const { runtime } = deps
  const outcome = await giveBack(deps, withdrawal)
  if (outcome.kind !== 'given-back') return false
  const text = `Withdrawal ${withdrawal.id} can't succeed on ${withdrawal.blockchain}; its amount and fee are back on the balance: ${message}`
  await raiseAlert(runtime.db, { kind: 'withdrawal-impossible', subject: withdrawal.id, text }, momentOf(runtime))
  return false
}
