import { isRefused } from '@bursar/chainkit'
import { asIfSigned } from '@bursar/chainkit/bitcoin'
import type { BroadcastResult } from '../../adapters/chains/port.ts'
import { anyChange, type OwnCoin } from '../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { planFor } from './bitcoin-batch.ts'
import { postpone } from './commands.ts'
import { refuseImpossible } from './receivers.ts'
import { PAYOUT_REFUSED } from './refusals.ts'
import type { BitcoinPayoutDeps } from './payouts.ts'
import type { Withdrawal } from './withdrawal.ts'

/**
 * Rejections of an output that do not depend on the rest of the transaction, in the words of Bitcoin Core and Knots.
 */
const OF_AN_OUTPUT = /^(dust|scriptpubkey)/
/**
 * Delay before a payment that the node rejects for another reason is tried again: the operator may change the node's
 * policy.
 */
const REFUSED_PAUSE_MS = 5 * 60_000
const SUBJECT = 'BITCOIN/BTC'
/** Disables the limit of the fee's share, to test one payment of a batch. */
const ANY_SHARE = 10n ** 15n

type Refusal = Exclude<BroadcastResult, { kind: 'accepted' }>

/**
 * Returns the withdrawals of a batch that the node's pool would accept. This is tested before anything is stored or
 * signed, because a signed transaction reserves its coins until a final block rules it out. A payment that no node
 * accepts is given back; a payment rejected for an unclear reason is postponed, with an alert; the others are paid
 * without it.
 * @returns undefined if nothing can be planned now; empty if the caller should plan again at once
 */
export const takenByNode = async (
  deps: BitcoinPayoutDeps,
  chosen: readonly Withdrawal[],
  coins: readonly OwnCoin[],
  rate: bigint,
): Promise<readonly Withdrawal[] | undefined> => {
  const { runtime } = deps
  const [answer] = await judge(deps, [chosen], coins, rate)
  const refusal = answer && refusalOf(answer)
  if (!refusal) {
    await resolveAlertsOf(runtime.db, [PAYOUT_REFUSED], [SUBJECT, ...chosen.map(({ id }) => id)], momentOf(runtime).at)
    return chosen
  }
  if (!isForGood(refusal)) {
    await alertWaiting(deps, chosen, refusal)
    return undefined
  }
  const singles =
    chosen.length === 1
      ? [refusal]
      : await judge(
          deps,
          chosen.map((one) => [one]),
          coins,
          rate,
        )
  const refused = chosen.flatMap((withdrawal, at) => {
    const why = singles[at] && refusalOf(singles[at])
    return why && isForGood(why) ? [{ withdrawal, why }] : []
  })
  for (const { withdrawal, why } of refused) await leaveOut(deps, withdrawal, why.message)
  if (refused.length > 0) return []
  // Each of them is accepted alone, so together they are too much for one transaction.
  return takenByNode(deps, chosen.slice(0, Math.ceil(chosen.length / 2)), coins, rate)
}

/** Returns the node's answer for each batch; undefined for one that can't be built. */
const judge = async (
  deps: BitcoinPayoutDeps,
  batches: readonly (readonly Withdrawal[])[],
  coins: readonly OwnCoin[],
  rate: bigint,
): Promise<(BroadcastResult | undefined)[]> => {
  const policy = { ...deps.policy, maxFeePerMille: ANY_SHARE }
  const raws = batches.map((batch) => {
    const plan = planFor({ ...deps, policy }, batch, coins, anyChange(deps.wallet), rate)
    const raw = isRefused(plan) ? plan : asIfSigned(plan.payout.psbt)
    return isRefused(raw) ? undefined : Buffer.from(raw).toString('hex')
  })
  const answers = await deps.adapter.wouldTake(raws.filter((raw) => raw !== undefined))
  return raws.map((raw) => (raw === undefined ? undefined : answers.shift()))
}

/** A fee that is too low by now does not count as a rejection: it is raised when the transaction is sent. */
const refusalOf = (answer: BroadcastResult): Refusal | undefined =>
  answer.kind === 'accepted' || (answer.kind === 'refused' && answer.reason === 'fee-too-low') ? undefined : answer

const isForGood = (refusal: Refusal): boolean => refusal.kind === 'refused' && refusal.reason === 'invalid'

const leaveOut = async (deps: BitcoinPayoutDeps, withdrawal: Withdrawal, message: string): Promise<void> => {
  const { runtime } = deps
  if (OF_AN_OUTPUT.test(message)) {
    await refuseImpossible(deps, withdrawal, `the node takes no such payment: ${message}`)
    await resolveAlert(runtime.db, PAYOUT_REFUSED, withdrawal.id, momentOf(runtime).at)
    return
  }
  const moment = momentOf(runtime)
  await postpone(runtime.db, withdrawal, new Date(moment.at.getTime() + REFUSED_PAUSE_MS))
  const text = `The Bitcoin node rejects a transaction that pays withdrawal ${withdrawal.id}: ${message}. It is tried again in a few minutes. Other withdrawals are not affected`
  await raiseAlert(runtime.db, { kind: PAYOUT_REFUSED, subject: withdrawal.id, text }, moment)
}

/** A node that is one block ahead of the database rejects for a moment, so only a lasting rejection raises an alert. */
const alertWaiting = async (
  { runtime, policy }: BitcoinPayoutDeps,
  chosen: readonly Withdrawal[],
  { message }: Refusal,
): Promise<void> => {
  const moment = momentOf(runtime)
  const waited = moment.at.getTime() - chosen[0]!.createdAt.getTime()
  if (waited < policy.saveUpAfterMs) return
  const text = `The Bitcoin node rejects a transaction that pays ${chosen.length} withdrawals: ${message}. They wait`
  await raiseAlert(runtime.db, { kind: PAYOUT_REFUSED, subject: SUBJECT, text }, moment)
}
