/**
 * The block producer's keys, which anyone can compute and which are worth nothing. Also the sandbox's own accounts.
 */
import { privateKeyToAccount } from 'viem/accounts'
import { addressOfKey } from '../address.ts'
import type { Address } from '../address.ts'
import { bytesOf, hexOf, sha256, textBytes } from '../bytes.ts'

export interface KnownAccount {
  /** 64 hexadecimal digits */
  readonly key: string
  readonly address: Address
}

const accounts = new Map<string, KnownAccount>()

/** Returns the account of a name, the same on every machine. */
export const knownAccount = (name: string): KnownAccount => {
  const known = accounts.get(name)
  if (known !== undefined) return known
  const key = hexOf(sha256(textBytes(`bursar sandbox tron ${name}`)))
  const { publicKey } = privateKeyToAccount(`0x${key}`)
  const account = { key, address: addressOfKey(bytesOf(publicKey)) }
  accounts.set(name, account)
  return account
}

export const witnessAddress = (witness: number): Address => knownAccount(`witness ${witness}`).address
export const witnessKey = (witness: number): string => knownAccount(`witness ${witness}`).key
