/** A payout to a card in real browsers: its steps without scripts, on a phone, and every page before axe. */
import { beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { runRefunds } from '../../server/src/app/composition/test-refunds.ts'
import type { Role } from '../../server/src/people/access/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { CARD_CATALOGUE } from '../world/catalogue.ts'
import { useDashboard } from '../world/dashboard.ts'
import { giveMoney } from '../world/ledger.ts'
import { makeMerchant } from '../world/merchant.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

const CARD = '4242 4242 4242 4242'
const MASKED = '424242******4242'
const PHONE = { width: 320, height: 640 }
describeWithChromium('a payout to a card', () => {
  const visit = useChromium()
  const { edge, join } = useDashboard({ ofPort: true, catalogue: CARD_CATALOGUE })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string): string => `${origin()}/app/merchants/${edge.merchant.id}/${page}`
  const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
  beforeAll(() => giveMoney(runtime(), { merchantId: edge.merchant.id, asset: 'UAH' }, 1_410_000n))

  const signedIn = async (role: Role, options: Parameters<Visit>[0] = {}, merchantId = edge.merchant.id) => {
    const { browser } = await join(undefined, role, merchantId)
    return openSignedIn(visit, { origin: origin(), cookie: browser.cookie }, options)
  }

  test('is made step by step without scripts, approved on a phone, and seen among the payouts made', async () => {
    const plain = { javaScriptEnabled: false, locale: 'en-US' }
    const [maker, checker] = [
      await signedIn('finance', plain),
      await signedIn('approver', { ...plain, viewport: PHONE }),
    ]
    const stranger = await signedIn('owner', plain, (await makeMerchant(edge.db, edge.clock.ms)).id)
    const { page } = maker
    await page.goto(at('payouts'))
    await page.getByRole('link', { name: 'New payout' }).click()
    await page.getByRole('button', { name: 'To a bank card' }).click()
    await page.getByLabel('Card number').fill(CARD)
    await page.getByText('UAH', { exact: false }).first().click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Amount', { exact: true }).fill('1500,5')
    await page.getByRole('button', { name: 'Change the card or the currency' }).click()
    await page.getByText(`keep the card ${MASKED}`).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('1500.5')
    await page.getByLabel('Reference').fill('salary')
    await page.getByRole('button', { name: 'Check the payout' }).click()
    await page.getByText('15.01').waitFor()
    await page.getByRole('button', { name: 'Request the payout' }).dblclick()
    await page.getByText('Waits for approval').waitFor()
    expect(await page.content()).not.toContain(CARD.replaceAll(' ', ''))
    const request = page.url()

    await checker.page.goto(at('payouts'))
    await checker.page.getByRole('link', { name: MASKED }).first().click()
    expect(await checker.page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    await checker.page.getByRole('button', { name: 'Approve and pay' }).click()
    await checker.page.getByText('The payout to the card is being made.').waitFor()
    await runRefunds(runtime(), CARD_CATALOGUE)
    await page.goto(request)
    await page.locator('a[href*="payouts/made/card/"]').click()
    await page.getByText(MASKED).first().waitFor()
    await page.goto(at('payouts/made?kind=card'))
    expect(await page.getByRole('table').getByRole('link').count()).toBe(1)
    expect((await stranger.page.goto(request))!.status()).toBe(404)
    for (const { context } of [maker, checker, stranger]) await context.close()
  })

  test.each(LANGUAGES)('every page in %s is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn('owner', { reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    const press = (does: string) => page.locator(`button[value=${does}]`).click()
    await page.goto(at(`payouts/guide?lang=${language}`))
    await judge('first step')
    await press('card')
    await judge('card')
    await page.locator('#payout-card').fill('4242 4242 4242 4241')
    await press('card-what')
    await page.locator('[aria-invalid=true]').first().waitFor()
    await judge('card with problems')
    await page.locator('#payout-card').fill(CARD)
    await page.locator('input[name=payout-currency][value=UAH]').check()
    await press('card-what')
    await press('card-check')
    await page.locator('[aria-invalid=true]').first().waitFor()
    await judge('amount with a problem')
    await page.locator('#payout-amount').fill('14000')
    await page.locator('#payout-meta').fill('x'.repeat(120))
    await press('card-check')
    await page.locator('input[value=card-ask]').waitFor({ state: 'attached' })
    await judge('checked payout')
    await page.locator('form:has(input[value=card-ask]) button').click()
    await page.waitForURL(/payouts\/requests/)
    await judge('request')
    expect(faults).toEqual([])
    expect(said.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([])
    await context.close()
  })
})
