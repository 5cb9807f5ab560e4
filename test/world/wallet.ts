/** The hot wallet of the keys of `keys.ts`, whose private keys the test signer has. */
import { evmHotAddress, tronHotAddress, type WalletKeys } from '../../server/src/chain/transactions/index.ts'
import { TEST_KEYS } from './keys.ts'
import { keyring } from './signer.ts'

export const WALLET = { ...TEST_KEYS, masterFingerprint: keyring.publicKeys.masterFingerprint } satisfies WalletKeys
export const EVM_HOT: string = evmHotAddress(WALLET)
export const TRON_HOT: string = tronHotAddress(WALLET)
