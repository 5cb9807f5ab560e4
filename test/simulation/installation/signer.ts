/**
 * The real signer behind its own protocol, in this process, with virtual time. It can be restarted and loses nothing.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Network } from '@bursar/chainkit'
import type { Approvals } from '../../../signer/src/approvals/approvals.ts'
import { openMemory } from '../../../signer/src/log/memory.ts'
import { LOG_HEADER, writeLogEnd, type SignRequest } from '../../../signer/src/protocol/protocol.ts'
import { readPolicy } from '../../../signer/src/policy/policy.ts'
import { listen } from '../../../signer/src/server/endpoint.ts'
import { createHttpServer } from '../../../signer/src/server/http-server.ts'
import { Signer } from '../../../signer/src/server/signer.ts'
import { APPROVALS_ORIGIN } from '../../world/passkeys.ts'
import { forwardTo, type Answer, type Exchange } from '../fronts/http.ts'
import type { VirtualClock } from '../virtual.ts'
import { keyring } from './keys.ts'

/** A signer beside the program's, on a copy of its log. The program's signer never learns of its signatures. */
export interface SignerCopy {
  /** where people approve payments */
  readonly approvals: Approvals
  setPolicy(policy: object): void
  /** @returns the HTTP status of the answer */
  sign(request: SignRequest): Promise<number>
}

export interface SimulatedSigner {
  /** path of the socket that it listens on */
  readonly socketPath: string
  /** Stops it and starts it again on the same log. */
  restart(): Promise<void>
  /** as its file has it */
  readonly policy: object
  setPolicy(policy: object): void
  /** Carries out an exchange, and remembers requests that were signed. */
  forward(exchange: Exchange): Promise<Answer>
  /** requests of the program to sign, in their order */
  readonly requested: readonly SignRequest[]
  /** those that were signed, in their order */
  readonly signed: readonly SignRequest[]
  /** networks of the transactions that the program got signed, by their hashes */
  readonly hashes: ReadonlyMap<string, Network>
  /** Asks past the front. */
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer>
  /**
   * Makes `ask` reach a second signer during `work`: started from a copy of the log without its newest line. The caller
   * knows that line.
   */
  withOlderLog<T>(work: () => Promise<T>): Promise<T>
  /** Starts a signer of this policy on a copy of the log for the time of `work`. */
  withCopy<T>(policy: object, work: (copy: SignerCopy) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

export const startSimulatedSigner = async (
  dir: string,
  policy: object,
  clock: VirtualClock,
): Promise<SimulatedSigner> => {
  const socketPath = join(dir, 'signer.sock')
  let file = policy
  let current = readPolicy(JSON.stringify(file))
  const header = {
    kind: 'log',
    version: 1,
    at: clock.now(),
    masterFingerprint: keyring.publicKeys.masterFingerprint,
  } as const
  const logFile = join(dir, 'signer.log')
  const start = async (file: string, socket: string) => {
    const { log, history } = await openMemory(file, header)
    const signer = new Signer({ policy: current, keyring, log, history, now: clock.now, approvalsAt: APPROVALS_ORIGIN })
    const events = { refused: () => {}, failed: (error: Error) => process.stderr.write(`signer: ${error.stack}\n`) }
    const { server } = createHttpServer(signer, events)
    await listen(server, { socketPath: socket })
    const stop = async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await signer.drained()
      await log.close()
    }
    return { signer, stop }
  }
  let running = await start(logFile, socketPath)
  const requested: SignRequest[] = []
  const signed: SignRequest[] = []
  const hashes = new Map<string, Network>()
  const forward = forwardTo({ socketPath })
  /** @param leaveOut newest lines that the copy of the log does not have */
  const beside = async <T>(
    leaveOut: number,
    work: (second: Awaited<ReturnType<typeof start>>, ask: typeof forward) => Promise<T>,
  ): Promise<T> => {
    const folder = join(dir, 'beside')
    mkdirSync(folder)
    const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n')
    writeFileSync(join(folder, 'log'), `${lines.slice(0, lines.length - leaveOut).join('\n')}\n`)
    const second = await start(join(folder, 'log'), join(folder, 's'))
    try {
      return await work(second, forwardTo({ socketPath: join(folder, 's') }))
    } finally {
      await second.stop()
      rmSync(folder, { recursive: true })
    }
  }
  /** where `ask` goes, and what it says that it has seen */
  let asked: { forward: typeof forward; headers: Exchange['headers'] } = { forward, headers: {} }
  return {
    socketPath,
    requested,
    signed,
    hashes,
    forward: async (exchange) => {
      if (exchange.path !== '/sign') return forward(exchange)
      const request = JSON.parse(exchange.body.toString('utf8')) as SignRequest
      requested.push(request)
      const answer = await forward(exchange)
      if (answer.status === 200) {
        signed.push(request)
        hashes.set((JSON.parse(answer.body.toString('utf8')) as { hash: string }).hash, request.network)
      }
      return answer
    },
    ask: (method, path, body) => {
      const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
      return asked.forward({ method, path, headers: asked.headers, body: bytes })
    },
    withOlderLog: (work) => {
      const headers = { [LOG_HEADER]: writeLogEnd(running.signer.logEnd) }
      return beside(1, async (_, ask) => {
        asked = { forward: ask, headers }
        try {
          return await work()
        } finally {
          asked = { forward, headers: {} }
        }
      })
    },
    withCopy: (policy, work) =>
      beside(0, ({ signer }, ask) => {
        const setPolicy = (next: object): void => signer.replacePolicy(readPolicy(JSON.stringify(next)))
        setPolicy(policy)
        return work({
          approvals: signer.approvals,
          setPolicy,
          sign: async (request) => {
            const body = Buffer.from(JSON.stringify(request))
            return (await ask({ method: 'POST', path: '/sign', headers: {}, body })).status
          },
        })
      }),
    restart: async () => {
      await running.stop()
      running = await start(logFile, socketPath)
    },
    get policy() {
      return file
    },
    setPolicy: (next) => {
      file = next
      current = readPolicy(JSON.stringify(next))
      running.signer.replacePolicy(current)
    },
    stop: () => running.stop(),
  }
}
