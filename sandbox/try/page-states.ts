/** Brings an invoice to a state of its payment page and prints its URL: `npm run try -- page STATE`. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bursar } from '@bursar/sdk'

/** The parts of the sandbox that produce a state. */
export interface PageTry {
  client: Bursar
  /** a verb of the control server */
  control(path: string, body: object): Promise<unknown>
  /** mails to an address, oldest first */
  mails(to: string): Promise<readonly { text?: string }[]>
}

const EMAIL = 'payer@example.com'
const USDT = { value: '25', ticker: 'USDT', blockchain: 'ETHEREUM' }
const UAH = { value: '500', ticker: 'UAH' }
const LIFE_MS = 73 * 3_600_000
const MAIL_WAIT_MS = 20_000

type Body = Parameters<Bursar['invoices']['crypto']['create']>[0]
const crypto = async ({ client }: PageTry, more: Partial<Body> = {}): Promise<string> =>
  (
    await client.invoices.crypto.create({
      name: 'Order 1042',
      description: 'Three bags of coffee',
      amount: USDT,
      redirectUrl: 'https://shop.example/orders/1042',
      ...more,
    } as Body)
  ).url
const fiat = async ({ client }: PageTry, more: object = { amount: UAH }): Promise<string> =>
  (
    await client.invoices.fiat.create({
      name: 'Order 1042',
      description: 'Three bags of coffee',
      redirectUrl: 'https://shop.example/orders/1042',
      ...more,
    })
  ).url

const idOf = (url: string): string => new URL(url).pathname.split('/').at(-1)!

/** Fills in a form of the page, as a browser does. */
const send = async (url: string, fields: Record<string, string>): Promise<string> => {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  if (answer.status !== 303) throw new Error(`the page answered ${answer.status} to ${JSON.stringify(fields)}`)
  return new URL(answer.headers.get('location')!, url).href
}
const proceed = (url: string): Promise<string> => send(url, { do: 'proceed', email: EMAIL })
const paid = async (page: PageTry, how: string, more?: Partial<Body>): Promise<string> => {
  const url = await crypto(page, more)
  await proceed(url)
  await page.control('/invoice/pay', { id: idOf(url), how })
  return url
}
const later = (page: PageTry): Promise<unknown> => page.control('/clock', { advanceMs: LIFE_MS })
const underpaid = async (page: PageTry): Promise<string> => {
  const url = await paid(page, 'partial')
  await sleep(5_000)
  await later(page)
  return url
}
const claimLink = async (page: PageTry): Promise<string> => {
  const url = await underpaid(page)
  for (const end = Date.now() + MAIL_WAIT_MS; Date.now() < end; await sleep(500)) {
    for (const mail of (await page.mails(EMAIL)).toReversed()) {
      const link = new RegExp(`https?://\\S+${idOf(url)}\\?claim=[\\w-]+`).exec(JSON.stringify(mail))?.[0]
      if (link !== undefined) return link
    }
  }
  throw new Error('no mail with a claim link came: see GET /mail of the control server')
}

/** Every state, with the function that produces it. */
export const PAGE_STATES: Readonly<Record<string, (page: PageTry) => Promise<string>>> = {
  'crypto-open': (page) => crypto(page),
  'crypto-choose': (page) =>
    crypto(page, { amount: undefined, baseAmount: { value: '1000', ticker: 'UAH' } } as Partial<Body>),
  'crypto-choose-amount': (page) => crypto(page, { amount: undefined } as Partial<Body>),
  'crypto-pay': async (page) => proceed(await crypto(page)),
  'crypto-pay-priced': async (page) =>
    send(await crypto(page, { amount: undefined, baseAmount: { value: '1000', ticker: 'UAH' } } as Partial<Body>), {
      do: 'proceed',
      email: EMAIL,
      choice: 'USDT:TRON',
    }),
  'crypto-partly-paid': (page) => paid(page, 'partial'),
  'crypto-confirming': (page) => paid(page, 'exact'),
  'crypto-paid': (page) => paid(page, 'exact'),
  'crypto-overpaid': (page) => paid(page, 'over'),
  'crypto-closed': async (page) => {
    const url = await paid(page, 'partial')
    await sleep(10_000)
    await page.client.invoices.crypto.close(idOf(url))
    return url
  },
  'crypto-expired': async (page) => {
    const url = await proceed(await crypto(page))
    await later(page)
    return url
  },
  'crypto-underpaid': underpaid,
  'crypto-claim': claimLink,
  'crypto-claim-rest': async (page) => send(await claimLink(page), { do: 'payRest' }),
  'crypto-claim-asked': async (page) => {
    const { address } = (await page.control('/address', { blockchain: 'ETHEREUM' })) as { address: string }
    return send(await claimLink(page), { do: 'refund', address })
  },
  // All of it, late, would make the invoice paid.
  'crypto-late': async (page) => {
    const url = await proceed(await crypto(page))
    await later(page)
    await sleep(5_000)
    const { address } = await page.client.invoices.crypto.get(idOf(url))
    await page.control('/pay', { blockchain: 'ETHEREUM', ticker: 'USDT', to: address!, amount: '10' })
    return url
  },
  'crypto-wrong-asset': (page) => paid(page, 'wrong-asset'),
  'fiat-open': (page) => fiat(page),
  'fiat-choose-amount': (page) => fiat(page, {}),
  'fiat-leaving': async (page) => proceed(await fiat(page)),
  'fiat-checking': async (page) => {
    const url = await fiat(page)
    await proceed(url)
    return `${url}?returned=1`
  },
  'fiat-failed': async (page) => {
    const url = await fiat(page)
    await page.control('/bank/next', { outcome: 'refused' })
    await page.control('/invoice/pay', { id: idOf(url), how: 'exact' })
    return url
  },
  'fiat-received': async (page) => {
    const url = await fiat(page)
    await page.control('/bank/next', { outcome: 'wrong-amount' })
    await page.control('/invoice/pay', { id: idOf(url), how: 'exact' })
    return url
  },
  'fiat-paid': async (page) => {
    const url = await fiat(page)
    await page.control('/invoice/pay', { id: idOf(url), how: 'exact' })
    return url
  },
  'fiat-expired': async (page) => {
    const url = await fiat(page)
    await later(page)
    return url
  },
}
