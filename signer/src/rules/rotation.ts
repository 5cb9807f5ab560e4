import { SECOND_SEED } from '@bursar/chainkit'
import type { Keyring } from '../keys/keyring.ts'
import type { NetworkPolicy, Policy } from '../policy/policy.ts'
import type { KeyReference, Purpose, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { Judgement } from './judgement.ts'

/**
 * The networks that a second seed can take over, and the rules that empty the first (docs/decisions/0210). Without an
 * active second seed nothing here refuses anything.
 */

const ROTATABLE: ReadonlySet<string> = new Set(['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN'])

/**
 * Throws an Error when a second seed is active, or is to be activated, and the policy has a network that it can't take
 * over, or lacks a rule by which money leaves the first seed.
 */
export function requireRotatable(keyring: Pick<Keyring, 'isRotated' | 'evmAddress'>, { networks }: Policy): void {
  if (!keyring.isRotated) return
  const others = [...networks.keys()].filter((network) => !ROTATABLE.has(network))
  if (others.length > 0)
    throw new Error(
      `A second seed serves Bitcoin and EVM chains only, and the policy has ${others.join(', ')}: docs/operating/stolen-keys.md has the steps of a new installation`,
    )
  for (const policy of networks.values()) requireLeaving(policy, keyring)
}

function requireLeaving(policy: NetworkPolicy, keyring: Pick<Keyring, 'evmAddress'>): void {
  if (policy.network === 'BITCOIN' && policy.consolidation === undefined)
    throw new Error('The policy does not allow consolidation on Bitcoin, by which coins leave the first seed')
  if (policy.network === 'BITCOIN' || policy.network === 'TRON') return
  if (policy.sweep === undefined)
    throw new Error(`The policy does not allow sweeps on ${policy.network}, by which money leaves the first seed`)
  const treasury = keyring.evmAddress({ account: 'hot', index: SECOND_SEED })
  if (policy.sweep.treasury !== treasury)
    throw new Error(
      `On ${policy.network}, the treasury of sweeps must be ${treasury}, the first hot address of the second seed, not ${policy.sweep.treasury}`,
    )
}

/** Throws an Error when the policy has the sweeps of an EVM chain switched off: nothing would leave the first seed. */
export function requireSwitchedOn({ networks }: Policy): void {
  for (const policy of networks.values())
    if (policy.network !== 'BITCOIN' && policy.network !== 'TRON' && policy.sweep?.enabled !== true)
      throw new Error(`Sweeps on ${policy.network} are switched off, by which money leaves the first seed`)
}

/** Whether a second seed is active and the key is of the first. */
export function isReplaced({ isRotated }: Pick<Keyring, 'isRotated'>, { index }: Pick<KeyReference, 'index'>): boolean {
  return isRotated && index < SECOND_SEED
}

/**
 * Purposes for which the first seed still signs. A filler pays nobody. A consolidation pays the second seed, by its
 * change (here); a transfer between hot addresses too (`evm/rebalance.ts`). A sweep brings the money of old deposit
 * addresses to the old treasury, as before (`evm/sweep.ts`).
 */
const LEAVING: ReadonlySet<Purpose> = new Set(['consolidation', 'sweep', 'rebalance', 'filler'])

/**
 * Throws the Refusal `rotated` when a transaction would use the first seed although the second is active. The first
 * seed signs transfers of its money to the second, fillers, and replacements of earlier payments, which spend the same
 * coins or nonce and therefore pay nobody else. No other change goes to its addresses, and no coin of the second seed
 * pays them, not even as a part of a replacement.
 * @param isReplacement whether something was signed before for every intent of the request
 */
export function judgeRotation(
  keyring: Pick<Keyring, 'isRotated'>,
  { network, purpose, keys }: Pick<SignRequest, 'network' | 'purpose' | 'keys'>,
  { changeIndex }: Pick<Judgement, 'changeIndex'>,
  isReplacement: boolean,
): void {
  if (!keyring.isRotated) return
  const spendsFirst = keys.some((key) => isReplaced(keyring, key))
  const paysFirst = changeIndex !== undefined && changeIndex < SECOND_SEED
  if (paysFirst && (!isReplacement || keys.some((key) => !isReplaced(keyring, key))))
    throw new Refusal('rotated', 'The second seed is active, and the transaction pays an address of the first')
  // On TRON nothing prevents both transactions of an intent from being mined, so that none is a replacement.
  if (!spendsFirst || (isReplacement && network !== 'TRON')) return
  if (network === 'TRON' || !LEAVING.has(purpose))
    throw new Refusal(
      'rotated',
      'The second seed is active, and the payment spends money of the first: move it to the second',
    )
}
