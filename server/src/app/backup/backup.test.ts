/** The folder of backups without a server: the log, the copy of the signer's log, settings and retention. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evmRequest, intentOf, makeSigner } from '../../../../test/world/signer.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { listBackups, MANIFEST, nameOf, placesOf, readBackups, stampOf, withScratch } from './folder.ts'
import { readManifest, type Manifest } from './manifest.ts'
import { connectionOf } from './programs.ts'
import { copySettings } from './settings.ts'
import { copySignerLog, readCopy } from './signer-copy.ts'
import { backupBefore } from './restoring.ts'
import { removeOld } from './taking.ts'
import { checkReceived, fileOf, newestComplete, numberOf } from './wal.ts'

const SEGMENT = 1024
const file = (number: number, timeline = 1): string => fileOf(`0/${(number * SEGMENT).toString(16)}`, timeline, SEGMENT)
const receive = (folder: string, names: readonly string[]): void => {
  mkdirSync(folder, { recursive: true })
  for (const name of names) writeFileSync(join(folder, name), Buffer.alloc(SEGMENT))
}

test('a gap in the received log, a short file and a log that begins too late are faults', async () => {
  const folder = temporaryFolder('wal')
  const check = (from: number) => checkReceived(folder, { from: file(from), segmentBytes: SEGMENT })
  expect((await check(2)).problems).toMatchObject([expect.stringContaining('was not received')])
  receive(folder, [file(2), file(3), `${file(4)}.partial`, '00000002.history'])
  expect((await check(2)).problems).toEqual([])
  expect((await check(1)).problems).toEqual([`the log has a gap before ${file(2)}`])
  receive(folder, [file(6), file(4, 2)])
  expect((await check(2)).problems).toEqual([`the log has a gap before ${file(6)}`])
  truncateSync(join(folder, file(3)), 10)
  expect((await check(3)).problems).toContain(`${file(3)} has 10 bytes instead of ${SEGMENT}`)
})

test('the names of log files are those of PostgreSQL', () => {
  expect(fileOf('2B/8E0017C8', 3, 16 * 1024 * 1024)).toBe('000000030000002B0000008E')
})

test('a recovery has to reach the newest complete file of the newest timeline', async () => {
  const folder = temporaryFolder('wal')
  expect(await newestComplete(folder, SEGMENT)).toBeNull()
  receive(folder, [file(2), file(3), file(7), `${file(8)}.partial`])
  expect(await newestComplete(folder, SEGMENT)).toBe(7n)
  receive(folder, [`${file(4, 2)}.partial`])
  expect(await newestComplete(folder, SEGMENT)).toBeNull()
  receive(folder, [file(4, 2)])
  expect(await newestComplete(folder, SEGMENT)).toBe(4n)
  expect(numberOf('2/10', SEGMENT)).toBe((2n << 32n) / BigInt(SEGMENT))
})

test("the copy of the signer's log continues, mends an interrupted line, and refuses another log", async () => {
  const made = await makeSigner({ log: { segmentBytes: 1_500 } })
  const folder = join(temporaryFolder('copy'), 'log')
  const sign = (number: number) => made.signer.sign(evmRequest(intentOf(number), { nonce: BigInt(number) }))
  await sign(1)
  const first = await copySignerLog(made.signer, folder)
  appendFileSync(join(folder, 'signer.log'), '{"seq":')
  for (const number of [2, 3, 4]) await sign(number)
  const end = await copySignerLog(made.signer, folder)
  expect(end).toEqual(made.signer.logEnd)
  expect(await readCopy(folder, first)).toMatchObject({ end })
  const copied = readdirSync(folder).toSorted()
  expect(copied.length).toBeGreaterThan(1)
  const source = join(made.logFile, '..')
  for (const name of copied)
    expect(readFileSync(join(folder, name), 'utf8')).toBe(
      readFileSync(join(source, name.replace('signer.log', 'log')), 'utf8'),
    )
  await expect(readCopy(folder, { length: end.length, head: 'f'.repeat(64) })).rejects.toThrow('lacks line')
  const other = await makeSigner()
  for (const number of [5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    await other.signer.sign(evmRequest(intentOf(number), { nonce: BigInt(number) }))
  await expect(copySignerLog(other.signer, folder)).rejects.toThrow('does not continue the copy')
  writeFileSync(join(folder, copied[1]!), readFileSync(join(folder, copied[1]!), 'utf8').replace('"at":1', '"at":2'))
  await expect(readCopy(folder)).rejects.toThrow('does not follow')
})

test("the copy of the signer's log continues when it was interrupted between two files", async () => {
  const made = await makeSigner({ log: { segmentBytes: 1_500 } })
  const folder = join(temporaryFolder('copy'), 'log')
  for (const number of [1, 2, 3]) await made.signer.sign(evmRequest(intentOf(number), { nonce: BigInt(number) }))
  await copySignerLog(made.signer, folder)
  const [first, ...others] = readdirSync(folder)
    .filter((name) => name !== 'signer.log')
    .toSorted()
  const read = (place: string, name: string): string => readFileSync(join(place, name), 'utf8')
  // The states before and after the new current file is made.
  for (const begun of [[], [['signer.log', '']]] as [string, string][][]) {
    const interrupted = join(temporaryFolder('interrupted'), 'log')
    mkdirSync(interrupted)
    for (const [name, text] of [[first!, read(folder, first!)], ...begun])
      writeFileSync(join(interrupted, name!), text!)
    expect(await copySignerLog(made.signer, interrupted)).toEqual(made.signer.logEnd)
    for (const name of [first!, ...others, 'signer.log']) expect(read(interrupted, name)).toBe(read(folder, name))
  }
})

test('K8 settings with secrets are encrypted or left out, and keys are never copied', async () => {
  const place = temporaryFolder('settings')
  const path = (name: string, text: string): string => {
    writeFileSync(join(place, name), text, { mode: 0o600 })
    return join(place, name)
  }
  const env = {
    DATABASE_URL: 'postgres://u:secret-of-url@h/d',
    BURSAR_DATA_KEY_FILE: path('data-key', 'secret-of-data-key'),
    BURSAR_CARD_KEY_FILE: path('card-key', 'secret-of-card-key'),
    BURSAR_SIGNER_KEY_FILE: path('signer-key', 'secret-of-signer-key'),
    BURSAR_ASSETS_FILE: path('assets.json', '{"crypto":[]}'),
    BURSAR_ACQUIRERS_FILE: path('acquirers.json', 'secret-of-acquirer'),
  }
  const [key, cert] = [join(place, 'k.pem'), join(place, 'c.pem')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=backup',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  )
  const plain = await copySettings({ folder: null }, env, join(place, 'a'), undefined)
  expect(plain).toMatchObject({ leftOut: ['BURSAR_ACQUIRERS_FILE'] })
  expect(Object.keys(plain.settings)).toEqual(['BURSAR_ASSETS_FILE-assets.json'])
  const { settings, leftOut } = await copySettings({ folder: null }, env, join(place, 'b'), cert)
  expect(leftOut).toEqual([])
  const names = Object.keys(settings)
  const all = names.map((name) => readFileSync(join(place, 'b', name), 'latin1')).join('')
  expect(all).not.toContain('secret-of')
  const sealed = join(place, 'b', 'BURSAR_ACQUIRERS_FILE-acquirers.json.cms')
  const opened = execFileSync('openssl', ['cms', '-decrypt', '-binary', '-inform', 'DER', '-in', sealed, '-inkey', key])
  expect(opened.toString('utf8')).toBe('secret-of-acquirer')
})

const LOST_SOON = 'keepalives_idle=10&keepalives_interval=5&keepalives_count=4&tcp_user_timeout=30000'

test('the password of a URL is not in the arguments of a program', () => {
  expect(connectionOf('postgres://backup:p%40ss@db/bursar?sslmode=verify-full')).toEqual({
    text: `postgres://backup@db/bursar?${LOST_SOON}&sslmode=verify-full`,
    env: { PGPASSWORD: 'p@ss' },
  })
  for (const [query, rest] of [
    ['password=p%40ss', ''],
    ['user=u&password=p%40ss', '&user=u'],
    ['password=p%40ss&user=u', '&user=u'],
    ['user=u&password=p%40ss&sslmode=verify-full', '&user=u&sslmode=verify-full'],
  ])
    expect(connectionOf(`postgres://db/bursar?${query}`)).toEqual({
      text: `postgres://db/bursar?${LOST_SOON}${rest}`,
      env: { PGPASSWORD: 'p@ss' },
    })
  expect(connectionOf('postgres:///bursar?host=/run&user=u')).toEqual({
    text: `postgres:///bursar?${LOST_SOON}&host=/run&user=u`,
    env: {},
  })
})

const DAY = 86_400_000
const manifestAt = (at: Date, startFile = file(2)): Manifest => ({
  format: 1,
  version: '0.1.0',
  startedAt: at.toISOString(),
  finishedAt: at.toISOString(),
  database: { name: 'bursar', major: 15, systemIdentifier: '7300000000000000000', timeline: 1 },
  wal: { start: '0/2000028', end: '0/3000000', startFile, segmentBytes: SEGMENT },
  backupManifest: 'a'.repeat(64),
  signerLog: { length: 3, head: 'b'.repeat(64) },
  settings: { 'BURSAR_ASSETS_FILE-assets.json': 'c'.repeat(64) },
  leftOut: [],
})
/** Makes the folder of a backup with its manifest. @returns its id */
const makeBackup = (folder: string, at: Date, startFile?: string): string => {
  const text = JSON.stringify(manifestAt(at, startFile))
  const id = nameOf(at, text)
  const path = join(placesOf(folder).base, id)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, MANIFEST), text)
  return id
}

test('old backups are removed, but never the two newest, and the log that the oldest needs stays', async () => {
  const folder = temporaryFolder('old')
  const { base, wal } = placesOf(folder)
  const ids = [1, 2, 3, 4].map((day, number) =>
    makeBackup(folder, new Date(Date.UTC(2026, 0, day)), file(number * 2 + 2)),
  )
  for (const day of [1, 9]) mkdirSync(join(base, `${stampOf(new Date(Date.UTC(2026, 0, day, 1)))}.partial`))
  receive(
    wal,
    Array.from({ length: 9 }, (_, number) => file(number)),
  )
  const removed = await removeOld(folder, new Date(Date.UTC(2027, 0, 1)))
  expect(removed).toEqual({ backups: ids.slice(0, 2), files: 6 })
  expect((await listBackups(folder)).map(({ id }) => id)).toEqual(ids.slice(2))
  // A backup that is younger than the newest may still be running.
  expect(readdirSync(base).filter((name) => name.endsWith('.partial'))).toEqual(['20260109T010000Z.partial'])
  expect(readdirSync(wal).toSorted()).toEqual([6, 7, 8].map((number) => file(number)))
})

test('a backup whose manifest was changed, moved or removed is not used, and hides no older one', async () => {
  const folder = temporaryFolder('changed')
  const { base } = placesOf(folder)
  const [older, newer] = [1, 2].map((day) => makeBackup(folder, new Date(day * DAY)))
  expect((await backupBefore(folder, null)).id).toBe(newer)
  const path = join(base, newer!, MANIFEST)
  const text = readFileSync(path, 'utf8')
  for (const change of [
    () => writeFileSync(path, text.replace('"length":3', '"length":2')),
    () => writeFileSync(path, readFileSync(join(base, older!, MANIFEST))),
    () => rmSync(path),
  ]) {
    change()
    const { good, damaged } = await readBackups(folder)
    expect([good.map(({ id }) => id), damaged.map(({ id }) => id)]).toEqual([[older], [newer]])
    await expect(backupBefore(folder, null)).rejects.toThrow(`backup ${newer} is damaged`)
    expect((await backupBefore(folder, new Date(1.5 * DAY))).id).toBe(older)
  }
  expect(await removeOld(folder, new Date(9 * DAY))).toEqual({ backups: [], files: 0 })
})

test('a manifest is read by its shape', () => {
  const good = manifestAt(new Date(0))
  expect(readManifest(JSON.stringify(good))).toEqual(good)
  expect(() => readManifest('{')).toThrow('is no JSON')
  for (const [change, place] of [
    [{ more: 1 }, 'more'],
    [{ format: 2 }, 'format'],
    [{ settings: { '../../etc/passwd': 'c'.repeat(64) } }, 'settings'],
    [{ settings: { a: 'c' } }, 'settings'],
    [{ wal: { ...good.wal, startFile: '../x' } }, 'wal.startFile'],
    [{ wal: { ...good.wal, segmentBytes: 0.5 } }, 'wal.segmentBytes'],
    [{ signerLog: { length: -1, head: 'b'.repeat(64) } }, 'signerLog'],
    [{ finishedAt: 'yesterday' }, 'finishedAt'],
    [{ database: undefined }, 'database'],
  ] as const)
    expect(() => readManifest(JSON.stringify({ ...good, ...change }))).toThrow(place)
})

test('a drill refuses a folder with files and leaves them, and removes only the folder that it made', async () => {
  const folder = temporaryFolder('scratch')
  const precious = join(folder, 'PG_VERSION')
  writeFileSync(precious, '15')
  await expect(withScratch(folder, async () => 'done')).rejects.toThrow('is not empty')
  expect(readFileSync(precious, 'utf8')).toBe('15')

  const missing = join(folder, 'a', 'drill')
  const fail = async (into: string): Promise<never> => {
    writeFileSync(join(into, 'copied'), '')
    // A second drill into the same folder does not remove the first one's files.
    await expect(withScratch(missing, async () => 'done')).rejects.toThrow('is not empty')
    expect(existsSync(join(into, 'copied'))).toBe(true)
    throw new Error('the drill failed')
  }
  await expect(withScratch(missing, fail)).rejects.toThrow('the drill failed')
  expect(existsSync(missing)).toBe(false)
  mkdirSync(missing)
  expect(await withScratch(missing, async () => 'done')).toBe('done')
  expect(readdirSync(missing)).toEqual([])
})
