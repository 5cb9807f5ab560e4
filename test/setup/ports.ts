/** Ports for servers that tests start, stop and start again. */
import { createServer, type Server } from 'node:net'

/**
 * Below what systems hand out by themselves, so that no connection and no server of another test takes one before its
 * server listens, or while it is stopped.
 */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000]
/** Ports come in blocks of this many; the first of a block claims it. */
const BLOCK = 16

/**
 * A block of free ports. Its first one is listened at until this process ends, which keeps the others from every test
 * run on this machine.
 */
export const reservePorts = async (count: number): Promise<number[]> => {
  if (count >= BLOCK) throw new RangeError(`at most ${BLOCK - 1} ports`)
  const blocks = Math.floor((LAST_PORT - FIRST_PORT) / BLOCK)
  for (let tried = 0; tried < blocks; tried += 1) {
    const first = FIRST_PORT + ((process.pid + tried) % blocks) * BLOCK
    const claim = await listenAt(first)
    if (claim === undefined) continue
    claim.unref()
    const ports = Array.from({ length: count }, (_, at) => first + 1 + at)
    const looks = await Promise.all(ports.map(listenAt))
    for (const server of looks) if (server) await new Promise((resolve) => server.close(resolve))
    if (!looks.includes(undefined)) return ports
    claim.close()
  }
  throw new Error(`no ${count} free ports in a row from ${FIRST_PORT} to ${LAST_PORT}`)
}

/** @returns undefined when the port is taken */
const listenAt = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
