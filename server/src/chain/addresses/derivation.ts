import { deriveAddress as deriveBitcoin, type BitcoinChain } from '@bursar/chainkit/bitcoin'
import { deriveAddress as deriveEvm } from '@bursar/chainkit/evm'
import { deriveAddress as deriveTron } from '@bursar/chainkit/tron'
import type { AddressFamily } from './family.ts'
import { seedOf } from './seeds.ts'

/** Account-level extended public keys that deposit addresses derive from, as `bursar-signer xpubs` prints them. */
export interface DepositKeys {
  bitcoinChain: BitcoinChain
  bitcoin: { deposit: string }
  /** The keys of an active second seed */
  next?: { bitcoin: { deposit: string }; evm?: { deposit: string } }
  evm: { deposit: string }
  tron: { deposit: string }
}

/** Derives the canonical deposit address at an index. Throws when the key is not an account's xpub. */
export const depositAddress = (keys: DepositKeys, family: AddressFamily, index: number): string => {
  switch (family) {
    case 'BITCOIN':
      return depositOnBitcoin(keys, index)
    case 'EVM':
      return depositOnEvm(keys, index)
    case 'TRON':
      return deriveTron(keys.tron.deposit, index).address
  }
}

const depositOnBitcoin = (keys: DepositKeys, index: number): string => {
  const own = seedOf('BITCOIN', { first: keys.bitcoin, next: keys.next?.bitcoin }, index)
  return deriveBitcoin(own.keys.deposit, 0, own.index, keys.bitcoinChain).address
}

const depositOnEvm = (keys: DepositKeys, index: number): string => {
  const own = seedOf('EVM', { first: keys.evm, next: keys.next?.evm }, index)
  return deriveEvm(own.keys.deposit, own.index).address
}

/** Size of the cache of checked addresses, for those that are paid to repeatedly. */
const MOST_REMEMBERED = 10_000

/** Creates a check that an address derives from these keys at the index of its row. */
export const createDerivationCheck = (
  keys: DepositKeys,
): ((family: AddressFamily, owned: { address: string; index: number }) => boolean) => {
  const known = new Set<string>()
  return (family, { address, index }) => {
    const text = `${family}/${index}/${address}`
    if (known.has(text)) return true
    if (depositAddress(keys, family, index) !== address) return false
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.add(text)
    return true
  }
}
