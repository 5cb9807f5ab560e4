import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import { createConnection } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Server } from 'node:http'

/** A socket file, for callers that run as this user on this machine, or a port, for callers with a certificate. */
export type Endpoint = { socketPath: string } | { host: string; port: number }

const OWNER_ONLY = 0o600

/** Starts listening and returns the address as text. Other users can never open the socket, not even for a moment. */
export async function listen(server: Server, endpoint: Endpoint): Promise<string> {
  if ('socketPath' in endpoint) {
    await removeStaleSocket(endpoint.socketPath)
    const umask = process.umask(0o177)
    try {
      server.listen(endpoint.socketPath)
    } finally {
      process.umask(umask)
    }
    await once(server, 'listening')
    await chmod(endpoint.socketPath, OWNER_ONLY)
    return endpoint.socketPath
  }
  server.listen(endpoint.port, endpoint.host)
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  return `${address}:${port}`
}

/** Removes the socket file of a process that was killed. Throws when another process still listens there. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket: choose another --socket`)
  if (await isAnswered(path)) throw new Error(`Another process listens at ${path}`)
  await unlink(path)
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(path)
    connection.on('connect', () => {
      connection.destroy()
      resolve(true)
    })
    connection.on('error', () => resolve(false))
  })
}
