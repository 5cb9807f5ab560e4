/**
 * Owns the sandbox that test files share (`shared-sandbox.ts`). Files take turns: the one that has its turn may move
 * the clock, kill roles and order faults, and hands the sandbox on with its roles as they were. A sandbox in which a
 * test failed is not handed on. One connection is one turn; its messages are lines of JSON. The run's set-up starts
 * this process and passes the connections to it (`test/setup/sandbox.global.ts`).
 */
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { createDemoMerchants, type DemoMerchant } from '../../sandbox/platform/merchants.ts'
import type { Role } from './connected.ts'
import { startSandbox, type Sandbox } from './sandbox.ts'

/** The requests of a file in its turn. */
export type Request = { kill: Role } | { start: Role; env: Record<string, string> } | { giveBack: { passed: boolean } }

const PACE = {
  BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
  BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
  BURSAR_BLOCK_SECONDS_BSC: '0.5',
}

let sandbox: Sandbox | undefined
let turns: Promise<void> = Promise.resolve()

/** Two merchants that no other file has. */
const createMerchants = ({ place: { database, environment, inbox } }: Sandbox): Promise<DemoMerchant[]> =>
  createDemoMerchants({ databaseUrl: database, dataKeyFile: environment['BURSAR_DATA_KEY_FILE']!, inbox })

/** @returns whether the next file can have the sandbox */
const serve = async (socket: Socket, lent: Sandbox): Promise<boolean> => {
  const answer = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`)
  answer({ ...lent.place, merchants: await createMerchants(lent) })
  /** Roles that do not run, or not as they did in the beginning. */
  const changed = new Set<Role>()
  for await (const line of createInterface({ input: socket })) {
    const request = JSON.parse(line) as Request
    try {
      if ('kill' in request) {
        changed.add(request.kill)
        await lent.kill(request.kill)
      } else if ('start' in request) {
        if (Object.keys(request.env).length === 0) changed.delete(request.start)
        await lent.start(request.start, request.env)
      } else {
        const denied = lent.denied()
        if (denied.length > 0)
          throw new Error(`a database role was denied what its process does:\n${denied.join('\n')}`)
        for (const role of request.giveBack.passed ? changed : []) {
          await lent.kill(role)
          await lent.start(role)
        }
        answer({})
        return request.giveBack.passed
      }
      answer({})
    } catch (error) {
      answer({ error: String(error) })
    }
  }
  return false
}

const takeTurn = async (socket: Socket): Promise<void> => {
  socket.on('error', () => {})
  if (socket.destroyed) return
  let whole = false
  try {
    sandbox ??= await startSandbox(PACE)
    whole = await serve(socket, sandbox)
  } catch (error) {
    socket.write(`${JSON.stringify({ error: String(error) })}\n`)
  } finally {
    socket.end()
    // The earlier file has reported its denied statements.
    if (!whole) await sandbox?.stop().catch(() => {})
    if (!whole) sandbox = undefined
  }
}

process.on('message', (_take, socket) => {
  turns = turns.then(() => takeTurn(socket as Socket))
})
// A terminal's Ctrl-C reaches the run too, which ends and so disconnects.
process.on('SIGINT', () => {})
process.on('disconnect', () => {
  void turns.then(() => sandbox?.stop())
})
