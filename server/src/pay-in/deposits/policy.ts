import type { Network } from '@bursar/chainkit'
import { COINBASE_MATURITY } from '@bursar/chainkit/bitcoin'
import Type, { type Static } from 'typebox'
import { whole } from '../../platform/config/fields.ts'

/**
 * When deposits of a network are credited: when their block is final, or after a number of confirmations that depends
 * on their value.
 */
export type ConfirmationRule =
  | { kind: 'final' }
  | {
      kind: 'tiers'
      /** ascending: for a value below `belowUsd` whole dollars, `confirmations` suffice */
      tiers: readonly { belowUsd: bigint; confirmations: number }[]
      /** confirmations for larger values, and without a fresh price */
      otherwise: number
    }

interface DepositRules {
  confirmations: ConfirmationRule
  /** ms on the business clock: a transaction that neither pool nor chain has shown for this time has failed */
  goneAfterMs: number
}

export type DepositPolicy = Readonly<Record<Network, DepositRules>>

/** Bitcoin Core drops a transaction after two weeks in its pool; no deposit fails before that. */
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

const ruleInWords = (rule: ConfirmationRule): string =>
  rule.kind === 'final'
    ? 'when the block is final'
    : `${rule.tiers.map(({ belowUsd, confirmations }) => `${confirmations} below ${belowUsd} USD`).join(', ')}, else ${rule.otherwise}`

const confirmations = (description: string) => whole(description, { least: 1, unit: 'blocks' })

const confirmationsShape = (network: Network) =>
  Type.Union(
    [
      Type.Object({ kind: Type.Literal('final', { description: 'credited when its block is final' }) }),
      Type.Object({
        kind: Type.Literal('tiers', {
          description: 'credited after a number of confirmations that depends on its value',
        }),
        tiers: Type.Array(
          Type.Object({
            belowUsd: whole('the bound', { unit: 'whole US dollars' }),
            confirmations: confirmations('confirmations of deposits worth less than the bound'),
          }),
          { description: 'in ascending order of bounds' },
        ),
        otherwise: confirmations('confirmations of larger deposits, and without a fresh price'),
      }),
    ],
    {
      description: 'when a deposit is credited',
      absent: ruleInWords(DEFAULT_DEPOSIT_POLICY[network].confirmations),
    },
  )

/** The members of a network's part of the policy file that concern deposits. */
export const depositMembers = (network: Network) => ({
  confirmations: Type.Optional(confirmationsShape(network)),
  goneAfterMs: Type.Optional(
    whole('a transaction that neither pool nor chain has shown for this time has failed', {
      standard: DEFAULT_DEPOSIT_POLICY[network].goneAfterMs,
      unit: 'ms',
    }),
  ),
})

/** Returns a network's deposit rules: the policy file's, with defaults for the rest. */
export const depositRulesOf = (
  network: Network,
  given: { confirmations?: Static<ReturnType<typeof confirmationsShape>>; goneAfterMs?: number | string },
): DepositRules => {
  const standard = DEFAULT_DEPOSIT_POLICY[network]
  return {
    confirmations: given.confirmations ? confirmationRuleOf(given.confirmations) : standard.confirmations,
    goneAfterMs: Number(given.goneAfterMs ?? standard.goneAfterMs),
  }
}

const confirmationRuleOf = (given: Static<ReturnType<typeof confirmationsShape>>): ConfirmationRule =>
  given.kind === 'final'
    ? given
    : {
        kind: given.kind,
        tiers: given.tiers.map((tier) => ({
          belowUsd: BigInt(tier.belowUsd),
          confirmations: Number(tier.confirmations),
        })),
        otherwise: Number(given.otherwise),
      }

const E18 = 10n ** 18n

/**
 * Returns the height that the chain must reach before a transfer in the block at `height` is credited; null if that
 * block must be final.
 * @param isCoinbase whether the transfer pays the miner of the block: it is credited once it can be spent
 * @param usdE18 sum that its transaction pays us, or the block pays its address, in 1e-18 USD; undefined if there is no
 * fresh price
 */
export const creditHeightOf = (
  rule: ConfirmationRule,
  height: number,
  usdE18: bigint | undefined,
  isCoinbase = false,
): number | null => {
  const depth = creditDepth(rule, usdE18)
  // The merchant could withdraw a credited amount, while this coin can't be spent yet.
  if (isCoinbase) return height + Math.max(COINBASE_MATURITY, depth ?? 0) - 1
  return depth === null ? null : height + depth - 1
}

const creditDepth = (rule: ConfirmationRule, usdE18: bigint | undefined): number | null => {
  if (rule.kind === 'final') return null
  const tier = usdE18 === undefined ? undefined : rule.tiers.find(({ belowUsd }) => usdE18 < belowUsd * E18)
  return tier?.confirmations ?? rule.otherwise
}
