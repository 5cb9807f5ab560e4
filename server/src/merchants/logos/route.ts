import { generalErrors } from '@bursar/contract'
import type { PageRoute } from '../../platform/api/page.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { Db } from '../../platform/db/index.ts'
import { shownFile } from './store.ts'

const YEAR_SECONDS = 31_536_000
/** The path of a logo, on the origin of the pages. */
export const logoPath = (hash: string): string => `/logos/${hash}`

/**
 * Serves the logos that pages show. The hash names the bytes, so that a browser never asks twice. The type is fixed,
 * and nothing in the file can be run.
 */
export const logoRoute = (deps: { db: Db }): PageRoute => ({
  method: 'GET',
  path: '/logos/{hash}',
  mostBytes: 0,
  handle: async ({ params }) => {
    const hash = params['hash'] ?? ''
    const file = /^[0-9a-f]{64}$/.test(hash) ? await shownFile(deps.db, hash) : undefined
    if (!file) throw new ApiRefusal(generalErrors.notFound.status, generalErrors.notFound.code, 'there is no such logo')
    return {
      status: 200,
      headers: {
        'content-type': file.mediaType,
        'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
        'content-security-policy': "default-src 'none'; sandbox",
        'content-disposition': 'inline',
      },
      body: file.bytes,
    }
  },
})
