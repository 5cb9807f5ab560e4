/** A browser of a person who has signed in to the dashboard. */
import type { BrowserContext, Page } from 'playwright-core'
import type { useChromium } from '../setup/chromium/index.ts'

export type Visit = ReturnType<typeof useChromium>

/**
 * Opens a context with the cookie of a session.
 * @param origin of the dashboard, on `http://localhost`, where browsers accept cookies that are `Secure`
 */
export const openSignedIn = async (
  visit: Visit,
  { origin, cookie }: { origin: string; cookie: string | undefined },
  options: Parameters<Visit>[0] = {},
): Promise<{ context: BrowserContext; page: Page }> => {
  if (cookie === undefined) throw new Error('the person has not signed in')
  const context = await visit(options)
  await context.addCookies([
    {
      name: '__Host-bursar',
      value: cookie,
      url: origin.replace('http:', 'https:'),
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    },
  ])
  return { context, page: await context.newPage() }
}
