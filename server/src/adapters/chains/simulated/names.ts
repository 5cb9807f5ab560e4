import { createHash } from 'node:crypto'
import { addressOf } from '@bursar/chainkit/bitcoin'
import { checksumAddress } from '@bursar/chainkit/evm'

/** A chain of coins, as Bitcoin is, or of accounts. */
export type ChainKind = 'coins' | 'accounts'

/** Generates hashes and addresses from a seed, deterministically. */
export class Names {
  readonly #kind: ChainKind
  readonly #seed: string
  #made = 0

  constructor(kind: ChainKind, seed: string) {
    this.#kind = kind
    this.#seed = seed
  }

  /** Hash of a block or transaction in the chain's format. */
  hash(): string {
    return `${this.#kind === 'accounts' ? '0x' : ''}${this.#next()}`
  }

  address(): string {
    const bytes = Buffer.from(this.#next(), 'hex').subarray(0, 20)
    if (this.#kind === 'accounts') return checksumAddress(`0x${bytes.toString('hex')}`)
    return addressOf(Buffer.concat([Buffer.from([0x00, 0x14]), bytes]), 'regtest')!
  }

  #next(): string {
    this.#made += 1
    return createHash('sha256').update(`${this.#seed}/${this.#made}`).digest('hex')
  }
}
