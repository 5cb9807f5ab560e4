/** The page Keys in a real browser: without scripts, and before axe. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

describeWithChromium('the page Keys', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (language: string): string => `${origin()}/app/merchants/${edge.merchant.id}/keys?lang=${language}`

  /** A context of an owner who has signed in. */
  const signedIn = async (options: Parameters<Visit>[0] = {}) => {
    const { cookie } = await memberOf(edge.merchant.id, 'owner')
    return openSignedIn(visit, { origin: origin(), cookie }, options)
  }
  const fill = async (page: Page, name: string): Promise<void> => {
    await page.locator('#field-key-name').fill(name)
    await page.locator('input[name=key-invoices]').check()
    await page.locator('#field-key-addresses').fill('192.0.2.7, 2001:db8::/32')
    await page.locator('form:has(#field-key-name) button').click()
  }

  test('a key is made and revoked without scripts, and a reload shows no secret again', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('en'))
    await fill(page, 'Till')
    await page.getByRole('heading', { name: 'Store the secret of the key' }).waitFor()
    const secret = await page.locator('.address').nth(1).innerText()
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    await page.reload()
    await page.getByText('This key was made already.').waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.goto(at('en'))
    await page.getByText('Revoke', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Revoke Till' }).click()
    await page.getByText('Done.').waitFor()
    expect(await page.getByText('revoked 20').count()).toBe(1)
    await context.close()
  })

  test.each(LANGUAGES)('in %s it is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    await page.goto(at(language))
    await judge('keys')
    await fill(page, 'x'.repeat(60))
    await page.locator('a.button').waitFor()
    await judge('secret')
    await page.goto(at(language))
    await page.locator('details.change summary').first().click()
    await judge('one more key')
    await page.locator('#field-key-name').fill('Till')
    await page.locator('#field-key-addresses').fill('10.0.0.1/8')
    await page.locator('form:has(#field-key-name) button').click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.locator('#field-key-addresses').inputValue()).toBe('10.0.0.1/8')
    await judge('refused')
    edge.clock.ms += 6 * 60_000
    await page.goto(at(language))
    await judge('without a proof')
    expect(faults).toEqual([])
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })
})
