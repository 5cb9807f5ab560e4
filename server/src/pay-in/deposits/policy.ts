import type { Network } from '@bursar/chainkit'
import { COINBASE_MATURITY } from '@bursar/chainkit/bitcoin'

/** When a network's deposits are credited: when their block is final, or after so many confirmations by their value. */
export type ConfirmationRule =
  | { kind: 'final' }
  | {
      kind: 'tiers'
      /** from the smallest bound up: below `belowUsd` whole dollars, `confirmations` are enough */
      tiers: readonly { belowUsd: bigint; confirmations: number }[]
      /** from the last bound up, and whenever there is no fresh price */
      otherwise: number
    }

interface DepositRules {
  confirmations: ConfirmationRule
  /** ms on the business clock: a transaction neither pool nor chain has shown for so long has failed */
  goneAfterMs: number
}

export type DepositPolicy = Readonly<Record<Network, DepositRules>>

/** Bitcoin Core forgets what has waited in its pool for two weeks; nothing is given up before that. */
const TWO_WEEKS_MS = 14 * 24 * 60 * 60_000

const atFinality: DepositRules = { confirmations: { kind: 'final' }, goneAfterMs: TWO_WEEKS_MS }

/** `contract.md` 18, row 25; 19 #4. */
export const DEFAULT_DEPOSIT_POLICY: DepositPolicy = {
  BITCOIN: {
    confirmations: {
      kind: 'tiers',
      tiers: [
        { belowUsd: 100n, confirmations: 1 },
        { belowUsd: 10_000n, confirmations: 2 },
      ],
      otherwise: 6,
    },
    goneAfterMs: TWO_WEEKS_MS,
  },
  ETHEREUM: atFinality,
  BINANCE_SMART_CHAIN: atFinality,
  TRON: atFinality,
}

const E18 = 10n ** 18n

/**
 * The height the chain must reach before a transfer in the block at `height` is credited; null when that block must be
 * final.
 * @param isCoinbase whether it pays the miner of the block: such money is credited once it can be spent
 * @param usdE18 what its transaction brings us, or the block its address, in 1e-18 USD; undefined when there is no
 *   fresh price
 */
export const creditHeightOf = (
  rule: ConfirmationRule,
  height: number,
  usdE18: bigint | undefined,
  isCoinbase = false,
): number | null => {
  const depth = creditDepth(rule, usdE18)
  // A merchant could withdraw what is credited, and this can't be spent yet.
  if (isCoinbase) return height + Math.max(COINBASE_MATURITY, depth ?? 0) - 1
  return depth === null ? null : height + depth - 1
}

const creditDepth = (rule: ConfirmationRule, usdE18: bigint | undefined): number | null => {
  if (rule.kind === 'final') return null
  const tier = usdE18 === undefined ? undefined : rule.tiers.find(({ belowUsd }) => usdE18 < belowUsd * E18)
  return tier?.confirmations ?? rule.otherwise
}
