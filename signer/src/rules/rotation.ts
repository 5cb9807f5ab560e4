import { SECOND_SEED } from '@bursar/chainkit'
import type { Keyring } from '../keys/keyring.ts'
import type { Policy } from '../policy/policy.ts'
import type { SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { Judgement } from './judgement.ts'

/**
 * The networks that a second seed can take over, and the rule that empties the first (docs/decisions/0210). Without an
 * active second seed nothing here refuses anything.
 */

/**
 * Throws an Error when a second seed is active, or is to be activated, and the policy has a network that it can't take
 * over, or lacks the rule by which coins leave the first seed.
 */
export function requireRotatable({ isRotated }: Pick<Keyring, 'isRotated'>, policy: Policy): void {
  if (!isRotated) return
  const others = [...policy.networks.keys()].filter((network) => network !== 'BITCOIN')
  if (others.length > 0)
    throw new Error(
      `A second seed serves Bitcoin only, and the policy has ${others.join(', ')}: docs/operating/stolen-keys.md has the steps of a new installation`,
    )
  const bitcoin = policy.networks.get('BITCOIN')
  if (bitcoin?.network !== 'BITCOIN' || bitcoin.consolidation === undefined)
    throw new Error('The policy does not allow consolidation on Bitcoin, by which coins leave the first seed')
}

/**
 * Throws the Refusal `rotated` when a transaction would use the first seed although the second is active. The first
 * seed signs consolidations to the second and replacements of earlier payments. No other change goes to its addresses,
 * and no coin of the second seed pays them, not even as a part of a replacement.
 * @param isReplacement whether something was signed before for every intent of the request
 */
export function judgeRotation(
  { isRotated }: Pick<Keyring, 'isRotated'>,
  { purpose, keys }: Pick<SignRequest, 'purpose' | 'keys'>,
  { changeIndex }: Pick<Judgement, 'changeIndex'>,
  isReplacement: boolean,
): void {
  if (!isRotated) return
  const [paysFirst, spendsSecond] = [
    changeIndex !== undefined && changeIndex < SECOND_SEED,
    keys.some(({ index }) => index >= SECOND_SEED),
  ]
  if (paysFirst && (spendsSecond || !isReplacement))
    throw new Refusal('rotated', 'The second seed is active, and the transaction pays an address of the first')
  if (isReplacement) return
  if (purpose !== 'consolidation' && keys.some(({ index }) => index < SECOND_SEED))
    throw new Refusal(
      'rotated',
      'The second seed is active, and the payment spends a coin of the first: consolidate it',
    )
}
