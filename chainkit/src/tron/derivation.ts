import { ACCOUNT_NUMBER, HARDENED } from '../account.ts'
import type { KeyAccount } from '../account.ts'
import { externalPublicKey } from '../external-branch.ts'
import { createRemembered } from '../remembered.ts'
import { addressOfPublicKey } from './address.ts'

const PURPOSE = 44
/** TRON's coin type (SLIP 44). */
const COIN_TYPE = 195

/** `m/44'/195'/account'` (BIP 44), from the master key. */
export function accountPath(account: KeyAccount): number[] {
  return [PURPOSE, COIN_TYPE, ACCOUNT_NUMBER[account]].map((index) => index + HARDENED)
}

const remembered = createRemembered<{ address: string; publicKey: Uint8Array }>()

/**
 * The address of `0/index` below an account-level extended public key.
 * Throws an Error when the key is not such a key, a RangeError when the index is out of range.
 */
export function deriveAddress(xpub: string, index: number): { address: string; publicKey: Uint8Array } {
  return remembered(`${xpub}/${index}`, () => {
    const publicKey = externalPublicKey(xpub, index)
    return { address: addressOfPublicKey(publicKey), publicKey }
  })
}
