import { HDKey } from '@scure/bip32'
import { ACCOUNT_NUMBER, HARDENED, assertChildIndex } from '../account.ts'
import type { KeyAccount } from '../account.ts'
import { addressOfPublicKey } from './address.ts'
import type { Hex } from './hex.ts'

const PURPOSE = 44
/** Ether's coin type (SLIP 44). All EVM chains share it, so that one address serves them all. */
const COIN_TYPE = 60
const ACCOUNT_DEPTH = 3
const ACCOUNTS_KEPT = 32

/** `m/44'/60'/account'` (BIP 44), from the master key. */
export function accountPath(account: KeyAccount): number[] {
  return [PURPOSE, COIN_TYPE, ACCOUNT_NUMBER[account]].map((index) => index + HARDENED)
}

/**
 * The address of `0/index` below an account-level extended public key.
 * Throws an Error when the key is not such a key, a RangeError when the index is out of range.
 */
export function deriveAddress(xpub: string, index: number): { address: Hex; publicKey: Uint8Array } {
  assertChildIndex(index)
  const publicKey = externalBranch(xpub).deriveChild(index).publicKey!
  return { address: addressOfPublicKey(publicKey), publicKey }
}

/** External branches already derived, newest last: a platform uses a handful, and each costs a point operation. */
const branches = new Map<string, HDKey>()

function externalBranch(xpub: string): HDKey {
  const kept = branches.get(xpub)
  if (kept) return kept
  const branch = readAccount(xpub).deriveChild(0)
  if (branches.size >= ACCOUNTS_KEPT) branches.delete(branches.keys().next().value!)
  branches.set(xpub, branch)
  return branch
}

function readAccount(xpub: string): HDKey {
  let key: HDKey
  try {
    key = HDKey.fromExtendedKey(xpub)
  } catch {
    throw new Error('This is not an extended public key (xpub…): take it from `bursar-signer xpubs`')
  }
  if (key.privateKey) throw new Error('This is an extended private key: it belongs to the signer alone')
  if (key.depth !== ACCOUNT_DEPTH) {
    throw new Error(`This extended key is at depth ${key.depth}; an account's is at depth ${ACCOUNT_DEPTH}`)
  }
  return key
}
