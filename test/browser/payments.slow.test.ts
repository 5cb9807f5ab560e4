/** Payments, balances and exchanges in a real browser: found without scripts, with the keyboard, and before axe. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
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
import { marketsAt, PRICES, stock } from '../world/exchange.ts'
import { makeMerchant } from '../world/merchant.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])

describeWithChromium('the pages of a merchant', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({
    ofPort: true,
    catalogue,
    markets: async () => marketsAt(PRICES, edge.clock.ms),
  })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string): string => `${origin()}/app/merchants/${LISTED}/${page}`

  beforeAll(async () => {
    for (const id of [LISTED, OTHER]) await makeMerchant(edge.db, NOW, { id })
    await withoutTriggers(edge.db, (tx) => fillListed(tx, 1, 90))
    await stock(edge.db, 'BTC', 10n ** 20n)
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

  test.each([
    ['payments', 'kind=crypto', 'q=nothing'],
    ['refunds', '', 'from=2000-01-01&to=2000-01-01'],
    ['exchange', '', 'from=2000-01-01&to=2000-01-01'],
    ['payouts/made', '', 'localId=nothing'],
  ])('%s has one link that clears the filters, whether a row fits or not', async (list, fitting, empty) => {
    const { context, page } = await signedIn({ locale: 'en-US' })
    const link = page.getByRole('link', { name: 'Clear filters' })
    await page.goto(at(`${list}?lang=en`))
    expect(await link.count()).toBe(0)
    for (const filter of [fitting, empty].filter((one) => one !== '')) {
      await page.goto(at(`${list}?lang=en&${filter}`))
      expect(await link.count(), filter).toBe(1)
    }
    await link.click()
    await page.waitForURL((url) => url.pathname.endsWith(`/${list}`) && url.search === '?lang=en')
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

  test('an amount on a phone is in one line, and only the longest has its ticker in another', async () => {
    const { context, page } = await signedIn({ locale: 'en-US' })
    await page.setViewportSize({ width: 320, height: 640 })
    for (const name of ['payments', 'balances', 'balances/USDT']) {
      await page.goto(at(`${name}?lang=en`))
      const lines = await page
        .locator('td.num .amount')
        .evaluateAll((found) =>
          found.map((part) => (part as unknown as { getClientRects(): { length: number } }).getClientRects().length),
        )
      expect(lines.length).toBeGreaterThan(0)
      expect(lines.filter((count) => count > 1)).toEqual([])
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

  /** Asks for the price of an amount of USDT in BTC, on the page Exchange. */
  const askPrice = async (page: Page, amount: string): Promise<void> => {
    await page.locator('#exchange-spend').selectOption('USDT')
    await page.locator('#exchange-target').selectOption('BTC')
    await page.locator('#exchange-amount').fill(amount)
    await page.locator('.ask button').click()
    await page.locator('.quote').waitFor()
  }
  /** Where the parts of the price are. The digits of the count may differ in width. */
  const placesOf = (page: Page): Promise<unknown> =>
    page
      .locator('.quote, .quote :not([role=timer])')
      .evaluateAll((parts) =>
        parts.map((part) => (part as unknown as { getBoundingClientRect(): object }).getBoundingClientRect()),
      )

  test('the price of an exchange counts down while the clock of the browser is wrong, and expires in its place', async () => {
    const { context, page } = await signedIn({ locale: 'en-US' }, 'finance')
    await page.clock.install({ time: new Date('2001-02-03T04:05:06Z') })
    await page.clock.pauseAt(new Date('2001-02-03T04:05:07Z'))
    await page.goto(at('exchange?lang=en'))
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
    await askPrice(page, '100')
    expect(gzipSync(await (await answered).body()).length).toBeLessThan(60_000)
    const [timer, said, expired] = [page.getByRole('timer'), page.locator('#said'), page.locator('.ended')]
    const [now, next] = ['Exchange now', 'Show a new price'].map((name) => page.getByRole('button', { name }))
    await expect.poll(() => timer.textContent()).toBe('0:10')
    expect([await timer.isVisible(), await expired.isVisible()]).toEqual([true, false])
    const before = await placesOf(page)
    await page.clock.runFor(4_000)
    expect([await timer.textContent(), await said.textContent()]).toEqual(['0:06', ''])
    await page.clock.runFor(5_900)
    expect([await timer.textContent(), await expired.isVisible()]).toEqual(['0:01', false])
    await page.clock.runFor(200)
    expect([await timer.textContent(), await expired.isVisible()]).toEqual(['0:00', true])
    expect(await said.textContent()).toContain('This price has expired. Show a new price.')
    expect(await page.getByText('Nothing was exchanged yet.').isVisible()).toBe(false)
    expect(await placesOf(page)).toEqual(before)
    const isSecond = await Promise.all([now!, next!].map((button) => button.getAttribute('class')))
    expect(isSecond).toEqual(['second', ''])
    await next!.click()
    await expect.poll(() => timer.textContent()).toBe('0:10')
    expect(await expired.isVisible()).toBe(false)
    expect(await page.locator('.quote').textContent()).toContain('100 USDT')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    expect(await page.locator('#exchange-amount').inputValue()).toBe('100')
    await context.close()
  })

  test('the count begins with the answer of the server, also on a slow device', async () => {
    const { context, page } = await signedIn({ locale: 'en-US' }, 'finance')
    // A slow device: its script begins more than a second after the answer.
    await page.addInitScript('const end = performance.now() + 1100; while (performance.now() < end);')
    await page.goto(at('exchange?lang=en'))
    await askPrice(page, '100')
    expect(Number((await page.getByRole('timer').textContent())!.slice(2))).toBeLessThanOrEqual(9)
    await context.close()
  })

  test('of a price that is valid longer, a screen reader says a few of the seconds', async () => {
    const { context, page } = await signedIn({ locale: 'en-US' }, 'finance')
    await page.clock.install({ time: 0 })
    await page.clock.pauseAt(1_000)
    await page.goto(at('exchange?lang=en'))
    await page.route('**/exchange?*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('data-left="10000"', 'data-left="75000"') })
    })
    await askPrice(page, '100')
    const [timer, said] = [page.getByRole('timer'), page.locator('#said')]
    await expect.poll(() => timer.textContent()).toBe('1:15')
    const heard: (string | null)[] = []
    for (let second = 75; second > 0; second -= 1) {
      await page.clock.runFor(1_000)
      const text = await said.textContent()
      if (text !== heard.at(-1)) heard.push(text)
    }
    expect(heard.map((text) => text!.slice(0, 22))).toEqual([
      '',
      'Seconds left: 60',
      'Seconds left: 30',
      'Seconds left: 10',
      'This price has expired',
    ])
    await context.close()
  })

  test('without scripts, a price shows until when it is valid, and a new one is a button', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' }, 'finance')
    await page.goto(at('exchange?lang=en'))
    await askPrice(page, '100')
    for (const text of ['Valid until', / UTC$/, 'Nothing was exchanged yet. After this time'])
      expect(await page.locator('.quote').getByText(text).first().isVisible()).toBe(true)
    for (const part of [page.locator('[role=timer]'), page.locator('.ended')])
      expect(await part.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Show a new price' }).click()
    await page.locator('.quote').waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    expect(await page.locator('#exchange-amount').inputValue()).toBe('100')
    await context.close()
  })

  test.each(LANGUAGES)('exchanges in %s are in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' }, 'finance')
    await page.clock.install()
    const { faults, said, judge } = judgeOf(page)
    const lang = `lang=${language}`
    await page.goto(at(`exchange?give=USDT&${lang}`))
    await judge('exchange')
    await page.locator('#exchange-spend').selectOption({ index: 1 })
    await page.locator('#exchange-target').selectOption({ index: 1 })
    await page.locator('#exchange-amount').fill('1.500')
    await page.locator('.ask button').click()
    await page.locator('[role=alert]').waitFor()
    await judge('exchange with problems')
    await askPrice(page, '100')
    await judge('price')
    await page.clock.fastForward(60_000)
    await page.locator('.quote.over').waitFor()
    await judge('expired price')
    // Chromium reports the answer 400 itself.
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await page.goto(at(`payouts/made?${lang}`))
    await judge('payouts that were made')
    await page.getByRole('table').getByRole('link').first().click()
    await page.locator('dl').waitFor()
    await judge('one payout')
    expect(faults).toEqual([])
    await context.close()
  })
})
