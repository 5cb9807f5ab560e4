/** The menu of the dashboard and the list of merchants in a real browser without scripts, on a phone and a desktop. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import { makeMerchant } from '../world/merchant.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

describeWithChromium('the menu', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true })
  const at = (page: string): string => `http://localhost:${edge.port}/app/merchants/${edge.merchant.id}/${page}`

  /** A context of an owner of two merchants. */
  const signedIn = async (options: Parameters<Visit>[0] = {}) => {
    const { cookie, email } = await memberOf(edge.merchant.id, 'owner')
    const other = randomUUID()
    await makeMerchant(edge.db, edge.clock.ms, { id: other, name: 'Bakery' })
    // Raw: a person who exists would have to accept an invitation in a browser.
    await sql`insert into dashboard_members(merchant_id, person_id, role, added_at)
      select ${other}, id, 'viewer', created_at from dashboard_people where email = ${email}`.execute(edge.db)
    return openSignedIn(visit, { origin: `http://localhost:${edge.port}`, cookie }, options)
  }

  test('on a phone, the keyboard opens the menu, Escape closes it, and a link leads on', async () => {
    const { context, page } = await signedIn({
      javaScriptEnabled: false,
      locale: 'en-US',
      viewport: { width: 320, height: 640 },
    })
    await page.goto(at('home'))
    const [button, team] = [page.getByRole('button', { name: 'Menu' }), page.getByRole('link', { name: 'Team' })]
    expect(await team.isVisible()).toBe(false)
    const header = await page.locator('header').boundingBox()
    expect(header!.height).toBeLessThan(80)
    await button.focus()
    await page.keyboard.press('Enter')
    await team.waitFor()
    await page.keyboard.press('Escape')
    await team.waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor()
    await button.click()
    expect(await page.locator('[aria-current=page]').textContent()).toBe('Payments')
    await context.close()
  })

  test('the header leads to another merchant of the person, on a page of people too', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    for (const part of ['payments', 'team']) {
      await page.goto(at(part))
      expect(await page.getByRole('button', { name: 'Menu' }).isVisible()).toBe(false)
      expect(await page.locator('nav [aria-current=page]').count()).toBe(1)
      expect(await page.getByRole('link', { name: 'Bakery' }).isVisible()).toBe(false)
      await page.getByRole('button', { name: /^Change the merchant/ }).click()
      await page.getByRole('link', { name: 'Bakery' }).click()
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    }
    await context.close()
  })

  test.each(LANGUAGES)('in %s, both are in order for axe while they are open', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce', viewport: { width: 320, height: 640 } })
    const { faults, judge } = judgeOf(page)
    await page.goto(at(`team?lang=${language}`))
    await page.locator('[popovertarget=menu]').click()
    await judge('menu')
    await page.locator('[popovertarget=merchants]').click()
    await judge('merchants')
    expect(faults).toEqual([])
    await context.close()
  })
})
