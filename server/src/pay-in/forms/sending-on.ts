import type { PageAnswer } from '../../platform/api/page.ts'

/**
 * Redirects the browser from a form to the payment page, so that going back or reloading requests no second payment.
 * @param cookie of `set-cookie`
 */
export const sendOn = (url: string, cookie?: string): PageAnswer => ({
  status: 303,
  headers: {
    location: url,
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
  },
  body: 'See the payment page\n',
})
