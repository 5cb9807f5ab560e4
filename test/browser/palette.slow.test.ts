/** The command palette of the dashboard in a real browser: by the keyboard, on a phone, and before axe. */
import { expect, test } from 'vitest'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import type { Role } from '../../server/src/people/access/index.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

describeWithChromium('the command palette', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true })
  const at = (page: string): string => `http://localhost:${edge.port}/app/merchants/${edge.merchant.id}/${page}`
  const signedIn = async (role: Role, options: Parameters<Visit>[0] = {}) => {
    const { cookie } = await memberOf(edge.merchant.id, role)
    const origin = `http://localhost:${edge.port}`
    const opened = await openSignedIn(visit, { origin, cookie }, { locale: 'en-US', ...options })
    const { page } = opened
    return { ...opened, dialog: page.getByRole('dialog', { name: 'Search' }), choices: page.getByRole('option') }
  }

  test('opens by the keyboard, and leads to a page, to an action of the page, and to a payment', async () => {
    const { context, page, dialog, choices } = await signedIn('owner')
    const { faults, said, judge } = judgeOf(page)
    await page.goto(at('payouts'))
    await page.keyboard.press('Control+k')
    await dialog.waitFor()
    expect(await choices.first().textContent()).toBe('New payout')
    await judge('the palette')
    await page.keyboard.type('AUD')
    expect(await choices.allTextContents()).toEqual(['Audit log', 'Find the payment “AUD”'])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()

    await page.keyboard.press('Control+k')
    await page.keyboard.type('b')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    const marked = page.getByRole('option', { selected: true })
    const [, last] = (await choices.allTextContents()).toReversed()
    expect(await marked.textContent()).toBe(last)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/payments\?q=b$/)
    expect([faults, said]).toEqual([[], []])
    await context.close()
  })

  test('closes by Escape, by a click beside it and by its keys, and gives the focus back to its button', async () => {
    const { context, page, dialog } = await signedIn('viewer', { viewport: { width: 320, height: 640 } })
    await page.goto(at('payments'))
    const button = page.getByRole('button', { name: 'Search' }).first()
    const closed = async (): Promise<void> => {
      await dialog.waitFor({ state: 'hidden' })
      expect(await page.evaluate('document.activeElement.hasAttribute("data-palette")')).toBe(true)
    }
    for (const close of ['Escape', 'Control+k', undefined]) {
      await button.click()
      await dialog.waitFor()
      if (close === undefined) await page.mouse.click(5, 630)
      else await page.keyboard.press(close)
      await closed()
    }
    await context.close()
  })

  test('has only pages that the role may see, and is absent without scripts', async () => {
    const approver = await signedIn('approver')
    await approver.page.goto(at('payouts'))
    await approver.page.keyboard.press('Control+k')
    await approver.dialog.waitFor()
    const texts = await approver.choices.allTextContents()
    expect(texts).toContain('Payouts')
    expect(texts).not.toContain('Keys')
    await approver.context.close()

    const plain = await signedIn('owner', { javaScriptEnabled: false })
    await plain.page.goto(at('payouts'))
    expect(await plain.page.locator('[data-palette]').isVisible()).toBe(false)
    expect(await plain.dialog.isVisible()).toBe(false)
    await plain.context.close()
  })

  test('opens by its keys while a Cyrillic layout is active, and ignores events without a key', async () => {
    const { context, page, dialog } = await signedIn('owner')
    const { said } = judgeOf(page)
    await page.goto(at('payments'))
    await page.evaluate(`dispatchEvent(new Event('keydown', { bubbles: true }))`)
    await page.evaluate(
      `dispatchEvent(new KeyboardEvent('keydown', { key: 'л', code: 'KeyK', ctrlKey: true, bubbles: true, cancelable: true }))`,
    )
    expect(await dialog.isVisible()).toBe(true)
    expect(said).toEqual([])
    await context.close()
  })

  test('shows a payment to be found as it was typed, also with signs that mean a part of a replacement', async () => {
    const { context, page, dialog } = await signedIn('owner')
    await page.goto(at('payments'))
    await page.keyboard.press('Control+k')
    await dialog.waitFor()
    await page.keyboard.type('$&<b>')
    expect(await dialog.getByRole('option').last().textContent()).toBe('Find the payment “$&<b>”')
    await context.close()
  })
})
