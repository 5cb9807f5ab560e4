import { mkdirSync } from 'node:fs'
import { VIEWS } from '../../web/checkout/src/test-views.ts'
import { chromium } from 'playwright-core'
import { findChromium } from '../../test/setup/chromium/find.ts'
import { servePages } from './serve.ts'
const out = process.argv[2]!
const names = process.argv.slice(3)
mkdirSync(out, { recursive: true })
const found = await findChromium()
if ('missing' in found) throw new Error(found.missing)
const browser = await chromium.launch({ executablePath: found.program, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
const server = await servePages(new Map(Object.entries(VIEWS)))
for (const scheme of ['light', 'dark'] as const) for (const width of [390, 1280]) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: width === 390 ? 844 : 900 }, locale: 'en-GB' })
  for (const name of names.length > 0 ? names : Object.keys(VIEWS)) {
    const page = await context.newPage()
    await page.goto(`${server.url}/${name}?lang=${process.env['L'] ?? 'en'}`)
    await page.screenshot({ path: `${out}/${name}-${width}-${scheme}.png`, fullPage: true })
    await page.close()
  }
  await context.close()
}
await browser.close()
await server.close()
