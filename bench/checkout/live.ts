/** Holds pages open over simple connections, each of which reports the time of a change. */
import { connect, type Socket } from 'node:net'

export interface OpenPage {
  /** when data came last, ms of `performance.now()` */
  heardAt(): number
  /** how many changes were heard */
  heard(): number
  close(): void
}

export const openPage = (port: number, id: string): Promise<OpenPage> =>
  new Promise((resolve, reject) => {
    let [at, count] = [0, 0]
    let text = ''
    const socket: Socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET /invoices/crypto/${id}/live HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n`)
    })
    socket.on('error', reject)
    socket.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('latin1')).slice(-400)
      if (text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200')) return reject(new Error(text))
      const events = text.split('data: ').length - 1
      if (events === 0) return
      text = ''
      at = performance.now()
      count += events
      resolve({ heardAt: () => at, heard: () => count, close: () => socket.destroy() })
    })
  })
