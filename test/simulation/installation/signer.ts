/**
 * The real signer behind its own protocol, in this process, with virtual time. It can be restarted and loses nothing.
 */
import { join } from 'node:path'
import { openMemory } from '../../../signer/src/log/memory.ts'
import { readPolicy } from '../../../signer/src/policy/policy.ts'
import { listen } from '../../../signer/src/server/endpoint.ts'
import { createHttpServer } from '../../../signer/src/server/http-server.ts'
import { Signer } from '../../../signer/src/server/signer.ts'
import type { VirtualClock } from '../virtual.ts'
import { keyring } from './keys.ts'

export interface SimulatedSigner {
  /** path of the socket that it listens on */
  readonly socketPath: string
  /** Stops it and starts it again on the same log. */
  restart(): Promise<void>
  setPolicy(policy: object): void
  stop(): Promise<void>
}

export const startSimulatedSigner = async (
  dir: string,
  policy: object,
  clock: VirtualClock,
): Promise<SimulatedSigner> => {
  const socketPath = join(dir, 'signer.sock')
  let current = readPolicy(JSON.stringify(policy))
  const header = {
    kind: 'log',
    version: 1,
    at: clock.now(),
    masterFingerprint: keyring.publicKeys.masterFingerprint,
  } as const
  const start = async () => {
    const { log, history } = await openMemory(join(dir, 'signer.log'), header)
    const signer = new Signer({ policy: current, keyring, log, history, now: clock.now })
    const events = { refused: () => {}, failed: (error: Error) => process.stderr.write(`signer: ${error.stack}\n`) }
    const { server } = createHttpServer(signer, events)
    await listen(server, { socketPath })
    const stop = async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await signer.drained()
      await log.close()
    }
    return { signer, stop }
  }
  let running = await start()
  return {
    socketPath,
    restart: async () => {
      await running.stop()
      running = await start()
    },
    setPolicy: (next) => {
      current = readPolicy(JSON.stringify(next))
      running.signer.replacePolicy(current)
    },
    stop: () => running.stop(),
  }
}
