/**
 * One sandbox for many test files: blocks every half second, without screening, hedging and emulators, never stopped
 * money. Files take turns, because the clock, the faults and the roles are everybody's; merchants are a file's own.
 * A file finds old rows of other files: it asserts on its own objects, or on changes.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import '../setup/provided.ts'
import { connectSandbox, type ConnectedSandbox, type Place } from './connected.ts'
import type { Request } from './sandbox-host.ts'

/** All files that share may come first. */
const TURN_MS = 60 * 60_000

/** For the top of a test file, before its own hooks; used inside hooks and tests only. */
export const useSharedSandbox = (): ConnectedSandbox => {
  const sandbox = {} as ConnectedSandbox
  let turn: Awaited<ReturnType<typeof takeTurn>> | undefined
  let ran = 0
  let failed = 0
  beforeAll(async () => {
    turn = await takeTurn(inject('sandboxPort'))
    const { ask, place } = turn
    Object.assign(
      sandbox,
      connectSandbox(place, {
        kill: (role) => ask({ kill: role }),
        start: (role, env = {}) => ask({ start: role, env }),
      }),
    )
  }, TURN_MS)
  afterEach(({ task }) => {
    ran += 1
    if (task.result?.state !== 'pass') failed += 1
  })
  afterAll(() => turn?.ask({ giveBack: { passed: ran > 0 && failed === 0 } }))
  return sandbox
}

const takeTurn = async (port: number): Promise<{ place: Place; ask(request: Request): Promise<void> }> => {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const answer = async (): Promise<object> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the process of the shared sandbox has ended')
    const said = JSON.parse(value) as { error?: string }
    if (said.error !== undefined) throw new Error(said.error)
    return said
  }
  return {
    place: (await answer()) as Place,
    ask: async (request) => {
      socket.write(`${JSON.stringify(request)}\n`)
      await answer()
    },
  }
}
