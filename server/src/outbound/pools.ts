import { Pool, type buildConnector } from 'undici'

export interface PoolsSettings {
  connect: buildConnector.connector
  /** Origins to keep connections for. */
  most: number
  /** Connections to one origin; more requests wait, and their time runs. */
  connectionsPerOrigin: number
}

const IDLE_MS = 4_000
const LONGEST_IDLE_MS = 30_000
const MAX_HEADER_BYTES = 16_384

/** Kept-alive connections by origin. The origin used longest ago gives way to a new one. */
export class Pools {
  readonly #byOrigin = new Map<string, Pool>()
  readonly #settings: PoolsSettings

  constructor(settings: PoolsSettings) {
    this.#settings = settings
  }

  of(origin: string): Pool {
    const pool = this.#byOrigin.get(origin) ?? this.#create(origin)
    this.#byOrigin.delete(origin)
    this.#byOrigin.set(origin, pool)
    for (const [oldest, old] of this.#byOrigin) {
      if (this.#byOrigin.size <= this.#settings.most) break
      this.#byOrigin.delete(oldest)
      // Lets what it carries end first.
      void old.close()
    }
    return pool
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#byOrigin.values()].map((pool) => pool.destroy()))
    this.#byOrigin.clear()
  }

  #create(origin: string): Pool {
    return new Pool(origin, {
      connect: this.#settings.connect,
      connections: this.#settings.connectionsPerOrigin,
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: LONGEST_IDLE_MS,
      // One deadline over the whole exchange stands in their place: these start again with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}
