/** Bitcoin's chains. Signet shares testnet's addresses and keys, so it is `testnet` here. */
export type BitcoinChain = 'mainnet' | 'testnet' | 'regtest'

interface ChainParameters {
  /** Human-readable part of segwit addresses (BIP 173) */
  hrp: string
  /** Version byte of a base58 public key hash address */
  publicKeyHash: number
  /** Version byte of a base58 script hash address */
  scriptHash: number
  /** Coin type of BIP 44 paths (SLIP 44), before hardening */
  coinType: number
  /** Version bytes of extended keys (BIP 32) */
  extendedKey: { public: number; private: number }
}

const TEST_KEYS = { public: 0x043587cf, private: 0x04358394 }

export const CHAIN_PARAMETERS: Readonly<Record<BitcoinChain, ChainParameters>> = {
  mainnet: {
    hrp: 'bc',
    publicKeyHash: 0x00,
    scriptHash: 0x05,
    coinType: 0,
    extendedKey: { public: 0x0488b21e, private: 0x0488ade4 },
  },
  testnet: { hrp: 'tb', publicKeyHash: 0x6f, scriptHash: 0xc4, coinType: 1, extendedKey: TEST_KEYS },
  regtest: { hrp: 'bcrt', publicKeyHash: 0x6f, scriptHash: 0xc4, coinType: 1, extendedKey: TEST_KEYS },
}

/**
 * Coins that the block at height h pays its miner can be spent from height h + 100 on (Bitcoin Core:
 * COINBASE_MATURITY).
 */
export const COINBASE_MATURITY = 100

export function isBitcoinChain(text: string): text is BitcoinChain {
  return Object.hasOwn(CHAIN_PARAMETERS, text)
}

/** Version bytes that distinguish this chain's extended keys from those of others (BIP 32: xpub, tpub). */
export function extendedKeyVersions(chain: BitcoinChain): { public: number; private: number } {
  return CHAIN_PARAMETERS[chain].extendedKey
}
