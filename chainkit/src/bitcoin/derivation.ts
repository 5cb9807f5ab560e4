import { HDKey } from '@scure/bip32'
import { sha256 } from '@noble/hashes/sha2.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { ACCOUNT_NUMBER, HARDENED, assertChildIndex } from '../account.ts'
import type { KeyAccount } from '../account.ts'
import { createRemembered } from '../remembered.ts'
import { addressOf } from './address.ts'
import { CHAIN_PARAMETERS } from './chain.ts'
import type { BitcoinChain } from './chain.ts'
import { writeScript } from './script.ts'

/** 0: addresses for receiving. 1: our own change addresses (BIP 44). */
export type Branch = 0 | 1

export interface DerivedAddress {
  address: string
  script: Uint8Array
  /** Compressed, 33 bytes */
  publicKey: Uint8Array
}

/** Path of the key that spends an output, as a PSBT states it (BIP 174, `PSBT_IN_BIP32_DERIVATION`). */
export interface KeyOrigin {
  publicKey: Uint8Array
  /** First four bytes of the master key's identifier, as a number */
  masterFingerprint: number
  /** From the master key; hardened indexes have `HARDENED` added */
  path: readonly number[]
}

const PURPOSE = 84
const ACCOUNT_DEPTH = 3
const MOST_CACHED = 32

/** `m/84'/coin'/account'` (BIP 84), from the master key. */
export function accountPath(account: KeyAccount, chain: BitcoinChain): number[] {
  return [PURPOSE, CHAIN_PARAMETERS[chain].coinType, ACCOUNT_NUMBER[account]].map((index) => index + HARDENED)
}

const remembered = createRemembered<DerivedAddress>()

/**
 * The native segwit address of `branch/index` below an account-level extended public key (BIP 84).
 * Throws an Error when the key is not such a key of this chain, a RangeError when the index is out of range.
 */
export function deriveAddress(xpub: string, branch: Branch, index: number, chain: BitcoinChain): DerivedAddress {
  assertChildIndex(index)
  return remembered(`${chain}:${xpub}/${branch}/${index}`, () => {
    const publicKey = branchKey(xpub, branch, chain).deriveChild(index).publicKey!
    const script = p2wpkhScript(publicKey)
    return { address: addressOf(script, chain)!, script, publicKey }
  })
}

/** Path and master fingerprint of the same key, by which a signer finds it. */
export function keyOrigin(
  xpub: string,
  masterFingerprint: number,
  key: { account: KeyAccount; branch: Branch; index: number },
  chain: BitcoinChain,
): KeyOrigin {
  const { publicKey } = deriveAddress(xpub, key.branch, key.index, chain)
  return { publicKey, masterFingerprint, path: [...accountPath(key.account, chain), key.branch, key.index] }
}

/** The script of BIP 141's pay to witness public key hash for a compressed key. */
export function p2wpkhScript(publicKey: Uint8Array): Uint8Array {
  return writeScript('p2wpkh', ripemd160(sha256(publicKey)))
}

/** Branches already derived, newest last: a platform uses a handful, and deriving one costs two point operations. */
const branches = new Map<string, readonly [HDKey, HDKey]>()

function branchKey(xpub: string, branch: Branch, chain: BitcoinChain): HDKey {
  const id = `${chain}:${xpub}`
  const cached = branches.get(id)
  if (cached) return cached[branch]
  const account = readAccount(xpub, chain)
  const pair = [account.deriveChild(0), account.deriveChild(1)] as const
  if (branches.size >= MOST_CACHED) branches.delete(branches.keys().next().value!)
  branches.set(id, pair)
  return pair[branch]
}

function readAccount(xpub: string, chain: BitcoinChain): HDKey {
  let key: HDKey
  try {
    key = HDKey.fromExtendedKey(xpub, CHAIN_PARAMETERS[chain].extendedKey)
  } catch {
    throw new Error(`This is not an extended public key of Bitcoin ${chain}: take it from \`bursar-signer xpubs\``)
  }
  if (key.privateKey) throw new Error('This is an extended private key: it belongs to the signer alone')
  if (key.depth !== ACCOUNT_DEPTH) {
    throw new Error(`This extended key is at depth ${key.depth}; an account's is at depth ${ACCOUNT_DEPTH}`)
  }
  return key
}
