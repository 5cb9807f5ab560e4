/** Finds free TCP ports of this machine, and the processes that listen at ports and sockets. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { inspectProcess } from './identity.ts'
import type { ProcessInfo } from './identity.ts'

/** A person else listens on a port that we need. */
class PortInUse extends Error {
  /** `setting` names the setting of the port. */
  constructor(port: number, wantedBy: string, setting?: string) {
    const user = listenerOf(port)
    const by = user === undefined ? 'another program' : `process ${user.pid} (${user.command})`
    const change = setting === undefined ? '' : `, or choose another port by setting ${setting}`
    super(`port ${port}, wanted by ${wantedBy}, is in use by ${by}; end it${change}`)
    this.name = 'PortInUse'
  }
}

/** Throws PortInUse when something listens on 127.0.0.1:port. */
export async function requireFreePort(port: number, wantedBy: string, setting?: string): Promise<void> {
  if ((await tryListen(port)) === undefined) throw new PortInUse(port, wantedBy, setting)
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const port = await tryListen(0)
  if (port === undefined) throw new Error('the system has no free TCP port')
  return port
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(new Error(`cannot listen on port ${port}: ${error.message}; choose another port`))
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}

/** A port of 127.0.0.1, or a socket in the file system. */
export type Listening = { readonly port: number } | { readonly socketPath: string }

/** Returns whether the process listens there; undefined where the system does not show it. */
export function isListening(where: Listening, pid: number): boolean | undefined {
  if (inspectProcess(pid) === undefined) return false
  try {
    const inodes = 'port' in where ? listeningInodes(where.port) : listeningSocketInodes(where.socketPath)
    // Throws where the open files of the process are not shown to us.
    readdirSync(`/proc/${pid}/fd`)
    return holdsAny(String(pid), socketsOf(inodes))
  } catch {
    return undefined
  }
}

const socketsOf = (inodes: readonly string[]): ReadonlySet<string> =>
  new Set(inodes.map((inode) => `socket:[${inode}]`))

/** The process that listens on the port, as far as the system shows it to us. */
function listenerOf(port: number): ProcessInfo | undefined {
  try {
    const sockets = socketsOf(listeningInodes(port))
    if (sockets.size === 0) return undefined
    const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holdsAny(name, sockets))
    return pid === undefined ? undefined : inspectProcess(Number(pid))
  } catch {
    return undefined
  }
}

/** /proc/net/tcp: local address and port in hex, state 0A is LISTEN, the tenth field is the socket's inode. */
function listeningInodes(port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[1]?.endsWith(suffix) === true && fields[3] === '0A')
      .map((fields) => fields[9] ?? ''),
  )
}

/** /proc/net/unix: the fourth field has the bit __SO_ACCEPTCON, then type, state, inode and path. */
function listeningSocketInodes(path: string): string[] {
  return readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '00010000' && fields.slice(7).join(' ') === path)
    .map((fields) => fields[6] ?? '')
}

function holdsAny(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`))
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}
