import { isEvmNetwork, isNetwork, NETWORKS, type Network } from '@bursar/chainkit'
import { refuseUnknownKeys } from '../../platform/base/unknown-keys.ts'
import {
  readConsolidationPolicy,
  type ConsolidationPolicy,
  type ConsolidationSettings,
} from '../../treasury/consolidation/index.ts'
import { DEFAULT_DEPOSIT_POLICY, type ConfirmationRule, type DepositPolicy } from '../../pay-in/deposits/index.ts'
import {
  DEFAULT_BITCOIN_POLICY,
  DEFAULT_POLICY,
  DEFAULT_TRON_POLICY,
  type SendingPolicy,
} from '../../chain/transactions/index.ts'
import { readSweepPolicy, type SweepPolicy, type SweepSettings } from '../../treasury/sweeps/index.ts'
import { readTreasuryPolicy, type TreasuryPolicy, type TreasurySettings } from '../../treasury/reconciliation/index.ts'
import { DEFAULT_WATCHER_SETTINGS, type WatcherSettings } from '../../chain/watcher/index.ts'

/**
 * What `BURSAR_POLICY_FILE` may say of a network; everything left out keeps its default. Amounts are decimal digits.
 */
interface NetworkPolicy extends TreasurySettings {
  confirmations?:
    | { kind: 'final' }
    | { kind: 'tiers'; tiers: { belowUsd: string; confirmations: number }[]; otherwise: number }
  goneAfterMs?: number
  watch?: Partial<
    Pick<
      WatcherSettings,
      | 'startHeight'
      | 'pollMs'
      | 'ringBlocks'
      | 'ahead'
      | 'mostBlocks'
      | 'mostTransfers'
      | 'staleAfterMs'
      | 'finalStaleAfterMs'
      | 'unavailableAfterMs'
    >
  >
  sending?: Partial<Record<keyof SendingPolicy, number | string>>
  /** pause between two looks for withdrawals to take up, in ms */
  payoutEveryMs?: number
  /** BITCOIN: when coins of ours are joined */
  consolidation?: ConsolidationSettings
  /** ETHEREUM, BINANCE_SMART_CHAIN, TRON: when deposits are brought to the hot wallet */
  sweep?: SweepSettings
}

export interface Policies {
  deposits: DepositPolicy
  watch: Readonly<Record<Network, Omit<WatcherSettings, 'network' | 'identity'>>>
  sending: Readonly<Record<Network, SendingPolicy>>
  payoutEveryMs: Readonly<Record<Network, number>>
  treasury: Readonly<Record<Network, TreasuryPolicy>>
  /** of Bitcoin, the one network of coins */
  consolidation: ConsolidationPolicy
  sweep: Readonly<Record<Network, SweepPolicy>>
}

const PAYOUT_EVERY_MS: Record<Network, number> = {
  BITCOIN: 1_000,
  ETHEREUM: 1_000,
  BINANCE_SMART_CHAIN: 1_000,
  TRON: 1_000,
}
const KEYS = [
  'confirmations',
  'goneAfterMs',
  'watch',
  'sending',
  'payoutEveryMs',
  'hot',
  'signWithinMs',
  'runwayDays',
  'consolidation',
  'sweep',
]

/** Reads the policy file over the defaults. Throws with the place named when it says something unknown. */
export const readPolicies = (file: unknown): Policies => {
  const given = (file ?? {}) as Record<string, NetworkPolicy>
  for (const [network, policy] of Object.entries(given)) {
    if (!isNetwork(network)) throw new Error(`policy: ${network} is not one of ${NETWORKS.join(', ')}`)
    refuseUnknownKeys(`policy: ${network}`, policy, KEYS)
    refuseUnknownKeys(`policy: ${network}.watch`, policy.watch ?? {}, Object.keys(DEFAULT_WATCHER_SETTINGS[network]))
    checkConfirmationKeys(`policy: ${network}.confirmations`, policy.confirmations)
    if (network !== 'BITCOIN' && policy.consolidation)
      throw new Error(`policy: ${network} has no coins: consolidation is for BITCOIN`)
    if (network === 'BITCOIN' && policy.sweep)
      throw new Error('policy: BITCOIN has no sweeps: payouts spend the coins of deposit addresses')
  }
  const each = <T>(make: (network: Network, policy: NetworkPolicy) => T): Record<Network, T> =>
    Object.fromEntries(NETWORKS.map((network) => [network, make(network, given[network] ?? {})])) as Record<Network, T>
  return {
    deposits: each((network, policy) => ({
      confirmations: policy.confirmations
        ? confirmationsOf(policy.confirmations)
        : DEFAULT_DEPOSIT_POLICY[network].confirmations,
      goneAfterMs: policy.goneAfterMs ?? DEFAULT_DEPOSIT_POLICY[network].goneAfterMs,
    })),
    watch: each((network, policy) => ({ ...DEFAULT_WATCHER_SETTINGS[network], ...policy.watch })),
    sending: each((network, policy) => sendingOf(network, policy.sending ?? {})),
    payoutEveryMs: each((network, policy) => policy.payoutEveryMs ?? PAYOUT_EVERY_MS[network]),
    treasury: each(readTreasuryPolicy),
    consolidation: readConsolidationPolicy(given.BITCOIN?.consolidation ?? {}),
    sweep: each((network, policy) => readSweepPolicy(network, policy.sweep ?? {})),
  }
}

const checkConfirmationKeys = (where: string, given: NetworkPolicy['confirmations']): void => {
  if (given === undefined) return
  refuseUnknownKeys(where, given, given.kind === 'final' ? ['kind'] : ['kind', 'tiers', 'otherwise'])
  if (given.kind === 'tiers')
    for (const tier of given.tiers) refuseUnknownKeys(`${where}.tiers`, tier, ['belowUsd', 'confirmations'])
}

const confirmationsOf = (given: NonNullable<NetworkPolicy['confirmations']>): ConfirmationRule =>
  given.kind === 'final'
    ? given
    : { ...given, tiers: given.tiers.map((tier) => ({ ...tier, belowUsd: BigInt(tier.belowUsd) })) }

const MOST_HOT_ADDRESSES = 64
const STANDARD_SENDING: Readonly<Record<Network, SendingPolicy>> = {
  BITCOIN: DEFAULT_BITCOIN_POLICY,
  ETHEREUM: DEFAULT_POLICY,
  BINANCE_SMART_CHAIN: DEFAULT_POLICY,
  TRON: DEFAULT_TRON_POLICY,
}

const sendingOf = (network: Network, given: NonNullable<NetworkPolicy['sending']>): SendingPolicy => {
  const standard = STANDARD_SENDING[network]
  const read = Object.entries(given).map(([key, value]) => {
    const before = standard[key as keyof SendingPolicy] as number | bigint | undefined
    if (before === undefined) throw new Error(`policy: ${network}.sending has unknown ${key}`)
    return [key, typeof before === 'bigint' ? BigInt(value) : Number(value)]
  })
  const policy = { ...standard, ...(Object.fromEntries(read) as Partial<SendingPolicy>) }
  const most = isEvmNetwork(network) ? MOST_HOT_ADDRESSES : 1
  if (!Number.isSafeInteger(policy.hotAddresses) || policy.hotAddresses < 1 || policy.hotAddresses > most) {
    throw new Error(`policy: ${network}.sending.hotAddresses is from 1 to ${most}`)
  }
  return policy
}

/** EVM chains share their addresses: as many are known as the network with the most has. */
export const mostHotAddresses = ({ sending }: Policies): number =>
  Math.max(...Object.values(sending).map(({ hotAddresses }) => hotAddresses))

/** What holds without a policy file. */
export const STANDARD_POLICIES: Policies = readPolicies({})
