/** TLS of Patroni's REST interface and of etcd, in the file and from the outside. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { createServer as createPlainServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certify } from '../../../../test/world/certificate.ts'
import { reportPatroni } from './doctor-patroni.ts'
import { answersWithoutCertificate, isLoopback, problemsOfTls } from './patroni-tls.ts'
import { mappingOf, readPlainYaml } from './plain-yaml.ts'

const GOOD = readFileSync(new URL('../../../../deploy/ha/patroni.yml', import.meta.url), 'utf8')

const problemsWith = (from: string | RegExp, to: string): string[] => {
  const text = GOOD.replace(from, to)
  expect(text).not.toBe(GOOD)
  return problemsOfTls(mappingOf(readPlainYaml(text)))
}

test('the file of deploy/ha has no fault', () => {
  expect(problemsOfTls(mappingOf(readPlainYaml(GOOD)))).toEqual([])
})

test.each([
  [/ {2}certfile: .*\n/, '', 'without certfile:'],
  [/ {2}verify_client: required\n/, '', 'without verify_client: required'],
  ['verify_client: required', 'verify_client: optional', 'without verify_client: required'],
  ['verify_client: required', 'verify_client: none', 'without verify_client: required'],
  [/restapi:\n(?: .*\n)*/, 'restapi:\n  listen: "[::]:8008"\n', 'without certfile and verify_client: required'],
  [/restapi:\n(?: .*\n)*/, 'restapi:\n  listen: db1:8008\n', 'without certfile and verify_client: required'],
  [/ {2}protocol: https\n/, '', 'etcd3 lacks protocol: https'],
  ['protocol: https', 'protocol: http', 'etcd3 lacks protocol: https'],
  [/ {2}cert: .*\n/, '', 'etcd3 lacks cert'],
  [/etcd3:\n(?: .*\n)*/, 'etcd:\n  host: 10.88.0.11:2379\n', 'etcd lacks protocol: https, cacert, cert, key'],
  [
    /etcd3:\n(?: .*\n)*/,
    'etcd3:\n  hosts:\n    - 127.0.0.1:2379\n    - 10.88.0.12:2379\n',
    'etcd3 lacks protocol: https, cacert, cert, key',
  ],
])('a connection that another machine can use without a certificate is a fault: %s -> %j', (from, to, fault) => {
  expect(problemsWith(from, to)).toEqual([expect.stringContaining(fault)])
})

test.each([
  [/restapi:\n(?: .*\n)*/, 'restapi:\n  listen: 127.0.0.1:8008\n'],
  [/restapi:\n(?: .*\n)*/, 'restapi:\n  listen: "[::1]:8008"\n'],
  [/restapi:\n(?: .*\n)*/, 'restapi:\n  listen: localhost:8008\n'],
  [/etcd3:\n(?: .*\n)*/, 'etcd3:\n  host: 127.0.0.1:2379\n'],
  [/etcd3:\n(?: .*\n)*/, ''],
  ['protocol: https', 'hosts: https://10.88.0.11:2379,https://10.88.0.12:2379,https://10.88.0.13:2379'],
])('what only this machine reaches needs no certificate, and addresses may have https: %s -> %j', (from, to) => {
  expect(problemsWith(from, to)).toEqual([])
})

test.each([
  ['127.8.9.1:8008', true],
  ['http://127.0.0.1:8008/cluster', true],
  ['https://[::1]:8008', true],
  ['localhost', true],
  ['http://user:password@127.0.0.1:8008', true],
  ['http://127.0.0.1:8008@db1:8008', false],
  ['0.0.0.0:8008', false],
  ['127.0.0.1.example.com:8008', false],
  ['[::ffff:10.0.0.1]:8008', false],
  ['*:8008', false],
  ['', false],
])('%j is loopback: %s', (place, expected) => {
  expect(isLoopback(place)).toBe(expected)
})

describe('a REST interface that needs a certificate', () => {
  const answers: Record<string, string> = {
    '/patroni': '{"patroni": {"version": "4.0.7"}}',
    '/config':
      '{"ttl": 20, "loop_wait": 3, "retry_timeout": 5, "synchronous_mode": true, "synchronous_mode_strict": true}',
    '/cluster': '{"members": [{"role": "leader"}, {"role": "sync_standby"}]}',
  }
  let dir: string
  let server: Server
  let url: string
  let own: { cert: string; key: string; ca: string }
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'bursar-patroni-tls-'))
    const ca = certify('ca')
    own = { ...certify('db1', ca, ['localhost']), ca: ca.cert }
    const client = certify('doctor', ca, ['doctor.example'])
    writeFileSync(join(dir, 'ca.crt'), ca.cert)
    writeFileSync(join(dir, 'client.crt'), client.cert)
    writeFileSync(join(dir, 'client.key'), client.key)
    server = createServer({ ...own, requestCert: true, rejectUnauthorized: true }, (request, response) =>
      response.end(answers[request.url!]),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `https://localhost:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.close()
    rmSync(dir, { recursive: true })
  })

  const faults = async (place: string, folder?: string): Promise<string[]> => {
    const bad: string[] = []
    await reportPatroni(
      place,
      folder,
      (good, text) => void (good || bad.push(text)),
      () => {},
    )
    return bad
  }

  test('is asked with the certificate of a folder', async () => {
    expect(await faults(url, dir)).toEqual([])
  })

  test.each([
    ['optional, so that it reads only', { requestCert: true, rejectUnauthorized: false }],
    ['not asked for', {}],
  ])('is a fault where the certificate of the client is %s', async (_, options) => {
    const open = createServer({ ...own, ...options }, (request, response) => response.end(answers[request.url!]))
    await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve))
    const place = `https://localhost:${(open.address() as AddressInfo).port}`
    const fault = 'the REST API answers a client without a certificate'
    expect(await faults(place, dir)).toEqual([expect.stringContaining(fault)])
    const member = { name: 'db2', role: 'sync_standby', api_url: `${place}/patroni` }
    const alone = answers['/cluster']
    answers['/cluster'] = JSON.stringify({ members: [{ role: 'leader' }, member] })
    expect(await faults(url, dir)).toEqual([expect.stringContaining('the REST API of db2 answers a client without')])
    answers['/cluster'] = alone!
    open.close()
  })

  test.each([
    ['http://doctor:a-pass@127.0.0.1:1', "patroni: http://127.0.0.1:1 can't be read"],
    ['http://doctor:a/pass word@127.0.0.1:8008', "patroni: http://127.0.0.1:8008 can't be read"],
    ['https://doctor:p@pass@127.0.0.1:1', "patroni: https://127.0.0.1:1 can't be read"],
  ])('is named without the password of its URL: %s', async (place, said) => {
    const [fault, ...more] = await faults(place)
    expect(fault).toContain(said)
    expect(fault).not.toContain('pass')
    expect(more).toEqual([])
  })

  test('that does not answer leaves it unknown', async () => {
    const silent = createPlainServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    silent.close()
    await expect(answersWithoutCertificate(`https://127.0.0.1:${port}/patroni`, undefined)).rejects.toThrow(
      'ECONNREFUSED',
    )
  })

  test('is not read without one', async () => {
    expect(await faults(url)).toEqual([expect.stringContaining("can't be read")])
    expect(await faults(url, join(dir, 'absent'))).toEqual([expect.stringContaining("can't be read")])
  })
})

test('a password in the URL is not sent to a server whose certificate is not verified', async () => {
  const got: unknown[] = []
  const stranger = createServer(certify('db1', certify('stranger'), ['localhost']), (request, response) => {
    got.push(request.headers.authorization)
    response.end('{}')
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const { port } = stranger.address() as AddressInfo
  await answersWithoutCertificate(`https://patroni:secret@localhost:${port}/patroni`, certify('ca').cert)
  stranger.close()
  expect(got).toEqual([undefined])
})
