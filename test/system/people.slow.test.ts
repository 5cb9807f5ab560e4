/** From an operator's invitation to a person who is signed in, by real processes with the rights of their roles. */
import { expect, test } from 'vitest'
import { codeOf, stepOf } from '../../server/src/people/access/index.ts'
import { fieldOf, seedOf } from '../world/dashboard.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()
const EMAIL = 'olena@people.example'

test('an operator invites a person, who joins by the link in the mail, signs in again, and is removed', async () => {
  const { id } = sandbox.merchants[0]
  expect((await sandbox.bursar('merchant', 'invite', id, EMAIL, '--role', 'owner')).text).toContain('is mailed to')
  const mail = await sandbox.until('the invitation', async () => (await sandbox.mails(EMAIL))[0])
  const link = /https?:\S+\/app\/join\/[A-Za-z0-9_-]{43}/.exec(mail.text)![0]
  const { origin } = new URL(link)
  const post = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers: { origin }, redirect: 'manual' })

  const page = { text: await (await fetch(link)).text() }
  const seed = seedOf(page)
  const code = (later: number): string => codeOf(seed, stepOf(new Date()) + later)
  const password = 'orbit velvet cactus'
  // A sandbox is reached by an IP address, which has no passkeys.
  expect(page.text).not.toContain('data-options')
  expect(page.text).toContain('<summary>Set a password</summary>')
  const joined = await post(link, { do: 'password', password, seed: fieldOf(page, 'seed'), code: code(0) })
  expect([joined.status, await joined.text()]).toEqual([200, expect.stringContaining('Save your recovery codes')])
  const signedIn = await post(`${origin}/app/sign-in`, { do: 'password', email: EMAIL, password, code: code(1) })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
  const shown = async (): Promise<string> => (await fetch(`${origin}/app`, { headers: { cookie } })).text()
  expect(await shown()).toContain('owner')
  expect((await sandbox.bursar('merchant', 'members', id)).text).toContain(EMAIL)
  expect((await sandbox.bursar('merchant', 'remove-member', id, EMAIL)).code).toBe(0)
  expect(await shown()).toContain('You are a member of no merchant')
})
