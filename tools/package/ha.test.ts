/** The files of deploy/ha as their programs read them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const ha = (name: string): string => join(root, 'deploy/ha', name)
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-ha-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

test('instances.sh makes a template of each role that reads the environment of its instance last', () => {
  execFileSync('sh', [ha('instances.sh'), join(root, 'tools/package/systemd'), dir])
  for (const role of ['api', 'worker', 'watcher']) {
    const made = readFileSync(join(dir, `bursar-${role}@.service`), 'utf8')
    const read = [...made.matchAll(/^EnvironmentFile=(.*)$/gm)].map(([, path]) => path)
    expect(read).toEqual(['/etc/bursar/bursar.env', `/etc/bursar/${role}.env`, `-/etc/bursar/${role}-%i.env`])
    const original = readFileSync(join(root, `tools/package/systemd/bursar-${role}.service`), 'utf8')
    expect(made.split('\n').length).toBe(original.split('\n').length + 1)
  }
})

test('node.env and etcd.env name the same machines', () => {
  const addresses = (name: string): string[] => [...new Set(readFileSync(ha(name), 'utf8').match(/10\.88\.0\.\d+/g))]
  expect(addresses('node.env').toSorted()).toEqual(['10.88.0.11', '10.88.0.12', '10.88.0.13'])
  expect(addresses('etcd.env').toSorted()).toEqual(addresses('node.env').toSorted())
})

test('etcd has TLS with certificates of both ends on each address', () => {
  const text = readFileSync(ha('etcd.env'), 'utf8')
  expect(text).not.toContain('http:')
  for (const name of ['ETCD_CLIENT_CERT_AUTH', 'ETCD_PEER_CLIENT_CERT_AUTH']) expect(text).toContain(`${name}=true\n`)
})

test('certificates.sh makes certificates of the machines that etcd accepts, and one of doctor that it does not', () => {
  const folder = join(dir, 'certificates')
  const make = () =>
    execFileSync('sh', [ha('certificates.sh'), folder, 'db1=10.88.0.11', 'db2=10.88.0.12'], { stdio: 'ignore' })
  make()
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const verifies = (authority: string, name: string): boolean => {
    // As Python 3.13 and Go do.
    const args = ['verify', '-x509_strict', '-CAfile', join(folder, authority), join(folder, name)]
    return spawnSync('openssl', args).status === 0
  }
  for (const name of ['db1', 'db2']) {
    expect(verifies('ca.crt', `${name}/server.crt`)).toBe(true)
    expect(read(`${name}/ca.crt`)).toBe(read('ca.crt'))
  }
  expect(new X509Certificate(read('db2/server.crt')).checkIP('10.88.0.12')).toBe('10.88.0.12')
  expect(verifies('db1/clients.crt', 'doctor/client.crt')).toBe(true)
  expect(verifies('ca.crt', 'doctor/client.crt')).toBe(false)
  for (const name of ['ca', 'readers', 'db1/server', 'doctor/client'])
    expect(statSync(join(folder, `${name}.key`)).mode & 0o077).toBe(0)
  const before = read('db1/server.crt')
  make()
  expect(read('db1/server.crt')).toBe(before)
})

test.skipIf(!has('haproxy'))('haproxy accepts haproxy.cfg', () => {
  const pem = join(dir, 'pay.pem')
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', pem, '-out', `${pem}.crt`]
  execFileSync('openssl', [...request, '-days', '2', '-subj', '/CN=pay.example.com'], { stdio: 'ignore' })
  writeFileSync(pem, readFileSync(pem, 'utf8') + readFileSync(`${pem}.crt`, 'utf8'))
  const file = join(dir, 'haproxy.cfg')
  writeFileSync(file, readFileSync(ha('haproxy.cfg'), 'utf8').replace('/etc/haproxy/pay.pem', pem))
  const checked = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' })
  expect([checked.status, checked.stderr]).toEqual([0, expect.not.stringContaining('WARNING')])
})
