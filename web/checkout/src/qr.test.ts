import jsQr from 'jsqr'
import { expect, test } from 'vitest'
import { paymentUri } from './payment-uri.ts'
import { qrImage } from './qr.ts'

/** Draws the path of a code as pixels, 3 for a module, and reads it as a camera would. */
const read = (markup: string): string | undefined => {
  const modules = Number(/viewBox="0 0 (\d+) /.exec(markup)![1])
  const side = modules * 3
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  const path = /stroke="#000" d="([^"]*)"/.exec(markup)![1]!
  let [x, y] = [0, 0]
  for (const [, sign, first, second] of path.matchAll(/([Mmh])(\d+)(?: ([\d.]+))?/g)) {
    if (sign === 'M') [x, y] = [Number(first), Math.floor(Number(second))]
    if (sign === 'h') {
      for (let row = 0; row < 3; row += 1) {
        for (let column = 0; column < Number(first) * 3; column += 1) {
          const at = ((y * 3 + row) * side + x * 3 + column) * 4
          pixels.fill(0, at, at + 3)
        }
      }
    }
    if (sign !== 'M') x += Number(first)
  }
  const decode = jsQr as unknown as (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null
  return decode(pixels, side, side)?.data
}

const address = '0x52908400098527886E0F7030069857D2E4169EE7'
test.each([
  [
    'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.00028913',
    paymentUri({ blockchain: 'BITCOIN', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', amount: '0.00028913' }),
  ],
  [
    `ethereum:${address}@1?value=8120000000000000`,
    paymentUri({ blockchain: 'ETHEREUM', address, chainId: 1n, units: 8_120_000_000_000_000n, token: undefined }),
  ],
  [
    `ethereum:0xdac17f958d2ee523a2206206994597c13d831ec7@56/transfer?address=${address}&uint256=1`,
    paymentUri({
      blockchain: 'BINANCE_SMART_CHAIN',
      address,
      chainId: 56n,
      units: 1n,
      token: '0xdac17f958d2ee523a2206206994597c13d831ec7',
    }),
  ],
  [
    'tron:TQjaZ9FD473QBTdUzMLmSyoGB6Yz1CGpux?amount=24.09&token=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    paymentUri({
      blockchain: 'TRON',
      address: 'TQjaZ9FD473QBTdUzMLmSyoGB6Yz1CGpux',
      amount: '24.09',
      token: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    }),
  ],
  [address, address],
])('%s is read back from its code', (expected, text) => {
  expect(text).toBe(expected)
  expect(read(qrImage(text, 'code').text)).toBe(expected)
})
