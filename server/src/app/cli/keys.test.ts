import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { announceSending } from '../../merchants/mail/index.ts'
import { insertMember, insertPerson } from '../../people/access/people.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()

const type = async (...words: string[]): Promise<{ code: number; said: string }> => {
  const { code, text } = await captured(() => runCommand(words, env, async () => 'yes'))
  return { code, said: text }
}
const shown = async (...words: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await type(...words, '--json')).said) as Record<string, unknown>
const newMerchant = async (): Promise<string> =>
  (await shown('merchant', 'create', '--name', 'Shop', '--url', 'https://shop.example'))['id'] as string

test('an additional key is made, listed without its secret, and revoked; its main key stays', async () => {
  const id = await newMerchant()
  const words = ['--name', 'Accounting', '--scopes', 'payouts,read', '--addresses', '192.0.2.7,2001:db8::/32']
  const { keyId, secret } = await shown('merchant', 'add-key', id, ...words, '--days', '30')
  expect(secret).toMatch(/^[0-9a-f]{32}$/)
  const listed = await type('merchant', 'keys', id, '--json')
  expect(listed.said).not.toContain(secret)
  const { main, additional } = JSON.parse(listed.said) as Record<'main' | 'additional', Record<string, unknown>[]>
  expect(main!.map(({ purpose }) => purpose).toSorted()).toEqual(['api', 'webhook'])
  expect(additional).toEqual([
    expect.objectContaining({
      id: keyId,
      name: 'Accounting',
      scopes: 'read,payouts',
      addresses: '192.0.2.7/32,2001:db8::/32',
      revokedAt: null,
    }),
  ])
  expect((await type('merchant', 'revoke-key', id, keyId as string)).code).toBe(0)
  expect((await type('merchant', 'revoke-key', id, keyId as string)).said).toContain('has no valid key')
  const after = (await shown('merchant', 'keys', id)) as Record<'main' | 'additional', { revokedAt: unknown }[]>
  expect(after.main.map(({ revokedAt }) => revokedAt)).toEqual([null, null])
  expect(after.additional[0]!.revokedAt).not.toBeNull()
  const { rows } = await sql<{ action: string; actor: string }>`select action, actor from dashboard_audit
    where merchant_id = ${id} order by at, id`.execute(db)
  expect(rows).toEqual([
    { action: 'added key', actor: expect.stringMatching(/^cli:/) },
    { action: 'revoked key', actor: expect.stringMatching(/^cli:/) },
  ])
  const { rows: stored } = await sql<{
    text: string
  }>`select to_jsonb(k)::text || coalesce((select string_agg(to_jsonb(a)::text, '')
    from dashboard_audit a where a.merchant_id = ${id}), '') as text from api_keys k where k.merchant_id = ${id}`.execute(
    db,
  )
  expect(stored[0]!.text).not.toContain(secret)
})

test('every owner is mailed about a new key, in their language, and no other member', async () => {
  await announceSending(db, true, new Date())
  const id = await newMerchant()
  for (const [n, role] of (['owner', 'owner', 'admin'] as const).entries()) {
    const email = `${role}-${n}@keys.example`
    const person = { id: `00000000-0000-4000-8000-00000000000${n}`, email, language: 'uk' as const }
    await inTransaction(db, async (tx) => {
      await insertPerson(tx, person, email, new Date())
      await insertMember(tx, { merchantId: id, personId: person.id, role }, new Date())
    })
  }
  await type('merchant', 'add-key', id, '--name', 'Shop', '--scopes', 'read')
  const { rows } = await sql<{
    to: string
    language: string
    data: object
  }>`select recipient as to, language, data from mails
    where merchant_id = ${id} order by recipient`.execute(db)
  const data = expect.objectContaining({ event: 'key-added', detail: 'Shop (read)', by: null })
  expect(rows).toEqual(['owner-0', 'owner-1'].map((name) => ({ to: `${name}@keys.example`, language: 'uk', data })))
})

test.each([
  [['--name', 'x', '--scopes', 'all'], '--scopes is one or more of read'],
  [['--name', 'x', '--scopes', ''], '--scopes'],
  [['--scopes', 'read'], '--name'],
  [['--name', 'x'.repeat(61), '--scopes', 'read'], '1 to 60 characters'],
  [['--name', 'x', '--scopes', 'read', '--addresses', '10.0.0.1/8'], '--addresses are'],
  [['--name', 'x', '--scopes', 'read', '--days', '0'], '--days is'],
])('add-key %j is refused, and makes no key', async (words, why) => {
  const id = await newMerchant()
  const { code, said } = await type('merchant', 'add-key', id, ...words)
  expect([code === 0, said]).toEqual([false, expect.stringContaining(why)])
  const { rows } = await sql`select from api_keys where merchant_id = ${id}`.execute(db)
  expect(rows).toEqual([])
})

test('a merchant that does not exist gets no key', async () => {
  const { said } = await type(
    'merchant',
    'add-key',
    '00000000-0000-4000-8000-0000000000ff',
    '--name',
    'x',
    '--scopes',
    'read',
  )
  expect(said).toContain('no merchant has the id')
})
