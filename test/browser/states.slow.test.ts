/** Every state of the payment page in a real browser: accessible, whole at 320 px, of its own origin, small. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { servePages, type PageServer } from '../../tools/checkout/serve.ts'
import { VIEWS } from '../world/page-views.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { judgeOf } from './judging.ts'

/** Of all that a page asks for, compressed as the api does at worst. */
const MOST_BYTES = 60_000
const NOWHERE = 'no such invoice'
const NAMES = [...Object.keys(VIEWS), NOWHERE]

describeWithChromium('every state', () => {
  const visit = useChromium()
  let server: PageServer
  beforeAll(async () => {
    // Nobody is sent to the acquirer while their page is looked at.
    server = await servePages(new Map(Object.entries(VIEWS)), { stay: true })
  })
  afterAll(() => server.close())

  test.each(LANGUAGES)(
    'is found in order by axe in %s, at 320 and 1280 px, light and dark, and nothing is cut off',
    async (language) => {
      const context = await visit({ reducedMotion: 'reduce' })
      const page = await context.newPage()
      const { faults, judge } = judgeOf(page)
      for (const name of NAMES) {
        await page.goto(`${server.url}/${encodeURIComponent(name)}?lang=${language}`)
        await judge(name)
      }
      await context.close()
      expect(faults).toEqual([])
    },
    600_000,
  )

  test('requests only its own resources, breaks no rule of its own, and is small', async () => {
    const context = await visit()
    const page = await context.newPage()
    const asked: string[] = []
    const said: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    for (const name of Object.keys(VIEWS)) {
      asked.length = 0
      const response = await page.goto(`${server.url}/${name}?lang=kk`, { waitUntil: 'load' })
      const bytes = gzipSync(await response!.body()).length
      expect(asked.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual([])
      expect(asked.filter((url) => !url.startsWith('data:') && !url.includes('/live')).length).toBe(1)
      expect(bytes).toBeGreaterThan(1_000)
      expect(bytes).toBeLessThan(MOST_BYTES)
    }
    await context.close()
    expect(said).toEqual([])
  })

  test('shows the same without scripts, and asks again by itself where it changes', async () => {
    const context = await visit({ javaScriptEnabled: false })
    const page = await context.newPage()
    for (const [name, { state }] of Object.entries(VIEWS)) {
      await page.goto(`${server.url}/${name}?lang=en`)
      expect(await page.locator('h1').count()).toBe(1)
      const refreshes = await page.locator('meta[http-equiv=refresh]').count()
      expect({ name, refreshes }).toEqual({
        name,
        refreshes: state.at === 'paid' || (state.at === 'open' && !state.ratesAway) ? 0 : 1,
      })
      // A button in a closed disclosure is shown once it is opened.
      for (const button of await page.locator('button:not(details:not([open]) *)').all())
        expect(await button.isVisible()).toBe(
          (await button.getAttribute('data-copy')) === null && !(await button.textContent())!.includes('Stay'),
        )
    }
    await context.close()
  })

  test('on a phone opens a wallet first and folds the QR code, which other screens show', async () => {
    for (const [device, isPhone] of [
      [{ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }, true],
      [{ viewport: { width: 1_280, height: 900 } }, false],
    ] as const) {
      const context = await visit({ ...device, javaScriptEnabled: false })
      const page = await context.newPage()
      await page.goto(`${server.url}/crypto-pay-ethereum?lang=en`)
      const link = page.getByRole('link', { name: 'Open in wallet' })
      const code = page.getByRole('img', { name: 'QR code: the address' })
      expect(await link.isVisible()).toBe(isPhone)
      expect(await code.filter({ visible: true }).count()).toBe(isPhone ? 0 : 1)
      if (isPhone) {
        const [above, below] = await Promise.all([link.boundingBox(), page.getByText('Send exactly').boundingBox()])
        expect(above!.y).toBeLessThan(below!.y)
        await page.getByText('Pay from another device').click()
        expect(await code.filter({ visible: true }).count()).toBe(1)
      }
      await page.goto(`${server.url}/crypto-pay?lang=en`)
      expect(await page.locator('.left [data-left]').isVisible()).toBe(false)
      expect(await page.locator('.left').textContent()).toContain('until 21 Nov 2026, 12:14 UTC')
      await context.close()
    }
  })

  test('speaks the language of the browser until another is chosen', async () => {
    const context = await visit({ locale: 'kk-KZ' })
    const page = await context.newPage()
    await page.goto(`${server.url}/crypto-pay`)
    expect(await page.locator('html').getAttribute('lang')).toBe('kk')
    await page.getByRole('link', { name: 'Українська' }).waitFor()
    expect(await page.getByRole('link', { name: 'Українська' }).getAttribute('href')).toBe('/crypto-pay?lang=uk')
    await context.close()
  })
})
