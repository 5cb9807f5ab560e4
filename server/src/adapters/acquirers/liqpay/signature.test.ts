import { describe, expect, test } from 'vitest'
import { sign } from '../../../../../sandbox/acquirers/liqpay/signature.ts'
import { isLiqPaySignature, signLiqPay, type LiqPayVersion } from './signature.ts'

interface Vector {
  from: string
  version: LiqPayVersion
  privateKey: string
  data: string
  signature: string
}

const JAVA_DATA =
  'eyJhbW91bnQiOiIxLjUiLCJkZXNjcmlwdGlvbiI6IkRlc2NyaXB0aW9uIiwibGFuZ3VhZ2UiOiJlbyIsInB1YmxpY19rZXkiOiJwdWJsaWNLZXkiLCJ2ZXJzaW9uIjoiMyIsImN1cnJlbmN5IjoiVVNEIn0='
const DOC_DATA =
  'eyJwdWJsaWNfa2V5IjoiaTAwMDAwMDAwIiwidmVyc2lvbiI6IjMiLCJhY3Rpb24iOiJwYXkiLCJhbW91bnQiOiIzIiwiY3VycmVuY3kiOiJVQUgiLCJkZXNjcmlwdGlvbiI6InRlc3QiLCJvcmRlcl9pZCI6IjAwMDAwMSJ9'
const DOC_KEY = 'a4825234f4bae72a0be04eafe9e8e2bada209255'

const vectors: Vector[] = [
  {
    from: 'published: liqpay/sdk-java, LiqPayTest.testCnbSignature',
    version: 3,
    privateKey: 'privateKey',
    data: JAVA_DATA,
    signature: 'DEggXkxcCsuZFwt/R4+zDekMPZ4=',
  },
  {
    from: 'published: liqpay.ua/documentation/en/data_signature, as in McSym28/liqpay-api-ex',
    version: 3,
    privateKey: DOC_KEY,
    data: DOC_DATA,
    signature: 'wR+UZDC4jjeL/qUOvIsofIWpZh8=',
  },
  {
    from: 'published: liqpay.ua/documentation/en/api/callback',
    version: 3,
    privateKey: 'your_private_key',
    data: 'base64_post_string',
    signature: 'tp+ZLmKm1/E83dIzUpx5ljcttP4=',
  },
  // No vector of version 7 is published: printf KEY DATA KEY | openssl dgst -sha3-256 -binary | base64
  {
    from: 'computed: openssl',
    version: 7,
    privateKey: 'privateKey',
    data: JAVA_DATA,
    signature: 'bp7hCuT8Rjts8lnPnb2DDP3m5GxbGUuVPr01WjHQWlg=',
  },
  {
    from: 'computed: python hashlib',
    version: 7,
    privateKey: DOC_KEY,
    data: DOC_DATA,
    signature: 'V6/0SB3N+eEWw1S/e3g7/nmX4uM9Z4TDyK2PTMmHdvA=',
  },
]

describe('signatures of LiqPay', () => {
  test.each(vectors)('$from', ({ version, privateKey, data, signature }) => {
    expect(signLiqPay(version, privateKey, data)).toBe(signature)
    expect(isLiqPaySignature(privateKey, data, signature)).toBe(true)
    expect(sign(version, privateKey, data), 'the emulator signs alike').toBe(signature)
  })

  test.each(vectors)('$from: nothing else passes', ({ privateKey, data, signature }) => {
    for (const other of ['', signature.toLowerCase(), `${signature} `, signature.slice(1), `A${signature.slice(1)}`]) {
      expect(isLiqPaySignature(privateKey, data, other)).toBe(false)
    }
    expect(isLiqPaySignature(`${privateKey}x`, data, signature)).toBe(false)
    expect(isLiqPaySignature(privateKey, `${data}x`, signature)).toBe(false)
  })
})
