import { userInfo } from 'node:os'
import { describe, expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { findBrokenAction, listActions } from '../../platform/operators/index.ts'
import { commands, runCommand } from './index.ts'
import { LOOKING, operatorHere } from './recording.ts'
import { captured } from './test-output.ts'

const { url, pool, db, ...installation } = useInstallation()
let { env } = installation

const type = async (...words: string[]): Promise<{ code: number; said: string }> => {
  const { code, text } = await captured(() => runCommand(words, env, null))
  return { code, said: text }
}
const recorded = async (most = 10) =>
  (await listActions(db, { most, command: null }))
    .map(({ command, outcome, message }) => [command, outcome, message])
    .toReversed()

describe('commands that change something', () => {
  test('audit S-6: are recorded before they begin and after they ended, with the login of the operator', async () => {
    const made = await type('merchant', 'create', '--name', 'Shop', '--url', 'https://shop.example', '--json')
    expect(made.code).toBe(0)
    const { id, privateKey } = JSON.parse(made.said) as { id: string; privateKey: string }
    expect((await type('merchant', 'set', id, 'noSuchSetting', 'x')).code).toBe(1)
    expect(await recorded()).toEqual([
      ['merchant create', 'begun', null],
      ['merchant create', 'done', null],
      ['merchant set', 'begun', null],
      ['merchant set', 'failed', expect.any(String)],
    ])
    const [, , ended] = await listActions(db, { most: 10, command: null })
    expect(ended).toMatchObject({
      login: userInfo().username,
      databaseUser: 'postgres',
      arguments: { '--name': 'Shop', '--url': 'https://shop.example' },
    })
    expect(JSON.stringify(await listActions(db, { most: 10, command: null }))).not.toContain(privateKey)
    expect(await findBrokenAction(db)).toBeNull()
    const { rows } = await pool.query('select distinct actor from merchant_audit')
    expect(rows).toEqual([{ actor: `cli:${userInfo().username}` }])
  })

  test('audit S-6: those that only look are not recorded, and each of these exists', async () => {
    const before = await recorded(1_000)
    for (const words of [['merchant', 'list'], ['alerts'], ['freezes'], ['actions']]) await type(...words)
    expect(await recorded(1_000)).toEqual(before)
    expect([...LOOKING].filter((name) => !commands.some((one) => one.name === name))).toEqual([])
    expect((await type('actions', '--command', 'merchant')).said).toMatch(
      /merchant create .*: done[\s\S]* row\(s\), each with the hash of the row before it; head [0-9a-f]{64}/,
    )
  })

  test('audit S-6: are not carried out if they can not be recorded', async () => {
    await pool.query(
      `create role recording_${process.pid} login; grant usage on schema public to recording_${process.pid}; grant select, insert on merchants, merchant_keys to recording_${process.pid}`,
    )
    try {
      env = { ...env, DATABASE_URL: url.replace(/([?&]user=)[^&]*/, `$1recording_${process.pid}`) }
      const { code, said } = await type('merchant', 'create', '--name', 'Other', '--url', 'https://shop.example')
      expect([code, said]).toEqual([1, expect.stringContaining("may not record operators' commands")])
      expect((await pool.query("select from merchants where name = 'Other'")).rowCount).toBe(0)
    } finally {
      await pool.query(`drop owned by recording_${process.pid}; drop role recording_${process.pid}`)
    }
  })

  test('audit S-6: behind sudo both names are recorded', () => {
    expect(operatorHere({ SUDO_USER: 'ann' }).login).toBe(`${userInfo().username} (sudo by ann)`)
    expect(operatorHere({}).login).toBe(userInfo().username)
  })
})
