import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SignerClient, SignerUnavailable } from '../client.ts'
import { certify, fingerprintOf } from '../../../test/world/certificate.ts'
import type { Certified } from '../../../test/world/certificate.ts'
import { makeFiles, run, serveArguments, written, type Files, type Run } from '../../../test/world/signer-process.ts'
import { evmRequest, intentOf, policyFile, temporaryDirectory } from '../../../test/world/signer.ts'

const authority = certify('authority')
const server = certify('signer', authority)
const worker = certify('worker', authority)

const tlsFiles = (): string[] => {
  const directory = temporaryDirectory()
  const write = (name: string, text: string): string => {
    const path = join(directory, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const [cert, key, ca] = [write('cert', server.cert), write('key', server.key), write('ca', authority.cert)]
  const clients = write('clients', `sha256:${fingerprintOf(worker)} # the worker\n`)
  return ['--tls-cert', cert, '--tls-key', key, '--tls-ca', ca, '--tls-clients', clients]
}

async function serveOverTls(): Promise<number> {
  return (await runOverTls(await makeFiles(), tlsFiles())).port
}

async function runOverTls(files: Files, tls: string[]): Promise<Run & { port: number }> {
  const args = serveArguments(files).filter((argument) => argument !== '--socket' && argument !== files.socket)
  const running = run([...args, '--listen', '127.0.0.1:0', ...tls])
  const [, port] = await written(running, /"address":"127\.0\.0\.1:(\d+)"/)
  return { ...running, port: Number(port) }
}

function client(port: number, { cert, key }: Certified, ca = authority.cert): SignerClient {
  const made = new SignerClient({ host: '127.0.0.1', port, tls: { cert, key, ca } })
  onTestFinished(() => made.close())
  return made
}

describe('over TLS', () => {
  test('a caller whom the authority knows is served, others are not', async () => {
    const port = await serveOverTls()
    expect(await client(port, worker).sign(evmRequest(intentOf(1)))).toHaveProperty('signed')
    const stranger = certify('worker', certify('authority'))
    for (const caller of [stranger, certify('worker')]) {
      await expect(client(port, caller).status()).rejects.toThrow(SignerUnavailable)
    }
    const anonymous = { ...worker, cert: '', key: '' }
    await expect(client(port, anonymous).status()).rejects.toThrow(SignerUnavailable)
  })

  test('a caller does not talk to a signer that the authority does not know', async () => {
    const port = await serveOverTls()
    await expect(client(port, worker, certify('other').cert).status()).rejects.toThrow(SignerUnavailable)
  })

  test('audit S-8: after SIGHUP everything stays as it was when one file is not valid, the certificate or the policy', async () => {
    const [files, tls] = [await makeFiles(), tlsFiles()]
    const running = await runOverTls(files, tls)
    const clientsFile = tls[tls.indexOf('--tls-clients') + 1]!
    const certificateFile = tls[tls.indexOf('--tls-cert') + 1]!
    const exchange = async (policy: object, certificate: string, clients: string, times: number): Promise<void> => {
      writeFileSync(files.policy, JSON.stringify(policy))
      writeFileSync(certificateFile, certificate)
      writeFileSync(clientsFile, clients)
      running.child.kill('SIGHUP')
      await written(running, new RegExp(`(are unchanged[^]*){${times}}`))
    }
    const stays = async (n: number): Promise<void> =>
      expect(await client(running.port, worker).sign(evmRequest(intentOf(n), { nonce: BigInt(n) }))).toHaveProperty(
        'signed',
      )
    await exchange(
      { ...policyFile, enabled: false },
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'dns:nobody\n',
      1,
    )
    await stays(1)
    await exchange({ ...policyFile, version: 2 }, server.cert, 'dns:nobody\n', 2)
    await stays(2)
  })

  test('a port without certificates is not opened', async () => {
    const files = await makeFiles()
    const args = serveArguments(files).filter((argument) => argument !== '--socket' && argument !== files.socket)
    const running = run([...args, '--listen', '127.0.0.1:0'])
    expect(await running.ended).toBe(1)
    expect(running.output()).toMatch(/--tls-cert, --tls-key, --tls-ca and --tls-clients/)
  })
})
