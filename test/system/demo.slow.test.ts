/** The demo of `npm run try`, with a shorter span, on real processes and chains. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { reconcile } from '../../sandbox/chaos/reconciling.ts'
import { runDemo } from '../../sandbox/demo/index.ts'
import type { Description } from '../../sandbox/try/running.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()
const dir = mkdtempSync(join(tmpdir(), 'bursar-demo-'))
afterAll(() => rmSync(dir, { recursive: true }))

const DAYS = 6
const run = (): Promise<string> => {
  const { description, environment } = sandbox
  return runDemo({ ...description, environment, chains: [] } as unknown as Description, dir, { days: DAYS })
}
/** Rows of the demo's merchants by kind, and the days on which their payments were credited. */
const counts = async (): Promise<Record<string, string>> =>
  (
    await sandbox.query<Record<string, string>>(`with demo as (select id from merchants where name = 'Kava Roastery')
      select (select count(*) from demo) as merchants,
        (select count(*) from crypto_invoices where merchant_id in (select id from demo)) as crypto,
        (select count(*) from fiat_invoices where merchant_id in (select id from demo)) as cards,
        (select count(distinct created_at::date) from crypto_invoices where merchant_id in (select id from demo)) as days,
        (select count(*) from crypto_invoices where state = 'paid' and merchant_id in (select id from demo)) as paid,
        (select count(*) from exchanges where merchant_id in (select id from demo)) as exchanges,
        (select count(*) from withdrawals where merchant_id in (select id from demo)) as withdrawals,
        (select count(*) from payment_links where merchant_id in (select id from demo)) as links,
        (select count(*) from payout_requests where merchant_id in (select id from demo)) as requests`)
  )[0]!

test('a merchant gets days of history, its owner a link that signs in once, and a second run adds nothing', async () => {
  const link = await run()
  const made = await counts()
  expect(made).toMatchObject({
    merchants: '1',
    days: String(DAYS),
    exchanges: '1',
    withdrawals: '1',
    links: '1',
    requests: '1',
  })
  expect(Number(made['paid'])).toBeGreaterThanOrEqual(DAYS)

  const opened = await fetch(link, { redirect: 'manual' })
  const cookie = /^__Host-bursar=[^;]+/.exec(opened.headers.get('set-cookie') ?? '')![0]
  const home = await fetch(opened.headers.get('location')!, { headers: { cookie }, redirect: 'manual' })
  expect([opened.status, home.status]).toEqual([303, 200])
  const text = await home.text()
  expect(text).toContain('Kava Roastery')
  const [newest] = await sandbox.query<{ day: string }>(`select to_char(now() at time zone 'UTC'
    + make_interval(secs => (select offset_ms from business_clock) / 1000), 'YYYY-MM-DD') as day`)
  expect(text, 'the charts end with the day of the business clock').toContain(newest!.day)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(404)

  const again = await run()
  expect(again).not.toBe(link)
  expect(await counts()).toEqual(made)
})

test('afterwards the books and the chains agree to the last unit', async () => {
  const { problems, addresses } = await reconcile(sandbox.bursar, 'every')
  expect(problems).toEqual([])
  expect(addresses).toBeGreaterThan(DAYS)
})
