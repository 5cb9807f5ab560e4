import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { limitConnections, MOST_OF_ONE_ADDRESS } from './page-connections.ts'

test('connections of one address are limited, and leave those of other addresses alone', async () => {
  const server = createServer((_, response) => response.end())
  limitConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const openOne = () => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => undefined)
  const greedy = Array.from({ length: 64 }, openOne)
  onTestFinished(() => {
    for (const socket of greedy) socket.destroy()
    server.close()
  })
  const askFrom = (localAddress: string): Promise<number> =>
    new Promise((resolve) => {
      get({ port, host: '127.0.0.1', localAddress, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode!)
      }).on('error', () => resolve(0))
    })
  const openNow = () => greedy.filter(({ closed }) => !closed)
  await vi.waitFor(() => expect(openNow()).toHaveLength(MOST_OF_ONE_ADDRESS), 30_000)
  expect(await askFrom('127.0.0.2')).toBe(0)
  expect(await askFrom('127.0.0.1')).toBe(200)
  openNow()[0]!.destroy()
  await vi.waitFor(async () => expect(await askFrom('127.0.0.2')).toBe(200), 30_000)
})
