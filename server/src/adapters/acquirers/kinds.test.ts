import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAcquirersConfig } from './index.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-kinds-'))
  writeFileSync(join(dir, 'key'), 'topsecret\n')
})
afterAll(() => rmSync(dir, { recursive: true }))

const key = () => join(dir, 'key')
const payout = { least: '1', most: '14500' }
const read = (...accounts: object[]) => readAcquirersConfig({ accounts })

describe('accounts of LiqPay, WayForPay and Freedom Pay', () => {
  test('with their keys take payments; payouts are offered once their limits are written down', () => {
    const { accounts } = read(
      { name: 'liq', kind: 'liqpay', publicKey: 'i1', privateKeyFile: key() },
      {
        name: 'w4p',
        kind: 'wayforpay',
        merchantAccount: 'shop',
        secretKeyFile: key(),
        domain: 'shop.example',
        payout: { UAH: payout },
      },
      { name: 'kz', kind: 'freedompay', merchantId: '1', secretKeyFile: key() },
      {
        name: 'kz-out',
        kind: 'freedompay',
        merchantId: '1',
        secretKeyFile: key(),
        payoutSecretKeyFile: key(),
        payIn: {},
        payout: { KZT: payout },
      },
    )
    expect(accounts.map(({ acquirer: { name, capabilities } }) => ({ name, ...capabilities }))).toEqual([
      {
        name: 'liq',
        payIn: { UAH: { least: 2_500n, most: 2_999_900n } },
        payout: {},
        refund: true,
        statement: false,
        takesOtherCards: true,
      },
      {
        name: 'w4p',
        payIn: { UAH: { least: 2_500n, most: 2_999_900n } },
        payout: { UAH: { least: 100n, most: 1_450_000n } },
        refund: true,
        refundsWholeOnly: true,
        statement: false,
        takesOtherCards: true,
      },
      {
        name: 'kz',
        payIn: { KZT: { least: 1_200_000n, most: 30_000_000n } },
        payout: {},
        refund: true,
        statement: false,
        takesOtherCards: true,
      },
      {
        name: 'kz-out',
        payIn: {},
        payout: { KZT: { least: 100n, most: 1_450_000n } },
        refund: true,
        statement: false,
        takesOtherCards: true,
      },
    ])
  })

  test('every setting of their own', () => {
    const { accounts } = read(
      {
        name: 'liq',
        kind: 'liqpay',
        publicKey: 'i1',
        privateKeyFile: key(),
        url: 'http://127.0.0.1:8101',
        version: '7',
        ip: '203.0.113.7',
        timeoutMs: 5000,
      },
      {
        name: 'w4p',
        kind: 'wayforpay',
        merchantAccount: 'shop',
        secretKeyFile: key(),
        domain: 'shop.example',
        page: 'invoice',
        apiUrl: 'http://127.0.0.1:8102',
        payUrl: 'http://127.0.0.1:8102',
      },
      {
        name: 'kz',
        kind: 'freedompay',
        merchantId: '1',
        secretKeyFile: key(),
        url: 'https://test-api.freedompay.kz',
        testing: true,
        spacingMs: 1500,
      },
    )
    expect(accounts).toHaveLength(3)
  })

  test.each([7, '7', 3, '3'])(
    'audit F-9.5: the version of LiqPay is a number, or the same as a text: %j',
    (version) => {
      expect(
        read({ name: 'liq', kind: 'liqpay', publicKey: 'i1', privateKeyFile: key(), version }).accounts,
      ).toHaveLength(1)
    },
  )

  test.each([
    [
      { kind: 'liqpay' },
      ['(a).publicKey is missing', '(a).privateKeyFile is missing: write the path of a file that holds it'],
    ],
    [
      { kind: 'liqpay', publicKey: 'i1', privateKeyFile: 'KEY', version: '5', url: 'http://liqpay.example' },
      ['(a).version: write 3 or 7', '(a).url: write an https address'],
    ],
    [
      { kind: 'liqpay', publicKey: 'i1', privateKeyFile: 'KEY', payIn: { KZT: payout } },
      ['(a).payIn.KZT is unknown: there are UAH'],
    ],
    [
      { kind: 'wayforpay', secretKeyFile: 'KEY', page: 'popup' },
      ['(a).merchantAccount is missing', '(a).domain is missing', '(a).page: write "form" or "invoice"'],
    ],
    [
      { kind: 'freedompay', merchantId: '1', secretKeyFile: 'KEY', payout: { KZT: payout } },
      ['(a).payoutSecretKeyFile: it is missing: write the path of a file that holds it'],
    ],
    [
      {
        kind: 'freedompay',
        merchantId: '1',
        secretKeyFile: 'KEY',
        spacingMs: -1,
        testing: 'no',
        secretKey: 'topsecret',
      },
      ['(a).spacingMs: write a whole number', '(a).testing: write true or false', '(a).secretKey is unknown'],
    ],
  ])('%j is refused by name', (account, says) => {
    const given = Object.fromEntries(
      Object.entries(account).map(([name, value]) => [name, value === 'KEY' ? key() : value]),
    )
    try {
      read({ name: 'a', ...given })
      expect.fail('it was taken')
    } catch (error) {
      for (const one of says) expect((error as Error).message).toContain(one)
      expect((error as Error).message).not.toContain('topsecret')
    }
  })
})
