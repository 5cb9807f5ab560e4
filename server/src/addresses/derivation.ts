import { deriveAddress as deriveBitcoin, type BitcoinChain } from '@bursar/chainkit/bitcoin'
import { deriveAddress as deriveEvm } from '@bursar/chainkit/evm'
import type { AddressFamily } from './family.ts'

/** Account-level extended public keys that deposit addresses derive from, as `bursar-signer xpubs` prints them. */
export interface DepositKeys {
  bitcoinChain: BitcoinChain
  bitcoin: { deposit: string }
  evm: { deposit: string }
}

/** Families whose addresses this build can derive. */
export type DerivedFamily = Exclude<AddressFamily, 'TRON'>

/** The deposit address at an index, in canonical form. Throws when the key is not an account's extended public key. */
export const depositAddress = (keys: DepositKeys, family: DerivedFamily, index: number): string =>
  family === 'BITCOIN'
    ? deriveBitcoin(keys.bitcoin.deposit, 0, index, keys.bitcoinChain).address
    : deriveEvm(keys.evm.deposit, index).address
