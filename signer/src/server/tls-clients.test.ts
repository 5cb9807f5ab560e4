import { describe, expect, onTestFinished, test } from 'vitest'
import { SignerClient, SignerUnavailable } from '../client.ts'
import { listen } from './endpoint.ts'
import { createHttpServer } from './http-server.ts'
import type { TlsFiles } from './http-server.ts'
import { certify, fingerprintOf, revoke } from '../../../test/world/certificate.ts'
import type { Certified } from '../../../test/world/certificate.ts'
import { makeSigner } from '../../../test/world/signer.ts'
import { readClients } from './tls-clients.ts'

const authority = certify('authority')
const { cert, key } = certify('signer', authority)
const worker = certify('worker', authority, ['worker.internal'])
const other = certify('api', authority, ['*.internal'])

const filesFor = (clients: string, more: Partial<TlsFiles> = {}): TlsFiles => ({
  cert,
  key,
  ca: authority.cert,
  clients: readClients(clients),
  ...more,
})
const pinned = (...allowed: Certified[]): string => allowed.map((one) => `sha256:${fingerprintOf(one)}`).join('\n')

async function serve(files: TlsFiles) {
  const refused: string[] = []
  const { signer } = await makeSigner()
  const made = createHttpServer(signer, { refused: (code) => refused.push(code), failed: () => undefined }, files)
  onTestFinished(() => {
    made.server.closeAllConnections()
    made.server.close()
  })
  const port = Number((await listen(made.server, { host: '127.0.0.1', port: 0 })).split(':')[1])
  const as = (who: Certified): SignerClient => {
    const client = new SignerClient({
      host: '127.0.0.1',
      port,
      tls: { cert: who.cert, key: who.key, ca: authority.cert },
    })
    onTestFinished(() => client.close())
    return client
  }
  return { ...made, as, refused }
}

describe('clients accepted over TLS', () => {
  test('audit S-8: only certificates in the list; one that the same authority issued is not enough', async () => {
    const { as, refused } = await serve(filesFor(pinned(worker)))
    expect(await as(worker).isHealthy()).toBe(true)
    await expect(as(other).status()).rejects.toThrow(SignerUnavailable)
    expect(refused).toEqual(['tls-client'])
  })

  test('audit S-8: a name in the certificate will do; a wildcard in it is no name', async () => {
    const { as } = await serve(filesFor('dns:worker.internal'))
    expect(await as(worker).isHealthy()).toBe(true)
    expect(await as(other).isHealthy()).toBe(false)
  })

  test('audit S-8: a client that leaves the list is gone at once, its open connection too', async () => {
    const { as, prepareTls } = await serve(filesFor(pinned(worker, other)))
    const leaves = as(other)
    expect(await leaves.isHealthy()).toBe(true)
    prepareTls(filesFor(pinned(worker)))()
    expect(await leaves.isHealthy()).toBe(false)
    expect(await as(worker).isHealthy()).toBe(true)
  })

  test('audit S-8: a revoked certificate is not let in, also when the list has it', async () => {
    const { as, prepareTls } = await serve(filesFor(pinned(worker, other), { crl: revoke(authority, []) }))
    expect(await as(other).isHealthy()).toBe(true)
    prepareTls(filesFor(pinned(worker, other), { crl: revoke(authority, [other]) }))()
    expect(await as(other).isHealthy()).toBe(false)
    expect(await as(worker).isHealthy()).toBe(true)
  })

  test('audit S-8: certificates of the signer change without a start', async () => {
    const { as, prepareTls } = await serve(filesFor(pinned(worker)))
    const next = certify('authority of next year')
    const server = certify('signer', next)
    prepareTls({ ...filesFor(pinned(worker)), cert: server.cert, key: server.key })()
    await expect(as(worker).status()).rejects.toThrow(/cannot be asked/)
  })

  test.each([
    ['nobody', '# later', /list of clients is empty/],
    ['half a fingerprint', 'sha256:abcd', /Line 1 .*neither/],
    ['a name without its kind', '\nworker.internal', /Line 2 .*neither/],
    ['a wildcard', 'dns:*.internal', /Line 1/],
  ])('a list with %s is no list', (_name, text, message) => {
    expect(() => readClients(text)).toThrow(message)
  })
})
