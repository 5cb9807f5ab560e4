import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPolicy } from '../../../../../signer/src/policy/policy.ts'
import { readClients } from '../../../../../signer/src/server/tls-clients.ts'
import { temporaryFolder } from '../../../../../test/setup/temporary.ts'
import { readAnswers } from './answers.ts'
import { askForAnswers } from './asking.ts'
import { readRecipient } from './backup-making.ts'
import { clientList, fingerprintOf, makeClientCertificates, makeSignerCertificate } from './certificates.ts'
import type { DatabaseState, Login } from './database-roles.ts'
import { environmentFile, readEnvironmentFile } from './environment-file.ts'
import { requireWhole } from './making.ts'
import { exists, filesOf, writeOnce, writeTogether, type NewFile, type Owners } from './places.ts'
import { readSignerAnswers, signerPartOf } from './signer-answers.ts'
import { signerPolicy } from './signer-policy.ts'

const HOT = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'
const LEAST = { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.005' }
const folder = temporaryFolder('setup')
const page = readFileSync(new URL('../../../../../docs/operating/production.md', import.meta.url), 'utf8')
const example = (): object => JSON.parse(page.split('```json answers\n')[1]!.split('```')[0]!) as object

/** The answers of the page with another member at a path, or without it. */
const exampleWith = (path: string, value: unknown): object => {
  const answers = example()
  const names = path.split('.')
  const last = names.pop()!
  const parent = names.reduce<object>((inner, name) => (inner as Record<string, object>)[name]!, answers)
  Object.assign(parent, { [last]: value })
  return JSON.parse(JSON.stringify(answers)) as object
}

describe('the answers', () => {
  test('of the page are right, and have defaults', () => {
    expect(readAnswers(example())).toMatchObject({
      database: { prefix: 'bursar' },
      listen: { signer: '127.0.0.1:9443' },
      proxies: '127.0.0.1/32,::1/128',
    })
  })

  test.each<[problem: string, path: string, value: unknown]>([
    ['chain: write "mainnet": BITCOIN has its block 0', 'chain', 'testnet'],
    ['limits.ETHEREUM.ETH: write payment, hour and day', 'limits.ETHEREUM', undefined],
    ['limits.BITCOIN.BTC.day: write at most 8 decimals', 'limits.BITCOIN.BTC.day', '1.000000001'],
    ['limits.BITCOIN.BTC: payment is at most hour', 'limits.BITCOIN.BTC.payment', '0.3'],
    ['limits.BITCOIN.BTC: payment is at most hour', 'limits.BITCOIN.BTC.day', '0.15'],
    ['leave it out, or serve BITCOIN: BTC is on it', 'networks.BITCOIN', undefined],
    ['write ETH of ETHEREUM: it pays for the fees', 'assets.crypto', []],
    ['networks: write at least one network', 'networks', {}],
    ['publicUrl: write an origin', 'publicUrl', 'pay.example.com'],
    ['mail.passwordFile: write the file of the password', 'mail', { url: 'smtps://a@b.example', from: 'a@b.example' }],
    ['mail.passwordFile: leave it out', 'mail', { url: 'smtps://b.example', from: 'a@b.example', passwordFile: '/x' }],
    ['listen.signer: 127.0.0.1:8080 is used twice', 'listen', { signer: '127.0.0.1:8080' }],
    ['listen.api: write HOST:PORT', 'listen', { api: '127.0.0.1:80800' }],
    ['networks.ETHEREUM.url', 'networks.ETHEREUM.url', 'x'],
    ['limits: leave it out: the signer on the other machine has its own', 'signer', 'for-server.json'],
    ['database.roles: name the database', 'database.roles', 'postgres://127.0.0.1:5432'],
    ['database.roles: this URL: the server is on another machine', 'database.roles', 'postgres://db.example/bursar'],
    ['database.superuser: this URL: the server is on another', 'database.superuser', 'postgres://db.example/postgres'],
  ])('are refused: %s (%s)', (problem, path, value) => {
    expect(() => readAnswers(exampleWith(path, value))).toThrow(problem)
  })

  test('with acquirers are judged as the roles judge their files', () => {
    const secretFile = join(folder, 'bank-secret')
    writeFileSync(secretFile, 'secret')
    const bank = { name: 'bank', kind: 'bank', url: 'https://bank.example', account: 'shop', secretFile }
    const given = (least: string, most: string): object => ({
      ...exampleWith('assets.fiat', [{ ticker: 'UAH', name: 'Hryvnia', scale: 2, payIn: { min: '25', max: '100' } }]),
      acquirers: { accounts: [{ ...bank, payIn: { UAH: { least, most } } }] },
    })
    expect(readAnswers(given('50', '200')).acquirers?.accounts).toHaveLength(1)
    expect(() => readAnswers(given('101', '200'))).toThrow('no amount in common')
    expect(() => readAnswers(exampleWith('acquirers', { accounts: [{ ...bank, secretFile: '/missing' }] }))).toThrow(
      "the file can't be read (ENOENT)",
    )
  })

  test('of a person are right: a wrong one is asked again, an empty one is the default', async () => {
    const typed = (question: string): string[] => {
      if (question.startsWith('Networks')) return ['mainet', 'mainnet']
      if (question.startsWith('Public')) return ['pay.example.com', 'https://pay.example.com']
      if (question.startsWith('ETHEREUM')) return ['127.0.0.1', 'http://127.0.0.1:8545']
      if (question.startsWith('TRON')) return ['http://127.0.0.1:8090']
      return question.startsWith('Most') ? ['1 2', '1 2 5'] : []
    }
    const count = new Map<string, number>()
    const given = await askForAnswers(async (question, standard) => {
      const at = count.get(question) ?? 0
      count.set(question, at + 1)
      return typed(question)[at] ?? standard
    })
    const answers = readAnswers(given)
    expect(Object.keys(answers.networks)).toEqual(['ETHEREUM', 'TRON'])
    expect(answers.assets.crypto.map(({ ticker }) => ticker)).toEqual(['ETH', 'TRX', 'USDT', 'USDC'])
    expect(() => readPolicy(JSON.stringify(signerPolicy(signerPartOf(answers), HOT)))).not.toThrow()
  })
})

test("the signer's policy has the limits in chain units, and the signer accepts it", () => {
  const { networks } = readPolicy(JSON.stringify(signerPolicy(signerPartOf(readAnswers(example())), HOT)))
  expect(networks.get('BITCOIN')).toMatchObject({ chain: 'mainnet' })
  expect(networks.get('BITCOIN')!.assets.get('BTC')).toMatchObject({
    maxPerIntent: 10_000_000n,
    maxPerDay: 50_000_000n,
  })
  expect(networks.get('ETHEREUM')).toMatchObject({ chainId: 1n, sweep: { enabled: true, treasury: HOT } })
  expect(networks.get('ETHEREUM')!.assets.get('ETH')).toMatchObject({ maxPerIntent: 10n ** 18n })
})

test('a signer without Bitcoin has the keys of the chain in the answers', () => {
  const answers = readAnswers({
    ...example(),
    chain: 'testnet',
    networks: { ETHEREUM: { url: 'http://127.0.0.1:8545', chainId: 11_155_111 } },
    assets: { crypto: [{ ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: LEAST } }], fiat: [] },
  })
  const { networks } = readPolicy(JSON.stringify(signerPolicy(signerPartOf(answers), HOT)))
  expect(networks.get('BITCOIN')).toMatchObject({ enabled: false, chain: 'testnet' })
})

test('certificates: the signer and its clients have an authority each, for ten years', () => {
  const own = makeSignerCertificate('127.0.0.1')
  const { ca, pairs } = makeClientCertificates()
  const { worker, operator, backup } = pairs
  const leaves: [authority: string, cert: string][] = [
    [own.ca, own.cert],
    ...[worker, operator, backup].map(({ cert }): [string, string] => [ca, cert]),
  ]
  for (const [authority, cert] of leaves) {
    const leaf = new X509Certificate(cert)
    expect(leaf.verify(new X509Certificate(authority).publicKey)).toBe(true)
    expect(leaf.verify(new X509Certificate(authority === ca ? own.ca : ca).publicKey)).toBe(false)
    expect(leaf.ca).toBe(false)
    expect(Date.parse(leaf.validTo) - Date.now()).toBeGreaterThan(3_600 * 86_400_000)
  }
  expect(new X509Certificate(own.cert).checkIP('127.0.0.1')).toBe('127.0.0.1')
  const [one, two, three] = [worker, operator, backup].map(({ cert }) => fingerprintOf(cert))
  expect(readClients(clientList({ worker: one!, operator: two!, backup: three! }))).toHaveLength(3)
  expect(new X509Certificate(makeSignerCertificate('signer.example').cert).checkHost('signer.example')).toBe(
    'signer.example',
  )
})

test('secrets in backups are encrypted for a certificate, and its private key stays away', () => {
  const { cert, key } = makeSignerCertificate('backup.example')
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  expect(readRecipient(write('good.pem', cert)).trim()).toBe(cert.trim())
  expect(() => readRecipient(write('both.pem', cert + key))).toThrow('has a private key')
  expect(() => readRecipient(write('other.pem', 'x'))).toThrow('is no certificate')
})

test('an environment file is read alike by a shell and by Node', () => {
  const path = join(folder, 'some.env')
  const values = {
    DATABASE_URL: 'postgres://a:b@h/n?sslmode=verify-full&x=$HOME',
    BURSAR_MAIL_FROM: 'Shop "A" <a@b.example>',
  }
  writeFileSync(path, environmentFile({ ...values, ABSENT: undefined }))
  expect(readEnvironmentFile(path)).toEqual(values)
  const shown = execFileSync('sh', ['-c', `. ${path}; printf '%s\\n%s' "$DATABASE_URL" "$BURSAR_MAIL_FROM"`], {
    encoding: 'utf8',
  })
  expect(shown.split('\n')).toEqual(Object.values(values))
  expect(() => environmentFile({ A: "it's" })).toThrow('A has a quote')
})

describe('the answers of a signer on its own machine', () => {
  const ETH = { payment: '1', hour: '2', day: '5' }
  const answersWith = (assets: object, more: object = {}): object => ({
    chain: 'mainnet',
    listen: '10.88.0.31:9443',
    networks: { ETHEREUM: { chainId: 1, assets } },
    ...more,
  })

  test('of the page make a policy that the signer accepts', () => {
    const part = readSignerAnswers(JSON.parse(page.split('```json signer-answers\n')[1]!.split('```')[0]!))
    const { networks } = readPolicy(JSON.stringify(signerPolicy(part, HOT)))
    expect(networks.get('ETHEREUM')!.assets.get('ETH')).toMatchObject({ maxPerIntent: 10n ** 18n })
    expect(part.address).toBe(part.listen)
  })

  test.each<[problem: string, answers: object]>([
    ['networks.ETHEREUM.assets.ETH.decimals: ETH has 18', answersWith({ ETH: { ...ETH, decimals: 6 } })],
    ['networks.ETHEREUM.assets.ETH.contract: leave it out', answersWith({ ETH: { ...ETH, contract: HOT } })],
    ['networks.ETHEREUM.assets.USDT.contract: write the contract', answersWith({ USDT: { ...ETH, decimals: 6 } })],
    ['networks.ETHEREUM.assets.USDT.decimals: write the decimals', answersWith({ USDT: { ...ETH, contract: HOT } })],
    [
      'networks.ETHEREUM.assets.USDT.contract: it is no contract of ETHEREUM',
      answersWith({ USDT: { ...ETH, decimals: 6, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' } }),
    ],
    ['networks.ETHEREUM.chainId: write it', answersWith({}, { networks: { ETHEREUM: { assets: { ETH } } } })],
    ['networks.TRON.chainId: leave it out', answersWith({}, { networks: { TRON: { chainId: 1, assets: {} } } })],
    ['networks: write at least one network', answersWith({}, { networks: {} })],
    ['ETH: payment is at most hour', answersWith({ ETH: { ...ETH, payment: '3' } })],
    [
      'BTC.day: write at most 8 decimals',
      answersWith({}, { networks: { BITCOIN: { assets: { BTC: { ...ETH, day: '5.000000001' } } } } }),
    ],
    ['address: write by which name', answersWith({ ETH }, { listen: '0.0.0.0:9443' })],
    ['listen: write HOST:PORT', answersWith({ ETH }, { listen: '10.0.0.1:99999' })],
  ])('are refused: %s', (problem, answers) => {
    expect(() => readSignerAnswers(answers)).toThrow(problem)
  })
})

describe('a state that a new file would make worse is refused', () => {
  const owner = { user: process.geteuid!(), group: process.getegid!() }
  const owners: Owners = { root: owner, roles: owner, worker: owner, operators: owner, backup: owner, signer: owner }
  const empty: DatabaseState = { exists: false, isMigrated: false, withPassword: new Set() }
  const used: DatabaseState = { exists: true, isMigrated: true, withPassword: new Set() }
  type Name = 'seed' | 'passphrase' | 'wallet' | 'dataKey'
  const withFiles = (...names: readonly Name[]) => {
    const here = temporaryFolder('setup-files')
    const files = filesOf({ server: here, signer: here, signerCommand: '' }, owners)
    const paths: Record<Name, NewFile> = { ...files, seed: files.signer.seed, passphrase: files.signer.passphrase }
    for (const name of names) writeFileSync(paths[name].path, 'x')
    return { files, forServer: undefined }
  }

  test.each<[string, readonly Name[], DatabaseState]>([
    ['seed.json is missing, and', ['wallet'], empty],
    ['passphrase is missing, and it encrypts', ['seed'], empty],
    ['data-key is missing, and the database', ['seed', 'passphrase', 'wallet'], used],
    ['seed.json is missing, and the database is in use', ['dataKey'], used],
    ['the database role of api has a password', [], { ...empty, withPassword: new Set<Login>(['api']) }],
    ['the database role of the backup has a password', [], { ...empty, withPassword: new Set(['backup'] as const) }],
  ])('%s', (problem, names, state) => {
    expect(() => requireWhole(withFiles(...names), state)).toThrow(problem)
  })

  const certificates = ({ files }: ReturnType<typeof withFiles>): NewFile[] => {
    const { worker, operator, backup } = files.clients
    const { clientsCa, cert, key, clients } = files.signer
    return [
      ...[worker, operator, backup].flatMap((pair) => [pair.cert, pair.key]),
      clientsCa,
      cert,
      key,
      clients,
      files.signerCa,
    ]
  }

  test('some of the certificates are missing', () => {
    const state = withFiles()
    writeFileSync(state.files.signerCa.path, 'x')
    expect(() => requireWhole(state, empty)).toThrow('then all are made again')
  })

  test('an installation of an earlier version, without certificates of the backup, is whole', () => {
    const state = withFiles('seed', 'passphrase', 'wallet', 'dataKey')
    const { cert, key } = state.files.clients.backup
    for (const file of certificates(state)) if (file !== cert && file !== key) writeFileSync(file.path, 'x')
    expect(() => requireWhole(state, used)).not.toThrow()
    writeFileSync(cert.path, 'x')
    expect(() => requireWhole(state, used)).toThrow('then all are made again')
  })

  test('nothing yet, and everything, are whole', () => {
    expect(() => requireWhole(withFiles(), empty)).not.toThrow()
    expect(() => requireWhole(withFiles('seed', 'passphrase', 'wallet', 'dataKey'), used)).not.toThrow()
  })

  test('files that belong together are completed after an interruption, from the same contents', () => {
    const state = withFiles()
    const files = certificates(state)
    const { journal } = state.files
    const texts = files.map((_file, at) => `contents ${at}`)
    // The disk is full at the fourth file.
    const full = files.map((file, at) => (at === 3 ? { ...file, path: join(folder, 'missing', 'x') } : file))
    expect(() => writeTogether(journal, full, () => texts)).toThrow('ENOENT')
    expect(files.filter(exists)).toHaveLength(3)
    expect(() => requireWhole(state, empty)).not.toThrow()
    expect(statSync(journal.path).mode & 0o777).toBe(0o600)
    writeTogether(journal, files, () => {
      throw new Error('made twice')
    })
    expect(files.map(({ path }) => readFileSync(path, 'utf8'))).toEqual(texts)
    expect(exists(journal)).toBe(false)
  })

  test('a file is never written over', () => {
    const path = join(folder, 'once')
    writeOnce({ path, owner, mode: 0o640 }, 'first')
    expect(() => writeOnce({ path, owner, mode: 0o640 }, 'second')).toThrow('EEXIST')
    expect(readFileSync(path, 'utf8')).toBe('first')
  })
})
