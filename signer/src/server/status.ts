import { isEvmNetwork } from '@bursar/chainkit'
import type { History } from '../log/history.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { SignatureLog } from '../log/log.ts'
import type { NetworkPolicy, Policy } from '../policy/policy.ts'
import type { SignerStatus, VelocityUse } from '../protocol/protocol.ts'
import { DAY_MS, FEE, FIRST_SEED_FEE, HOUR_MS } from '../log/velocity.ts'

/** The status for any client: public keys, policy, limits and their use, the head of the log. */
export function statusOf(
  policy: Policy,
  keyring: Keyring,
  log: SignatureLog,
  history: History,
  now: number,
): SignerStatus {
  return {
    keys: keyring.publicKeys,
    policy: {
      hash: policy.hash,
      enabled: policy.enabled,
      approvers: [...policy.approvers.keys()],
      networks: policy.networksAsWritten,
    },
    log: { length: log.length, head: log.head },
    velocity: [...policy.networks.values()].flatMap((network) => velocityOf(network, history, now)),
    time: now,
  }
}

function velocityOf(policy: NetworkPolicy, history: History, now: number): VelocityUse[] {
  const { network, assets, fee } = policy
  const treasury = policy.network === 'TRON' ? policy.treasury : undefined
  const bound = treasury
    ? ([
        ['stake', treasury.stake],
        ['loan', treasury.loan],
      ] as const)
    : []
  const isReplaced = isEvmNetwork(network) && history.secondSeed !== undefined
  const fees = isReplaced ? ([FEE, FIRST_SEED_FEE] as const) : ([FEE] as const)
  return [...assets, ...fees.map((key) => [key, fee] as const), ...bound].map(([asset, { maxPerHour, maxPerDay }]) => ({
    network,
    asset,
    hour: history.velocity.within(network, asset, now, HOUR_MS).toString(),
    day: history.velocity.within(network, asset, now, DAY_MS).toString(),
    maxPerHour: maxPerHour.toString(),
    maxPerDay: maxPerDay.toString(),
  }))
}
