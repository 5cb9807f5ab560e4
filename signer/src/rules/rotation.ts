import { SECOND_SEED } from '@bursar/chainkit'
import type { Keyring } from '../keys/keyring.ts'
import type { Policy } from '../policy/policy.ts'
import type { KeyReference, Purpose, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { Judgement } from './judgement.ts'

/**
 * The networks that a second seed can take over, and the rules that empty the first (docs/decisions/0210). Without an
 * active second seed nothing here refuses anything.
 */

const ROTATABLE: ReadonlySet<string> = new Set(['BITCOIN'])

/**
 * Throws an Error when a second seed is active, or is to be activated, and the policy has a network that it can't take
 * over, or lacks a rule by which money leaves the first seed.
 */
export function requireRotatable({ isRotated }: Pick<Keyring, 'isRotated'>, { networks }: Policy): void {
  if (!isRotated) return
  const others = [...networks.keys()].filter((network) => !ROTATABLE.has(network))
  if (others.length > 0)
    throw new Error(
      `A second seed serves Bitcoin only, and the policy has ${others.join(', ')}: docs/operating/stolen-keys.md has the steps of a new installation`,
    )
  const bitcoin = networks.get('BITCOIN')
  if (bitcoin?.network === 'BITCOIN' && bitcoin.consolidation === undefined)
    throw new Error('The policy does not allow consolidation on Bitcoin, by which coins leave the first seed')
}

/** Whether a second seed is active and the key is of the first. */
export function isReplaced({ isRotated }: Pick<Keyring, 'isRotated'>, { index }: Pick<KeyReference, 'index'>): boolean {
  return isRotated && index < SECOND_SEED
}

/**
 * Purposes that money of the first seed may leave for. Their own rules let them pay addresses of the second seed only:
 * consolidations by their change, here; sweeps on TRON in `tron/sweep.ts`; transactions of TRON's treasury, which may
 * only take stake and loans back, in `tron/treasury.ts`.
 */
const LEAVING: ReadonlySet<Purpose> = new Set(['consolidation', 'sweep', 'treasury'])

/**
 * Throws the Refusal `rotated` when a transaction would use the first seed although the second is active. The first
 * seed signs transfers of its money to the second and replacements of earlier payments. No other change goes to its
 * addresses, and no coin of the second seed pays them, not even as a part of a replacement.
 * @param isReplacement whether something was signed before for every intent of the request
 */
export function judgeRotation(
  keyring: Pick<Keyring, 'isRotated'>,
  { purpose, keys }: Pick<SignRequest, 'purpose' | 'keys'>,
  { changeIndex }: Pick<Judgement, 'changeIndex'>,
  isReplacement: boolean,
): void {
  if (!keyring.isRotated) return
  const [paysFirst, spendsSecond] = [
    changeIndex !== undefined && changeIndex < SECOND_SEED,
    keys.some((key) => !isReplaced(keyring, key)),
  ]
  if (paysFirst && (spendsSecond || !isReplacement))
    throw new Refusal('rotated', 'The second seed is active, and the transaction pays an address of the first')
  if (isReplacement) return
  if (!LEAVING.has(purpose) && keys.some((key) => isReplaced(keyring, key)))
    throw new Refusal(
      'rotated',
      'The second seed is active, and the payment spends money of the first: move it to the second',
    )
}
