/**
 * Stands between one role and PostgreSQL, on the wire (PostgreSQL 17, chapter "Frontend/Backend Protocol"). Faults are
 * decided for each group of messages that asks the server to answer: a simple query, or all up to a Sync.
 */
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Fault, Faults } from '../faults.ts'
import type { Gate } from './gate.ts'
import { listenNearby, type NearSocket } from './near.ts'

export interface PostgresFront {
  /** of the same database, through the front */
  readonly url: string
  /** Ends every connection. Transactions in progress are rolled back; no client learns which COMMIT was done. */
  cut(): void
  /** while true, no connection is accepted */
  refusing: boolean
  /** a fault has ended the process behind it: all connections are gone, and none is accepted any more */
  readonly crashed: boolean
  close(): Promise<void>
}

/** Bytes from `start`, as messages with a type byte and a length of their own. */
interface Messages {
  /** complete ones, in order */
  take(bytes: Buffer): { type: string; bytes: Buffer }[]
}

const QUERY = 'Q'
const SYNC = 'S'
const READY = 'Z'
/** Where a message that the server is ready has the status of the transaction, and the status without one. */
const STATUS_AT = 5
const IDLE = 'I'.charCodeAt(0)
/**
 * The statements of listeners (platform/db/listen.ts) and leaders (chain/watcher/leadership.ts) by which they notice
 * the end of a connection. They are sent by real time and change nothing: in single-step mode they never fail and
 * never wait.
 */
const HEARTBEAT = /^select( 1)?$/

/** In place of a group of messages: the server itself refuses, so that it also ends the transaction as it does then. */
const refusal = (code: string, message: string): Buffer => {
  const text = `do $$begin raise exception using errcode = '${code}', message = '${message}'; end$$`
  const bytes = Buffer.alloc(text.length + 6)
  bytes.write(QUERY, 0, 'latin1')
  bytes.writeInt32BE(text.length + 5, 1)
  bytes.write(text, 5, 'latin1')
  return bytes
}

const REFUSALS: Partial<Record<Fault, Buffer>> = {
  'disk-full': refusal('53100', 'could not extend file: No space left on device'),
  deadlock: refusal('40P01', 'deadlock detected'),
  'statement-timeout': refusal('57014', 'canceling statement due to statement timeout'),
}

let started = 0
/** begun so far */
let transactions = 0

export const startPostgresFront = async (url: string, name: string, faults: Faults): Promise<PostgresFront> => {
  const target = new URL(url)
  const directory = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const open = new Set<Duplex>()
  const upstreamOf = (): Socket =>
    directory === null ? connect(port, target.hostname) : connect(`${directory}/.s.PGSQL.${port}`)

  let connections = 0
  const serve = (client: NearSocket): void => {
    if (front.refusing) return void client.destroy()
    const upstream = upstreamOf()
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    const asked = messages(true)
    const answered = messages(false)
    const statements = createStatements()
    let group: { type: string; bytes: Buffer }[] = []
    /**
     * What came while the group before it waits, or goes on at the gate: a pipelined connection does not wait for
     * answers, and a group behind one that waits for a lock would be in the way of the group that has the lock.
     * Undefined: there is no such group.
     */
    let behind: { type: string; bytes: Buffer }[] | undefined
    /** the number of the answer that ends the group at the gate; undefined: none goes on there */
    let answeredBy: number | undefined
    /** the number of answers after which the connection ends; undefined: it does not */
    let endsAfter: number | undefined
    let [sent, ready] = [0, 0]
    let crashes = false
    const number = (connections += 1)
    /** the number of its open transaction; undefined: it has none */
    let begun: number | undefined
    /** ends what goes on at the gate: the start of the connection, then a group of messages */
    let end = faults.gate?.hold()
    client.on('close', () => end?.())
    const isHeartbeat = (content: string): boolean => faults.gate !== undefined && HEARTBEAT.test(content)
    const forward = (content: string): void => {
      const bytes = Buffer.concat(group.map((message) => message.bytes))
      const isDecided = endsAfter === undefined && !isHeartbeat(content)
      group = []
      const fault = isDecided ? faults.decide(name, content) : undefined
      if (fault === 'crash-before') return crash()
      if (fault === 'lose-request') return void client.destroy()
      if (fault === 'crash-after') crashes = true
      sent += 1
      if (faults.gate !== undefined && !isHeartbeat(content)) answeredBy = sent
      const refused = fault === undefined ? undefined : REFUSALS[fault]
      // A rollback needs no space, and waits for nothing.
      if (refused !== undefined) return void upstream.write(/^\s*rollback/i.test(content) ? bytes : refused)
      if (fault !== undefined) endsAfter = sent
      upstream.write(bytes)
    }
    /** Resolves when the group may go on. While it stands still, others go on. */
    const enter = async (gate: Gate, content: string): Promise<void> => {
      // A message that prepares a statement depends on the connection that a pool happened to give.
      const bytes = Buffer.concat(group.flatMap(({ type, bytes: one }) => (type === 'P' ? [] : [one])))
      // The statements of a transaction come before all others: of several that wait for its locks, PostgreSQL decides
      // which one goes on.
      const transaction = begun === undefined ? '~' : String(begun).padStart(9, '0')
      const place = `${transaction} ${name} ${bytes.toString('latin1')} ${number}`
      end = await gate.enter(place)
      const wait = faults.waits(name, content)
      if (wait === undefined) return
      end()
      await wait
      end = await gate.enter(place)
    }
    const take = (message: { type: string; bytes: Buffer }): void => {
      if (behind !== undefined) return void behind.push(message)
      // The start, a password, or the end of the connection: not a statement.
      if (['', 'p', 'X'].includes(message.type)) return void upstream.write(message.bytes)
      group.push(message)
      if (message.type !== QUERY && message.type !== SYNC) return
      const texts = group.map((one) => statements.textOf(one))
      // Without a line for the message that prepares a statement.
      const content = texts.filter((text) => text !== '').join('\n')
      if (isHeartbeat(content)) return forward(content)
      const wait = faults.gate ? enter(faults.gate, content) : faults.waits(name, content)
      if (wait === undefined) return forward(content)
      behind = []
      void wait.then(() => {
        if (client.destroyed) return end?.()
        forward(content)
        if (faults.gate === undefined) goOn()
      })
    }
    const goOn = (): void => {
      const waiting = behind ?? []
      behind = undefined
      for (const one of waiting) take(one)
    }
    client.on('data', (bytes: Buffer) => {
      for (const message of asked.take(bytes)) take(message)
    })
    upstream.on('data', (bytes: Buffer) => {
      const passed: Buffer[] = []
      // Each row is a message: one write for all of them costs the kernel much less.
      const pass = (): void => void (passed.length > 0 && client.write(Buffer.concat(passed)))
      for (const message of answered.take(bytes)) {
        // The first one ends the start of the connection.
        if (message.type === READY) {
          ready += 1
          begun = message.bytes[STATUS_AT] === IDLE ? undefined : (begun ?? (transactions += 1))
          if (ready === 1) end?.()
          if (answeredBy !== undefined && ready - 1 >= answeredBy) {
            answeredBy = undefined
            end?.()
            goOn()
          }
        }
        if (endsAfter !== undefined && ready - 1 >= endsAfter) {
          pass()
          return crashes ? crash() : void client.destroy()
        }
        if (endsAfter === undefined || ready - 1 < endsAfter - 1) passed.push(message.bytes)
      }
      pass()
    })
  }

  const through = new URL(url)
  const folder = `/front-${(started += 1)}`
  through.searchParams.set('host', folder)
  const close = listenNearby(`${folder}/.s.PGSQL.${port}`, serve)
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  let crashed = false
  const crash = (): void => {
    crashed = true
    front.refusing = true
    cut()
  }
  const front: PostgresFront = {
    url: through.href,
    refusing: false,
    get crashed() {
      return crashed
    },
    cut,
    close: async () => {
      close()
      cut()
      await Promise.all([...open].map((one) => new Promise((resolve) => one.once('close', resolve))))
    },
  }
  return front
}

/**
 * The texts of what a connection asks. Parameters are left out: some are real times. So is whether a statement was
 * prepared before, which depends on the connection that a pool happened to give.
 */
export const createStatements = (): { textOf(message: { type: string; bytes: Buffer }): string } => {
  const prepared = new Map<string, string>()
  const stringAt = (bytes: Buffer, start: number): { text: string; end: number } => {
    const end = bytes.indexOf(0, start)
    return { text: bytes.toString('latin1', start, end), end: end + 1 }
  }
  return {
    textOf: ({ type, bytes }) => {
      if (type === QUERY) return stringAt(bytes, 5).text
      const first = type === 'P' || type === 'B' ? stringAt(bytes, 5) : undefined
      if (type === 'P') prepared.set(first!.text, stringAt(bytes, first!.end).text)
      return type === 'B' ? (prepared.get(stringAt(bytes, first!.end).text) ?? '') : ''
    },
  }
}

/** @param starts the first message has no type byte, as a client's */
export const messages = (starts: boolean): Messages => {
  let rest: Buffer = Buffer.alloc(0)
  let isFirst = starts
  return {
    take: (bytes) => {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      const complete: { type: string; bytes: Buffer }[] = []
      for (;;) {
        const head = isFirst ? 0 : 1
        if (rest.length < head + 4) return complete
        const length = head + rest.readUInt32BE(head)
        if (rest.length < length) return complete
        complete.push({ type: isFirst ? '' : String.fromCharCode(rest[0]!), bytes: rest.subarray(0, length) })
        isFirst = false
        rest = rest.subarray(length)
      }
    },
  }
}
