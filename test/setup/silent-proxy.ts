/**
 * A TCP way to the test's PostgreSQL that can go silent: connections stay open and no byte passes, as when a machine
 * loses power or an address moves.
 */
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SilentProxy {
  /** leads to the same database through the proxy */
  url: string
  setSilent(silent: boolean): void
  /** connections that the client has given up so far */
  givenUp(): number
  close(): void
}

export const openSilentProxy = async (url: string): Promise<SilentProxy> => {
  const host = /host=([^&]+)/.exec(url)![1]!
  const sockets: Socket[] = []
  let silent = false
  let givenUp = 0
  const proxy = createServer((near) => {
    const far = createConnection(`${decodeURIComponent(host)}/.s.PGSQL.5432`)
    sockets.push(near, far)
    near.once('end', () => (givenUp += 1))
    near.on('data', (data) => silent || far.write(data))
    far.on('data', (data) => silent || near.write(data))
    far.once('close', () => silent || near.destroy())
    for (const socket of [near, far]) socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    url: url.replace(/^(postgres(?:ql)?:\/\/)[^/]*/, `$1postgres@127.0.0.1:${port}`).replace(/host=[^&]+&?/, ''),
    setSilent: (now) => {
      silent = now
    },
    givenUp: () => givenUp,
    close: () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}
