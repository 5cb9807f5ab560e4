import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { Direction } from '../exchanges/index.ts'

/**
 * Narrows a direction to received amounts that a network can carry, so that all proceeds can be sent. Example: a token
 * has 18 decimals on one network and 6 on another; amounts for the second are multiples of a millionth.
 */
export const carriedOn = (
  direction: Direction,
  { asset, on }: { asset: CryptoAsset; on: AssetOnNetwork },
): Direction => {
  const carried = 10n ** BigInt(asset.scale - on.decimals)
  const { step } = direction.target
  return { ...direction, target: { ...direction.target, step: carried > step ? carried : step } }
}
