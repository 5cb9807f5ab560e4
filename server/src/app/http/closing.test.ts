import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { NOW, useEdge } from '../../../../test/world/edge.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const edge = useEdge()

test('closing answers what is under way, ends its connections, and waits for nobody who is idle', async () => {
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
