/** Invoices by hand and payment links in a real browser: without scripts, on a phone, and before axe. */
import { expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import { listedWorld } from '../world/listed.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }

describeWithChromium('invoices by hand and payment links', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true, catalogue })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (page: string): string => `${origin()}/app/merchants/${edge.merchant.id}/${page}`

  /** A context of a member who has signed in. */
  const signedIn = async (options: Parameters<Visit>[0] = {}) => {
    const { cookie } = await memberOf(edge.merchant.id, 'finance')
    return openSignedIn(visit, { origin: origin(), cookie }, options)
  }

  test('without scripts, a member makes a link, and a payer on a phone makes an invoice from it', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('links?lang=en'))
    await page.getByRole('link', { name: 'New payment link' }).click()
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByRole('link', { name: 'Enter a name' }).waitFor()
    await page.getByLabel('Name').fill('Donation')
    await page.getByLabel('Currency, and how it is paid').selectOption('crypto:USDT')
    await page.getByLabel('Smallest amount').fill('5')
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByRole('heading', { name: 'Donation' }).waitFor()
    expect(await page.getByRole('img', { name: 'QR code of the payment page' }).count()).toBe(1)
    const url = await page.getByLabel('Link', { exact: true }).inputValue()
    expect(url).toContain('/pay/')

    const phone = await visit({ ...PHONE, javaScriptEnabled: false, locale: 'en-US' })
    const payer = await phone.newPage()
    await payer.goto(url)
    await payer.getByLabel('Amount, USDT').fill('4')
    await payer.getByRole('button', { name: 'Continue' }).click()
    await payer.getByRole('link', { name: 'At least 5' }).waitFor()
    await payer.getByLabel('Amount, USDT').fill('7,5')
    const answered = payer.waitForRequest(/\/invoices\/crypto\//)
    await payer.getByRole('button', { name: 'Continue' }).dblclick()
    await answered
    await phone.close()

    await page.reload()
    expect(await page.getByRole('table').getByRole('link').count()).toBe(1)
    await page.getByText('7.5').first().waitFor()
    await page.getByRole('link', { name: 'All payments from this link' }).click()
    await page.waitForURL(/link=/)
    expect(await page.getByRole('table').getByRole('link').count()).toBe(1)
    await context.close()
  })

  test.each([true, false])(
    'a payer who goes back or reloads comes to the same invoice (scripts: %s)',
    async (scripts) => {
      const { context, page } = await signedIn({ locale: 'en-US' })
      await page.goto(at('links/new?lang=en'))
      await page.getByLabel('Name').fill('Workshop')
      await page.getByLabel('Currency, and how it is paid').selectOption('crypto:USDT')
      await page.getByRole('button', { name: 'Create the link' }).click()
      await page.getByRole('heading', { name: 'Workshop' }).waitFor()
      const url = await page.getByLabel('Link', { exact: true }).inputValue()
      const phone = await visit({ ...PHONE, javaScriptEnabled: scripts, locale: 'en-US' })
      const payer = await phone.newPage()
      /** @returns the URL of the invoice; this server has no page there */
      const proceed = async (name: string): Promise<string> => {
        await payer.getByRole('button', { name }).click()
        await payer.waitForURL(/\/invoices\/crypto\//)
        return payer.url()
      }
      await payer.goto(url)
      await payer.getByLabel('Amount, USDT').fill('7.5')
      const first = await proceed('Continue')
      await payer.goBack()
      expect(await proceed('Continue')).toBe(first)
      await payer.goBack()
      await payer.reload()
      await payer.getByText('unfinished payment of 7.5 USDT').waitFor()
      expect(await proceed('Continue')).toBe(first)
      await payer.goto(url)
      expect(await proceed('Start another payment')).not.toBe(first)
      await phone.close()
      await page.reload()
      expect(await page.getByRole('table').getByRole('link').count()).toBe(2)
      await context.close()
    },
  )

  test('a double click makes one invoice, which fits one sheet of paper', async () => {
    const { context, page } = await signedIn({ locale: 'en-US' })
    await page.goto(at('payments?lang=en'))
    await page.getByRole('link', { name: 'New invoice' }).click()
    await page.getByLabel('Name').fill('Order 1042')
    await page.getByLabel('Currency, and how it is paid').selectOption('card:UAH')
    await page.getByLabel('Amount').fill('250')
    await page.getByRole('button', { name: 'Make the invoice' }).dblclick()
    await page.getByRole('heading', { name: 'Order 1042' }).waitFor()
    await page.getByRole('link', { name: 'Print' }).click()
    await page.getByText('Scan the code to pay').waitFor()
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
    await page.goto(at('payments?lang=en&q=&kind=card'))
    expect(await page.getByRole('table').getByRole('link').count()).toBe(1)
    await context.close()
  })

  test.each(LANGUAGES)('every page in %s is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    const lang = `lang=${language}`
    const pressOf = (name: string) => page.locator(`main form:has([name=${name}]) button`).first().click()
    await page.goto(at(`links?${lang}`))
    await judge('links')
    await page.goto(at(`links/new?${lang}`))
    await pressOf('key')
    await judge('a link with problems')
    await page.locator('#in-name').fill('Donation to the library of the town')
    await page.locator('#in-money').selectOption('card:UAH')
    await page.locator('#in-description').fill('x'.repeat(200))
    await page.locator('#in-uses').fill('5')
    await pressOf('key')
    await page.waitForURL(/links\/[0-9a-f-]{36}/)
    await page.locator('details summary').click()
    await judge('a link')
    const url = await page.locator('#share').inputValue()
    const link = page.url()
    await page.goto(link.replace('?', '/print?'))
    await judge('the sheet of a link')
    await page.goto(`${url}?${lang}`)
    await judge('the page of a link')
    await page.locator('#value').fill('x')
    await pressOf('value')
    await judge('the page of a link with a problem')
    await page.locator('#value').fill('250')
    await pressOf('value')
    await page.waitForURL(/\/invoices\/fiat\//)
    await page.goto(`${url}?${lang}`)
    expect(await page.locator('[name=another]').count()).toBe(1)
    await judge('the page of a link with an open invoice')
    await page.goto(link)
    await page.locator('main form:has([value=stop]) button').click()
    await page.waitForURL(/done=1/)
    await judge('a stopped link')
    await page.goto(`${url}?${lang}`)
    await judge('the page of a stopped link')
    await page.goto(at(`invoices/new?${lang}`))
    await pressOf('key')
    await judge('an invoice with problems')
    await page.locator('#in-name').fill('Order 7')
    await page.locator('#in-amount').fill('10')
    await pressOf('key')
    await page.waitForURL(/invoices\/crypto/)
    await judge('an invoice')
    expect(faults).toEqual([])
    // Chromium reports the answers 400 and 410 themselves.
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })
})
