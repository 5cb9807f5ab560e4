/** Payouts by two people in two real browsers: without scripts on a phone, and before axe. */
import type { Page } from 'playwright-core'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import type { Role } from '../../server/src/people/access/index.ts'
import { storeFeeRate } from '../../server/src/pay-out/withdrawals/terms.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { PASSWORD, useDashboard } from '../world/dashboard.ts'
import { giveMoney } from '../world/ledger.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

const TO = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry'
const PHONE = { width: 320, height: 640 }

describeWithChromium('payouts by two people', () => {
  const visit = useChromium()
  const { edge, join, codeAt } = useDashboard({ ofPort: true })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string): string => `${origin()}/app/merchants/${edge.merchant.id}/${page}`
  const freshFee = (): Promise<void> =>
    storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)

  beforeAll(async () => {
    const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
    await giveMoney(runtime, { merchantId: edge.merchant.id, asset: 'BTC' }, 1_000_000_000n)
    await freshFee()
  })

  /** A browser of a new member who has signed in. */
  const signedIn = async (role: Role, options: Parameters<Visit>[0] = {}) => {
    const { browser, email, seed } = await join(undefined, role)
    const opened = await openSignedIn(visit, { origin: origin(), cookie: browser.cookie }, options)
    return { ...opened, email, seed }
  }

  /** Fills the form of a new payout and requests it. */
  const request = async (page: Page, amount: string): Promise<void> => {
    await page.goto(at('payouts/new?lang=en'))
    await page.getByLabel('Asset and network').selectOption('BTC/BITCOIN')
    await page.getByLabel('Address', { exact: true }).fill(TO)
    await page.getByLabel('Amount', { exact: true }).fill(amount)
    await page.getByLabel('Reference', { exact: true }).fill('invoice 7')
    await page.getByRole('button', { name: 'Check the payout' }).click()
    await page.getByRole('button', { name: 'Request the payout' }).click()
    await page.getByText('Waits for approval').waitFor()
  }

  test('one asks without scripts, the other approves on a phone after a proof, and money is paid once', async () => {
    const maker = await signedIn('finance', { javaScriptEnabled: false, locale: 'en-US' })
    const checker = await signedIn('approver', { javaScriptEnabled: false, locale: 'en-US', viewport: PHONE })
    await request(maker.page, '0,25')
    expect(await maker.page.getByRole('button', { name: 'Approve and pay' }).count()).toBe(0)
    edge.clock.ms += 6 * 60_000
    await freshFee()

    const { page } = checker
    await page.goto(at('payouts?lang=en'))
    await page.getByRole('table').first().getByRole('link').first().click()
    await page.getByText('Confirm that it is you').waitFor()
    expect(await page.getByRole('button', { name: 'Approve and pay' }).count()).toBe(0)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Code').fill(codeAt(checker.seed))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText(maker.email).waitFor()
    await page.getByText('The address is not in the address book.').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    await page.getByRole('button', { name: 'Approve and pay' }).click()
    await page.getByText('Approved. The withdrawal was made.').waitFor()
    // No page is stored in the browser: the way back shows the request as it is now.
    await page.goBack()
    await page.getByText('Approved', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Approve and pay' }).count()).toBe(0)
    const { rows } = await sql<{ units: bigint; to: string }>`select units, to_address as "to" from withdrawals
      where merchant_id = ${edge.merchant.id}`.execute(edge.db)
    expect(rows).toEqual([{ units: 25_000_000n, to: TO }])

    await maker.page.reload()
    await maker.page.getByText(checker.email).first().waitFor()
    for (const { context } of [maker, checker]) await context.close()
  })

  test('the guide leads a member without scripts on a phone to a request of everything', async () => {
    const { page, context } = await signedIn('finance', { javaScriptEnabled: false, locale: 'en-US', viewport: PHONE })
    await freshFee()
    await page.goto(at('payouts?lang=en'))
    await page.getByRole('link', { name: 'New payout' }).click()
    await page.getByLabel('Address', { exact: true }).fill(TO)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The receiver can get at most').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    await page.getByRole('button', { name: 'Pay everything that is available' }).click()
    await page.getByRole('button', { name: 'Request the payout' }).click()
    await page.getByText('Waits for approval').waitFor()
    await page.getByRole('button', { name: 'Withdraw the request' }).click()
    await context.close()
  })

  test.each(LANGUAGES)('every page in %s is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn('owner', { reducedMotion: 'reduce' })
    const maker = await signedIn('finance', { locale: 'en-US' })
    await freshFee()
    await request(maker.page, '0.1')
    const path = new URL(maker.page.url()).pathname
    const { faults, said, judge } = judgeOf(page)
    const lang = `lang=${language}`
    for (const name of [
      'payouts',
      'payouts/made',
      'payouts/made?kind=card',
      'payouts/new',
      'payouts/guide',
      'payouts/addresses',
      'payouts/policy',
    ]) {
      await page.goto(at(`${name}${name.includes('?') ? '&' : '?'}${lang}`))
      await judge(name)
    }
    await page.goto(at(`payouts/guide?${lang}`))
    await page.locator('input[name=payout-to]').fill('nowhere')
    await page.locator('button[value=where]').click()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await judge('first step with a problem')
    await page.locator('input[name=payout-to]').fill(TO)
    await page.locator('button[value=where]').click()
    await page.locator('button[value=what]').waitFor()
    await judge('second step')
    await page.locator('button[value=what]').click()
    await page.locator('input[name=payout-amount]').fill('x')
    await page.locator('button[value=check]').click()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await judge('third step with a problem')
    await page.goto(at(`payouts/new?${lang}`))
    await page.locator('select[name=payout-asset]').selectOption('BTC/BITCOIN')
    await page.locator('input[name=payout-to]').fill('nowhere')
    await page.locator('input[name=payout-amount]').fill('x')
    await page.locator('main form button').first().click()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await judge('new payout with problems')
    await page.locator('input[name=payout-to]').fill(TO)
    await page.locator('input[name=payout-amount]').fill('0.2')
    await page.locator('main form button').first().click()
    await page.locator('input[value=ask]').waitFor({ state: 'attached' })
    await judge('checked payout')
    await page.goto(`${origin()}${path}?${lang}`)
    await judge('request')
    edge.clock.ms += 6 * 60_000
    for (const [name, url] of [
      ['request without a proof', `${origin()}${path}?${lang}`],
      ['policy without a proof', at(`payouts/policy?${lang}`)],
      ['addresses without a proof', at(`payouts/addresses?${lang}`)],
    ] as const) {
      await page.goto(url)
      await judge(name)
    }
    expect(faults).toEqual([])
    expect(said.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([])
    for (const one of [context, maker.context]) await one.close()
  })
})
