/** Payments and balances in a real browser: found without scripts, with the keyboard, and before axe. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { fillListed, LISTED, listedWorld, OTHER } from '../world/listed.ts'
import type { Role } from '../../server/src/people/access/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { emptyTables } from '../setup/empty-tables.ts'
import { withoutTriggers } from '../setup/unguarded.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'
import { useDashboard } from '../world/dashboard.ts'
import { NOW } from '../world/edge.ts'
import { makeMerchant } from '../world/merchant.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])

describeWithChromium('the pages of a merchant', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true, catalogue })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string): string => `${origin()}/app/merchants/${LISTED}/${page}`

  beforeAll(async () => {
    for (const id of [LISTED, OTHER]) await makeMerchant(edge.db, NOW, { id })
    await withoutTriggers(edge.db, (tx) => fillListed(tx, 1, 90))
  })
  // Rows that are inserted raw are in no books.
  afterAll(() => emptyTables(edge.db))

  /** A context of a member who has signed in. */
  const signedIn = async (options: Parameters<Visit>[0] = {}, role: Role = 'viewer') => {
    const { cookie } = await memberOf(LISTED, role)
    return openSignedIn(visit, { origin: origin(), cookie }, options)
  }

  test('a payment is found without scripts, by a filter in the URL, and the way back keeps the filter', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('payments?lang=en'))
    await page.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Status').selectOption('paid')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/status=paid/)
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.goBack()
    await page.waitForURL(/status=paid/)
    expect(await page.getByLabel('Status').inputValue()).toBe('paid')
    await page.getByRole('link', { name: 'Balances' }).click()
    await page.getByRole('link', { name: 'USDT' }).click()
    await page.getByText('Closing balance').waitFor()
    await context.close()
  })

  test('the first stop of the keyboard skips the navigation', async () => {
    const { context, page } = await signedIn({ locale: 'en-US' })
    await page.goto(at('payments?lang=en'))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(page.url()).toMatch(/#content$/)
    await context.close()
  })

  test('an amount is broken before its ticker or in its digits, never in the ticker', async () => {
    const { context, page } = await signedIn({ locale: 'en-US' })
    await page.setViewportSize({ width: 320, height: 640 })
    for (const name of ['payments', 'balances', 'balances/USDT']) {
      await page.goto(at(`${name}?lang=en`))
      const tickers = await page
        .locator('td.num')
        .locator('text=/^(BTC|ETH|USDT)$/')
        .evaluateAll((found) =>
          found.map(
            (ticker) => (ticker as unknown as { getClientRects(): { length: number } }).getClientRects().length,
          ),
        )
      expect(tickers.length).toBeGreaterThan(0)
      expect(tickers.filter((lines) => lines > 1)).toEqual([])
    }
    await context.close()
  })

  test.each(LANGUAGES)('every page in %s is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    const lang = `lang=${language}`
    for (const days of [7, 90]) {
      await page.goto(at(`home?days=${days}&${lang}`))
      await judge(`home of ${days} days`)
    }
    for (const table of await page.locator('section[aria-labelledby] summary').all()) await table.click()
    for (const snippet of await page.locator('section details > summary').all()) await snippet.click()
    await judge('home with everything open')
    await page.goto(at(`payments?${lang}`))
    await judge('payments')
    const links: string[] = await page
      .getByRole('table')
      .getByRole('link')
      .evaluateAll((found) => found.map((link) => (link as { href?: string }).href ?? ''))
    await page.goto(at(`payments?status=paid&least=x&${lang}`))
    await judge('filtered payments')
    await page.goto(at(`payments?q=nothing&${lang}`))
    await judge('no payments')
    for (const kind of ['crypto', 'card', 'deposit']) {
      await page.goto(links.find((link) => link.includes(`/${kind}/`))!)
      await judge(kind)
    }
    await page.goto(at(`balances?${lang}`))
    await judge('balances')
    await page.goto(at(`balances/USDT?${lang}`))
    await judge('statement')
    await page.goto(`${origin()}/app/merchants/${OTHER}/payments?${lang}`)
    await judge('another merchant')
    expect(faults).toEqual([])
    // Chromium reports the answer 404 itself.
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })

  test.each(LANGUAGES)('exchanges in %s are in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' }, 'finance')
    const { faults, judge } = judgeOf(page)
    const lang = `lang=${language}`
    await page.goto(at(`exchange?give=USDT&${lang}`))
    await judge('exchange')
    await page.locator('#exchange-spend').selectOption({ index: 1 })
    await page.locator('#exchange-target').selectOption({ index: 1 })
    await page.locator('#exchange-amount').fill('1.500')
    await page.locator('.ask button').click()
    await page.locator('[role=alert]').waitFor()
    await judge('exchange with problems')
    await page.goto(at(`payouts/made?${lang}`))
    await judge('payouts that were made')
    await page.getByRole('table').getByRole('link').first().click()
    await page.locator('dl').waitFor()
    await judge('one payout')
    expect(faults).toEqual([])
    await context.close()
  })
})
