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
 * A receiver's code runs at our cost, and a withdrawal's fee is that of a plain payment: what takes more energy is not
 * paid.
 */
const MOST_ENERGY = 50_000n

/**
 * The estimate of a payment of TRX, or a refusal where the receiver is a contract whose code may take too much. The
 * bound holds for what the fee limit would allow, not for what the call took in the estimate: a contract can let calls
 * pass only with much energy at hand (so that `estimateenergy` answers a high limit, `Wallet.estimateEnergy` of
 * java-tron), and burn all of it once it is paid.
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
/** What a receiver's code may cost the platform: so many payments of coin that fail on chain, in thirty days. */
const MOST_OF_RECEIVER = 2
const RECEIVER_MS = 30 * DAY_MS
/** And so many of one merchant in a day, as anybody can make another receiver for each payment. */
const MOST_OF_MERCHANT = 20
const AGAIN_MS = { receiver: 60_000, merchant: 3_600_000 }
const RECEIVERS_FAIL = 'receivers-fail'

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
    await raiseAlert(runtime.db, { kind: RECEIVERS_FAIL, subject: `${blockchain}/${merchantId}`, text }, moment)
    await postpone(runtime.db, withdrawal, new Date(moment.at.getTime() + AGAIN_MS.merchant))
    return false
  }
  await resolveAlert(runtime.db, RECEIVERS_FAIL, `${blockchain}/${merchantId}`, moment.at)
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

const LOOK_AGAIN_MS = 60_000
/**
 * So many withdrawals of a merchant on a network are looked at again each minute; more of them wait longer. Each look
 * costs two questions to the node, which other merchants' payouts would wait for.
 */
const AGAIN_EACH_MINUTE = 20
/** As many are counted: that is a pause of fifty minutes. */
const MOST_COUNTED = 1_000
/** A receiver that refuses a payment for so long is taken to refuse it for good. */
const LASTS_MS = 10 * 60_000
/** Kind of the alert that every payment of an asset would revert. */
export const PAYMENTS_REVERT = 'payments-revert'

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
    await raiseOrRenewAlert(runtime.db, { kind: PAYMENTS_REVERT, subject, text }, momentOf(runtime))
    return false
  }
  await resolveAlert(runtime.db, PAYMENTS_REVERT, subject, at)
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
      not_before = ${now}::timestamptz + (1 + ${others} / ${AGAIN_EACH_MINUTE}) * ${LOOK_AGAIN_MS} * interval '1 ms',
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
  if (subjects.length > 0) await resolveAlertsOf(runtime.db, [PAYMENTS_REVERT], subjects, momentOf(runtime).at)
}

/**
 * Gives a withdrawal back that can't succeed, once the signer has closed its intent.
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
  const text = `Withdrawal ${withdrawal.id} can't succeed on ${withdrawal.blockchain} and was given back: ${message}`
  await raiseAlert(runtime.db, { kind: 'withdrawal-impossible', subject: withdrawal.id, text }, momentOf(runtime))
  return false
}
