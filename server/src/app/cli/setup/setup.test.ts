import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPolicy } from '../../../../../signer/src/policy/policy.ts'
import { readClients } from '../../../../../signer/src/server/tls-clients.ts'
import { temporaryFolder } from '../../../../../test/setup/temporary.ts'
import { readAnswers } from './answers.ts'
import { askForAnswers } from './asking.ts'
import { makeCertificates } from './certificates.ts'
import type { DatabaseState, Login } from './database-roles.ts'
import { environmentFile, readEnvironmentFile } from './environment-file.ts'
import { requireWhole } from './making.ts'
import { filesOf, writeOnce, type Files, type Owners } from './places.ts'
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
    ['database.roles: name the database', 'database.roles', 'postgres://127.0.0.1:5432'],
    ['database.roles: this URL: the server is on another machine', 'database.roles', 'postgres://db.example/bursar'],
    ['database.superuser: this URL: the server is on another', 'database.superuser', 'postgres://db.example/postgres'],
  ])('are refused: %s (%s)', (problem, path, value) => {
    expect(() => readAnswers(exampleWith(path, value))).toThrow(problem)
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
    expect(() => readPolicy(JSON.stringify(signerPolicy(answers, HOT)))).not.toThrow()
  })
})

test("the signer's policy has the limits in chain units, and the signer accepts it", () => {
  const { networks } = readPolicy(JSON.stringify(signerPolicy(readAnswers(example()), HOT)))
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
  const { networks } = readPolicy(JSON.stringify(signerPolicy(answers, HOT)))
  expect(networks.get('BITCOIN')).toMatchObject({ enabled: false, chain: 'testnet' })
})

test('certificates: one authority, a list of exactly the two clients, each valid for ten years', () => {
  const { ca, signer, worker, operator, clients } = makeCertificates('127.0.0.1')
  const [authority, ...leaves] = [ca, signer.cert, worker.cert, operator.cert].map((one) => new X509Certificate(one))
  for (const leaf of leaves) {
    expect(leaf.verify(authority!.publicKey)).toBe(true)
    expect(leaf.ca).toBe(false)
    expect(Date.parse(leaf.validTo) - Date.now()).toBeGreaterThan(3_600 * 86_400_000)
  }
  expect(leaves[0]!.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(readClients(clients)).toHaveLength(2)
  expect(new X509Certificate(makeCertificates('signer.example').signer.cert).checkHost('signer.example')).toBe(
    'signer.example',
  )
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

describe('a state that a new file would make worse is refused', () => {
  const owner = { user: process.geteuid!(), group: process.getegid!() }
  const owners: Owners = { root: owner, roles: owner, worker: owner, operators: owner, signer: owner }
  const empty: DatabaseState = { exists: false, isMigrated: false, withPassword: new Set() }
  const used: DatabaseState = { exists: true, isMigrated: true, withPassword: new Set() }
  const withFiles = (...names: readonly (keyof Files)[]): { files: Files } => {
    const here = temporaryFolder('setup-files')
    const files = filesOf({ server: here, signer: here, signerCommand: '' }, owners)
    for (const name of names) writeFileSync((files[name] as { path: string }).path, 'x')
    return { files }
  }

  test.each<[string, readonly (keyof Files)[], DatabaseState]>([
    ['seed.json is missing, and', ['wallet'], empty],
    ['passphrase is missing, and it encrypts', ['seed'], empty],
    ['data-key is missing, and the database', ['seed', 'passphrase', 'wallet'], used],
    ['seed.json is missing, and the database is in use', ['dataKey'], used],
    ['the database role of api has a password', [], { ...empty, withPassword: new Set<Login>(['api']) }],
  ])('%s', (problem, names, state) => {
    expect(() => requireWhole(withFiles(...names), state)).toThrow(problem)
  })

  test('some of the certificates are missing', () => {
    const { files } = withFiles()
    writeFileSync(files.certificates.ca.path, 'x')
    expect(() => requireWhole({ files }, empty)).toThrow('then all are made again')
  })

  test('nothing yet, and everything, are whole', () => {
    expect(() => requireWhole(withFiles(), empty)).not.toThrow()
    expect(() => requireWhole(withFiles('seed', 'passphrase', 'wallet', 'dataKey'), used)).not.toThrow()
  })

  test('a file is never written over', () => {
    const path = join(folder, 'once')
    writeOnce({ path, owner, mode: 0o640 }, 'first')
    expect(() => writeOnce({ path, owner, mode: 0o640 }, 'second')).toThrow('EEXIST')
    expect(readFileSync(path, 'utf8')).toBe('first')
  })
})
