/** A signer that is set up on its own machine, the server's files for it, and a real signer that starts with both. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reservePorts } from '../../../../../test/setup/ports.ts'
import { temporaryFolder } from '../../../../../test/setup/temporary.ts'
import { createTextOutput } from '../output.ts'
import { readAnswers } from './answers.ts'
import type { DatabaseState } from './database-roles.ts'
import { readEnvironmentFile } from './environment-file.ts'
import { readForServer, readForSigner } from './handover.ts'
import type { Making } from './machine.ts'
import { requireWhole, takeSigner } from './making.ts'
import { filesOf, signerFilesOf, type Owners } from './places.ts'
import { readSignerAnswers } from './signer-answers.ts'
import {
  letClientsIn,
  makeOwnCertificate,
  makePolicy,
  makeSeed,
  makeSignerEnvironment,
  publicKeysOf,
  requireWholeSigner,
  type SignerMaking,
} from './signer-making.ts'
import { createSteps } from './steps.ts'

const SIGNER = new URL('../../../../../signer/src/main.ts', import.meta.url).pathname
const owner = { user: process.geteuid!(), group: process.getegid!() }
const owners: Owners = { root: owner, roles: owner, worker: owner, operators: owner, backup: owner, signer: owner }
const NEW: DatabaseState = { exists: false, isMigrated: false, withPassword: new Set() }
const LIMITS = { payment: '1', hour: '2', day: '5' }

const folder = temporaryFolder('two-machines')
const [signerPlace, serverPlace] = [join(folder, 'signer'), join(folder, 'server')]
const log = join(folder, 'signer.log')
const command = join(folder, 'bursar-signer')
const files = filesOf({ server: serverPlace, signer: signerPlace, signerCommand: command }, owners)
let address: string
let signer: ChildProcess | undefined

/** The first or the second run on the signer's machine. @returns what it printed */
const setUpSigner = async (withClients: boolean): Promise<string> => {
  const answers = {
    chain: 'regtest',
    listen: address,
    networks: { ETHEREUM: { chainId: 31_337, assets: { ETH: LIMITS } } },
  }
  let printed = ''
  const shown = createTextOutput((text) => (printed += text))
  const making: SignerMaking = {
    part: readSignerAnswers(answers),
    command,
    owner,
    files: signerFilesOf(signerPlace, owner),
    steps: createSteps(shown, false),
  }
  requireWholeSigner(making.files, log)
  await makeSeed(making, { showsWords: false }, shown)
  await makePolicy(making, () => publicKeysOf(making))
  await makeOwnCertificate(making, () => publicKeysOf(making))
  if (withClients) {
    await letClientsIn(making, readForSigner(files.forSigner.path).content)
    await makeSignerEnvironment(making)
  }
  return printed
}

const setUpServer = async (): Promise<void> => {
  const forServer = readForServer(files.signer.forServer.path).content
  const answers = readAnswers({
    chain: 'regtest',
    publicUrl: 'https://pay.example.com',
    signer: files.signer.forServer.path,
    networks: { ETHEREUM: { url: 'http://127.0.0.1:8545', chainId: 31_337 } },
    assets: {
      crypto: [
        {
          ticker: 'ETH',
          name: 'Ether',
          networks: { ETHEREUM: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.005' } },
        },
      ],
      fiat: [],
    },
  })
  const making: Making = {
    answers,
    places: { server: serverPlace, signer: join(folder, 'none'), signerCommand: command },
    owners,
    files: { ...files, signer: signerFilesOf(join(folder, 'none'), owner) },
    forServer,
    steps: createSteps(
      createTextOutput(() => {}),
      false,
    ),
  }
  requireWhole(making, NEW)
  await takeSigner(making, forServer)
}

/** Asks the signer for its state, as a client. */
const statusAs = (cert: string, key: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asking = request(
      `https://${address}/status`,
      { ca: readFileSync(files.signerCa.path), cert: readFileSync(cert), key: readFileSync(key) },
      (answer) => resolve(answer.resume().statusCode!),
    )
    asking.on('error', reject).end()
  })

beforeAll(async () => {
  for (const place of [signerPlace, serverPlace]) mkdirSync(place, { mode: 0o700 })
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${SIGNER}' "$@"\n`)
  chmodSync(command, 0o755)
  const [port] = await reservePorts(1)
  address = `127.0.0.1:${port}`
})
afterAll(async () => {
  if (signer === undefined || signer.exitCode !== null) return
  signer.kill('SIGTERM')
  await once(signer, 'exit')
})

describe('a signer on its own machine', () => {
  test('is set up without a database and without settings of the server', async () => {
    await setUpSigner(false)
    expect(readdirSync(signerPlace).toSorted()).toEqual([
      'cert.pem',
      'for-server.json',
      'key.pem',
      'own-ca.pem',
      'passphrase',
      'policy.json',
      'seed.json',
    ])
    for (const name of readdirSync(signerPlace)) expect(statSync(join(signerPlace, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(files.signer.forServer.path, 'utf8')).not.toMatch(/PRIVATE|xprv|mnemonic|passphrase/)
  })

  test('gives the server its public keys and its authority; the server makes the certificates of its clients', async () => {
    await setUpServer()
    expect(readFileSync(files.forSigner.path, 'utf8')).not.toContain('PRIVATE')
    const before = readFileSync(files.clients.worker.key.path, 'utf8')
    rmSync(files.forSigner.path)
    await setUpServer()
    expect(readFileSync(files.clients.worker.key.path, 'utf8')).toBe(before)
  })

  test('starts with the clients of the server, and refuses others', async () => {
    expect(await setUpSigner(true)).not.toContain('made    the encrypted seed')
    const listen = readEnvironmentFile(files.signer.signerEnv.path)['LISTEN']!
    const { seed, passphrase, policy } = files.signer
    const words = ['serve', '--seed', seed.path, '--passphrase-file', passphrase.path, '--policy', policy.path]
    signer = spawn(process.execPath, [SIGNER, ...words, '--log', log, ...listen.split(' ')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface(signer.stdout!), 'line')) as [string]
    expect(JSON.parse(line)).toMatchObject({ ready: true })
    for (const client of ['worker', 'operator', 'backup'] as const) {
      const { cert, key } = files.clients[client]
      expect(await statusAs(cert.path, key.path)).toBe(200)
    }
    await expect(statusAs(files.signer.cert.path, files.signer.key.path)).rejects.toThrow()
  })

  test('is changed by no further run, and completes what is missing', async () => {
    rmSync(files.signer.forServer.path)
    const printed = await setUpSigner(true)
    expect(printed.match(/^made .*/gm)).toEqual([`made    ${files.signer.forServer.path}: for the setup of the server`])
    await setUpServer()
  })

  test('is not given a second seed, nor the clients of another server', async () => {
    const { seed, clients } = files.signer
    renameSync(seed.path, `${seed.path}.away`)
    await expect(setUpSigner(true)).rejects.toThrow(`${log} belongs to it`)
    renameSync(`${seed.path}.away`, seed.path)
    writeFileSync(clients.path, 'dns:other.example\n')
    await expect(setUpSigner(true)).rejects.toThrow('is of other clients')
  })

  test('of another seed, or with another authority, is refused by a server that has one', async () => {
    const { forServer } = files.signer
    const given = readForServer(forServer.path).content
    const write = (content: object): void => writeFileSync(forServer.path, JSON.stringify(content))
    write({ ...given, keys: { ...given.keys, masterFingerprint: '00000000' } })
    await expect(setUpServer()).rejects.toThrow('the keys of another seed')
    write({ ...given, ca: readForSigner(files.forSigner.path).content.ca })
    await expect(setUpServer()).rejects.toThrow('is another authority')
    write({ ...given, ca: readFileSync(files.signer.cert.path, 'utf8') })
    await expect(setUpServer()).rejects.toThrow('ca: write a certificate of an authority')
    writeFileSync(forServer.path, 'no JSON')
    await expect(setUpServer()).rejects.toThrow("can't be read")
  })
})
