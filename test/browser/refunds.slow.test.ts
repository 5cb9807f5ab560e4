/** Refunds by two people in two real browsers, with a second merchant beside them, and every page before axe. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { makeClaim, runRefunds } from '../../server/src/app/composition/test-refunds.ts'
import { storeFeeRate } from '../../server/src/pay-out/withdrawals/terms.ts'
import type { Role } from '../../server/src/people/access/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { emptyTables } from '../setup/empty-tables.ts'
import { useDashboard } from '../world/dashboard.ts'
import { catalogue, openFiatInvoices } from '../world/fiat-invoices.ts'
import { giveMoney } from '../world/ledger.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

const PHONE = { width: 320, height: 640 }

describeWithChromium('refunds', () => {
  const visit = useChromium()
  const { edge, join } = useDashboard({ ofPort: true, catalogue })
  // The invoices of claims are inserted raw: their money is in no books.
  afterAll(() => emptyTables(edge.db))
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string, merchantId = edge.merchant.id): string => `${origin()}/app/merchants/${merchantId}/${page}`
  const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
  let card: { id: string; reference: string; merchantId: string }

  beforeAll(async () => {
    await giveMoney(runtime(), { merchantId: edge.merchant.id, asset: 'BTC' }, 1_000_000_000n)
    await storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)
    const fiat = await openFiatInvoices({ url: edge.pool.options.connectionString!, pool: edge.pool, db: edge.db })
    fiat.now = edge.clock.ms
    card = { ...(await fiat.paidInvoice()), merchantId: fiat.merchantId }
    await giveMoney(runtime(), { merchantId: fiat.merchantId, asset: 'UAH' }, 10_000n)
  })

  const signedIn = async (role: Role, options: Parameters<Visit>[0] = {}, merchantId = edge.merchant.id) => {
    const { browser } = await join(undefined, role, merchantId)
    return openSignedIn(visit, { origin: origin(), cookie: browser.cookie }, options)
  }

  test('one asks without scripts, the other approves on a phone, and a member of another merchant sees nothing', async () => {
    const { claim } = await makeClaim({ db: edge.db, runtime: runtime() }, edge.merchant.id, 25_000_000n)
    const plain = { javaScriptEnabled: false, locale: 'en-US' }
    const maker = await signedIn('finance', plain)
    const checker = await signedIn('approver', { ...plain, viewport: PHONE })
    const stranger = await signedIn('owner', plain, card.merchantId)

    await maker.page.goto(at('home?lang=en'))
    await maker.page.getByRole('link', { name: 'Refunds that payers request' }).click()
    await maker.page.getByRole('table').getByRole('link').first().click()
    await maker.page.getByText('Approvals of other members needed: 1.').waitFor()
    await maker.page.getByLabel('Note to the payer').fill('sorry')
    await maker.page.getByRole('button', { name: 'Request the refund' }).click()
    await maker.page.getByText('Waits for approval').waitFor()
    expect(await maker.page.getByRole('button', { name: 'Approve and pay' }).count()).toBe(0)

    const { page } = checker
    await page.goto(at('refunds?lang=en'))
    await page.getByRole('table').first().getByRole('link').first().click()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    await page.getByRole('button', { name: 'Approve and pay' }).click()
    await page.getByText('Approved. The refund is being made.').waitFor()
    await page.goBack()
    expect(await page.getByRole('button', { name: 'Approve and pay' }).count()).toBe(0)
    await runRefunds(runtime(), catalogue)
    await maker.page.goto(at(`refunds/claims/${claim}?lang=en`))
    await maker.page.getByText('Under way').waitFor()
    const { rows } = await sql<{ total: bigint }>`select units + fee_units as total from withdrawals
      where merchant_id = ${edge.merchant.id}`.execute(edge.db)
    expect(rows).toEqual([{ total: 25_000_000n }])

    for (const merchantId of [edge.merchant.id, card.merchantId]) {
      const answer = await stranger.page.goto(at(`refunds/claims/${claim}`, merchantId))
      expect(answer!.status()).toBe(404)
    }
    for (const { context } of [maker, checker, stranger]) await context.close()
  })

  test.each(LANGUAGES)('every page in %s is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const world = { db: edge.db, runtime: runtime() }
    const { claim } = await makeClaim(world, card.merchantId, 1_000_000n, { name: `Order ${'7'.repeat(60)}` })
    const { context, page } = await signedIn('owner', { reducedMotion: 'reduce' }, card.merchantId)
    const { faults, said, judge } = judgeOf(page)
    const pages = ['refunds', 'refunds?status=done', `refunds/claims/${claim}`, `refunds/cards/${card.reference}`]
    for (const name of [...pages, `payments/card/${card.id}`, 'home']) {
      await page.goto(at(`${name}${name.includes('?') ? '&' : '?'}lang=${language}`, card.merchantId))
      await judge(name)
    }
    await page.goto(at(`refunds/cards/${card.reference}?lang=${language}`, card.merchantId))
    await page.locator('input[name=refund-amount]').fill('1,500')
    await page.locator('input[name=refund-reason]').fill('damaged')
    await page.locator('main form button').first().click()
    await page.getByRole('alert').waitFor()
    expect(await page.locator('input[name=refund-reason]').inputValue()).toBe('damaged')
    await judge('card refund with a problem')
    await page.goto(at(`refunds/claims/${claim}?lang=${language}`, card.merchantId))
    await page.locator('form:has(input[value=ask]) button').click()
    await page.waitForURL(/payouts\/requests/)
    await judge('request of a refund')
    await page.goto(at(`refunds/claims/${claim}?lang=${language}`, card.merchantId))
    await judge('claim with an open request')
    expect(faults).toEqual([])
    expect(said.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([])
    await context.close()
  })
})
