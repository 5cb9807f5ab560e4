import { ACCOUNT_NUMBER, HARDENED } from '../account.ts'
import type { KeyAccount } from '../account.ts'
import { externalPublicKey } from '../external-branch.ts'
import { createRemembered } from '../remembered.ts'
import { addressOfPublicKey } from './address.ts'
import type { Hex } from './hex.ts'

const PURPOSE = 44
/** Ether's coin type (SLIP 44). All EVM chains use it, so that one address is valid on all of them. */
const COIN_TYPE = 60

/** `m/44'/60'/account'` (BIP 44), from the master key. */
export function accountPath(account: KeyAccount): number[] {
  return [PURPOSE, COIN_TYPE, ACCOUNT_NUMBER[account]].map((index) => index + HARDENED)
}

const remembered = createRemembered<{ address: Hex; publicKey: Uint8Array }>()

/**
 * The address of `0/index` below an account-level extended public key.
 * Throws an Error when the key is not such a key, a RangeError when the index is out of range.
 */
export function deriveAddress(xpub: string, index: number): { address: Hex; publicKey: Uint8Array } {
  return remembered(`${xpub}/${index}`, () => {
    const publicKey = externalPublicKey(xpub, index)
    return { address: addressOfPublicKey(publicKey), publicKey }
  })
}
