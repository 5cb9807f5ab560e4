import type { PageRoute } from '../../platform/api/page.ts'

const ROBOTS = 'User-agent: *\nDisallow: /\n'

/** Excludes search engines from all pages: the address of a page is a secret of its payer. */
export const robotsRoute: PageRoute = {
  method: 'GET',
  path: '/robots.txt',
  mostBytes: 0,
  handle: async () => ({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: ROBOTS }),
}
