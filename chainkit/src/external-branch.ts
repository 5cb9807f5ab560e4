import { HDKey } from '@scure/bip32'
import { assertChildIndex } from './account.ts'

const ACCOUNT_DEPTH = 3
const MOST_CACHED = 32

/**
 * The compressed public key of `0/index` below an account-level extended public key (BIP 32, BIP 44), for chains with a
 * single branch. Throws an Error when the key is not such a key, a RangeError when the index is out of range.
 */
export function externalPublicKey(xpub: string, index: number): Uint8Array {
  assertChildIndex(index)
  return externalBranch(xpub).deriveChild(index).publicKey!
}

/**
 * External branches already derived, newest last: a platform uses a handful, and deriving one costs a point operation.
 */
const branches = new Map<string, HDKey>()

function externalBranch(xpub: string): HDKey {
  const cached = branches.get(xpub)
  if (cached) return cached
  const branch = readAccount(xpub).deriveChild(0)
  if (branches.size >= MOST_CACHED) branches.delete(branches.keys().next().value!)
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
