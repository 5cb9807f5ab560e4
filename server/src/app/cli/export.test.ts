import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env, folder } = useInstallation()
const type = (...words: string[]) => captured(() => runCommand(words, env, async () => 'yes'))

const newMerchant = async (): Promise<string> => {
  const made = await type('merchant', 'create', '--name', 'Shop', '--url', 'https://shop.example', '--json')
  return (JSON.parse(made.out) as { id: string }).id
}

test('a merchant is exported to a new file of its owner, which the check accepts; the command is recorded', async () => {
  const [id, file] = [await newMerchant(), join(folder, 'shop.zip')]
  const { code, text } = await type('merchant', 'export', id, '--out', file)
  expect([code, text]).toEqual([0, expect.stringContaining(`${file} has `)])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await type('export', 'verify', file)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Shop: \d+ rows/m),
  })
  const { rows } = await sql<{
    outcome: string
    given: object
  }>`select outcome, arguments as given from operator_actions
    where command = 'merchant export' order by at`.execute(db)
  expect(rows).toEqual([
    { outcome: 'begun', given: { MERCHANT_ID: id, '--out': file } },
    { outcome: 'done', given: { MERCHANT_ID: id, '--out': file } },
  ])
})

test('a file that exists is not replaced, and no part of a failed export stays', async () => {
  const file = join(folder, 'old.zip')
  writeFileSync(file, 'old')
  const refused = await type('merchant', 'export', await newMerchant(), '--out', file)
  expect([refused.code, readFileSync(file, 'utf8')]).toEqual([1, 'old'])
  const unknown = join(folder, 'unknown.zip')
  const { code, text } = await type('merchant', 'export', '00000000-0000-7000-8000-000000000000', '--out', unknown)
  expect([code, text]).toEqual([1, expect.stringContaining('no merchant has the id')])
  expect(() => statSync(unknown)).toThrow('ENOENT')
})

test('a file that is no archive is refused, and one that was changed is reported', async () => {
  const file = join(folder, 'changed.zip')
  writeFileSync(file, 'text')
  expect((await type('export', 'verify', file)).code).toBe(1)
  const whole = join(folder, 'whole.zip')
  await type('merchant', 'export', await newMerchant(), '--out', whole)
  const bytes = readFileSync(whole)
  bytes[bytes.indexOf('settings.jsonl') + 30]! ^= 0xff
  writeFileSync(file, bytes)
  expect((await type('export', 'verify', file)).code).toBe(1)
})
