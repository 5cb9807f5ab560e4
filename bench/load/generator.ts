/**
 * The load generator, a process of its own: `node generator.ts`, which gets its requests and destinations from its
 * parent. Each connection sends its next request when the answer to its last has arrived whole.
 */
import { connect } from 'node:net'
import { prepare, SHAPES, type Account, type ShapeName } from './prepared.ts'

export interface Order {
  port: number
  /** taken in turn */
  shapes: readonly ShapeName[]
  accounts: readonly Account[]
  connections: number
  /** for so long, the same requests again and again; or each of `count` once, numbered from `first` */
  extent: { ms: number } | { first: number; count: number }
}

export interface Outcome {
  perSecond: number
  /** ms */
  p99: number
  /** answers other than 200 */
  refused: number
  /** the first of them, to name the fault */
  example: string
}

const DISTINCT = 20_000

const run = ({ port, shapes, accounts, connections, extent }: Order): Promise<Outcome> => {
  const { first, count } = 'ms' in extent ? { first: 0, count: DISTINCT } : extent
  const requests = prepare(
    shapes.map((name) => SHAPES[name]),
    accounts,
    count,
    Math.floor(Date.now() / 1_000),
    first,
  )
  const times: number[] = []
  let [next, refused, running, example] = [0, 0, connections, '']
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const drive = (): void => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let sentAt = 0
      let received = ''
      let ended = false
      const send = (): void => {
        sentAt = performance.now()
        if ('ms' in extent ? sentAt - startedAt >= extent.ms : next === count) {
          ended = true
          socket.destroy()
          running -= 1
          if (running === 0) resolve(summary(times, refused, example, performance.now() - startedAt))
          return
        }
        socket.write(requests[next++ % count]!)
      }
      socket.setEncoding('latin1')
      socket.on('connect', send)
      socket.on('data', (chunk: string) => {
        received += chunk
        if (!isWhole(received)) return
        times.push(performance.now() - sentAt)
        if (!received.startsWith('HTTP/1.1 200')) {
          refused += 1
          example ||= received
        }
        received = ''
        send()
      })
      socket.on('error', reject)
      socket.on('close', () => {
        if (!ended) reject(new Error(`the server closed a connection after: ${received || example}`))
      })
    }
    for (let i = 0; i < connections; i += 1) drive()
  })
}

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  return text.length >= end + 4 + Number(length)
}

const summary = (times: number[], refused: number, example: string, ms: number): Outcome => {
  times.sort((a, b) => a - b)
  return { perSecond: (times.length / ms) * 1_000, p99: times[Math.floor(times.length * 0.99)] ?? 0, refused, example }
}

process.on('message', (order: Order) => {
  run(order).then(
    (outcome) => process.send!(outcome),
    (error: unknown) => process.send!({ perSecond: 0, p99: 0, refused: 1, example: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
