/** The longest amounts, on phones in a real browser: no line breaks one, and no page is wider than the screen. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { storeFeeRate } from '../../server/src/pay-out/withdrawals/terms.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { catalogueOn } from '../world/catalogue.ts'
import { useDashboard } from '../world/dashboard.ts'
import { giveMoney } from '../world/ledger.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { openSignedIn } from './signed-in.ts'

const catalogue = catalogueOn('ETHEREUM', { ETH: { decimals: 18 } })
const TO = '0x52908400098527886E0F7030069857D2E4169EE7'
const WHOLE = 1_234_567_890_123_456_789_012_345_678n
const AMOUNT = '234567890.123456789012345678'
const WIDTHS = [320, 390, 480, 767, 768, 1_280]

/** Amounts and tickers that are broken over lines, or are beyond the right edge. */
const BROKEN = String.raw`(() => {
  const broken = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement.closest('.unseen,.hash,.address,script,style,option')) continue
    for (const { index, 0: found } of node.data.matchAll(/\d+\.\d{4,}|\bETH\b/g)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + found.length)
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0)
      const lines = new Set(boxes.map(({ top }) => Math.round(top)))
      if (lines.size > 1 || boxes.some(({ right }) => right > innerWidth + 1)) broken.push(found)
    }
  }
  return broken
})()`
const brokenIn = (page: Page): Promise<string[]> => page.evaluate(BROKEN)

describeWithChromium('amounts with 18 decimals', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true, catalogue })
  const at = (page: string): string => `http://localhost:${edge.port}/app/merchants/${edge.merchant.id}/${page}`

  beforeAll(async () => {
    const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
    await giveMoney(runtime, { merchantId: edge.merchant.id, asset: 'ETH' }, WHOLE)
    await giveMoney(runtime, { merchantId: edge.merchant.id, asset: 'ETH' }, 1n)
    const rate = { kind: 'gas', legacy: false, maxFeePerGas: 1_234_567_891n, maxPriorityFeePerGas: 1n } as const
    await storeFeeRate(edge.db, 'ETHEREUM', rate, edge.clock.ms)
  })

  test('are whole on every page of a payout and of a balance', async () => {
    const { cookie } = await memberOf(edge.merchant.id, 'owner')
    const origin = `http://localhost:${edge.port}`
    const { context, page } = await openSignedIn(visit, { origin, cookie }, { locale: 'en-US' })
    const faults: string[] = []
    let shown = 0
    const judge = async (name: string): Promise<void> => {
      shown += await page.locator('.amount').count()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        if (wide !== width) faults.push(`${name} at ${width} is ${wide} wide`)
        faults.push(...(await brokenIn(page)).map((text) => `${name} at ${width} breaks ${text}`))
      }
    }
    await page.goto(at('payouts/new?lang=en'))
    await page.getByLabel('Asset and network').selectOption('ETH/ETHEREUM')
    await page.getByLabel('Address', { exact: true }).fill(TO)
    await page.getByLabel('Amount', { exact: true }).fill(AMOUNT)
    await page.getByRole('button', { name: 'Check the payout' }).click()
    await page.getByRole('button', { name: 'Request the payout' }).waitFor()
    await judge('the checked payout')
    await page.getByRole('button', { name: 'Request the payout' }).click()
    await page.getByText('Waits for approval').waitFor()
    await judge('the request')
    for (const path of ['payouts', 'home', 'balances', 'balances/ETH', 'payouts/guide']) {
      await page.goto(at(`${path}?lang=en`))
      await judge(path)
    }
    expect(faults).toEqual([])
    expect(shown).toBeGreaterThan(10)
    await context.close()
  })
})
