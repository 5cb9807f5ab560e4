import { caller } from './call.ts'
import { addresses, rotatingAddresses } from './groups/addresses.ts'
import { assets } from './groups/assets.ts'
import { balances } from './groups/balances.ts'
import { deposits } from './groups/deposits.ts'
import { events } from './groups/events.ts'
import { exchange } from './groups/exchange.ts'
import { invoices, paymentLinks } from './groups/invoices.ts'
import { withdrawals } from './groups/withdrawals.ts'

export interface BursarOptions {
  /** Origin of the API, for example `https://pay.example`. */
  readonly url: string
  readonly merchantId: string
  /** As shown once in the merchant's settings. Used as text, not decoded. */
  readonly privateKey: string
  /** The id of the additional key whose secret `privateKey` is; leave it out with the merchant's main key. */
  readonly keyId?: string | undefined
  /** Time limit of a call; default: 10 seconds. */
  readonly timeoutMs?: number | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The clock, in ms since the epoch. */
  readonly now?: (() => number) | undefined
}

const originOf = (text: string): URL => {
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.username !== '') {
    throw new TypeError(`url must be an origin such as https://pay.example, without path or query: ${url.host}`)
  }
  return url
}

const identifierOf = (merchantId: string): string => {
  if (!/^[\w-]+$/.test(merchantId)) throw new TypeError("merchantId must be the UUID of the merchant's settings")
  return merchantId
}

const keyOf = (privateKey: string): string => {
  if (typeof privateKey !== 'string' || privateKey === '') throw new TypeError('privateKey is missing')
  return privateKey
}

const keyIdOf = (keyId: string | undefined): string | undefined => {
  if (keyId !== undefined && !/^[\da-f-]{36}$/i.test(keyId)) throw new TypeError('keyId must be the UUID of the key')
  return keyId
}

/**
 * A client of the merchant API. Every method returns a promise, which rejects with `BursarError` or
 * `BursarNetworkError`.
 */
export class Bursar {
  readonly balances: ReturnType<typeof balances>
  readonly addresses: ReturnType<typeof addresses>
  readonly rotatingAddresses: ReturnType<typeof rotatingAddresses>
  readonly deposits: ReturnType<typeof deposits>
  readonly withdrawals: ReturnType<typeof withdrawals>
  readonly assets: ReturnType<typeof assets>
  readonly invoices: ReturnType<typeof invoices>
  readonly paymentLinks: ReturnType<typeof paymentLinks>
  readonly exchange: ReturnType<typeof exchange>
  readonly events: ReturnType<typeof events>

  constructor({ url, merchantId, privateKey, keyId, timeoutMs = 10_000, fetch, now = Date.now }: BursarOptions) {
    const call = caller(
      {
        origin: originOf(url),
        merchantId: identifierOf(merchantId),
        privateKey: keyOf(privateKey),
        keyId: keyIdOf(keyId),
      },
      // The global `fetch` is looked up at each call, so that it can be replaced after the client was created.
      { timeoutMs, now, fetch: fetch ?? ((...request) => globalThis.fetch(...request)) },
    )
    this.balances = balances(call)
    this.addresses = addresses(call)
    this.rotatingAddresses = rotatingAddresses(call)
    this.deposits = deposits(call)
    this.withdrawals = withdrawals(call)
    this.assets = assets(call)
    this.invoices = invoices(call)
    this.paymentLinks = paymentLinks(call)
    this.exchange = exchange(call)
    this.events = events(call)
  }
}
