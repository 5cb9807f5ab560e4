import type { NetworkPolicy } from '../../policy/policy.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'

/**
 * A transfer to cold storage is a payment to the one address that the policy names for the asset, whatever the request
 * says. What is then true of the bytes, the judge of payments finds.
 */
export function requireCold({ network, assets }: NetworkPolicy, { intents }: SignRequest): void {
  for (const { asset, to } of intents) {
    const cold = assets.get(asset)?.cold
    if (cold === undefined)
      throw new Refusal('destination-mismatch', `${asset} on ${network} has no cold address in the policy`)
    if (to !== cold)
      throw new Refusal('destination-mismatch', `${asset} on ${network} is kept at ${cold}, not at ${to}`)
  }
}
