/**
 * Stands between a client and PostgreSQL, and loses the answer to a COMMIT when asked to: the transaction is done, and
 * its client can't know.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface LosingProxy {
  /** of the same database, through the proxy */
  url: string
  /** The next COMMIT is carried out, and its connection ends before the answer. */
  loseNextCommit(): void
  /** answers that were lost */
  lost(): number
  close(): Promise<void>
}

// A simple query as the driver sends it (PostgreSQL: Message Formats, Query): its text ends with a zero byte.
const COMMIT = /\bcommit\0/i

export const startLosingProxy = async (url: string): Promise<LosingProxy> => {
  const target = new URL(url)
  const directory = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const open = new Set<Socket>()
  let armed = false
  let lost = 0
  const server = createServer((client) => {
    const upstream = directory === null ? connect(port, target.hostname) : connect(`${directory}/.s.PGSQL.${port}`)
    let losing = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => {
      if (armed && COMMIT.test(bytes.toString('latin1'))) [armed, losing] = [false, true]
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (!losing) return void client.write(bytes)
      lost += 1
      client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.searchParams.delete('host')
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    loseNextCommit: () => {
      armed = true
    },
    lost: () => lost,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
