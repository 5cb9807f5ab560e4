/** Answers of pages that go on: server-sent events. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { PageRoute } from '../../platform/api/page.ts'
import { useEdge } from '../../../../test/world/edge.ts'

const LONGEST_MS = 2_500
let released = 0
const streaming =
  (write: (n: number) => string, everyMs: number): PageRoute['handle'] =>
  async () => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    stream: async (send, signal) => {
      for (let n = 0; !signal.aborted && n < 5_000; n += 1) {
        send(write(n))
        await sleep(everyMs)
      }
      if (signal.aborted) released += 1
    },
  })
const endless: PageRoute['handle'] = async () => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  stream: async (send, signal) => {
    send('data: 0\n\n')
    await once(signal, 'abort')
  },
})
let flooded = 0
const flooding: PageRoute['handle'] = async () => ({
  status: 200,
  headers: {},
  stream: async (send, signal) => {
    while (!signal.aborted) {
      for (let n = 0; n < 50; n += 1) send('x'.repeat(60_000))
      await sleep(1)
    }
    flooded += 1
  },
})

const page = (path: string, handle: PageRoute['handle']): PageRoute => ({
  method: 'GET',
  path,
  mostBytes: 0,
  handle,
})
const serve = (routes: readonly PageRoute[], longestMs: number) =>
  useEdge({
    pages: {
      routes: [...routes],
      problem: () => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '' }),
      postsPerMinute: 1,
      getsPerMinute: 100_000,
      streams: { most: 3, perAddress: 2, longestMs, mostWaiting: 64 * 1024 },
    },
  })
const live = page(
  '/live',
  streaming((n) => `data: ${n}\n\n`, 5),
)
const edge = serve([live], LONGEST_MS)
/** Its answers do not end with their time while a test runs. */
const lasting = serve([live, page('/flood', flooding)], 3_600_000)
const stopping = serve([page('/endless', endless)], 3_600_000)

/** Opens a stream that is read, or with `paused` never. */
const open = (
  path: string,
  paused = false,
  port = edge.port,
): Promise<{ text: () => string; end(): void; ended: Promise<void> }> =>
  new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n`),
    )
    const ended = new Promise<void>((done) => socket.once('close', () => done()))
    socket.on('error', () => {})
    socket.once('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (paused) socket.pause()
      else socket.on('data', (more: Buffer) => (text += more.toString()))
      resolve({ text: () => text, end: () => socket.destroy(), ended })
    })
  })

describe('an answer that goes on', () => {
  test('arrives as it is written, and ends with its time', async () => {
    const stream = await open('/live')
    const before = released
    await stream.ended
    expect(stream.text()).toMatch(/^HTTP\/1\.1 200 [^]*text\/event-stream[^]*data: 0\n\n[^]*data: 20\n\n/)
    await expect.poll(() => released).toBeGreaterThan(before)
  })

  test('is let go when its client leaves', async () => {
    const before = released
    const stream = await open('/live', false, lasting.port)
    stream.end()
    await expect.poll(() => released).toBeGreaterThan(before)
  })

  test('is one of few from one address', async () => {
    const two = await Promise.all([open('/live'), open('/live')])
    expect(await edge.raw('GET', '/live', ['accept', 'text/html'])).toMatchObject({
      status: 429,
      headers: { 'retry-after': '10' },
    })
    for (const one of two) one.end()
    await expect
      .poll(async () => {
        const again = await open('/live')
        again.end()
        return again.text()
      })
      .toMatch(/^HTTP\/1\.1 200/)
  })

  test('is cut off from a client that does not read', async () => {
    const flood = await open('/flood', true, lasting.port)
    await expect.poll(() => flooded).toBe(1)
    flood.end()
  })
})

test('closing ends endless answers and does not wait for them', async () => {
  const stream = await open('/endless', false, stopping.port)
  await stopping.app.close()
  await stream.ended
  expect(stream.text()).toContain('data: 0\n\n')
})
