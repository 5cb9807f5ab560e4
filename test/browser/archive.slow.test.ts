/** The page of the archive in a real browser: the download without scripts, and the page before axe. */
import { expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { verifyArchive } from '../../server/src/dashboard/archive/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

describeWithChromium('the page of the archive', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (query: string): string => `${origin()}/app/merchants/${edge.merchant.id}/archive${query}`

  /** A context of an owner who has signed in. */
  const signedIn = async (options: Parameters<Visit>[0] = {}) => {
    const { cookie } = await memberOf(edge.merchant.id, 'owner')
    return openSignedIn(visit, { origin: origin(), cookie }, options)
  }

  test('the file is downloaded without scripts', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('?lang=en'))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the archive' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`archive-${edge.merchant.id}.zip`)
    expect((await verifyArchive(await download.path())).problems).toEqual([])
    await context.close()
  })

  test.each(LANGUAGES)('it is in order for axe in %s, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    await page.goto(at(`?lang=${language}`))
    await judge('page')
    edge.clock.ms += 6 * 60_000
    await page.goto(at(`?lang=${language}`))
    await judge('without a proof')
    await page.locator('main form').last().locator('button').click()
    await page.getByRole('alert').first().waitFor()
    await judge('refused')
    expect(faults).toEqual([])
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })
})
