import { approvalId } from '../log/approval-book.ts'
import type { PeriodLimits } from '../policy/asset-policy.ts'
import type { History } from '../log/history.ts'
import { approvalsNeeded, assetPolicy } from './asset-policies.ts'
import type { CarriedApprovals } from './carried-approvals.ts'
import type { Judgement } from './judgement.ts'
import type { NetworkPolicy, Policy } from '../policy/policy.ts'
import type { CheckRequest, Intent, IntentRefusal, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { DAY_MS, HOUR_MS } from '../log/velocity.ts'

/**
 * Returns the network's policy. Throws a Refusal when signing is switched off, or when the network or an asset is not
 * in the policy.
 */
export function findNetworkPolicy(
  policy: Policy,
  { network, purpose, intents }: Pick<SignRequest, 'network' | 'purpose' | 'intents'>,
): NetworkPolicy {
  if (!policy.enabled) throw new Refusal('disabled', 'Signing is switched off')
  const networkPolicy = policy.networks.get(network)
  if (!networkPolicy) throw new Refusal('network', `${network} is not in the policy`)
  if (!networkPolicy.enabled) throw new Refusal('disabled', `Signing on ${network} is switched off`)
  if (purpose === 'sweep' && !('sweep' in networkPolicy && networkPolicy.sweep?.enabled)) {
    throw new Refusal('disabled', `Sweeps on ${network} are switched off in the policy`)
  }
  for (const { asset } of intents) {
    if (!assetPolicy(networkPolicy, asset).enabled) throw new Refusal('disabled', `Signing of ${asset} is switched off`)
  }
  return networkPolicy
}

/** Payments to judge, with the approvals that the request carries. */
interface Payments extends Pick<CheckRequest, 'network' | 'intents'> {
  carried: CarriedApprovals
}

/**
 * Compares amounts and fee with the limits of the policy. An intent counts once, when it is first signed; on TRON it
 * counts every time. A transfer to the cold address is subject to the fee limits only. The fees of a replaced first seed
 * on an EVM chain have the same limits, and count by themselves.
 * @returns the approvers of each intent that needs approvals
 */
export function judgeLimits(
  policy: Policy,
  networkPolicy: NetworkPolicy,
  request: SignRequest,
  { judgement, carried }: { judgement: Judgement; carried: CarriedApprovals },
  history: History,
  now: number,
): Record<string, string[]> {
  const { network } = networkPolicy
  const intents = request.purpose === 'cold' ? [] : request.intents
  const approvedBy = judgePayments(policy, networkPolicy, { network, intents, carried }, history, now)
  const feeKey = history.feeKeyOf(network, request.keys)
  judgeVelocity(history, network, feeKey, history.addedFee(network, judgement), networkPolicy.fee, now)
  const { bound } = judgement
  if (bound && networkPolicy.network === 'TRON') {
    judgeVelocity(history, network, bound.as, BigInt(bound.units), networkPolicy.treasury![bound.as], now)
  }
  return approvedBy
}

/**
 * Returns the payments that `judgeLimits` and the rules of history would refuse, each judged as if the payments before
 * it that pass had been signed.
 * @param now ms since the epoch
 */
export function checkPayments(
  policy: Policy,
  history: History,
  { network, intents, carried }: Payments,
  now: number,
): IntentRefusal[] {
  const promised = new Map<string, bigint>()
  return intents.flatMap((intent) => {
    try {
      const networkPolicy = findNetworkPolicy(policy, { network, purpose: 'payout', intents: [intent] })
      history.judgeFirst(network, intent)
      judgePayments(policy, networkPolicy, { network, intents: [intent], carried }, history, now, promised)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return [{ id: intent.id, refused: error.code, message: error.message }]
    }
    promised.set(intent.asset, (promised.get(intent.asset) ?? 0n) + BigInt(intent.units))
    return []
  })
}

/** @param promised units by asset that count as if they had been signed already */
function judgePayments(
  policy: Policy,
  networkPolicy: NetworkPolicy,
  request: Payments,
  history: History,
  now: number,
  promised: ReadonlyMap<string, bigint> = new Map(),
): Record<string, string[]> {
  const { network, intents } = request
  for (const { id, asset, units } of intents) {
    const { maxPerIntent } = assetPolicy(networkPolicy, asset)
    if (BigInt(units) > maxPerIntent) {
      throw new Refusal('limit', `Intent ${id}: ${units} is above ${maxPerIntent} ${asset} units`, [id])
    }
  }
  const fresh = intents.filter(({ id }) => !history.isCounted(network, id))
  for (const asset of new Set(fresh.map((intent) => intent.asset))) {
    const units = fresh.reduce((sum, intent) => (intent.asset === asset ? sum + BigInt(intent.units) : sum), 0n)
    judgeVelocity(history, network, asset, units, assetPolicy(networkPolicy, asset), now, promised.get(asset))
  }
  return judgeApprovals(policy, networkPolicy, request, history, now)
}

function judgeVelocity(
  history: History,
  network: NetworkPolicy['network'],
  asset: string,
  units: bigint,
  { maxPerHour, maxPerDay }: PeriodLimits,
  now: number,
  promised = 0n,
): void {
  const windows = [
    { name: 'hour', ms: HOUR_MS, most: maxPerHour },
    { name: 'day', ms: DAY_MS, most: maxPerDay },
  ]
  for (const { name, ms, most } of windows) {
    const used = history.velocity.within(network, asset, now, ms) + promised
    if (units > 0n && used + units > most) {
      throw new Refusal('velocity', `${units} ${asset} units on top of ${used} are above ${most} for the last ${name}`)
    }
  }
}

function judgeApprovals(
  policy: Policy,
  networkPolicy: NetworkPolicy,
  request: Payments,
  history: History,
  now: number,
): Record<string, string[]> {
  const { network, intents, carried } = request
  const approvedBy: Record<string, string[]> = {}
  for (const intent of intents) {
    const needed = approvalsNeeded(networkPolicy, intent)
    if (needed === 0) continue
    const given = carriedApprovals({ network, carried }, intent, history).map(({ approver }) => approver)
    const logged = history.approvals.approversOf(network, intent, policy.approvers, now)
    const approved = [...new Set([...given, ...logged])].toSorted()
    if (approved.length < needed) {
      throw new Refusal('needs-approval', `Intent ${intent.id} has ${approved.length} of ${needed} approvals`, [
        intent.id,
      ])
    }
    approvedBy[intent.id] = approved
  }
  return approvedBy
}

interface CarriedApproval {
  id: string
  approver: string
}

/** The valid approvals of one intent that a request carries, without those that were used up on TRON. */
function carriedApprovals(
  { network, carried }: Pick<Payments, 'network' | 'carried'>,
  intent: Intent,
  history: History,
): CarriedApproval[] {
  return (carried.get(intent) ?? []).flatMap(({ approval: { keyId, expiresAt }, key }) => {
    const identified = { network, intent, key, expiresAt, proof: { kind: 'ed25519' } } as const
    return history.approvals.isUsed(identified) ? [] : [{ id: approvalId(identified), approver: keyId }]
  })
}

/**
 * Returns the ids of the approvals that a transaction uses up. On TRON each transaction of an intent may be mined, so
 * that an approval serves one transaction only; elsewhere it serves the replacements, too.
 */
export function usedApprovals(
  { network, purpose, intents }: SignRequest,
  carried: CarriedApprovals,
  history: History,
): string[] {
  if (network !== 'TRON' || purpose !== 'payout') return []
  return intents.flatMap((intent) => carriedApprovals({ network, carried }, intent, history).map(({ id }) => id))
}
