/**
 * Connections between two ends of this process. A socket costs the kernel a copy and a wake-up on each side for every
 * message, which is most of what a statement through a front costs.
 */
import { Duplex } from 'node:stream'
import pg from 'pg'

/** One end. As far as the driver of PostgreSQL needs it, it has the methods of a socket. */
export class NearSocket extends Duplex {
  #other: NearSocket | undefined

  /** @returns two ends: what is written to one is read from the other */
  static pair(): [NearSocket, NearSocket] {
    const [one, other] = [new NearSocket(), new NearSocket()]
    ;[one.#other, other.#other] = [other, one]
    return [one, other]
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#other!.push(bytes)
    done()
  }

  override _writev(all: readonly { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#other!.push(Buffer.concat(all.map(({ chunk }) => chunk)))
    done()
  }

  override _final(done: () => void): void {
    this.#other!.push(null)
    done()
  }

  /** The other end closes, too, as a socket does whose peer is gone. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const other = this.#other!
    setImmediate(() => other.destroy())
    done(error)
  }

  /** It is connected from the beginning, and says so to a caller that waits for the event. */
  connect(): this {
    setImmediate(() => !this.destroyed && this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

/** By the path of a socket: accepts a connection. */
const listeners = new Map<string, (end: NearSocket) => void>()

/** Accepts connections of the driver to this path. @returns a function that ends this */
export const listenNearby = (path: string, accept: (end: NearSocket) => void): (() => void) => {
  listeners.set(path, accept)
  return () => void listeners.delete(path)
}

/** As the driver has it (pg/lib/connection.js): a path is passed in the place of the port. */
interface Connecting {
  stream: Duplex
  connect(this: Connecting, place: number | string, host?: string): void
}

const driver = pg.Connection.prototype as unknown as Connecting
const connectFar = driver.connect
// The driver has no setting by which a URL alone chooses another kind of connection.
driver.connect = function (place, host) {
  const accept = listeners.get(String(place))
  if (accept !== undefined) {
    const [own, other] = NearSocket.pair()
    this.stream = own
    accept(other)
  }
  connectFar.call(this, place, host)
}
