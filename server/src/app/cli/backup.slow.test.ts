/** The commands of backups as an operator types them, on a real server with a received log. */
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { debianPrograms, initCluster, startCluster, type Cluster } from '../../../../test/drill/cluster.ts'
import { drillFolder } from '../../../../test/drill/folder.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { buildPrograms } from '../../../../tools/build.ts'
import { keyName } from '../../platform/config/secrets.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { placesOf } from '../backup/folder.ts'

const { bursar: MAIN } = await buildPrograms()
const programs = debianPrograms()
/** Under CI missing programs are a failure. */
const isSkipped = programs === undefined && process.env['CI'] === undefined

let folder: string
let backups: string
let env: Record<string, string>
let cluster: Cluster
/** a file with another data key */
let otherKey: string
const started: { end(): Promise<unknown> }[] = []

/** Starts a command as the user of PostgreSQL. */
const start = (words: readonly string[]) => {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env['PATH'], TMPDIR: folder, ...env },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...programs!.as,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (text += part.toString('utf8')))
  const ended = new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, text }))
  })
  return { child, ended }
}
const run = (...words: string[]) => start(words).ended

beforeAll(async () => {
  if (isSkipped) return
  folder = drillFolder(programs!)
  backups = join(folder, 'k')
  await initCluster(programs!, join(folder, 'a'))
  cluster = await startCluster(programs!, join(folder, 'a'), join(folder, 's'))
  await migrate(cluster.url)
  const file = (name: string, contents: string): string => {
    const path = join(folder, name)
    writeFileSync(path, contents, { mode: 0o600 })
    if (programs!.as) chownSync(path, programs!.as.uid, programs!.as.gid)
    return path
  }
  otherKey = file('other-key', 'cd'.repeat(32))
  env = {
    DATABASE_URL: cluster.url,
    BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
    BURSAR_ASSETS_FILE: file('assets.json', JSON.stringify({ crypto: [], fiat: [] })),
    BURSAR_XPUBS_FILE: file('xpubs.json', JSON.stringify({ ...TEST_KEYS, masterFingerprint: '00000000' })),
    BURSAR_LOG_LEVEL: 'silent',
  }
  const receiver = start(['backup', 'wal', '--folder', backups, '--programs', programs!.folder!])
  started.push({
    end: () => {
      receiver.child.kill('SIGTERM')
      return receiver.ended
    },
  })
})
afterAll(async () => {
  for (const { end } of started) await end()
  await cluster?.stop()
})

test.skipIf(isSkipped)(
  'D11 D12 a backup is made, read again, restored in a drill and into a new directory, and a changed byte is found',
  async () => {
    const received = (): boolean => readdirSync(placesOf(backups).wal, { withFileTypes: true }).length > 0
    await expect.poll(() => existsSync(placesOf(backups).wal) && received()).toBe(true)
    expect(await run('backup', '--folder', backups)).toMatchObject({
      code: 1,
      text: expect.stringContaining('set BURSAR_SIGNER, or give --without-signer'),
    })
    const making = await withClient(cluster.url, async (client) => {
      await client.query('select pg_advisory_lock(726264)')
      return run('backup', '--folder', backups, '--without-signer')
    })
    expect(making).toMatchObject({ code: 1, text: expect.stringContaining('another backup of this database') })
    const made = await run('backup', '--folder', backups, '--without-signer')
    expect(made).toMatchObject({ code: 0, text: expect.stringMatching(/^backup \d{8}T\d{6}Z-[0-9a-f]{32} up to/) })
    expect((await run('backup', 'list', '--folder', backups)).text).toMatch(/\d{8}T\d{6}Z-[0-9a-f]{32}/)
    await withClient(cluster.url, (client) => client.query("create table after_backup as select 'later' as text"))
    expect(await run('backup', 'verify', '--folder', backups)).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^ok/),
    })

    const drill = await run('backup', 'drill', '--folder', backups, '--scratch', join(folder, 'd'))
    expect(drill).toMatchObject({ code: 0, text: expect.stringMatching(/^ok/) })
    expect(existsSync(join(folder, 'd'))).toBe(false)
    const { rows } = await withClient(cluster.url, (client) => client.query('select kind from backups order by kind'))
    expect(rows).toEqual([{ kind: 'backup' }, { kind: 'drill' }])

    const { dataKeys } = JSON.parse(
      readFileSync(join(placesOf(backups).base, readdirSync(placesOf(backups).base)[0]!, 'manifest.json'), 'utf8'),
    ) as { dataKeys: string[] }
    const [name] = dataKeys
    expect(name).toBe(keyName(Buffer.from('ab'.repeat(32), 'hex')))
    const into = join(folder, 'b')
    const { BURSAR_DATA_KEY_FILE: key, ...withoutKey } = env
    env = { ...withoutKey }
    expect(await run('restore', '--folder', backups, '--into', into)).toMatchObject({
      code: 1,
      text: expect.stringContaining(`encrypted with data key ${name}, which no backup contains`),
    })
    expect(await run('restore', '--folder', backups, '--into', into, '--data-key-file', otherKey)).toMatchObject({
      code: 1,
      text: expect.stringContaining(`it lacks data key ${name}. Nothing was restored`),
    })
    expect(existsSync(into)).toBe(false)
    env = { ...withoutKey, BURSAR_DATA_KEY_FILE: otherKey }
    expect(await run('backup', 'drill', '--folder', backups, '--scratch', join(folder, 'd'))).toMatchObject({
      code: 1,
      text: expect.stringContaining(`BURSAR_DATA_KEY_FILE lacks data key ${name}`),
    })
    env = { ...withoutKey, BURSAR_DATA_KEY_FILE: key! }
    expect(await run('restore', '--folder', backups, '--into', into)).toMatchObject({ code: 0 })
    expect(await run('restore', '--folder', backups, '--into', into)).toMatchObject({
      code: 1,
      text: expect.stringContaining('is not empty'),
    })
    const restored = await startCluster(programs!, into, join(folder, 't'))
    started.push({ end: restored.stop })
    const found = await withClient(restored.url, (client) => client.query('select text from after_backup'))
    expect(found.rows).toEqual([{ text: 'later' }])

    const names = await withClient(cluster.url, async (client) => {
      const filled: string[] = []
      for (const number of [1, 2]) {
        await client.query(`create table later_${number} as select generate_series(1, 100)`)
        const { rows } = await client.query('select pg_walfile_name(pg_switch_wal()) as name')
        filled.push(rows[0].name)
      }
      return filled
    })
    const { wal } = placesOf(backups)
    await expect.poll(() => names.filter((name) => existsSync(join(wal, name))), { timeout: 60_000 }).toEqual(names)
    const [damaged] = names
    const log = readFileSync(join(wal, damaged!))
    writeFileSync(join(wal, damaged!), Buffer.from(log).fill(0xff, 60, 4_096))
    const restoring = (into: string) => ['restore', '--folder', backups, '--into', join(folder, into)]
    expect(await run('backup', 'verify', '--folder', backups)).toMatchObject({
      code: 1,
      text: expect.stringContaining('the received log is damaged'),
    })
    expect(await run(...restoring('e'))).toMatchObject({
      code: 1,
      text: expect.stringContaining('nothing was restored'),
    })
    expect(await run(...restoring('f'), '--skip-verify')).toMatchObject({
      code: 1,
      text: expect.stringContaining('later files of the log were received'),
    })
    expect([existsSync(join(folder, 'f')), existsSync(join(folder, 'f.restoring'))]).toEqual([false, true])
    writeFileSync(join(wal, damaged!), log)
    chmodSync(join(wal, damaged!), 0)
    expect(await run(...restoring('g'), '--skip-verify')).toMatchObject({
      code: 1,
      text: expect.stringContaining('the recovery ended without success'),
    })
    chmodSync(join(wal, damaged!), 0o600)
    expect(await run(...restoring('h'), '--superuser', 'missing-role')).toMatchObject({
      code: 1,
      text: expect.stringContaining('role "missing-role" does not exist'),
    })
    expect(await run('backup', 'verify', '--folder', backups)).toMatchObject({ code: 0 })

    const [id] = readdirSync(placesOf(backups).base)
    const data = join(placesOf(backups).base, id!, 'data')
    const changed = join(
      data,
      'global',
      readdirSync(join(data, 'global')).find((name) => /^\d+$/.test(name))!,
    )
    const bytes = readFileSync(changed)
    bytes[100] = bytes[100]! ^ 1
    writeFileSync(changed, bytes)
    expect(await run('backup', 'verify', '--folder', backups)).toMatchObject({
      code: 1,
      text: expect.stringContaining('checksum mismatch'),
    })
    expect(await run('restore', '--folder', backups, '--into', join(folder, 'c'))).toMatchObject({
      code: 1,
      text: expect.stringContaining('nothing was restored'),
    })
  },
)
