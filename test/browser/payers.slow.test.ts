/** Erasing the address of a payer in real browsers, at one of two merchants, and its pages before axe. */
import { afterAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { LANGUAGES } from '@bursar/checkout'
import { makeClaim } from '../../server/src/app/composition/test-refunds.ts'
import { createErasingJob } from '../../server/src/dashboard/payers/index.ts'
import type { Role } from '../../server/src/people/access/index.ts'
import { runUntilIdle } from '../../server/src/platform/jobs/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { emptyTables } from '../setup/empty-tables.ts'
import { PASSWORD, useDashboard } from '../world/dashboard.ts'
import { makeMerchant } from '../world/merchant.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

const PHONE = { width: 320, height: 640 }
const PAYER = 'Anna@payer.example'

describeWithChromium('the address of a payer', () => {
  const visit = useChromium()
  const { edge, join, codeAt } = useDashboard({ ofPort: true })
  // The invoices of claims are inserted raw: their money is in no books.
  afterAll(() => emptyTables(edge.db))
  const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string, merchantId = edge.merchant.id): string => `${origin()}/app/merchants/${merchantId}/${page}`

  const signedIn = async (role: Role, options: Parameters<Visit>[0] = {}, merchantId = edge.merchant.id) => {
    const { browser, seed } = await join(undefined, role, merchantId)
    return { ...(await openSignedIn(visit, { origin: origin(), cookie: browser.cookie }, options)), seed }
  }
  const emailOf = async (invoice: string): Promise<string | null> =>
    (await sql<{ email: string | null }>`select email from crypto_invoices where id = ${invoice}`.execute(edge.db))
      .rows[0]!.email

  test('is erased on a phone without scripts after a proof, once, and stays at another merchant', async () => {
    const other = (await makeMerchant(edge.db, edge.clock.ms)).id
    const world = { db: edge.db, runtime: runtime() }
    const own = await makeClaim(world, edge.merchant.id, 1_000n, { email: PAYER })
    const others = await makeClaim(world, other, 1_000n, { email: PAYER })
    const plain = { javaScriptEnabled: false, locale: 'en-US' }
    const admin = await signedIn('admin', { ...plain, viewport: PHONE })
    const viewer = await signedIn('viewer', plain)
    const stranger = await signedIn('owner', plain, other)
    edge.clock.ms += 6 * 60_000

    const { page } = admin
    await page.goto(at(`payments/crypto/${own.invoice}?lang=en`))
    await page.getByText(PAYER).waitFor()
    await page.locator('a[href*="payers/erase"]').click()
    await page.getByText('Confirm that it is you').waitFor()
    await page.locator('#payer-email').fill('anna@payer.example')
    await page.locator('form:has(#payer-email) button').click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.locator('#payer-email').inputValue()).toBe('anna@payer.example')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Code').fill(codeAt(admin.seed))
    await page.getByRole('button', { name: 'Confirm' }).click()
    // The proof keeps what was typed.
    expect(await page.locator('#payer-email').inputValue()).toBe('anna@payer.example')
    await page.locator('form:has(#payer-email) button').click()
    await page.getByText('This can not be undone.').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    expect(await emailOf(own.invoice)).toBe(PAYER)
    await page.locator('form:has(input[name=do][value=erase]) button').dblclick()
    await page.getByText('The address is being erased.').waitFor()
    const { rows } = await sql`select from payer_erasures where merchant_id = ${edge.merchant.id}`.execute(edge.db)
    expect(rows).toHaveLength(1)

    await runUntilIdle([createErasingJob(runtime(), 1)])
    expect([await emailOf(own.invoice), await emailOf(others.invoice)]).toEqual([null, PAYER])
    await page.goto(at(`payments/crypto/${own.invoice}?lang=en`))
    expect(await page.getByText(PAYER).count()).toBe(0)
    await viewer.page.goto(at(`payments/crypto/${own.invoice}?lang=en`))
    expect(await viewer.page.locator('a[href*="payers/erase"]').count()).toBe(0)
    expect((await viewer.page.goto(at('payers/erase')))!.status()).toBe(403)
    expect((await stranger.page.goto(at('payers/erase')))!.status()).toBe(404)
    await stranger.page.goto(at(`payments/crypto/${others.invoice}?lang=en`, other))
    await stranger.page.getByText(PAYER).waitFor()
    for (const { context } of [admin, viewer, stranger]) await context.close()
  })

  test.each(LANGUAGES)('its pages in %s are in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn('owner', { reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    const url = at(`payers/erase?lang=${language}`)
    await page.goto(url)
    await judge('form')
    await page.locator('#payer-email').fill('anna')
    await page.locator('form:has(#payer-email) button').click()
    await page.getByRole('alert').first().waitFor()
    await judge('no address')
    await page.locator('#payer-email').fill(PAYER)
    await page.locator('form:has(#payer-email) button').click()
    await page.locator('input[name=do][value=erase]').waitFor({ state: 'attached' })
    await judge('confirmation')
    await page.goto(`${url}&done=1`)
    await judge('done')
    edge.clock.ms += 6 * 60_000
    await page.goto(url)
    await judge('without a proof')
    expect(faults).toEqual([])
    expect(said.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([])
    await context.close()
  })
})
