import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve, type SandboxServer } from './server.ts'

let server: SandboxServer
const done: unknown[] = []
beforeAll(async () => {
  server = await serve({
    name: 'test',
    port: 0,
    routes: [{ method: 'POST', path: /^\/credit$/, name: 'POST /credit', handle: async () => done.push('credited') }],
  })
})
afterAll(() => server.stop())

const post = (headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}/credit`,
      { method: 'POST', headers: { 'content-type': 'text/plain', ...headers } },
      (response) => {
        response.resume()
        resolve(response.statusCode!)
      },
    )
    sent.on('error', reject)
    sent.end('{}')
  })

describe('audit S-15: the sandbox serves this machine only', () => {
  test.each<Record<string, string>>([
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1.evil.test' },
    { host: 'evil.test:48090' },
    { host: '127.0.0.1.evil.test' },
    { host: 'localhost@evil.test' },
  ])('%j is refused', async (headers) => {
    done.length = 0
    expect(await post(headers)).toBe(403)
    expect(done).toEqual([])
  })

  test.each<Record<string, string>>([
    {},
    { origin: 'http://127.0.0.1:8091' },
    { origin: 'http://localhost:3000' },
    { host: 'localhost:8090' },
    { host: '[::1]:8090' },
  ])('%j is served', async (headers) => {
    expect(await post(headers)).toBe(200)
  })
})
