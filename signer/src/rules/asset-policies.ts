import type { AssetPolicy } from '../policy/asset-policy.ts'
import type { NetworkPolicy } from '../policy/policy.ts'
import type { Intent } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'

/** The policy of an asset on a network. Throws a Refusal when the asset is unknown. */
export function assetPolicy({ network, assets }: NetworkPolicy, asset: string): AssetPolicy {
  const found = assets.get(asset)
  if (!found) throw new Refusal('unknown-asset', `${asset} is not in the policy of ${network}`)
  return found
}

/** Number of approvers that the policy requires for an intent. Throws a Refusal when its asset is unknown. */
export function approvalsNeeded(networkPolicy: NetworkPolicy, { asset, units }: Intent): number {
  const { approvals } = assetPolicy(networkPolicy, asset)
  return approvals && BigInt(units) > approvals.above ? approvals.needed : 0
}
