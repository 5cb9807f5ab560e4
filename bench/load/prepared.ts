/** Prepares signed requests before the measurement, each different, which a load generator sends repeatedly. */
import { createHmac } from 'node:crypto'

export interface Account {
  id: string
  privateKey: string
}

export interface Shape {
  method: 'GET' | 'POST'
  target(n: number): string
  body(n: number): string
}

/** Returns an amount of BTC by number. Amounts differ slightly, so that orders of one merchant rarely repeat. */
const bitcoins = (n: number): string => `0.${String(100_000 + (n % 90_000)).padStart(8, '0')}`
const order = (n: number, price: string): string =>
  `{"spendTicker":"USDT","targetTicker":"BTC","side":"target","amount":"${bitcoins(n)}","price":"${price}","localId":"exchange-${n}","meta":"customer ${n}"}`

/** The price that results from the books of the exchange bench, spread included. */
export const QUOTED_PRICE = '65000'

export const SHAPES = {
  withdrawal: {
    method: 'POST',
    target: () => '/merchants/withdrawals/crypto',
    body: (n) =>
      `{"ticker":"USDT","blockchain":"ETHEREUM","to":"0x9858EfFD232B4033E47d90003D41EC34EcaEda94","amount":"${n}.5","localId":"order-${n}","meta":"customer ${n}"}`,
  },
  balances: {
    method: 'GET',
    target: (n) => `/merchants/balances?tickers=${['BTC%2CETH%2CUSDT', 'USDT%2CBTC', 'UAH%2CUSDT%2CBTC'][n % 3]}`,
    body: () => '',
  },
  address: {
    method: 'POST',
    target: () => '/merchants/addresses',
    body: (n) => `{"blockchain":"ETHEREUM","meta":"customer ${n}"}`,
  },
  cryptoInvoice: {
    method: 'POST',
    target: () => '/merchants/invoices/crypto',
    body: (n) =>
      `{"name":"Order ${n}","amount":{"value":"${(n % 900) + 10}.5","ticker":"USDT","blockchain":"ETHEREUM"},"meta":"customer ${n}","description":"Two books"}`,
  },
  exchangeEstimate: {
    method: 'GET',
    target: (n) => `/merchants/exchange/estimate?spendTicker=USDT&targetTicker=BTC&side=target&amount=${bitcoins(n)}`,
    body: () => '',
  },
  exchange: { method: 'POST', target: () => '/merchants/exchange', body: (n) => order(n, '70000') },
  exchangeAtEstimate: { method: 'POST', target: () => '/merchants/exchange', body: (n) => order(n, QUOTED_PRICE) },
} as const satisfies Record<string, Shape>

export type ShapeName = keyof typeof SHAPES

/**
 * Whole HTTP/1.1 requests as bytes, `count` of them over all accounts and shapes in turn.
 * @param now seconds since the epoch
 * @param first the number of the first; each number makes another request
 */
export const prepare = (
  shapes: readonly Shape[],
  accounts: readonly Account[],
  count: number,
  now: number,
  first = 0,
): Buffer[] =>
  Array.from({ length: count }, (_, i) => {
    const n = first + i
    const shape = shapes[n % shapes.length]!
    const { id, privateKey } = accounts[n % accounts.length]!
    const [target, body] = [shape.target(n), shape.body(n)]
    const signature = createHmac('sha256', privateKey).update(`${shape.method}${target}${body}${now}`).digest('hex')
    const length = shape.method === 'GET' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
    return Buffer.from(
      `${shape.method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nmerchant-id: ${id}\r\n` +
        `signature: ${signature}\r\ntimestamp: ${now}\r\n${length}\r\n${body}`,
    )
  })
