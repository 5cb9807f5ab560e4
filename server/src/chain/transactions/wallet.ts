import type { KeyAccount } from '@bursar/chainkit'
import { deriveAddress as deriveBitcoin, keyOrigin, type Branch, type KeyOrigin } from '@bursar/chainkit/bitcoin'
import { deriveAddress as deriveEvm } from '@bursar/chainkit/evm'
import { deriveAddress as deriveTron } from '@bursar/chainkit/tron'
import Type, { type Static } from 'typebox'
import { choice, text } from '../../platform/config/fields.ts'
import { firstIndex, seedOf } from '../addresses/index.ts'

const accounts = (family: string) =>
  Type.Object(
    {
      hot: text('of the hot wallet'),
      deposit: text('of deposit addresses'),
    } satisfies Record<KeyAccount, unknown>,
    { description: `extended public keys of ${family}` },
  )

const FINGERPRINT = text('of the master key, which a PSBT names', {
  pattern: '^[0-9a-fA-F]{8}$',
  says: '8 hex digits, as `bursar-signer xpubs` prints them',
})

/**
 * `BURSAR_XPUBS_FILE`: account-level extended public keys, as `bursar-signer xpubs` prints them. Only the signer has
 * private keys.
 */
export const WALLET_SHAPE = Type.Object(
  {
    masterFingerprint: FINGERPRINT,
    bitcoinChain: choice('how addresses of Bitcoin are written', ['mainnet', 'testnet', 'regtest']),
    bitcoin: accounts('Bitcoin'),
    evm: accounts('ETHEREUM and BINANCE_SMART_CHAIN'),
    tron: accounts('TRON'),
    next: Type.Optional(
      Type.Object(
        {
          masterFingerprint: FINGERPRINT,
          bitcoin: accounts('Bitcoin'),
          evm: Type.Optional(accounts('ETHEREUM and BINANCE_SMART_CHAIN')),
          isFirstStolen: Type.Optional(Type.Boolean({ description: 'whether another party may have the first seed' })),
        },
        { description: 'extended public keys of the second seed, printed once it is active' },
      ),
    ),
  },
  { description: 'extended public keys, as `bursar-signer xpubs` prints them' },
)
export type WalletKeys = Static<typeof WALLET_SHAPE>

/**
 * Returns the path of a Bitcoin key of ours, with the data that a PSBT needs. Throws an Error when the key belongs to a
 * second seed and these keys have none.
 */
export const bitcoinKey = (
  keys: WalletKeys,
  key: { account: KeyAccount; branch: Branch; index: number },
): { address: string; script: Uint8Array; origin: KeyOrigin } => {
  const { keys: owner, index } = seedOf<Pick<WalletKeys, 'masterFingerprint' | 'bitcoin'>>(
    'BITCOIN',
    { first: keys, next: keys.next },
    key.index,
  )
  const { address, script } = deriveBitcoin(owner.bitcoin[key.account], key.branch, index, keys.bitcoinChain)
  const fingerprint = Number.parseInt(owner.masterFingerprint, 16)
  const own = { ...key, index }
  return { address, script, origin: keyOrigin(owner.bitcoin[key.account], fingerprint, own, keys.bitcoinChain) }
}

/** One address of the hot wallet and its index in the hot account. */
export interface HotKey {
  address: string
  index: number
}

/** Returns a hot address on EVM chains. Throws an Error when it belongs to a second seed and these keys have none. */
export const evmHotKeyAt = (keys: WalletKeys, index: number): HotKey => {
  const own = seedOf('EVM', { first: keys.evm, next: keys.next?.evm }, index)
  return { address: deriveEvm(own.keys.hot, own.index).address, index }
}

/**
 * The addresses EVM withdrawals leave from: the first of the hot account of the seed in use, the same on every EVM
 * chain.
 */
export const evmHotKeys = (keys: WalletKeys, count: number): HotKey[] =>
  Array.from({ length: count }, (_, i) => evmHotKeyAt(keys, firstIndex(keys, 'EVM') + i))

/**
 * The first hot address on EVM chains of each seed: the first seed's, and the second's once it is active. Each receives
 * the sweeps of the deposit addresses of its seed.
 */
export const evmTreasuries = (keys: WalletKeys): { first: HotKey; second?: HotKey } => ({
  first: evmHotKeyAt(keys, 0),
  ...(firstIndex(keys, 'EVM') === 0 ? {} : { second: evmHotKey(keys) }),
})

/** The first of them, which receives sweeps and refills. */
const evmHotKey = (keys: WalletKeys): HotKey => evmHotKeyAt(keys, firstIndex(keys, 'EVM'))

/** Its address alone. */
export const evmHotAddress = (keys: WalletKeys): string => evmHotKey(keys).address

/** The address TRON's withdrawals leave from. It must be activated once, by any TRX sent to it. */
export const tronHotAddress = (keys: WalletKeys): string => deriveTron(keys.tron.hot, 0).address

/** The first address of the Bitcoin hot wallet of the seed in use, to which the operator sends money. */
export const bitcoinHotKey = (keys: WalletKeys): HotKey => {
  const index = firstIndex(keys, 'BITCOIN')
  return { address: bitcoinKey(keys, { account: 'hot', branch: 0, index }).address, index }
}

/** Its address alone. */
export const bitcoinHotAddress = (keys: WalletKeys): string => bitcoinHotKey(keys).address
