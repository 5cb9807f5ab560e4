/** The dashboard in a real browser: passkeys by Chromium's virtual authenticator, and every page before axe. */
import type { BrowserContext, Page } from 'playwright-core'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { judgeOf } from './judging.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import { PASSWORD, seedOf, useDashboard } from '../world/dashboard.ts'

describeWithChromium('the dashboard', () => {
  const visit = useChromium()
  const { edge, inviteTo, newAddress, codeAt } = useDashboard({ ofPort: true })
  const at = (path: string): string => `http://localhost:${edge.port}${path}`

  /** A page with an authenticator of its platform, that verifies its person. */
  const openWithAuthenticator = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage()
    await addAuthenticator(page)
    return page
  }

  test('a person joins with a passkey, signs out and in, adds another passkey and ends it', async () => {
    const context = await visit({ locale: 'en-US' })
    const page = await openWithAuthenticator(context)
    await page.goto(at(await inviteTo(newAddress())))
    await page.getByLabel('Name of the passkey').fill('Laptop')
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    await page.getByRole('heading', { name: 'Choose a merchant' }).waitFor()
    const cookies = await context.cookies()
    expect(cookies.map(({ name }) => name).toSorted()).toEqual(['__Host-bursar', '__Host-bursar-device'])
    for (const cookie of cookies) expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' })
    expect(await page.evaluate('document.cookie')).toBe('')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    expect(await page.getByText('Chrome, Linux').count()).toBe(1)
    // This authenticator has a passkey of the person: the browser makes no second one.
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The passkey was not made').waitFor()

    const other = await openWithAuthenticator(context)
    await other.goto(at('/app/security'))
    await other.getByLabel('Name of the passkey').fill('Phone')
    await other.getByRole('button', { name: 'Add a passkey' }).click()
    await other.getByRole('button', { name: 'Remove Phone' }).click()
    await other.getByText('Done.').waitFor()
    expect(await other.getByRole('button', { name: /^Remove / }).count()).toBe(1)
    await context.close()
  })

  test('without scripts, a person joins with a password, signs in, and no passkey is offered', async () => {
    const context = await visit({ javaScriptEnabled: false, locale: 'en-US' })
    const page = await context.newPage()
    const email = newAddress()
    await page.goto(at(await inviteTo(email)))
    expect(await page.getByRole('button', { name: 'Make a passkey' }).isVisible()).toBe(false)
    await page.getByText('Use a password instead').first().click()
    const seed = seedOf({ text: await page.content() })
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByLabel('Code of the app').fill(codeAt(seed))
    await page.getByRole('button', { name: 'Use a password instead' }).click()
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Code').fill(codeAt(seed, 1))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await context.close()
  })

  test('an owner invites a colleague on the page Team, who joins, and is removed', async () => {
    const owner = await openWithAuthenticator(await visit({ locale: 'en-US' }))
    await owner.goto(at(await inviteTo(newAddress())))
    await owner.getByRole('button', { name: 'Make a passkey' }).click()
    await owner.getByRole('link', { name: 'Shop' }).click()
    await owner.getByRole('link', { name: 'Team' }).click()
    const email = newAddress()
    await owner.getByLabel('E-mail').fill(email)
    await owner.getByLabel('Role').first().selectOption({ label: 'finance' })
    await owner.getByRole('button', { name: 'Send the invitation' }).click()
    await owner.getByText('Done.').waitFor()
    await owner.getByText(email).waitFor()

    const { rows } = await sql<{ url: string }>`select data ->> 'joinUrl' as url from mails
      where recipient = ${email}`.execute(edge.db)
    const colleague = await openWithAuthenticator(await visit({ locale: 'en-US' }))
    await colleague.goto(rows[0]!.url)
    await colleague.getByRole('button', { name: 'Make a passkey' }).click()
    await colleague.getByRole('link', { name: 'Shop' }).click()
    await colleague.getByRole('link', { name: 'Team' }).click()
    await colleague.getByText(`${email} (you)`).waitFor()
    expect(await colleague.getByRole('button', { name: 'Send the invitation' }).count()).toBe(0)

    await owner.reload()
    await owner.getByLabel(`Change ${email}`, { exact: true }).click()
    await owner.getByRole('button', { name: `Remove ${email}` }).click()
    await owner.getByText('Done.').waitFor()
    await owner.getByRole('link', { name: 'Audit log' }).click()
    await owner.getByText(`Removed from a merchant: ${email}`).waitFor()
    expect((await colleague.reload())!.status()).toBe(404)
    for (const page of [owner, colleague]) await page.context().close()
  })

  test.each(LANGUAGES)(
    'every page in %s is found in order by axe, at 320 and 1280 px, light and dark',
    async (language) => {
      const context = await visit({ reducedMotion: 'reduce' })
      const page = await openWithAuthenticator(context)
      const { faults, said, judge } = judgeOf(page)
      const lang = `?lang=${language}`
      await page.goto(at(`/app/sign-in${lang}`))
      await judge('sign-in')
      await page.goto(at(`/app/join/none${lang}`))
      await judge('no invitation')
      await page.goto(at((await inviteTo(newAddress())) + lang))
      await page.locator('summary').click()
      await judge('invitation')
      await page.getByRole('button').first().click()
      await page.waitForURL(/\/app\?/)
      await judge('merchants')
      edge.clock.ms += 6 * 60_000
      await page.goto(at(`/app/security${lang}`))
      await judge('security')
      await page.locator('button[aria-label]').first().click()
      await page.getByRole('alert').first().waitFor()
      await judge('security without a proof')
      const { id } = edge.merchant
      await page.goto(at(`/app/merchants/${id}/team${lang}`))
      await page.locator('details.change summary').first().click()
      await judge('team without a proof')
      await page.locator('form[data-passkey=use] button').click()
      await page.waitForURL(/proved=1/)
      await judge('team')
      await page.goto(at(`/app/merchants/${id}/audit${lang}`))
      await judge('audit log')
      await page.goto(at(`/app/security${lang}`))
      await page.locator('summary').click()
      await judge('security with a password to be set')
      expect(faults).toEqual([])
      // Chromium reports the answers 404 and 403 themselves.
      expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
      await context.close()
    },
  )
})
