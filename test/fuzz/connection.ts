/** Connections that write bytes as they are and read answers by RFC 9112. */
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  /** names in lower case; values of a repeated header joined by a comma */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export interface Sending {
  /** written one after the other */
  parts: readonly Buffer[]
  /** the answers have no bodies */
  isHead?: boolean
  /** its own connection, which the case may leave in any state */
  isAlone?: boolean
  /** no answer is due before the connection ends: the request is not whole */
  isCut?: boolean
  /** the body of the answer does not end by itself: its head is enough */
  isStream?: boolean
}

export interface Connections {
  /** @returns the answers until the connection was left or ended */
  send(sending: Sending): Promise<Answer[]>
  close(): void
}

export const openConnections = (port: number): Connections => {
  const idle: Socket[] = []
  const all = new Set<Socket>()
  const open = (): Socket => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    all.add(socket)
    // Read also while idle, so that the end of the connection is seen.
    socket.resume()
    socket.on('error', () => {})
    socket.once('close', () => all.delete(socket))
    return socket
  }
  /** A connection that the server has not ended meanwhile. */
  const takeIdle = (): Socket | undefined => {
    for (let socket = idle.pop(); socket !== undefined; socket = idle.pop()) {
      if (!socket.readableEnded && !socket.destroyed) return socket
      socket.destroy()
    }
    return undefined
  }
  const send = async (sending: Sending): Promise<Answer[]> => {
    const reused = sending.isAlone ? undefined : takeIdle()
    const socket = reused ?? open()
    const { answers, isReusable } = await converse(socket, sending)
    if (isReusable && !sending.isAlone && !socket.destroyed) idle.push(socket)
    else socket.destroy()
    // The server has ended a connection that was idle for long, before it read the request (RFC 9112, 9.5).
    return answers.length === 0 && reused !== undefined ? send(sending) : answers
  }
  return {
    send,
    close: () => {
      for (const socket of all) socket.destroy()
    },
  }
}

/** How long an answered connection is read on, ms. Nothing is judged by it. */
const LONGEST_REST_MS = 1_000

interface Conversation {
  answers: Answer[]
  isReusable: boolean
}

const converse = (socket: Socket, { parts, isHead, isAlone, isCut, isStream }: Sending): Promise<Conversation> =>
  new Promise((resolve) => {
    const answers: Answer[] = []
    let received: Buffer = Buffer.alloc(0)
    let patience: NodeJS.Timeout | undefined
    const finish = (isReusable: boolean): void => {
      clearTimeout(patience)
      socket.off('data', hear)
      socket.off('end', end)
      socket.off('close', end)
      resolve({ answers, isReusable })
    }
    const end = (): void => {
      const last = readAnswer(received, { isHead, isStream, hasEnded: true })
      if (last !== undefined) answers.push(last.answer)
      finish(false)
    }
    const hear = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      for (;;) {
        const read = readAnswer(received, { isHead, isStream, hasEnded: false })
        if (read === undefined) return
        received = received.subarray(read.length)
        if (read.answer.status < 200) continue
        answers.push(read.answer)
        if (isCut) continue
        if (isStream) return finish(false)
        if (!isAlone) return finish(received.length === 0 && read.answer.headers['connection'] !== 'close')
        // Further answers to the bytes come before the end, or soon: the api may keep a connection that has ended.
        socket.end()
        patience ??= setTimeout(() => finish(false), LONGEST_REST_MS)
      }
    }
    socket.on('data', hear)
    socket.once('end', end)
    socket.once('close', end)
    for (const part of parts) socket.write(part)
    if (isCut) socket.end()
  })

interface Reading {
  isHead?: boolean | undefined
  isStream?: boolean | undefined
  hasEnded: boolean
}

/** Reads the first answer; undefined while it is not whole. */
const readAnswer = (
  bytes: Buffer,
  { isHead, isStream, hasEnded }: Reading,
): { answer: Answer; length: number } | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? Number.NaN)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    const value = line.slice(at + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const from = end + 4
  const whole = (body: Buffer, length: number) => ({ answer: { status, headers, body }, length })
  if (isHead || isStream || status < 200 || status === 204 || status === 304) return whole(Buffer.alloc(0), from)
  const length = headers['content-length']
  if (length !== undefined) {
    const to = from + Number(length)
    return bytes.length >= to ? whole(bytes.subarray(from, to), to) : undefined
  }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes, from, whole)
  return hasEnded ? whole(bytes.subarray(from), bytes.length) : undefined
}

const readChunks = (
  bytes: Buffer,
  from: number,
  whole: (body: Buffer, length: number) => { answer: Answer; length: number },
): { answer: Answer; length: number } | undefined => {
  const chunks: Buffer[] = []
  for (let at = from; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return whole(Buffer.concat(chunks), next)
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}
