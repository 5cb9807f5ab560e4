import type { NetworkPolicy } from '../../policy/policy.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'

/**
 * Throws a Refusal unless every intent pays the cold address that the policy names for its asset. The rules of payments
 * then check the transaction itself.
 */
export function requireCold({ network, assets }: NetworkPolicy, { intents }: SignRequest): void {
  for (const { asset, to } of intents) {
    const cold = assets.get(asset)?.cold
    if (cold === undefined)
      throw new Refusal('destination-mismatch', `${asset} on ${network} has no cold address in the policy`)
    if (to !== cold)
      throw new Refusal('destination-mismatch', `The cold address of ${asset} on ${network} is ${cold}, not ${to}`)
  }
}
