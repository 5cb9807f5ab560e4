/** Every request to an address of the settings sends the login that the address contains. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createExporter } from '../platform/traces/exporter.ts'
import { createAlertmanagerReceiver, createWebhookReceiver } from './alert-receivers/index.ts'
import { createExchange } from './chains/exchange.ts'
import { quotaOf } from './chains/survey/quota.ts'
import { getText } from './rates/get.ts'
import { postForm } from './screening/post-form.ts'

const received: { path: string | undefined; authorization: string | undefined }[] = []
const server = createServer((request, response) => {
  received.push({ path: request.url, authorization: request.headers.authorization })
  request.resume().on('end', () => response.end('{}'))
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  received.length = 0
})

const urlWith = (login: string): string => `http://${login}127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`

const trace = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<void> => {
  const failures: unknown[] = []
  const onFailure = (error: unknown): void => void failures.push(error)
  const exporter = createExporter({ url, headers, resource: { role: 'api', version: '1' }, onFailure })
  exporter.add({
    traceId: '0193b1d2a7c47e0a8f0102030405060a',
    spanId: '8f0102030405060a',
    parentId: undefined,
    name: 'x',
    kind: 'server',
    startedAt: 0,
    endedAt: 1,
    attributes: {},
    failed: false,
  })
  await exporter.close()
  expect(failures).toEqual([])
}

const askNode = async (url: string): Promise<void> => {
  const exchange = createExchange({ url, connections: 1, maxBytes: 100 })
  await exchange.post('{}', 5_000)
  await exchange.close()
}

const at = new Date(0)
const SENDERS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'a webhook of alerts': (url) => createWebhookReceiver({ url, name: 'x', secret: null }).send([], at),
  Alertmanager: (url) => createAlertmanagerReceiver(url.replace('?b=c', ''), 'x').send([], at),
  'the source of prices': (url) => getText(url, 'x'),
  'the receiver of traces': trace,
  'a screening service': (url) => postForm(url, {}, { name: 'x', timeoutMs: 5_000 }),
  'a node': askNode,
  'the quota of a node': (url) => quotaOf(url, { body: {} }),
}
const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`

test.for(Object.keys(SENDERS))('%s gets the login of its address, decoded', async (name) => {
  const send = SENDERS[name]!
  for (const login of ['', 'user:p%40ss%3Aword@', 'user@', ':token@', 'user:100%@']) await send(urlWith(login))
  expect(received.map(({ authorization }) => authorization)).toEqual([
    undefined,
    basic('user:p@ss:word'),
    basic('user:'),
    basic(':token'),
    basic('user:100%'),
  ])
  expect(new Set(received.map(({ path }) => path))).toEqual(
    new Set([name === 'Alertmanager' ? '/a/api/v2/alerts' : '/a?b=c']),
  )
})

test('a header of the settings takes the place of the login', async () => {
  await trace(urlWith('user:password@'), { authorization: 'Bearer of traces' })
  expect(received.map(({ authorization }) => authorization)).toEqual(['Bearer of traces'])
})
