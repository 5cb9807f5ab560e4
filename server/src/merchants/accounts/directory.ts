import type { Logger } from 'pino'
import type { Db } from '../../platform/db/index.ts'
import type { SecretBox } from '../../platform/config/secrets.ts'
import type { Merchant } from './merchant.ts'
import { readMerchants } from './queries.ts'

/**
 * Every merchant with its opened keys, in memory, so that a request costs no query and an unknown id costs what a known
 * one does. About 2 kB for each merchant; ids that do not exist take no room. The listener for changes calls
 * `forget`.
 */
export interface MerchantDirectory {
  /** At once from memory, or after the reading under way. Null when there is no such merchant. */
  find(merchantId: string): Merchant | null | Promise<Merchant | null>
  /** One merchant has changed: it is read again, and requests of it wait for that. */
  forget(merchantId: string): void
  /** Anything may have changed: all are read again, and every request waits for that. */
  forgetAll(): void
}

/** @param log gets the keys that can't be opened: their merchants are read without them */
export const createDirectory = (db: Db, box: SecretBox, log?: Pick<Logger, 'error'>): MerchantDirectory =>
  directoryOver((ids, before) => readMerchants(db, box, ids, before, log))

/** The same over any way of reading merchants: of some ids, or all for null. `before` is what was read last. */
export const directoryOver = (read: Read): MerchantDirectory => new Directory(read)

type Found = Merchant | null
type Read = (ids: readonly string[] | null, before: ReadonlyMap<string, Merchant>) => Promise<Merchant[]>

class Directory implements MerchantDirectory {
  readonly #read: Read
  #known: Map<string, Merchant> = new Map()
  /** merchants being read again, by id; the newest reading of each is the one that counts */
  readonly #reading = new Map<string, Promise<Found>>()
  /** the newest reading of all, until it has succeeded */
  #loading: Promise<void> | undefined
  #loaded = false
  /** changed while all are being read: what that reading says of them may be old */
  readonly #changed = new Set<string>()

  constructor(read: Read) {
    this.#read = read
  }

  find(merchantId: string): Found | Promise<Found> {
    if (!this.#loaded) return this.#load().then(() => this.find(merchantId))
    if (this.#reading.size > 0) {
      const reading = this.#reading.get(merchantId)
      if (reading) return reading
    }
    return this.#known.get(merchantId) ?? null
  }

  forget(merchantId: string): void {
    if (this.#loading) this.#changed.add(merchantId)
    const reading = this.#read([merchantId], this.#known).then((merchants) => merchants[0] ?? null)
    this.#reading.set(merchantId, reading)
    reading
      .then((merchant) => {
        if (this.#reading.get(merchantId) !== reading) return
        if (merchant) this.#known.set(merchantId, merchant)
        else this.#known.delete(merchantId)
        this.#reading.delete(merchantId)
      })
      .catch(() => {
        // What could not be read can't be trusted: the next request of anyone reads all.
        if (this.#reading.get(merchantId) !== reading) return
        this.#reading.delete(merchantId)
        this.#distrust()
      })
  }

  forgetAll(): void {
    this.#distrust()
    this.#load().catch(() => {})
  }

  #distrust(): void {
    this.#loaded = false
    this.#loading = undefined
  }

  /** One reading serves everyone who waits. Its failure is theirs, and the next request tries again. */
  #load(): Promise<void> {
    if (this.#loading) return this.#loading
    this.#changed.clear()
    const loading: Promise<void> = this.#readAll(() => this.#loading === loading).finally(() => {
      if (this.#loading === loading) this.#loading = undefined
    })
    this.#loading = loading
    return loading
  }

  async #readAll(isNewest: () => boolean): Promise<void> {
    const merchants = await this.#read(null, this.#known)
    if (!isNewest()) return
    const known = new Map(merchants.map((merchant) => [merchant.id, merchant]))
    for (const id of this.#changed) {
      const newer = this.#known.get(id)
      if (newer) known.set(id, newer)
      else known.delete(id)
    }
    this.#known = known
    this.#loaded = true
  }
}
