/**
 * Takes screenshots of every state of the payment page, phone and desktop, light and dark. With `--documents` only
 * those that the documentation shows, in docs/images/checkout:
 *
 *     node tools/checkout/shots.ts [--documents] [--language uk] [--folder .bursar/shots] [STATE...]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { VIEWS } from '../../test/world/page-views.ts'
import { findChromium } from '../../test/setup/chromium/find.ts'
import { servePages } from './serve.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'boolean', default: false },
    language: { type: 'string', default: 'en' },
    folder: { type: 'string' },
  },
})
/** Used in README.md and docs/integrating/payment-page.md. */
const IN_DOCUMENTS = [
  'crypto-choose-phone-light',
  'crypto-pay-phone-light',
  'crypto-paid-phone-dark',
  'crypto-underpaid-phone-light',
  'crypto-pay-desktop-light',
  'fiat-open-desktop-dark',
]
const root = join(import.meta.dirname, '../..')
const folder = values.folder ?? join(root, values.documents ? 'docs/images/checkout' : '.bursar/shots')
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1_280, height: 900 } } as const
/** WebP quality, 0 to 100: small enough for a repository, and clear enough. */
const QUALITY = 55

const found = await findChromium()
if ('missing' in found) throw new Error(found.missing)
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: found.program,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
})
const server = await servePages(new Map(Object.entries(VIEWS)), { stay: true })
const names = positionals.length > 0 ? positionals : [...Object.keys(VIEWS), 'not-found']
for (const [device, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const touch = device === 'phone' ? { hasTouch: true, isMobile: true } : {}
    const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce', ...touch })
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    for (const name of names) {
      const picture = `${name}-${device}-${colorScheme}`
      if (values.documents && !IN_DOCUMENTS.includes(picture)) continue
      await page.goto(`${server.url}/${name}?lang=${values.language}`, { waitUntil: 'domcontentloaded' })
      await page.setViewportSize(viewport)
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
      // A picture beyond the viewport is taken as of a screen without touch.
      await page.setViewportSize({ width: viewport.width, height: Math.max(height, viewport.height) })
      const clip = { x: 0, y: 0, width: viewport.width, height, scale: device === 'desktop' ? 0.75 : 1 }
      const { data } = await devtools.send('Page.captureScreenshot', {
        format: 'webp',
        quality: QUALITY,
        clip,
      })
      writeFileSync(join(folder, `${picture}.webp`), Buffer.from(data, 'base64'))
    }
    await context.close()
  }
}
await browser.close()
await server.close()
