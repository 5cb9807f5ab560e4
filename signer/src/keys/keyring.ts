import { HDKey } from '@scure/bip32'
import { SECOND_SEED, seedIndex } from '@bursar/chainkit'
import type { KeyAccount } from '@bursar/chainkit'
import * as bitcoin from '@bursar/chainkit/bitcoin'
import * as evm from '@bursar/chainkit/evm'
import { keyAt, offsetOf } from '@bursar/chainkit/signing'
import * as tron from '@bursar/chainkit/tron'
import type { AccountKeys, KeyReference, PublicKeys } from '../protocol/protocol.ts'

type Branches = Record<KeyAccount, HDKey>

/** More than the hot addresses that a policy can have. Each takes about 100 kB. */
const HOT_CACHED = 128

/** Public facts about a hot EVM address, from the extended public key. */
interface HotAddress {
  address: evm.Hex
  /** The private key less the account's private key: see `offsetOf` */
  offset: bigint | undefined
  recover: evm.RecoverSigner
}

/**
 * The keys: six hardened accounts, deposit and hot on Bitcoin, EVM chains and TRON. The seed and the master key are not
 * retained. A child's private key exists during one call of `with…Key` and is then overwritten. On Bitcoin and EVM
 * chains, a second seed has the derivation indexes from `SECOND_SEED` on.
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
   * EVM hot addresses that were derived before, by index, oldest first: they sign most transactions, and a derivation
   * takes longer than a signature.
   */
  readonly #hotAddresses = new Map<number, HotAddress>()

  private constructor(
    chain: bitcoin.BitcoinChain,
    masterFingerprint: number,
    btc: Branches,
    eth: Branches,
    trx: Branches,
    second: Keyring | undefined,
    isFirstStolen: boolean,
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
        next: {
          masterFingerprint: second.publicKeys.masterFingerprint,
          bitcoin: second.publicKeys.bitcoin,
          evm: second.publicKeys.evm,
          ...(isFirstStolen && { isFirstStolen: true as const }),
        },
      }),
    }
  }

  /**
   * Derives the accounts and overwrites the seeds.
   * @param second a seed that is active beside the first; absent when there is none
   * @param isFirstStolen whether it is active because another party may have the first
   */
  static open(seed: Uint8Array, chain: bitcoin.BitcoinChain, second?: Uint8Array, isFirstStolen = false): Keyring {
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
    return new Keyring(chain, fingerprint, btc, eth, trx, second && Keyring.open(second, chain), isFirstStolen)
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

  /**
   * The keys of the seed that an index of Bitcoin or an EVM chain belongs to. Without a second seed, all indexes are of
   * the first.
   */
  #ownerOf(index: number): { keys: Keyring; index: number } {
    const own = seedIndex(index)
    return this.#second && own.seed === 'second' ? { keys: this.#second, index: own.index } : { keys: this, index }
  }

  /** EVM keys are on the external branch only. */
  evmAddress({ account, index }: Omit<KeyReference, 'branch'>): evm.Hex {
    if (account === 'hot') return this.#hot(index).address
    const own = this.#ownerOf(index)
    return evm.deriveAddress(own.keys.publicKeys.evm[account], own.index).address
  }

  /** Recovers signers of EVM chains; fastest for signatures of a hot address of this index. */
  evmRecovery({ account, index }: Omit<KeyReference, 'branch'>): evm.RecoverSigner | undefined {
    return account === 'hot' ? this.#hot(index).recover : undefined
  }

  #hot(index: number): HotAddress {
    const known = this.#hotAddresses.get(index)
    if (known) return known
    const own = this.#ownerOf(index)
    const { address, publicKey } = evm.deriveAddress(own.keys.publicKeys.evm.hot, own.index)
    const derived = { address, offset: undefined, recover: evm.createKnownSigner(publicKey) }
    if (this.#hotAddresses.size >= HOT_CACHED) this.#hotAddresses.delete(this.#hotAddresses.keys().next().value!)
    this.#hotAddresses.set(index, derived)
    return derived
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

  withEvmKey<Result>(reference: Omit<KeyReference, 'branch'>, use: (key: Uint8Array) => Result): Result {
    const { account, index } = reference
    if (account === 'hot') return this.#withHotKey(index, use)
    return withPrivateKeys([this.#evmChild(account, index)], ([key]) => use(key!))
  }

  #evmChild(account: KeyAccount, index: number): HDKey {
    const own = this.#ownerOf(index)
    return descend(own.keys.#evm[account], [0, own.index])
  }

  /** Derives the private key the first time; from then on adds the offset to the account's key. */
  #withHotKey<Result>(index: number, use: (key: Uint8Array) => Result): Result {
    const hot = this.#hot(index)
    return withPrivateKey(this.#ownerOf(index).keys.#evm.hot.privateKey, (account) => {
      const { offset } = hot
      if (offset !== undefined) return withPrivateKey(keyAt(account, offset), use)
      return withPrivateKeys([this.#evmChild('hot', index)], ([key]) => {
        hot.offset = offsetOf(account, key!)
        return use(key!)
      })
    })
  }

  withEvmKeys<Result>(references: readonly KeyReference[], use: (keys: Uint8Array[]) => Result): Result {
    return withPrivateKeys(
      references.map(({ account, index }) => this.#evmChild(account, index)),
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

function withPrivateKey<Result>(key: Uint8Array | null, use: (key: Uint8Array) => Result): Result {
  if (!key) throw new Error('The keyring is closed')
  try {
    return use(key)
  } finally {
    key.fill(0)
  }
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
