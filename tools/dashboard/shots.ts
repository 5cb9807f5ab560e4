/**
 * Takes the pictures of the dashboard that the documentation shows, with the data of the demo in the sandbox that runs
 * here (`npm start`):
 *
 *     node tools/dashboard/shots.ts [--days 90] [--folder docs/images/dashboard]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { runDemo } from '../../sandbox/demo/index.ts'
import { readDescription } from '../../sandbox/try/running.ts'
import { findChromium } from '../../test/setup/chromium/find.ts'

const root = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '90' },
    folder: { type: 'string', default: join(root, 'docs/images/dashboard') },
  },
})
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1_280, height: 900 } } as const
/** The rest of a long page is left out, px. */
const MOST_HEIGHT = 1_400
/** WebP quality, 0 to 100: small enough for a repository, and clear enough. */
const QUALITY = 55
const MOST_BYTES = 120_000

interface Picture {
  name: string
  size: keyof typeof SIZES
  scheme: 'light' | 'dark'
  /** Goes to the page, from Home. */
  open(page: Page): Promise<void>
}

const choose = async (page: Page, part: string): Promise<void> => {
  await page.goto(page.url().replace(/\/merchants\/([^/]+)\/.*$/, `/merchants/$1/${part}`))
}
/** Opens the first row of a list that has a text. */
const openFirst = async (page: Page, part: string, row: string, text: string): Promise<void> => {
  await choose(page, part)
  await page.locator(row).filter({ hasText: text }).first().locator('a').first().click()
}

const PICTURES: readonly Picture[] = [
  { name: 'home', size: 'desktop', scheme: 'light', open: (page) => choose(page, 'home?days=90') },
  { name: 'payments', size: 'desktop', scheme: 'light', open: (page) => choose(page, 'payments') },
  {
    name: 'payment',
    size: 'desktop',
    scheme: 'dark',
    open: (page) => openFirst(page, 'payments?kind=crypto&status=paid', 'tbody tr', 'Order'),
  },
  {
    name: 'approval',
    size: 'phone',
    scheme: 'light',
    open: (page) => openFirst(page, 'payouts', 'tbody tr', '125 USDT'),
  },
  {
    name: 'payment-link',
    size: 'phone',
    scheme: 'light',
    open: (page) => openFirst(page, 'links', 'tbody tr', 'Tasting'),
  },
  { name: 'webhooks', size: 'desktop', scheme: 'light', open: (page) => choose(page, 'webhooks') },
]

const dir = process.env['BURSAR_DIR'] ?? join(root, '.bursar')
const signInLink = await runDemo(readDescription(dir), dir, { days: Number(values.days) })
const found = await findChromium()
if ('missing' in found) throw new Error(found.missing)
mkdirSync(values.folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: found.program,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
})
const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US' })
const page = await context.newPage()
const devtools = await context.newCDPSession(page)
await page.goto(signInLink)
const home = page.url()
for (const { name, size, scheme, open } of PICTURES) {
  const viewport = SIZES[size]
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme: scheme })
  await page.goto(home)
  await open(page)
  const wanted = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const height = Math.min(MOST_HEIGHT, Math.max(wanted, viewport.height))
  await page.setViewportSize({ width: viewport.width, height })
  const clip = { x: 0, y: 0, width: viewport.width, height, scale: size === 'desktop' ? 0.75 : 1 }
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, clip })
  const picture = Buffer.from(data, 'base64')
  if (picture.length > MOST_BYTES) throw new Error(`${name} has ${picture.length} bytes: lower the quality`)
  writeFileSync(join(values.folder, `${name}.webp`), picture)
}
await browser.close()
