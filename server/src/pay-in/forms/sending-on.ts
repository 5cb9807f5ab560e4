import type { PageAnswer } from '../../platform/api/page.ts'

/** Sends the browser from a form to the payment page, so that going back or reloading asks for no second payment. */
export const sendOn = (url: string): PageAnswer => ({
  status: 303,
  headers: { location: url, 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  body: 'See the payment page\n',
})
