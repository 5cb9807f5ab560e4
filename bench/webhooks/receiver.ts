/**
 * Runs merchants' receivers in a separate process: one port that answers and checks the order and duration of each
 * object's events, one that only answers, and one that never answers. Its parent sends it commands.
 */
import { createServer, type AddressInfo, type Server } from 'node:net'

/**
 * The parent's commands. `fail`: refuses one in this number of requests; 0 refuses none. `report` is answered at once,
 * `report when` after this number was accepted.
 */
export type Order =
  | { kind: 'begin'; fail: number; inOrder: boolean }
  | { kind: 'report' }
  | { kind: 'report when'; accepted: number }

export interface Report {
  accepted: number
  refused: number
  /** events of an object that came before one that precedes them */
  outOfOrder: number
  /** events that came again after they were accepted */
  again: number
  /** ms from the start of the transaction that stored an event to its arrival */
  delays: number[]
}

export interface Ports {
  answering: number
  uncounted: number
  silent: number
}

/** The body of an event of the bench. */
export interface Sent {
  id: string
  n: number
  time: number
}

const next = new Map<string, number>()
let report: Report
let order: Extract<Order, { kind: 'begin' }>
let requests = 0
let wanted = Number.NaN

const begin = (asked: typeof order): void => {
  order = asked
  wanted = Number.NaN
  report = { accepted: 0, refused: 0, outOfOrder: 0, again: 0, delays: [] }
  next.clear()
}
begin({ kind: 'begin', fail: 0, inOrder: false })

const take = (text: string): boolean => {
  requests += 1
  if (order.fail > 0 && requests % order.fail === 0) {
    report.refused += 1
    return false
  }
  const { id, n, time } = JSON.parse(text) as Sent
  report.delays.push(Date.now() - time)
  const expected = next.get(id) ?? 0
  if (n === expected) next.set(id, n + 1)
  else if (order.inOrder && n > expected) report.outOfOrder += 1
  else if (order.inOrder) report.again += 1
  report.accepted += 1
  if (report.accepted === wanted) process.send!(report)
  return true
}

const ANSWERS = new Map(
  [200, 500].map((status) => [status, Buffer.from(`HTTP/1.1 ${status} \r\ncontent-length: 2\r\n\r\nok`)]),
)
const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Parses requests itself: a real receiver does not use the measured processors, so this one must use as little of them
 * as possible.
 */
const serverOf = (accepts: (body: string) => boolean): Server =>
  createServer((socket) => {
    let rest: Buffer = Buffer.alloc(0)
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        for (let head = rest.indexOf(HEAD_END); head !== -1; head = rest.indexOf(HEAD_END)) {
          const start = head + HEAD_END.length
          const end = start + Number(/content-length: (\d+)/i.exec(rest.toString('latin1', 0, head))![1])
          if (rest.length < end) return
          const status = accepts(rest.toString('utf8', start, end)) ? 200 : 500
          socket.write(ANSWERS.get(status)!)
          rest = rest.subarray(end)
        }
      })
  })
const silent = createServer((socket) => void socket.on('error', () => {}).resume())

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () =>
      resolve((server.address() as AddressInfo).port),
    ),
  )

process.on('message', (message: Order) => {
  if (message.kind === 'begin') begin(message)
  if (message.kind === 'report when') wanted = message.accepted
  else process.send!(message.kind === 'begin' ? {} : report)
})
process.send!({
  answering: await listen(serverOf(take)),
  uncounted: await listen(serverOf(() => true)),
  silent: await listen(silent),
} satisfies Ports)
