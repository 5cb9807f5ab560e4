/** Bytes to a server and the answers that come back, for requests that no HTTP client would send. */
import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  headers: string
  body: string
}

/** Splits the bytes of a connection into answers, by Content-Length or chunks (RFC 9112, 6.3). */
const answersIn = (bytes: Buffer): RawAnswer[] => {
  const answers: RawAnswer[] = []
  let rest = bytes.toString('latin1')
  for (;;) {
    const [all, status, headers] = /^HTTP\/1\.[01] (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? []
    if (all === undefined || status === undefined) return answers
    rest = rest.slice(all.length)
    if (status === '100') continue
    const [body, length] = bodyIn(rest, headers ?? '')
    rest = rest.slice(length)
    answers.push({ status: Number(status), headers: headers ?? '', body })
  }
}

const bodyIn = (rest: string, headers: string): [body: string, length: number] => {
  const [, length] = /^content-length: (\d+)\r$/im.exec(headers) ?? []
  if (length !== undefined) return [rest.slice(0, Number(length)), Number(length)]
  if (!/^transfer-encoding: chunked\r$/im.test(headers)) return [rest, rest.length]
  let [body, at] = ['', 0]
  for (;;) {
    const [line, size] = /^([0-9a-f]+)\r\n/i.exec(rest.slice(at)) ?? []
    if (line === undefined) return [body, rest.length]
    const bytes = Number.parseInt(size!, 16)
    body += rest.slice(at + line.length, at + line.length + bytes)
    at += line.length + bytes + 2
    if (bytes === 0) return [body, at]
  }
}

/**
 * Sends bytes on one connection. Returns all answers, once the server has closed the connection.
 * @param isCut ends the sending side at once, so that a server does not wait for the rest of a body that never comes.
 *   A proxy may then leave out requests that it has not begun. Otherwise the last request must have the header
 *   `connection: close`
 */
export const converse = (port: number, text: string, isCut: boolean): Promise<RawAnswer[]> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const received: Buffer[] = []
    socket.on('connect', () => (isCut ? socket.end(text, 'latin1') : socket.write(text, 'latin1')))
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('end', () => socket.end())
    // A connection that is reset has been refused: the answers before that count.
    socket.on('error', () => {})
    socket.on('close', () => resolve(answersIn(Buffer.concat(received))))
  })
