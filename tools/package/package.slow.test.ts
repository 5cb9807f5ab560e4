/**
 * The packages are built, installed on a copy of this machine, and every unit's command runs as its user. The
 * machine's systemd is not needed: systemd-analyze reads the units.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { passOn } from '../../test/setup/database-port.ts'
import { reservePorts } from '../../test/setup/ports.ts'
import { makeRoles, type TestRoles } from '../../test/setup/roles.ts'
import { makeScratch, type Scratch } from '../../test/setup/scratch.ts'
import { certify } from '../../test/world/certificate.ts'
import { copyPackages } from './built-packages.ts'
import { mayInstall } from './may-install.ts'

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
let scratch: Scratch
beforeAll(async () => {
  scratch = await makeScratch('package')
  await copyPackages(scratch.dir)
})
afterAll(() => scratch.remove())

/** The first code block of a document with this label. */
const exampleIn = (document: string, label: string): string =>
  readFileSync(join(root, document), 'utf8').split(`\`\`\`${label}\n`)[1]!.split('```')[0]!

const listOf = (name: string): string[] =>
  execFileSync('tar', ['-tzf', join(scratch.dir, `${name}-${version}.tar.gz`)], { encoding: 'utf8' })
    .split('\n')
    .map((file) => file.slice(file.indexOf('/') + 1))
    .filter((file) => file !== '' && !file.endsWith('/'))

describe('a tarball', () => {
  test('has JavaScript only: no TypeScript, no tests, no development package', () => {
    for (const name of ['bursar', 'bursar-signer']) {
      const files = listOf(name)
      expect(
        files.filter((file) => /\.[cm]?ts$|\.test\.js$|node_modules\/(vitest|typescript|oxlint|ccxt)\//.test(file)),
      ).toEqual([])
      expect(files).toContain(name)
    }
    expect(listOf('bursar').filter((file) => file.endsWith('.sql')).length).toBe(
      globSync('server/src/platform/db/migrations/*.sql', { cwd: root }).length,
    )
  })

  test('of the signer has fewer than 15 packages, and nothing of the server', () => {
    const packages = new Set(
      listOf('bursar-signer').flatMap((file) => /^(.*node_modules\/(@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
    )
    expect(packages.size).toBeGreaterThan(5)
    expect(packages.size).toBeLessThan(15)
    expect(listOf('bursar-signer').filter((file) => file.startsWith('server/'))).toEqual([])
  })

  test('runs where it is unpacked', () => {
    execFileSync('tar', ['-xzf', `bursar-signer-${version}.tar.gz`], { cwd: scratch.dir })
    const command = join(scratch.dir, `bursar-signer-${version}`, 'bursar-signer')
    expect(execFileSync(command, ['--version'], { encoding: 'utf8' })).toBe(`bursar-signer ${version}\n`)
  })

  test('is the same when it is built again', () => {
    const again = join(scratch.dir, 'again')
    execFileSync(process.execPath, [join(import.meta.dirname, 'main.ts'), '--out', again, 'bursar-signer'])
    const name = `bursar-signer-${version}.tar.gz`
    expect(readFileSync(join(again, name)).equals(readFileSync(join(scratch.dir, name)))).toBe(true)
  })
})

test('the bill of materials lists each package once, with its version and hash', () => {
  const bill = JSON.parse(readFileSync(join(scratch.dir, `bursar-${version}.cdx.json`), 'utf8')) as {
    components: { name: string; version: string; type: string; hashes?: unknown[] }[]
  }
  const libraries = bill.components.filter(({ type }) => type === 'library')
  expect(libraries.map(({ name }) => name)).toContain('fastify')
  expect(libraries.every(({ hashes }) => hashes?.length === 1)).toBe(true)
  expect(bill.components.at(-1)).toEqual({ type: 'platform', name: 'node', version: process.versions.node })
})

test("scripts of the packages are correct for the shell's linter, if it is installed", ({ skip }) => {
  const found = spawnSync('shellcheck', ['--version'])
  if (found.error !== undefined) skip('shellcheck is not installed')
  const scripts = globSync('**/*.sh', { cwd: import.meta.dirname }).map((file) => join(import.meta.dirname, file))
  expect(spawnSync('shellcheck', scripts, { encoding: 'utf8' }).stdout).toBe('')
})

describe.skipIf(!mayInstall())('the Debian packages', () => {
  let database: TestDatabase
  let roles: TestRoles
  let lines: string[]
  let ports: readonly number[]
  let proxy: Server
  let end: () => Promise<void>

  beforeAll(async () => {
    database = await createDatabase()
    roles = await makeRoles(database.url, 'package')
    ports = await reservePorts(6)
    proxy = await passOn(ports[5]!, database.url)
    writeSettings()
    for (const name of ['bursar', 'bursar-signer'])
      renameSync(
        join(scratch.dir, `${name}_${version}_${process.arch === 'x64' ? 'amd64' : 'arm64'}.deb`),
        join(scratch.dir, `${name}.deb`),
      )
    lines = []
    const script = join(import.meta.dirname, 'install-test.sh')
    const child = spawn('unshare', ['--mount', script, scratch.dir], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    end = async () => {
      child.stdin.end()
      await ended
    }
    const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
    await Promise.race([
      ended,
      new Promise<void>((resolve) => output.on('line', (line) => line === 'started' && resolve())),
    ])
    expect(lines.at(-1)).toBe('started')
  })
  afterAll(async () => {
    await end()
    proxy.close()
    await database.drop()
    await roles.drop()
  })

  const databaseOf = (kind: 'owner' | 'api' | 'worker' | 'watcher'): string =>
    `DATABASE_URL='postgres://${roles.name(kind)}@127.0.0.1:${ports[5]}${new URL(database.url).pathname}'\n`

  /** The examples of the documents. No node answers: the roles start, and report it. */
  function writeSettings(): void {
    const [http, apiInner, workerInner, watcherInner, signer] = ports
    const ca = certify('ca')
    const server = certify('signer', ca)
    const client = certify('worker', ca, ['worker.example'])
    const put = (files: Readonly<Record<string, string | object>>): void => {
      for (const [name, value] of Object.entries(files)) {
        const file = join(scratch.dir, 'etc', name)
        mkdirSync(join(file, '..'), { recursive: true })
        writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
      }
    }
    const policy = JSON.parse(exampleIn('signer/README.md', 'json')) as { approvers: unknown }
    policy.approvers = ['alice', 'bob'].map((id) => ({ id, publicKey: randomBytes(32).toString('hex') }))
    put({
      'bursar-signer/policy.json': policy,
      'bursar-signer/ca.pem': ca.cert,
      'bursar-signer/cert.pem': server.cert,
      'bursar-signer/key.pem': server.key,
      'bursar-signer/clients': 'dns:worker.example\n',
      'bursar-signer/signer.env': `LISTEN='--listen 127.0.0.1:${signer} --tls-cert /etc/bursar-signer/cert.pem --tls-key /etc/bursar-signer/key.pem --tls-ca /etc/bursar-signer/ca.pem --tls-clients /etc/bursar-signer/clients'\n`,
      'bursar/networks.json': exampleIn('docs/operating/configuration.md', 'json networks'),
      'bursar/assets.json': exampleIn('docs/operating/configuration.md', 'json assets'),
      'bursar/data-key': `${'5a'.repeat(32)}\n`,
      'bursar/ca.pem': ca.cert,
      'bursar/cert.pem': client.cert,
      'bursar/key.pem': client.key,
      'bursar/bursar.env': [
        `BURSAR_DATABASE_ROLES=${roles.prefix}`,
        'BURSAR_DATA_KEY_FILE=/etc/bursar/data-key',
        'BURSAR_NETWORKS_FILE=/etc/bursar/networks.json',
        'BURSAR_ASSETS_FILE=/etc/bursar/assets.json',
        'BURSAR_XPUBS_FILE=/etc/bursar/wallet.json',
        '',
      ].join('\n'),
      'bursar/owner.env': databaseOf('owner'),
      'bursar/api.env': `${databaseOf('api')}BURSAR_HTTP=127.0.0.1:${http}\nBURSAR_INNER=127.0.0.1:${apiInner}\n`,
      'bursar/watcher.env': `${databaseOf('watcher')}BURSAR_INNER=127.0.0.1:${watcherInner}\n`,
      'bursar/worker.env': [
        databaseOf('worker'),
        `BURSAR_INNER=127.0.0.1:${workerInner}`,
        `BURSAR_SIGNER=https://127.0.0.1:${signer}`,
        'BURSAR_SIGNER_CA_FILE=/etc/bursar/ca.pem',
        'BURSAR_SIGNER_CERT_FILE=/etc/bursar/cert.pem',
        'BURSAR_SIGNER_KEY_FILE=/etc/bursar/key.pem',
        '',
      ].join('\n'),
    })
  }

  const logOf = (unit: string): string => {
    const file = join(scratch.dir, `${unit}.log`)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  test('install the two commands and a user for each process', () => {
    expect(lines).toContain(`version: bursar ${version}`)
    expect(lines).toContain(`signer: bursar-signer ${version}`)
    expect(lines).toContain('users: bursar-api bursar, bursar-worker bursar, bursar-watcher bursar, bursar-signer')
  })

  test('have units that systemd accepts, with an exposure of at most 2.5', () => {
    expect(lines.filter((line) => line.startsWith('unit:'))).toEqual([])
  })

  test.each(['bursar-signer', 'bursar-api', 'bursar-worker', 'bursar-watcher'])(
    "start %s by its unit's command, as its user",
    async (unit) => {
      await expect.poll(() => logOf(unit)).toMatch(/"ready":true|"msg":"ready"/)
    },
  )

  test('serve the API and name their version', async () => {
    const [http, ...inner] = ports
    const answer = await fetch(`http://127.0.0.1:${http}/merchants/balances`)
    expect(answer.status).toBe(401)
    for (const port of inner.slice(0, 3)) {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      expect(metrics).toContain(`bursar_build_info{version="${version}"`)
    }
  })

  test('are removed without a trace in /usr/lib, and leave settings and keys', async () => {
    await end()
    expect(lines.at(-1)).toBe("leftovers: 0 files, 8 of the signer's")
  })
})
