/** The operator's commands of screening, as they are typed. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { runCommand } from './index.ts'
import { loadConfig } from '../installation/open.ts'
import { captured } from './test-output.ts'

const { db, file, ...installation } = useInstallation()
const ID = '0199a000-0000-7000-8000-0000000000b1'

const listOf = (date: string, ...addresses: string[]): string =>
  `<sdnList><publshInformation><Publish_Date>${date}</Publish_Date></publshInformation>${addresses.map((one) => `<sdnEntry><lastName>X</lastName><idList><id><idType>Digital Currency Address - ETH</idType><idNumber>${one}</idNumber></id></idList></sdnEntry>`).join('')}</sdnList>`
const addresses = [1, 2, 3, 4].map((n) => `0x${String(n).repeat(40)}`)

const lists = {
  whole: file('sdn.xml', listOf('01/15/2026', ...addresses)),
  shorter: file('shorter.xml', listOf('02/15/2026', addresses[0]!)),
  cut: file('cut.xml', listOf('03/15/2026', ...addresses).slice(0, -60)),
  undated: file('sanctioned_addresses_ETH.txt', addresses.join('\n')),
}
const env = {
  ...installation.env,
  BURSAR_SCREENING_FILE: file('screening.json', {
    providers: [{ kind: 'local-lists' }, { kind: 'issuer-freezes' }],
  }),
}

const bursar = (...args: string[]) => captured(() => runCommand(args, env))

test('the file of settings is read', () => {
  expect(loadConfig(env, 'cli').screening).toMatchObject({
    providers: [{ kind: 'local-lists' }, { kind: 'issuer-freezes' }],
  })
})

test('lists are imported and shown with their age; a list that is cut off, undated or much shorter is refused', async () => {
  expect(await bursar('screening', 'lists')).toMatchObject({
    code: 0,
    text: expect.stringContaining('no list has been imported'),
  })
  expect(await bursar('screening', 'import', lists.whole)).toMatchObject({
    code: 0,
    text: expect.stringContaining('OFAC SDN of 2026-01-15 is in force: 4 addresses'),
  })
  expect(await bursar('screening', 'import', lists.whole)).toMatchObject({
    code: 0,
    text: expect.stringContaining('already'),
  })
  expect(await bursar('screening', 'import', lists.cut)).toMatchObject({
    code: 1,
    text: expect.stringContaining('fetch it again'),
  })
  expect(await bursar('screening', 'import', lists.shorter)).toMatchObject({
    code: 1,
    text: expect.stringContaining('has 4 addresses'),
  })
  expect(await bursar('screening', 'import', lists.undated)).toMatchObject({
    code: 2,
    text: expect.stringContaining('--date'),
  })
  expect((await bursar('screening', 'import', '--date', '2026-01-20', lists.undated)).code).toBe(0)
  expect((await bursar('screening', 'import', 'nowhere.xml')).code).toBe(1)
  const { text } = await bursar('screening', 'lists')
  const rows = text.split('\n').filter((line) => line.startsWith('OFAC'))
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/^OFAC SDN +2026-01-15 +\d+ +4 +yes/)
  expect((await bursar('screening', 'import', '--force', lists.shorter)).code).toBe(0)
  expect((await bursar('screening', 'lists')).text).toMatch(/2026-02-15 +\d+ +1 +yes/)
})

test('risky deposits are listed, shown and decided, once, by the required number of people', async () => {
  // Raw: a report of AMLBot that no deposit waits for.
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
