import { HDKey } from '@scure/bip32'
import { SECOND_SEED, seedIndex } from '@bursar/chainkit'
import type { KeyAccount } from '@bursar/chainkit'
import * as bitcoin from '@bursar/chainkit/bitcoin'
import * as evm from '@bursar/chainkit/evm'
import * as tron from '@bursar/chainkit/tron'
import type { AccountKeys, KeyReference, PublicKeys } from '../protocol/protocol.ts'

type Branches = Record<KeyAccount, HDKey>

/** More than the hot addresses that a policy can have. */
const ADDRESSES_KEPT = 128

/**
 * The keys: six hardened accounts, deposit and hot on Bitcoin, EVM chains and TRON. The seed and the master key are not
 * retained. A child's private key exists during one call of `with…Key` and is then overwritten. On Bitcoin, a second
 * seed has the derivation indexes from `SECOND_SEED` on.
 */
export class Keyring {
  readonly chain: bitcoin.BitcoinChain
  readonly publicKeys: PublicKeys
  readonly #bitcoin: Branches
  readonly #evm: Branches
  readonly #tron: Branches
  /** The keys of the second seed; undefined when there is none */
  readonly #second: Keyring | undefined
  /**
   * Hot addresses that were derived before, by index, oldest first: they sign most transactions, and deriving one costs
   * as much as deriving its private key.
   */
  readonly #hotAddresses = new Map<number, evm.Hex>()

  private constructor(
    chain: bitcoin.BitcoinChain,
    masterFingerprint: number,
    btc: Branches,
    eth: Branches,
    trx: Branches,
    second: Keyring | undefined,
  ) {
    this.chain = chain
    this.#second = second
    this.#bitcoin = btc
    this.#evm = eth
    this.#tron = trx
    this.publicKeys = {
      masterFingerprint: masterFingerprint.toString(16).padStart(8, '0'),
      bitcoinChain: chain,
      bitcoin: extendedPublicKeys(btc),
      evm: extendedPublicKeys(eth),
      tron: extendedPublicKeys(trx),
      ...(second && {
        next: { masterFingerprint: second.publicKeys.masterFingerprint, bitcoin: second.publicKeys.bitcoin },
      }),
    }
  }

  /**
   * Derives the accounts and overwrites the seeds.
   * @param second a seed that is active beside the first; absent when there is none
   */
  static open(seed: Uint8Array, chain: bitcoin.BitcoinChain, second?: Uint8Array): Keyring {
    const onBitcoin = HDKey.fromMasterSeed(seed, bitcoin.extendedKeyVersions(chain))
    const others = HDKey.fromMasterSeed(seed)
    seed.fill(0)
    const branches = (master: HDKey, pathOf: (account: KeyAccount) => readonly number[]): Branches => ({
      deposit: descend(master, pathOf('deposit')),
      hot: descend(master, pathOf('hot')),
    })
    const btc = branches(onBitcoin, (account) => bitcoin.accountPath(account, chain))
    const eth = branches(others, evm.accountPath)
    const trx = branches(others, tron.accountPath)
    const fingerprint = onBitcoin.fingerprint
    onBitcoin.wipePrivateData()
    others.wipePrivateData()
    return new Keyring(chain, fingerprint, btc, eth, trx, second && Keyring.open(second, chain))
  }

  /** Whether a second seed is active. */
  get isRotated(): boolean {
    return this.#second !== undefined
  }

  /** First derivation index of the seed with this master fingerprint; undefined when it is neither of ours. */
  firstIndexOf(masterFingerprint: number): number | undefined {
    if (masterFingerprint === this.#fingerprint) return 0
    return this.#second && masterFingerprint === this.#second.#fingerprint ? SECOND_SEED : undefined
  }

  get #fingerprint(): number {
    return Number.parseInt(this.publicKeys.masterFingerprint, 16)
  }

  bitcoinAddress({ account, branch, index }: KeyReference): bitcoin.DerivedAddress {
    const own = this.#ownerOf(index)
    return bitcoin.deriveAddress(own.keys.publicKeys.bitcoin[account], branch, own.index, this.chain)
  }

  /** The keys of the seed that an index of Bitcoin belongs to. Without a second seed, all indexes are of the first. */
  #ownerOf(index: number): { keys: Keyring; index: number } {
    const own = seedIndex(index)
    return this.#second && own.seed === 'second' ? { keys: this.#second, index: own.index } : { keys: this, index }
  }

  /** EVM keys are on the external branch only. */
  evmAddress({ account, index }: Omit<KeyReference, 'branch'>): evm.Hex {
    const derive = (): evm.Hex => evm.deriveAddress(this.publicKeys.evm[account], index).address
    if (account !== 'hot') return derive()
    const known = this.#hotAddresses.get(index)
    if (known !== undefined) return known
    const address = derive()
    if (this.#hotAddresses.size >= ADDRESSES_KEPT) this.#hotAddresses.delete(this.#hotAddresses.keys().next().value!)
    this.#hotAddresses.set(index, address)
    return address
  }

  /** TRON keys are on the external branch only. */
  tronAddress({ account, index }: Omit<KeyReference, 'branch'>): string {
    return tron.deriveAddress(this.publicKeys.tron[account], index).address
  }

  withBitcoinKeys<Result>(references: readonly KeyReference[], use: (keys: Uint8Array[]) => Result): Result {
    const children = references.map(({ account, branch, index }) => {
      const own = this.#ownerOf(index)
      return descend(own.keys.#bitcoin[account], [branch, own.index])
    })
    return withPrivateKeys(children, use)
  }

  withEvmKey<Result>({ account, index }: Omit<KeyReference, 'branch'>, use: (key: Uint8Array) => Result): Result {
    return withPrivateKeys([descend(this.#evm[account], [0, index])], ([key]) => use(key!))
  }

  withEvmKeys<Result>(references: readonly KeyReference[], use: (keys: Uint8Array[]) => Result): Result {
    return withPrivateKeys(
      references.map(({ account, index }) => descend(this.#evm[account], [0, index])),
      use,
    )
  }

  withTronKey<Result>({ account, index }: Omit<KeyReference, 'branch'>, use: (key: Uint8Array) => Result): Result {
    return withPrivateKeys([descend(this.#tron[account], [0, index])], ([key]) => use(key!))
  }

  /** Overwrites all private keys. Nothing can be signed afterwards. */
  close(): void {
    this.#second?.close()
    for (const branches of [this.#bitcoin, this.#evm, this.#tron]) {
      branches.deposit.wipePrivateData()
      branches.hot.wipePrivateData()
    }
  }
}

function extendedPublicKeys({ deposit, hot }: Branches): AccountKeys {
  return { deposit: deposit.publicExtendedKey, hot: hot.publicExtendedKey }
}

/** Derives a key along a path and overwrites the private keys of the intermediate steps. */
function descend(from: HDKey, path: readonly number[]): HDKey {
  return path.reduce((parent, index) => {
    const child = parent.deriveChild(index)
    if (parent !== from) parent.wipePrivateData()
    return child
  }, from)
}

function withPrivateKeys<Result>(children: readonly HDKey[], use: (keys: Uint8Array[]) => Result): Result {
  const keys = children.map(({ privateKey }) => {
    if (!privateKey) throw new Error('The keyring is closed')
    return privateKey
  })
  try {
    return use(keys)
  } finally {
    for (const key of keys) key.fill(0)
    for (const child of children) child.wipePrivateData()
  }
}
