import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Most connections of one network address at once. A browser opens six, and two approvers may share an address. */
export const MOST_OF_ONE_ADDRESS = 16

/** Closes each new connection of a network address that has the most already. */
export function limitConnections(server: Server): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = (open.get(address) ?? 0) + 1
    if (count > MOST_OF_ONE_ADDRESS) {
      socket.destroy()
      return
    }
    open.set(address, count)
    socket.once('close', () => {
      const left = open.get(address)! - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
  })
}
