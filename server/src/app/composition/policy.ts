import { NETWORKS, type Network } from '@bursar/chainkit'
import Type, { type Static } from 'typebox'
import { sendingPolicyOf, sendingShape, type SendingPolicy } from '../../chain/transactions/index.ts'
import { DEFAULT_WATCHER_SETTINGS, watchShape, type WatcherSettings } from '../../chain/watcher/index.ts'
import { depositMembers, depositRulesOf, type DepositPolicy } from '../../pay-in/deposits/index.ts'
import { overStandard, whole } from '../../platform/config/fields.ts'
import { readShape } from '../../platform/config/shape.ts'
import {
  CONSOLIDATION_SHAPE,
  consolidationPolicyOf,
  type ConsolidationPolicy,
} from '../../treasury/consolidation/index.ts'
import { TREASURY_MEMBERS, treasuryPolicyOf, type TreasuryPolicy } from '../../treasury/reconciliation/index.ts'
import { SWEEP_SHAPE, sweepPolicyOf, type SweepPolicy } from '../../treasury/sweeps/index.ts'

const PAYOUT_EVERY_MS = 1_000

const membersOf = (network: Network) => ({
  ...depositMembers(network),
  watch: Type.Optional(watchShape(network)),
  payoutEveryMs: Type.Optional(
    whole('interval of planning withdrawals while they wait; without them it grows to one second', {
      least: 1,
      standard: PAYOUT_EVERY_MS,
      unit: 'ms',
    }),
  ),
  sending: Type.Optional(sendingShape(network)),
  ...TREASURY_MEMBERS,
})

const onAccounts = (network: Network) =>
  Type.Object({
    ...membersOf(network),
    sweep: Type.Optional(SWEEP_SHAPE),
    consolidation: Type.Optional(Type.Never({ says: `${network} has no coins to join, which is for BITCOIN` })),
  })

const ON_BITCOIN = Type.Object({
  ...membersOf('BITCOIN'),
  consolidation: Type.Optional(CONSOLIDATION_SHAPE),
  sweep: Type.Optional(Type.Never({ says: 'BITCOIN has no sweeps: payouts spend the coins of deposit addresses' })),
})

/**
 * `BURSAR_POLICY_FILE`: overrides of the defaults of each network. Amounts are in the network's own units, times in ms,
 * each as a number or as digits.
 */
export const POLICY_SHAPE = Type.Object(
  {
    BITCOIN: Type.Optional(ON_BITCOIN),
    ETHEREUM: Type.Optional(onAccounts('ETHEREUM')),
    BINANCE_SMART_CHAIN: Type.Optional(onAccounts('BINANCE_SMART_CHAIN')),
    TRON: Type.Optional(onAccounts('TRON')),
  },
  {
    description: 'confirmations, fees and intervals of each network, where they differ from the defaults',
    key: 'NETWORK',
  },
)

type NetworkPolicy = Static<typeof ON_BITCOIN> | Static<ReturnType<typeof onAccounts>>

export interface Policies {
  deposits: DepositPolicy
  watch: Readonly<Record<Network, Omit<WatcherSettings, 'network' | 'identity'>>>
  sending: Readonly<Record<Network, SendingPolicy>>
  payoutEveryMs: Readonly<Record<Network, number>>
  treasury: Readonly<Record<Network, TreasuryPolicy>>
  /** for Bitcoin only, the network with coins to consolidate */
  consolidation: ConsolidationPolicy
  sweep: Readonly<Record<Network, SweepPolicy>>
}

/** Reads the policy file over the defaults. Throws a ShapeError that lists everything wrong. */
export const readPolicies = (json: unknown): Policies => {
  const given = readShape(POLICY_SHAPE, json)
  const each = <T>(make: (network: Network, policy: NetworkPolicy) => T): Record<Network, T> =>
    Object.fromEntries(NETWORKS.map((network) => [network, make(network, given[network] ?? {})])) as Record<Network, T>
  return {
    deposits: each(depositRulesOf),
    watch: each((network, { watch = {} }) => overStandard(DEFAULT_WATCHER_SETTINGS[network], watch)),
    sending: each((network, { sending }) => sendingPolicyOf(network, sending)),
    payoutEveryMs: each((_network, { payoutEveryMs = PAYOUT_EVERY_MS }) => Number(payoutEveryMs)),
    treasury: each((_network, policy) => treasuryPolicyOf(policy)),
    consolidation: consolidationPolicyOf(given.BITCOIN?.consolidation),
    sweep: each((_network, { sweep }) => sweepPolicyOf(sweep)),
  }
}

/** EVM networks share addresses, so this is the number of the network with the most. */
export const mostHotAddresses = ({ sending }: Policies): number =>
  Math.max(...Object.values(sending).map(({ hotAddresses }) => hotAddresses))

/** The policies without a policy file. */
export const STANDARD_POLICIES: Policies = readPolicies({})
