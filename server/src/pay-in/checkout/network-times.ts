import type { Network } from '@bursar/chainkit'
import type { DepositPolicy } from '../deposits/index.ts'

/**
 * Usual times in s: between two blocks, and until a block is final. Bitcoin: its target of ten minutes; six blocks
 * stand for final. Ethereum: slots of 12 s, final after about 15 minutes (ethereum.org, single slot finality). BNB
 * Smart Chain: less than a second since BEP-524, final after two blocks (BEP-126). TRON: 3 s, final after 19 blocks
 * (developers.tron.network, solidified blocks).
 */
const SECONDS: Readonly<Record<Network, { block: number; final: number }>> = {
  BITCOIN: { block: 600, final: 3_600 },
  ETHEREUM: { block: 12, final: 900 },
  BINANCE_SMART_CHAIN: { block: 1, final: 3 },
  TRON: { block: 3, final: 57 },
}

/** Minutes, rounded up, after which payments on a network are usually credited: small ones, and the largest. */
export const usualWait = (network: Network, policy: DepositPolicy): { least: number; most: number } => {
  const { block, final } = SECONDS[network]
  const rule = policy[network].confirmations
  const minutes = (seconds: number): number => Math.ceil(seconds / 60)
  if (rule.kind === 'final') return { least: minutes(final), most: minutes(final) }
  const all = [...rule.tiers.map(({ confirmations }) => confirmations), rule.otherwise]
  return { least: minutes(Math.min(...all) * block), most: minutes(Math.max(...all) * block) }
}
