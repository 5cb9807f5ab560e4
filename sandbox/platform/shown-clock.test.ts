import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { untilShown } from './shown-clock.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** A role's inner server. @param shown its offset at each request, in ms; undefined: it hangs */
const roleAt = async (shown: (asked: number) => number | undefined): Promise<{ port: number; asked(): number }> => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    const offsetMs = shown(asked)
    if (offsetMs !== undefined) response.end(JSON.stringify({ offsetMs }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, asked: () => asked }
}

test('waits for each role, and is content with a later offset', async () => {
  const [slow, ahead] = [await roleAt((asked) => (asked < 4 ? 0 : 1_000)), await roleAt(() => 2_000)]
  await untilShown([slow.port, ahead.port], 1_000)
  expect([slow.asked(), ahead.asked()]).toEqual([4, 1])
})

test('skips a role that does not run', async () => {
  const gone = await roleAt(() => 0)
  servers.pop()!.close()
  await untilShown([gone.port], 1_000)
  expect(gone.asked()).toBe(0)
})

test.each([
  ['shows the old offset', 0],
  ['does not answer', undefined],
])('refuses when a role %s', async (_, offsetMs) => {
  const { port } = await roleAt(() => offsetMs)
  await expect(untilShown([port], 1_000, 50)).rejects.toThrow(`inner port ${port} does not follow`)
})
