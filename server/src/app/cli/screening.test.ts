/** The operator's commands of screening, as they are typed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createDb, createPool, type Db } from '../../platform/db/index.ts'
import { runCommand } from './index.ts'
import { loadConfig } from '../installation/open.ts'
import { captured } from './test-output.ts'

const database = useDatabase({ template: migrated })
const folder = mkdtempSync(join(tmpdir(), 'bursar-screening-cli-'))
const path = (name: string): string => join(folder, name)
const ID = '0199a000-0000-7000-8000-0000000000b1'
let env: Record<string, string>
let db: Db
let close: () => Promise<void>

const listOf = (date: string, ...addresses: string[]): string =>
  `<sdnList><publshInformation><Publish_Date>${date}</Publish_Date></publshInformation>${addresses.map((one) => `<sdnEntry><lastName>X</lastName><idList><id><idType>Digital Currency Address - ETH</idType><idNumber>${one}</idNumber></id></idList></sdnEntry>`).join('')}</sdnList>`
const addresses = [1, 2, 3, 4].map((n) => `0x${String(n).repeat(40)}`)

beforeAll(() => {
  const pool = createPool({ url: database.url })
  db = createDb(pool)
  close = () => pool.end()
  writeFileSync(path('key'), 'ab'.repeat(32), { mode: 0o600 })
  writeFileSync(path('sdn.xml'), listOf('01/15/2026', ...addresses))
  writeFileSync(path('shorter.xml'), listOf('02/15/2026', addresses[0]!))
  writeFileSync(path('cut.xml'), listOf('03/15/2026', ...addresses).slice(0, -60))
  writeFileSync(path('sanctioned_addresses_ETH.txt'), addresses.join('\n'))
  writeFileSync(
    path('screening.json'),
    JSON.stringify({ providers: [{ kind: 'local-lists' }, { kind: 'issuer-freezes' }] }),
  )
  writeFileSync(path('assets.json'), JSON.stringify({ crypto: [], fiat: [] }))
  writeFileSync(path('xpubs.json'), JSON.stringify({ ...TEST_KEYS, masterFingerprint: '00000000' }))
  env = {
    BURSAR_ASSETS_FILE: path('assets.json'),
    BURSAR_XPUBS_FILE: path('xpubs.json'),
    DATABASE_URL: database.url,
    BURSAR_DATA_KEY_FILE: path('key'),
    BURSAR_LOG_LEVEL: 'silent',
    BURSAR_SCREENING_FILE: path('screening.json'),
  }
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await close()
})

const bursar = (...args: string[]) => captured(() => runCommand(args, env))

test('the file of settings is read', () => {
  expect(loadConfig(env, 'cli').screening).toMatchObject({
    providers: [{ kind: 'local-lists' }, { kind: 'issuer-freezes' }],
  })
})

test('lists are imported and shown with their age; what is cut off, undated or much shorter is refused and changes nothing', async () => {
  expect(await bursar('screening', 'lists')).toMatchObject({
    code: 0,
    text: expect.stringContaining('no list has been imported'),
  })
  expect(await bursar('screening', 'import', path('sdn.xml'))).toMatchObject({
    code: 0,
    text: expect.stringContaining('OFAC SDN of 2026-01-15 is in force: 4 addresses'),
  })
  expect(await bursar('screening', 'import', path('sdn.xml'))).toMatchObject({
    code: 0,
    text: expect.stringContaining('already'),
  })
  expect(await bursar('screening', 'import', path('cut.xml'))).toMatchObject({
    code: 1,
    text: expect.stringContaining('fetch it again'),
  })
  expect(await bursar('screening', 'import', path('shorter.xml'))).toMatchObject({
    code: 1,
    text: expect.stringContaining('has 4 addresses'),
  })
  expect(await bursar('screening', 'import', path('sanctioned_addresses_ETH.txt'))).toMatchObject({
    code: 2,
    text: expect.stringContaining('--date'),
  })
  expect((await bursar('screening', 'import', '--date', '2026-01-20', path('sanctioned_addresses_ETH.txt'))).code).toBe(
    0,
  )
  expect((await bursar('screening', 'import', path('nowhere.xml'))).code).toBe(1)
  const { text } = await bursar('screening', 'lists')
  const rows = text.split('\n').filter((line) => line.startsWith('OFAC'))
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/^OFAC SDN +2026-01-15 +\d+ +4 +yes/)
  expect((await bursar('screening', 'import', '--force', path('shorter.xml'))).code).toBe(0)
  expect((await bursar('screening', 'lists')).text).toMatch(/2026-02-15 +\d+ +1 +yes/)
})

test('what is risky is listed, shown and decided, once, by as many as it takes', async () => {
  await sql`insert into screenings(merchant_id, id, kind, subject_id, subject, state, report, token, next_at, created_at, updated_at)
    values (${ID}, ${ID}, 'deposit', ${ID}, '{"network":"TRON","asset":"USDT"}', 'risky', '{"riskScore":0.9,"flags":["on a list"],"signals":{}}', 't', now(), now(), now())`.execute(
    db,
  )
  expect(JSON.parse((await bursar('screening', 'list', '--json')).text).screenings).toMatchObject([
    { id: ID, kind: 'deposit', network: 'TRON', riskScore: 0.9, flags: ['on a list'] },
  ])
  expect((await bursar('screening', 'release', 'nonsense')).code).toBe(2)
  expect((await bursar('screening', 'release', '--yes', ID)).text).toContain('REASON')
  expect(await bursar('screening', 'reject', '--yes', ID, 'no')).toMatchObject({
    code: 1,
    text: expect.stringContaining('not in quarantine'),
  })
  expect(await bursar('screening', 'release', '--yes', ID, 'seen', 'by', 'me')).toMatchObject({
    code: 0,
    text: 'released\n',
  })
  expect((await bursar('screening', 'release', '--yes', ID, 'again')).code).toBe(1)
  expect(JSON.parse((await bursar('screening', 'show', ID, '--json')).text)).toMatchObject({
    state: 'released',
    decisions: [{ event: 'released', reason: 'seen by me', actor: expect.stringMatching(/^cli:/) }],
  })
  expect(JSON.parse((await bursar('screening', 'list', '--rejected', '--json')).text).screenings).toEqual([])
  expect(JSON.parse((await bursar('screening', 'list', '--json')).text).screenings).toEqual([])
})
