import type { KeyAccount } from '@bursar/chainkit'
import { deriveAddress as deriveBitcoin, keyOrigin, type Branch, type KeyOrigin } from '@bursar/chainkit/bitcoin'
import { deriveAddress as deriveEvm } from '@bursar/chainkit/evm'
import { deriveAddress as deriveTron } from '@bursar/chainkit/tron'
import Type, { type Static } from 'typebox'
import { choice, text } from '../../platform/config/fields.ts'

const accounts = (family: string) =>
  Type.Object(
    {
      hot: text('of the hot wallet'),
      deposit: text('of deposit addresses'),
    } satisfies Record<KeyAccount, unknown>,
    { description: `extended public keys of ${family}` },
  )

/**
 * `BURSAR_XPUBS_FILE`: account-level extended public keys, as `bursar-signer xpubs` prints them. Only the signer has
 * private keys.
 */
export const WALLET_SHAPE = Type.Object(
  {
    masterFingerprint: text('of the master key, which a PSBT names', {
      pattern: '^[0-9a-fA-F]{8}$',
      says: '8 hex digits, as `bursar-signer xpubs` prints them',
    }),
    bitcoinChain: choice('how addresses of Bitcoin are written', ['mainnet', 'testnet', 'regtest']),
    bitcoin: accounts('Bitcoin'),
    evm: accounts('ETHEREUM and BINANCE_SMART_CHAIN'),
    tron: accounts('TRON'),
  },
  { description: 'extended public keys, as `bursar-signer xpubs` prints them' },
)
export type WalletKeys = Static<typeof WALLET_SHAPE>

/** Returns the path of a Bitcoin key of ours, with the data that a PSBT needs. */
export const bitcoinKey = (
  keys: WalletKeys,
  key: { account: KeyAccount; branch: Branch; index: number },
): { address: string; script: Uint8Array; origin: KeyOrigin } => {
  const { address, script } = deriveBitcoin(keys.bitcoin[key.account], key.branch, key.index, keys.bitcoinChain)
  const fingerprint = Number.parseInt(keys.masterFingerprint, 16)
  return { address, script, origin: keyOrigin(keys.bitcoin[key.account], fingerprint, key, keys.bitcoinChain) }
}

/** One address of the hot wallet and its index in the hot account. */
export interface HotKey {
  address: string
  index: number
}

/** The addresses EVM withdrawals leave from: the first of the hot account, the same on every EVM chain. */
export const evmHotKeys = (keys: WalletKeys, count: number): HotKey[] =>
  Array.from({ length: count }, (_, index) => ({ address: deriveEvm(keys.evm.hot, index).address, index }))

/** The first of them, which receives sweeps and refills. */
export const evmHotAddress = (keys: WalletKeys): string => deriveEvm(keys.evm.hot, 0).address

/** The address TRON's withdrawals leave from. It must be activated once, by any TRX sent to it. */
export const tronHotAddress = (keys: WalletKeys): string => deriveTron(keys.tron.hot, 0).address

/** The first address of the Bitcoin hot wallet, to which the operator sends money. */
export const bitcoinHotAddress = (keys: WalletKeys): string =>
  bitcoinKey(keys, { account: 'hot', branch: 0, index: 0 }).address
