import type { Logger } from 'pino'
import type { Db } from '../../platform/db/index.ts'
import type { SecretBox } from '../../platform/config/secrets.ts'
import type { Merchant } from './merchant.ts'
import { readMerchants } from './queries.ts'

/**
 * All merchants with their decrypted keys, in memory, so that a request needs no query, and an unknown id takes as long
 * as a known one. About 2 kB for each merchant; unknown ids use no memory. The listener for changes calls `forget`.
 */
export interface MerchantDirectory {
  /** The merchant from memory, or a promise while it is being read. Null when there is no such merchant. */
  find(merchantId: string): Merchant | null | Promise<Merchant | null>
  /** Call this when a merchant has changed. Reads it again; its requests wait for that. */
  forget(merchantId: string): void
  /** Call this when anything may have changed. Reads all merchants again; every request waits for that. */
  forgetAll(): void
}

/** @param log receives an error for each key that can't be decrypted; its merchant is read without it */
export const createDirectory = (db: Db, box: SecretBox, log?: Pick<Logger, 'error'>): MerchantDirectory =>
  directoryOver((ids, before) => readMerchants(db, box, ids, before, log))

/** The same with any function that reads merchants by ids, or all for null. `before`: the last result. */
export const directoryOver = (read: Read): MerchantDirectory => new Directory(read)

type Found = Merchant | null
type Read = (ids: readonly string[] | null, before: ReadonlyMap<string, Merchant>) => Promise<Merchant[]>

class Directory implements MerchantDirectory {
  readonly #read: Read
  #known: Map<string, Merchant> = new Map()
  /** merchants that are being read again, by id; only the newest reading of each is used */
  readonly #reading = new Map<string, Promise<Found>>()
  /** the newest reading of all merchants, until it has succeeded */
  #loading: Promise<void> | undefined
  #loaded = false
  /** merchants that changed while all are being read; that reading may return old values of them */
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
        // The state of this merchant is unknown: the next request reads all merchants.
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

  /** All callers share one reading. If it fails, all of them fail, and the next request tries again. */
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
