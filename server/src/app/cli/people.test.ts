import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { announceSending, listMails } from '../../merchants/mail/index.ts'
import { hashOf } from '../../people/access/tokens.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()

const type = async (...words: string[]): Promise<{ code: number; said: string }> => {
  const { code, text } = await captured(() => runCommand(words, env, async () => 'yes'))
  return { code, said: text }
}
const newMerchant = async (): Promise<string> => {
  const made = await type('merchant', 'create', '--name', 'Shop', '--url', 'https://shop.example', '--json')
  return (JSON.parse(made.said) as { id: string }).id
}
const invitations = async () =>
  (
    await sql<{ hash: Buffer; kind: string; role: string; open: boolean }>`select token_hash as hash, kind, role,
      withdrawn_at is null as open from dashboard_invitations order by created_at, id`.execute(db)
  ).rows

test('an invitation is mailed with a link that the database has only as a hash, and ends the one before', async () => {
  await announceSending(db, true, new Date())
  const id = await newMerchant()
  const first = await type('merchant', 'invite', id, 'Olena@Shop.example', '--role', 'owner', '--language', 'uk')
  expect([first.code, first.said]).toEqual([0, expect.stringMatching(/^an invitation is mailed to Olena@Shop.example/)])
  expect(first.said).not.toContain('/app/join/')
  await type('merchant', 'invite', id, 'olena@shop.example', '--role', 'finance')
  const rows = await invitations()
  expect(rows.map(({ kind, role, open }) => ({ kind, role, open }))).toEqual([
    { kind: 'join', role: 'owner', open: false },
    { kind: 'join', role: 'finance', open: true },
  ])
  const [newest, older] = await listMails(db, { merchantId: id })
  expect([older!.language, older!.recipient]).toEqual(['uk', 'olena@shop.example'])
  const { joinUrl } = newest!.data as { joinUrl: string }
  expect(hashOf(joinUrl.split('/').at(-1)!)).toEqual(rows[1]!.hash)
  const { rows: audited } = await sql<{ actor: string; action: string }>`select actor, action from dashboard_audit
    where merchant_id = ${id}`.execute(db)
  expect(audited).toEqual([
    { actor: expect.stringMatching(/^cli:/), action: 'invited' },
    { actor: expect.stringMatching(/^cli:/), action: 'invited' },
  ])
})

test('without a mail server the link is printed', async () => {
  await announceSending(db, false, new Date())
  const { code, said } = await type('merchant', 'invite', await newMerchant(), 'a@shop.example', '--role', 'viewer')
  expect([code, said]).toEqual([0, expect.stringMatching(/in person: http\S+\/app\/join\/[A-Za-z0-9_-]{43}\n/)])
})

test.each([
  [['invite', 'x', 'a@shop.example', '--role', 'owner'], 'MERCHANT_ID is a UUID'],
  [['invite', 'ID', 'a@shop.example', '--role', 'boss'], '--role is one of owner, admin'],
  [['invite', 'ID', 'a@shop.example'], '--role'],
  [['invite', 'ID', 'not an address', '--role', 'owner'], 'is no mail address'],
  [['invite', 'ID', 'a@shop.example', '--role', 'owner', '--language', 'xx'], '--language is one of'],
  [['invite', '00000000-0000-7000-8000-000000000000', 'a@shop.example', '--role', 'owner'], 'no merchant has the id'],
  [['reset-access', 'ID', 'a@shop.example', '--yes'], 'is no member of this merchant'],
])('merchant %j is refused: %s', async (words, why) => {
  const id = await newMerchant()
  const before = (await invitations()).length
  const { code, said } = await type('merchant', ...words.map((word) => (word === 'ID' ? id : word)))
  expect(code).not.toBe(0)
  expect(said).toContain(why)
  expect(await invitations()).toHaveLength(before)
})

test('members and open invitations are listed, and removed with all that was open', async () => {
  await announceSending(db, true, new Date())
  const id = await newMerchant()
  expect((await type('merchant', 'members', id)).said).toBe('the merchant has no members\n')
  await type('merchant', 'invite', id, 'b@shop.example', '--role', 'support')
  expect((await type('merchant', 'members', id)).said).toMatch(/b@shop\.example +support +invited/)
  expect(await type('merchant', 'remove-member', id, 'B@shop.example')).toMatchObject({ code: 0, said: 'removed\n' })
  expect((await type('merchant', 'members', id)).said).toBe('the merchant has no members\n')
  const again = await type('merchant', 'remove-member', id, 'b@shop.example')
  expect([again.code, again.said]).toEqual([1, expect.stringContaining('b@shop.example is no member')])
})
