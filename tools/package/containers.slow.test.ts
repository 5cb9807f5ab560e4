/**
 * The commands of the images run as their users: entry point with the command of each service of the compose file, its
 * environment, and the health check. In `.ci/run` the packages are unpacked into a copy of this machine's root. In
 * `npm run test:long` podman builds the images of the Dockerfiles and runs them. No registry of images is reachable in
 * a test: the base image is made of Debian's packages.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, connect, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../test/setup/cases.ts'
import { createDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { debianRoot, whyNoDebianRoot, type DebianRoot } from '../../test/setup/debian-root.ts'
import { makeRoles, type TestRoles } from '../../test/setup/roles.ts'
import { makeScratch, type Scratch } from '../../test/setup/scratch.ts'
import { certify } from '../../test/world/certificate.ts'
import { copyPackages } from './built-packages.ts'
import { readContainers, scriptOf } from './containers.ts'
import { mayInstall } from './may-install.ts'

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const VARIABLES = { BURSAR_VERSION: version, BURSAR_PUBLIC_URL: 'https://pay.example.com' }

const exampleIn = (document: string, label: string): string =>
  readFileSync(join(root, document), 'utf8').split(`\`\`\`${label}\n`)[1]!.split('```')[0]!

const PODMAN: DebianRoot = {
  name: 'bookworm-podman',
  suite: 'bookworm',
  packages: ['podman', 'buildah', 'runc', 'conmon', 'netavark', 'uidmap', 'iptables'],
}
const BASE: DebianRoot = { name: 'bookworm', suite: 'bookworm', packages: [] }
const whyNoPodman = isLong ? (whyNoDebianRoot(PODMAN) ?? whyNoDebianRoot(BASE)) : 'only in npm run test:long'

const RUNNERS = [
  { how: 'on a copied root', why: undefined, command: () => ['container-test.sh'] },
  {
    how: 'by podman',
    why: whyNoPodman,
    command: () => ['podman-test.sh', debianRoot(PODMAN), debianRoot(BASE)],
  },
].filter(({ why }) => why === undefined)

describe.skipIf(!mayInstall()).each(RUNNERS)('the images, $how,', ({ command }) => {
  let scratch: Scratch
  let database: TestDatabase
  let roles: TestRoles
  let proxy: Server
  let child: ChildProcessByStdio<Writable, Readable, null>
  let output: Interface
  let ended: Promise<unknown>

  beforeAll(async () => {
    scratch = await makeScratch('containers')
    await copyPackages(scratch.dir)
    for (const name of ['bursar', 'bursar-signer'])
      renameSync(
        join(scratch.dir, `${name}_${version}_${process.arch === 'x64' ? 'amd64' : 'arm64'}.deb`),
        join(scratch.dir, `${name}.deb`),
      )
    database = await createDatabase()
    roles = await makeRoles(database.url, 'containers')
    mkdirSync(join(scratch.dir, 'postgres'))
    proxy = await passOnSocket(join(scratch.dir, 'postgres', '.s.PGSQL.5432'), database.url)
    writeFiles()
    for (const name of ['bursar', 'signer'])
      copyFileSync(join(root, `deploy/docker/${name}.Dockerfile`), join(scratch.dir, `${name}.Dockerfile`))
    const [script, ...roots] = command()
    const args = ['--mount', join(import.meta.dirname, script!), scratch.dir, ...roots]
    child = spawn('unshare', args, {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    ended = once(child, 'close')
    output = createInterface(child.stdout)
    const [line] = (await Promise.race([once(output, 'line'), ended])) as [string]
    expect(line).toBe('started')
  })
  afterAll(async () => {
    child.stdin.end()
    await ended
    proxy.close()
    await database.drop()
    await roles.drop()
    scratch.remove()
  })

  function writeFiles(): void {
    const put = (folder: string, files: Readonly<Record<string, string>>): void => {
      mkdirSync(join(scratch.dir, folder), { recursive: true })
      for (const [name, text] of Object.entries(files)) writeFileSync(join(scratch.dir, folder, name), text)
    }
    const { pathname } = new URL(database.url)
    const url = (kind: 'owner' | 'api' | 'worker' | 'watcher'): string =>
      `postgres://${pathname}?host=/packages/postgres&user=${roles.name(kind)}\n`
    const ca = certify('ca')
    const server = certify('signer', ca, ['signer'])
    const client = certify('worker', ca, ['worker.example'])
    put('secrets', {
      'data-key': `${'5a'.repeat(32)}\n`,
      'database-owner': url('owner'),
      'database-api': url('api'),
      'database-worker': url('worker'),
      'database-watcher': url('watcher'),
      'signer-ca': ca.cert,
      'signer-certificate': server.cert,
      'signer-key': server.key,
      'worker-certificate': client.cert,
      'worker-key': client.key,
    })
    put('settings', {
      'networks.json': exampleIn('docs/operating/configuration.md', 'json networks'),
      'assets.json': exampleIn('docs/operating/configuration.md', 'json assets'),
    })
    const policy = JSON.parse(exampleIn('signer/README.md', 'json')) as { approvers: unknown }
    policy.approvers = ['alice', 'bob'].map((id) => ({ id, publicKey: randomBytes(32).toString('hex') }))
    put('signer', { 'policy.json': JSON.stringify(policy), clients: 'dns:worker.example\n' })
    for (const container of readContainers(join(root, 'deploy/docker'), VARIABLES)) {
      // The roles of the test database have a prefix of their own.
      const env = { ...container.env, ...(container.name !== 'signer' && { BURSAR_DATABASE_ROLES: roles.prefix }) }
      writeFileSync(join(scratch.dir, `${container.name}.sh`), scriptOf({ ...container, env }, container.command))
      const { image, user, args } = container
      const variables = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`)
      const lines = [`--user=${user}`, ...variables, `${image}:test`, ...args]
      writeFileSync(join(scratch.dir, `${container.name}.args`), `${lines.join('\n')}\n`)
      writeFileSync(join(scratch.dir, `${container.name}.health.sh`), scriptOf({ ...container, env }, container.health))
    }
  }

  const logOf = (name: string): string => readFileSync(join(scratch.dir, `${name}.log`), 'utf8')

  const healthOf = async (name: string): Promise<string> => {
    const answer = once(output, 'line')
    child.stdin.write(`${name}\n`)
    return ((await answer) as [string])[0]
  }

  test.each(['signer', 'worker', 'watcher', 'api'])(
    'run %s as a user without rights, on a read-only root',
    async (name) => {
      await expect.poll(() => logOf(name)).toMatch(/"ready":true|"msg":"ready"/)
      expect(logOf(name)).toContain(`"version":"${version}"`)
      await expect.poll(() => healthOf(name)).toBe(`${name} 0`)
    },
  )

  test('let the worker reach the signer', async () => {
    await expect.poll(() => healthOf('signer')).toBe('signer 0')
    expect(logOf('worker')).not.toContain('SignerUnavailable')
  })
})

/** Passes connections to a socket that every user may open on to a PostgreSQL whose socket only this user reaches. */
async function passOnSocket(path: string, databaseUrl: string): Promise<Server> {
  const { searchParams } = new URL(databaseUrl)
  const target = join(searchParams.get('host')!, `.s.PGSQL.${searchParams.get('port') ?? '5432'}`)
  const server = createServer((client) => {
    const upstream = connect(target)
    for (const one of [client, upstream]) one.on('error', () => [client, upstream].forEach((each) => each.destroy()))
    client.pipe(upstream).pipe(client)
  })
  server.listen({ path, readableAll: true, writableAll: true })
  await once(server, 'listening')
  return server
}
