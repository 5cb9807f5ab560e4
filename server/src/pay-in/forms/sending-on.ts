import type { PageAnswer } from '../../platform/api/page.ts'

/** An invoice of a payment link, as its payer comes back to it. */
export interface LinkInvoice {
  /** whether its page still takes a payment, or waits for one */
  isOpen: boolean
  /** of its payment page */
  url: string
  /** the requested amount, a decimal */
  value: string
  ticker: string
}

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
