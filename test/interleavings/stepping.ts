/**
 * Stands between one operation and PostgreSQL, on the wire, and holds back each group of messages that asks for an
 * answer (a simple query, or all up to a Sync) until the scheduler lets it through. So the real pools and the real
 * pipelined connections are stepped.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createStatements, messages } from '../simulation/fronts/postgres.ts'

/** A group of messages that waits to be sent. */
interface Waiting {
  text: string
  send(): void
}

export interface Side {
  /** of the database, through the front */
  readonly url: string
  /** while true, statements wait for `step`; otherwise they pass */
  held: boolean
  /** how many statements wait for `step` */
  waiting(): number
  /** process ids of the server whose statements were let through and have no answer yet */
  running(): number[]
  /** process ids of the server of all open connections */
  sessions(): number[]
  /** Lets the oldest waiting statement through. @returns its text */
  step(): string
  /** Resolves at the next statement that arrives, and at the next answer. */
  changed(): Promise<void>
  /** Ends its connections and refuses new ones. */
  close(): Promise<void>
}

const QUERY = 'Q'
const SYNC = 'S'
const READY = 'Z'
const KEY = 'K'
const PASSWORD = 'p'
const TERMINATE = 'X'

/** A transaction that has only begun has read and locked nothing: this is no step of its own. */
const NO_STEP = /^\s*(begin|start transaction)\b[^;]*;?\s*$/i

/** @param url of the database, by a directory of Unix sockets or by a host */
export const startSide = async (url: string): Promise<Side> => {
  const target = new URL(url)
  const directory = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const upstreamOf = (): Socket =>
    directory === null ? connect(port, target.hostname) : connect(`${directory}/.s.PGSQL.${port}`)
  const open = new Set<Socket>()
  const connections = new Set<{ pid: number; unanswered: number }>()
  let queue: (Waiting & { of: object })[] = []
  let wake: (() => void)[] = []
  const change = (): void => {
    const woken = wake
    wake = []
    for (const resolve of woken) resolve()
  }

  const serve = (client: Socket): void => {
    client.setNoDelay(true)
    const upstream = upstreamOf()
    const connection = { pid: 0, unanswered: 0 }
    connections.add(connection)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        connections.delete(connection)
        queue = queue.filter(({ of }) => of !== connection)
        client.destroy()
        upstream.destroy()
        change()
      })
    }
    const [asked, answered] = [messages(true), messages(false)]
    const statements = createStatements()
    let [group, texts]: [Buffer[], string[]] = [[], []]
    let started = false
    const ask = (): void => {
      const [bytes, text] = [Buffer.concat(group), texts.join('')]
      group = []
      texts = []
      const send = (): void => {
        connection.unanswered += 1
        upstream.write(bytes)
      }
      // A statement keeps its place behind earlier ones of its connection.
      const isBehind = queue.some(({ of }) => of === connection)
      if (!side.held || (NO_STEP.test(text) && !isBehind)) return send()
      queue.push({ of: connection, text, send })
      change()
    }
    client.on('data', (bytes: Buffer) => {
      for (const message of asked.take(bytes)) {
        if (['', PASSWORD, TERMINATE].includes(message.type)) {
          upstream.write(message.bytes)
          continue
        }
        group.push(message.bytes)
        texts.push(statements.textOf(message))
        if (message.type === QUERY || message.type === SYNC) ask()
      }
    })
    upstream.on('data', (bytes: Buffer) => {
      client.write(bytes)
      let isAnswered = false
      for (const message of answered.take(bytes)) {
        if (message.type === KEY) connection.pid = message.bytes.readInt32BE(5)
        if (message.type !== READY) continue
        // The first one ends the start of the connection.
        if (started) connection.unanswered -= 1
        started = true
        isAnswered = true
      }
      if (isAnswered) change()
    })
  }

  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.searchParams.delete('host')
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  const side: Side = {
    url: through.href,
    held: false,
    waiting: () => queue.length,
    running: () => [...connections].filter(({ unanswered }) => unanswered > 0).map(({ pid }) => pid),
    sessions: () => [...connections].map(({ pid }) => pid),
    step: () => {
      const next = queue.shift()
      if (next === undefined) throw new Error('no statement waits')
      next.send()
      return next.text
    },
    changed: () => new Promise((resolve) => wake.push(resolve)),
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return side
}
