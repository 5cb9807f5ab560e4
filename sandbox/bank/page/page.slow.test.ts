import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithChromium, useChromium } from '../../../test/setup/chromium/index.ts'
import { startReceiver } from '../../acquirers/receiver.ts'
import type { Receiver } from '../../acquirers/receiver.ts'
import { startBank } from '../index.ts'
import type { Bank } from '../index.ts'
import { openMerchant } from '../test-merchant.ts'
import type { Merchant } from '../test-merchant.ts'

const account = { name: 'shop', secret: 'a secret of the shop' }
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

describeWithChromium('the page of the bank, in a browser', () => {
  const visit = useChromium()
  let dir: string
  let bank: Bank
  let merchant: Merchant
  let shop: Receiver

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'bursar-bank-page-'))
    bank = await startBank({ port: 0, dir, accounts: [account] })
    merchant = await openMerchant(() => bank.url, account)
    shop = await startReceiver(() => ({ status: 200, contentType: 'text/html', body: '<h1>The shop</h1>' }))
  })
  afterAll(async () => {
    await bank.stop()
    await merchant.receiver.stop()
    await shop.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const order = async (more: object = {}): Promise<{ reference: string; pageUrl: string }> => {
    const body = {
      reference: randomUUID(),
      currency: 'UAH',
      amount: '12345.60',
      description: 'Order 1042',
      callbackUrl: merchant.receiver.url,
      returnUrl: `${shop.url}/thanks?order=1042`,
      language: 'en',
      expiresAt: Date.now() + 3_600_000,
      ...more,
    }
    return (await merchant.ask('POST', '/payments', body)).body as { reference: string; pageUrl: string }
  }
  const open = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await (await visit({ javaScriptEnabled: false, ...options })).newPage()
    await page.goto(url)
    return page
  }
  const payWith = async (page: Page, card: string): Promise<void> => {
    await page.getByLabel('Card number').fill(card)
    await page.getByLabel('Valid until').fill('09/99')
    await page.getByLabel('Security code').fill('123')
    await page.getByRole('button', { name: 'Pay' }).click()
  }
  const stateOf = async (reference: string): Promise<unknown> =>
    (await merchant.ask('GET', `/payments/${reference}`)).body

  test('takes a card without scripts, and leads back to the shop', async () => {
    const { reference, pageUrl } = await order()
    const page = await open(pageUrl)
    await payWith(page, '4242 4242 4242 4242')
    expect(await page.getByRole('status').textContent()).toBe('Paid')
    expect(await stateOf(reference)).toMatchObject({
      status: 'succeeded',
      paidAmount: '12345.60',
      card: '4242 42** **** 4242',
    })
    await page.getByRole('link', { name: 'Back to the shop' }).click()
    expect(page.url()).toBe(`${shop.url}/thanks?order=1042`)
    await page.goBack()
    await page.goto(pageUrl)
    expect(await page.getByRole('status').textContent()).toBe('Paid')
  })

  test('goes back to the shop by itself', async () => {
    const page = await open((await order()).pageUrl)
    await payWith(page, '4242424242424242')
    await page.waitForURL(`${shop.url}/**`, { timeout: 60_000 })
    expect(page.url().startsWith(`${shop.url}/`)).toBe(true)
  })

  test('asks for 3-D Secure, until the code is right', async () => {
    const { reference, pageUrl } = await order()
    const page = await open(pageUrl)
    await payWith(page, '4000000000003063')
    expect(await stateOf(reference)).toMatchObject({ status: 'secure' })
    await page.getByLabel('Code').fill('0000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    expect(await page.getByText('The code is not right.').isVisible()).toBe(true)
    await page.getByLabel('Code').fill('1234')
    await page.getByRole('button', { name: 'Confirm' }).click()
    expect(await page.getByRole('status').textContent()).toBe('Paid')
    expect(await stateOf(reference)).toMatchObject({ status: 'succeeded' })
  })

  test('refuses after three wrong codes, and when the payer goes away', async () => {
    const [wrong, left] = [await order(), await order()]
    const page = await open(wrong.pageUrl)
    await payWith(page, '4000000000003063')
    for (let i = 0; i < 3; i += 1) {
      await page.getByLabel('Code').fill('0000')
      await page.getByRole('button', { name: 'Confirm' }).click()
    }
    expect(await stateOf(wrong.reference)).toMatchObject({ status: 'refused', code: '3ds_failed' })
    const another = await open(left.pageUrl)
    await payWith(another, '4000000000003063')
    await another.getByRole('button', { name: 'Cancel the payment' }).click()
    expect(await another.getByRole('status').textContent()).toBe('The card was refused')
    expect(await stateOf(left.reference)).toMatchObject({ status: 'refused', code: '3ds_cancelled' })
  })

  test('names the fault of each field, and keeps the valid fields', async () => {
    const { reference, pageUrl } = await order()
    const page = await open(pageUrl)
    await page.getByLabel('Card number').fill('4242 4242 4242 4241')
    await page.getByLabel('Valid until').fill('01/20')
    await page.getByLabel('Security code').fill('12')
    await page.getByLabel('Name on the card').fill('<b>"Taras"</b>')
    await page.getByRole('button', { name: 'Pay' }).click()
    expect(await page.locator('.wrong').count()).toBe(3)
    expect(await page.getByLabel('Name on the card').inputValue()).toBe('<b>"Taras"</b>')
    expect(await page.content()).not.toContain('4242 4242 4242 4241')
    expect(await stateOf(reference)).toMatchObject({ status: 'created' })
    await payWith(page, '4242424242424242')
    expect(await stateOf(reference)).toMatchObject({ status: 'succeeded' })
  })

  test('shows markup as text, in the description and in the address back', async () => {
    const texts = [
      '<script>document.title="x"</script>',
      '"><img src=x onerror=alert(1)>',
      "' autofocus onfocus=alert(1) x='",
      '</title><script>alert(1)</script>',
      '&lt;b&gt;',
    ]
    const asked: string[] = []
    for (const text of texts) {
      const { pageUrl } = await order({ description: text, returnUrl: `${shop.url}/?a="><script>alert(1)</script>` })
      const page = await (await visit()).newPage()
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => asked.push(text)))
      await page.goto(pageUrl)
      expect(await page.locator('.summary p').last().textContent()).toBe(text)
      await payWith(page, '4242424242424242')
      expect(await page.locator('script').count()).toBe(0)
    }
    expect(asked).toEqual([])
  })

  test('fits a phone and a desktop, in every language, and axe finds nothing', async () => {
    const looks = [
      [320, 'uk', 'light'],
      [320, 'kk', 'dark'],
      [320, 'ru', 'light'],
      [320, 'en', 'dark'],
      [1_280, 'en', 'light'],
      [1_280, 'uk', 'dark'],
    ] as const
    for (const [width, language, colorScheme] of looks) {
      const { pageUrl } = await order({ language, description: 'W'.repeat(120) })
      const page = await open(pageUrl, {
        javaScriptEnabled: true,
        bypassCSP: true,
        colorScheme,
        viewport: { width, height: 800 },
      })
      await expectSound(page)
      for (const [expiry, cvc] of [
        ['', '1'],
        ['09/99', '123'],
      ] as const) {
        await page.locator('#card').fill('4000000000003063')
        await page.locator('#expiry').fill(expiry)
        await page.locator('#cvc').fill(cvc)
        await page.locator('main button').click()
        await expectSound(page)
      }
      await page.context().close()
    }
  })

  test('keeps to itself: no script, no other host, no frame, nothing stored', async () => {
    const { headers } = await fetch((await order()).pageUrl)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await fetch(`${bank.url}/pay/${'0'.repeat(32)}`)).status).toBe(404)
  })
})

/** Nothing is wider than the window, and axe has nothing to say. */
async function expectSound(page: Page): Promise<void> {
  const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(wide).toBe(0)
  await page.addScriptTag({ path: axeFile })
  const found = (await page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
  )) as string[]
  expect(found).toEqual([])
}
