import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { NOW, useEdge } from '../../../../test/world/edge.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const edge = useEdge()

const BODY = '{"blockchain":"BITCOIN"}'
const order = (more: string, rest: string): string => {
  const { id, privateKey } = edge.merchant
  const signature = sign(privateKey, 'POST', '/merchants/addresses', BODY, NOW / 1_000)
  return `POST /merchants/addresses HTTP/1.1\r\nHost: a\r\nmerchant-id: ${id}\r\nsignature: ${signature}\r\ntimestamp: ${NOW / 1_000}\r\n${more}\r\n\r\n${rest}`
}
const LENGTH = `content-length: ${BODY.length}`
/** Statuses that a connection got until the server ended it, when its client closes its half after the first answer. */
const answersOf = async (bytes: string): Promise<number[]> => {
  const socket = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.includes('\r\n\r\n')) socket.end()
  })
  socket.write(bytes)
  await once(socket, 'end')
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}

test('a connection ends when its client has closed its half after the answer', async () => {
  // Nothing else ends it: a connection that is kept alive has no time limit.
  const { server } = edge.app
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 })
  server.setTimeout(0)
  const page = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nHost: a\r\n`
  const sent: Record<string, string> = {
    'an order': order(LENGTH, BODY),
    'an order in chunks': order('transfer-encoding: chunked', `18\r\n${BODY}\r\n0\r\n\r\n`),
    'an order that asks for an upgrade': order(`connection: upgrade\r\nupgrade: websocket\r\n${LENGTH}`, BODY),
    'an order with half of a request behind it': order(LENGTH, `${BODY}GET / HT`),
    'a refusal before the body': `${page('POST', '/merchants/addresses')}content-length: 900\r\n\r\n{`,
    'a refusal before chunks': `${page('POST', '/merchants/addresses')}transfer-encoding: chunked\r\n\r\n5\r\n{`,
    'a body that nothing reads': `${page('POST', '/nothing')}content-length: 900\r\n\r\n{`,
    'no HTTP': 'x\r\n\r\n',
    'a document': `${page('GET', '/openapi.json')}\r\n`,
    'an unknown path': `${page('HEAD', '/nothing')}\r\n`,
  }
  for (const [name, bytes] of Object.entries(sent)) expect((await answersOf(bytes)).length, name).toBeGreaterThan(0)
})

test('a connection whose bytes are not HTTP stays open for its client to read the answer while it still sends', async () => {
  const connected = once(edge.app.server, 'connection') as Promise<[Socket]>
  const client = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  client.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  const [server] = await connected
  client.write('x\r\n\r\n')
  await once(client, 'end')
  expect(text).toMatch(/^HTTP\/1\.1 400 /)
  const before = server.bytesRead
  client.write('more')
  await expect.poll(() => server.bytesRead, { timeout: 60_000 }).toBe(before + 'more'.length)
  expect(server.destroyed).toBe(false)
  client.end()
  const [isBroken] = (await once(client, 'close')) as [boolean]
  expect(isBroken).toBe(false)
})

test('bytes behind an order that is carried out do not take the place of its answer', async () => {
  edge.handled.length = 0
  expect(await answersOf(order(LENGTH, `${BODY}\0\0`))).toEqual([200])
  expect(edge.handled).toHaveLength(1)
})

test('closing answers requests under way, ends their connections, and does not wait for idle ones', async () => {
  edge.handled.length = 0
  const target = '/merchants/assets/crypto'
  const { id, privateKey } = edge.merchant
  const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nmerchant-id: ${id}\r\nsignature: ${sign(privateKey, 'GET', target, '', NOW / 1_000)}\r\ntimestamp: ${NOW / 1_000}\r\n\r\n`
  const idle = connect(edge.port, '127.0.0.1')
  idle.write(request)
  await new Promise((resolve) => idle.once('data', resolve))
  let finish = (): void => {}
  edge.answer = () =>
    new Promise((resolve) => {
      finish = () => resolve({ status: 200, body: { late: true } })
    })
  const busy = connect(edge.port, '127.0.0.1')
  let text = ''
  busy.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const ended = new Promise((resolve) => busy.once('close', resolve))
  busy.write(request)
  while (edge.handled.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  const closed = edge.app.close()
  setTimeout(() => finish(), 50)
  await Promise.all([closed, ended])
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*\{"late":true\}$/i)
  await expect(edge.call('GET', target)).rejects.toThrow(/ECONNREFUSED|socket hang up/)
  // An idle connection would have kept it for a minute.
})
