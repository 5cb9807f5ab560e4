/** A file is read page by page at the speed of its reader: what ends the reader's right ends the file. */
import { describe, expect, test } from 'vitest'
import { useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { endOneSession, findSession, nowOf, removeMember } from '../../people/access/index.ts'
import { sql } from 'kysely'
import { inTransaction } from '../../platform/db/index.ts'
import type { FileAnswer, PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { csvFile } from './file.ts'
import { memberPage } from './member-page.ts'

const { edge, deps, memberOf } = useDashboard()
const MINUTE = 60_000
type Member = TestBrowser & { email: string }

/** Asks for a file of three pages, as the member of the browser. */
const fileFor = async ({ cookie }: TestBrowser): Promise<AsyncIterator<string>> => {
  const route = memberPage(deps, 'file', 'see-balances', async (scope) =>
    csvFile(scope, { name: 'file.csv', columns: ['row'] }, 1, async (key) => ({
      lines: [[String(key)]],
      next: key === 3 ? null : key + 1,
    })),
  )
  const request: PageRequest = {
    method: 'GET',
    url: `/app/merchants/${edge.merchant.id}/file`,
    params: { merchant: edge.merchant.id },
    query: {},
    headers: { cookie: `__Host-bursar=${cookie}` },
    body: Buffer.alloc(0),
    requestId: 'r',
  }
  return (fileIn(await route.handle(request)).pieces as AsyncIterable<string>)[Symbol.asyncIterator]()
}

const fileIn = (answer: PageAnswer): FileAnswer => {
  if (!('pieces' in answer)) throw new Error(`the answer is no file: ${answer.status}`)
  return answer
}

const setRole = async ({ email }: Member, role: string): Promise<void> => {
  await sql`update dashboard_members m set role = ${role} from dashboard_people p
    where p.id = m.person_id and p.address = ${email}`.execute(edge.db)
}

const endSession = async ({ cookie }: Member): Promise<void> => {
  const session = await findSession(edge.db, cookie!, new Date(edge.clock.ms))
  await endOneSession(deps, session!, session!.id, nowOf(deps.runtime))
}

describe('a file that a member reads', () => {
  test('has all its pages while the member may see it', async () => {
    const file = await fileFor(await memberOf(edge.merchant.id, 'finance'))
    const texts: unknown[] = []
    for (let i = 0; i < 4; i += 1) texts.push((await file.next()).value)
    expect(texts).toEqual(['row\r\n1\r\n', '2\r\n', '3\r\n', undefined])
  })

  test.each<[string, (member: Member) => Promise<void>]>([
    [
      'was removed',
      ({ email }) =>
        inTransaction(edge.db, (tx) =>
          removeMember(tx, { merchantId: edge.merchant.id, email, actor: 'cli:test' }, nowOf(deps.runtime)),
        ),
    ],
    ['has another role, which may not see it', (member) => setRole(member, 'support')],
    ['signed out', async (member) => void (await member.post('/app/sign-out', {}))],
    ['ended the session in another browser', endSession],
  ])('ends before its next page when the member %s', async (_, end) => {
    const member = await memberOf(edge.merchant.id, 'finance')
    const file = await fileFor(member)
    expect((await file.next()).value).toBe('row\r\n1\r\n')
    await end(member)
    await expect(file.next()).rejects.toThrow('may no longer see it')
  })

  test('goes on when the session gets a new token by a proof, and ends with the last hour of the session', async () => {
    const member = await memberOf(edge.merchant.id, 'finance')
    const file = await fileFor(member)
    await file.next()
    await sql`update dashboard_sessions set token_hash = '\\x00' where id = ${
      (await findSession(edge.db, member.cookie!, new Date(edge.clock.ms)))!.id
    }`.execute(edge.db)
    expect((await file.next()).value).toBe('2\r\n')
    edge.clock.ms += 61 * MINUTE
    await expect(file.next()).rejects.toThrow('may no longer see it')
  })
})
