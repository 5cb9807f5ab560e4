/** The page of the archive, by members of two merchants, with the rights of the api's database role. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { fieldOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { verifyArchive } from '../../dashboard/archive/index.ts'

const { edge, memberOf, origin } = useDashboard()
const folder = temporaryFolder('archive-page')
const MINUTE = 60_000
let owner: TestBrowser & { email: string }
let [viewer, stranger]: TestBrowser[] = []

const at = (merchantId = edge.merchant.id): string => `/app/merchants/${merchantId}/archive`
const formIn = async (browser: TestBrowser): Promise<string> => fieldOf(await browser.get(at()), 'form')
const taken = async (): Promise<unknown[]> =>
  (await sql`select detail from dashboard_audit where action = 'took archive'`.execute(edge.db)).rows
const mailed = async (): Promise<string[]> =>
  (
    await sql<{ to: string }>`select recipient as to from mails where data ->> 'event' = 'archive'
      order by created_at, id`.execute(edge.db)
  ).rows.map(({ to }) => to)

/** The bytes that a browser downloads. */
const download = async ({ cookie }: TestBrowser, form: string, merchantId = edge.merchant.id) => {
  const answer = await fetch(`http://127.0.0.1:${edge.port}${at(merchantId)}`, {
    method: 'POST',
    headers: { origin, cookie: `__Host-bursar=${cookie}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ form }),
  })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

beforeAll(async () => {
  owner = await memberOf(edge.merchant.id, 'owner')
  viewer = await memberOf(edge.merchant.id, 'finance')
  stranger = await memberOf((await makeMerchant(edge.db, edge.clock.ms)).id, 'owner')
})

test('an owner with a recent proof downloads the archive; a form that is sent twice is recorded and mailed once', async () => {
  const form = await formIn(owner)
  const [{ answer, bytes }] = await Promise.all([download(owner, form), download(owner, form)])
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
  expect(answer.headers.get('content-disposition')).toContain(`archive-${edge.merchant.id}.zip`)
  const file = join(folder, 'page.zip')
  writeFileSync(file, bytes)
  expect(await verifyArchive(file)).toMatchObject({ merchantId: edge.merchant.id, problems: [] })
  expect(await taken()).toEqual([{ detail: { form } }])
  expect(await mailed()).toEqual([owner.email])
  await download(owner, await formIn(owner))
  expect(await taken()).toHaveLength(2)
})

test('a page that asks for a proof has the script of passkeys, and no other page of the merchant has one', async () => {
  expect((await owner.get(at())).text).not.toContain('navigator.credentials')
  edge.clock.ms += 6 * MINUTE
  expect((await owner.get(at())).text).toContain('navigator.credentials')
  expect((await owner.get(at().replace('archive', 'webhooks/url'))).text).toContain('navigator.credentials')
})

test('without a recent proof nothing is sent and nothing is recorded', async () => {
  const [form, before] = [await formIn(owner), (await taken()).length]
  edge.clock.ms += 6 * MINUTE
  const { answer, bytes } = await download(owner, form)
  expect([answer.status, bytes.toString()]).toEqual([403, expect.stringContaining('Confirm first that it is you')])
  expect(await taken()).toHaveLength(before)
})

test('other roles are refused, and for members of other merchants the page does not exist', async () => {
  const [form, before] = ['00000000-0000-4000-8000-00000000000f', (await taken()).length]
  expect((await viewer!.get(at())).status).toBe(403)
  expect((await download(viewer!, form)).answer.status).toBe(403)
  expect((await stranger!.get(at())).status).toBe(404)
  expect((await download(stranger!, form)).answer.status).toBe(404)
  expect(await taken()).toHaveLength(before)
})
