/** Texts of strangers stay text, and no link leads to a forbidden place, in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PageView } from '@bursar/checkout'
import { servePages, type PageServer } from '../../tools/checkout/serve.ts'
import { VIEWS } from '../world/page-views.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { INJECTIONS, REDIRECTS } from './hostile-texts.ts'

/** A view whose every text is the stranger's. */
const writtenBy = (text: string, view: PageView): PageView => {
  const shared = {
    ...view,
    name: text,
    description: text,
    seller: { ...view.seller, name: text, url: text, accent: text },
    returnTo: text,
    keep: { claim: text },
  }
  const { state } = view
  if (state.at === 'open') {
    const options = state.options.map((option) => ({
      ...option,
      ticker: text,
      assetName: text,
      networkName: text,
      blockchain: text,
      about: text,
    }))
    return {
      ...shared,
      state: {
        ...state,
        options,
        asked: { value: text, ticker: text },
        given: { email: text, value: text, choice: text },
      },
    }
  }
  if (state.at === 'pay')
    return {
      ...shared,
      state: {
        ...state,
        to: { ...state.to, assetName: text, networkName: text, address: text },
        payments: state.payments.map((one) => ({ ...one, hash: text, ticker: text })),
      },
      wrongAsset: state.payments.map((one) => ({ ...one, ticker: text, networkName: text })),
    }
  if (state.at === 'failed') return { ...shared, state: { ...state, reason: text } }
  if (state.at === 'underpaid' && typeof state.claim !== 'string')
    return { ...shared, state: { ...state, claim: { ...state.claim, networkName: text, given: { address: text } } } }
  if (state.at === 'leaving') return { ...shared, state: { ...state, fields: { [text]: text } } }
  return shared
}
/** Seven hundred pages: on a busy machine they take longer than the five minutes of other tests. */
const MOST_MS = 20 * 60_000
const STATES = [
  'crypto-form-refused',
  'crypto-partly-paid',
  'crypto-paid',
  'crypto-claim-refused-form',
  'fiat-failed',
  'fiat-leaving',
]

interface Watch {
  said: string[]
  asked: string[]
}
const watch = (page: Page, origin: string): Watch => {
  const seen: Watch = { said: [], asked: [] }
  page.on('dialog', (dialog) => {
    seen.said.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => seen.said.push(message.text()))
  page.on('pageerror', (error) => seen.said.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) seen.asked.push(request.url())
  })
  return seen
}

describeWithChromium('hostile texts', () => {
  const visit = useChromium()
  let server: PageServer
  beforeAll(async () => {
    server = await servePages(new Map(), { stay: true })
  })
  afterAll(() => server.close())
  /** Each at a place of its own: a page that is being left hears of no change, and loads nothing again. */
  const serve = (view: PageView): string => {
    const name = `page-${server.views.size}`
    server.views.set(name, view)
    return `${server.url}/${name}?lang=en`
  }

  test(
    `H1 ${INJECTIONS.length} that would be scripts are shown as they are written`,
    async () => {
      expect(new Set(INJECTIONS).size).toBeGreaterThanOrEqual(100)
      const context = await visit()
      const page = await context.newPage()
      const seen = watch(page, server.url)
      for (const text of INJECTIONS) {
        for (const name of STATES) {
          await page.goto(serve(writtenBy(text, VIEWS[name]!)), { waitUntil: 'domcontentloaded' })
          const found = await page.evaluate(`({
          pwned: window.pwned, scripts: document.querySelectorAll('script').length, name: document.querySelector('.about').textContent,
          odd: document.querySelectorAll('iframe,object,embed,base,img,math,marquee,video,audio,style:not(head style),link:not([rel=icon]),meta[http-equiv]').length,
          handlers: [...document.querySelectorAll('*')].flatMap((element) => [...element.attributes]).filter(({ name, value }) => name.startsWith('on') || name === 'style' || /^\\s*javascript:/i.test(value) && ['href', 'action', 'src'].includes(name)).length,
        })`)
          expect({ text, name, found }).toEqual({
            text,
            name,
            found: { pwned: undefined, scripts: 1, odd: 0, handlers: 0, name: shown(text) },
          })
        }
      }
      await context.close()
      expect(seen).toEqual({ said: [], asked: [] })
    },
    MOST_MS,
  )

  test(`H2 ${REDIRECTS.length} that would lead elsewhere are no links`, async () => {
    expect(new Set(REDIRECTS).size).toBeGreaterThanOrEqual(60)
    const context = await visit()
    const page = await context.newPage()
    const seen = watch(page, server.url)
    for (const text of REDIRECTS) {
      await page.goto(serve(writtenBy(text, VIEWS['crypto-paid']!)), { waitUntil: 'domcontentloaded' })
      const found = (await page.evaluate(
        `({ pwned: window.pwned, returns: document.querySelectorAll('[data-return]').length, links: [...document.querySelectorAll('a')].map((a) => a.href) })`,
      )) as { pwned: unknown; returns: number; links: string[] }
      expect({ text, pwned: found.pwned, returns: found.returns }).toEqual({ text, pwned: undefined, returns: 0 })
      expect(found.links.filter((link) => !link.startsWith(`${server.url}/`))).toEqual([])
    }
    await context.close()
    expect(seen).toEqual({ said: [], asked: [] })
  })

  test('a good one is a link, and is followed by itself after a while unless the payer stays', async () => {
    server.views.set('page', VIEWS['crypto-paid']!)
    const context = await visit()
    const page = await context.newPage()
    await page.clock.install()
    await page.route('https://kava.example/**', (route) => route.fulfill({ body: 'the shop' }))
    await page.goto(`${server.url}/page?lang=en`)
    expect(await page.getByRole('link', { name: 'Back to Kava & Co' }).getAttribute('href')).toBe(
      'https://kava.example/orders/1042',
    )
    await page.getByRole('button', { name: 'Stay here' }).click()
    await page.clock.runFor(60_000)
    expect(page.url()).toContain(server.url)
    await page.reload()
    await page.clock.runFor(5_000)
    await expect.poll(() => page.locator('[data-return] span').textContent()).toBe('Returning to the seller in 15 s.')
    await page.clock.runFor(16_000)
    await page.waitForURL('https://kava.example/orders/1042')
    await context.close()
  })
})

/** How a browser reads it: U+0000 is left out of HTML. */
const shown = (text: string): string => text.replaceAll('\u0000', '')
