/** The page Settings in a real browser: without scripts, and before axe. */
import { expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

describeWithChromium('the page Settings', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (query: string): string => `${origin()}/app/merchants/${edge.merchant.id}/settings${query}`

  /** A context of an owner who has signed in. */
  const signedIn = async (options: Parameters<Visit>[0] = {}) => {
    const { cookie } = await memberOf(edge.merchant.id, 'owner')
    return openSignedIn(visit, { origin: origin(), cookie }, options)
  }

  test('a colour is tried and saved without scripts', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('?lang=en'))
    await page.locator('#try-accent').fill('#c2410c')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Order 1').waitFor()
    await page.goBack()
    await page.locator('#field-setting-accent').fill('#c2410c')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await page.locator('#field-setting-accent').inputValue()).toBe('#c2410c')
    await context.close()
  })

  test.each(LANGUAGES)('in %s is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    await page.goto(at(`?said=saved&lang=${language}`))
    await judge('saved')
    edge.clock.ms += 6 * 60_000
    await page.locator('#field-setting-accent').fill('green')
    await page.locator('form:has(#field-setting-accent) button').click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.locator('#field-setting-accent').inputValue()).toBe('green')
    await judge('without a proof')
    expect(faults).toEqual([])
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })
})
