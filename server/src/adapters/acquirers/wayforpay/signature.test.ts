import { describe, expect, test } from 'vitest'
import { sign } from '../../../../../sandbox/acquirers/wayforpay/signature.ts'
import { isSigned, readWayForPayBody } from './record.ts'
import { isWayForPaySignature, signWayForPay } from './signature.ts'

const KEY = 'flk3409refn54t54t*FNJRET'

/**
 * The wiki's own digest of its example (b95932786cbe243a76b014846b63fe92) comes of no key it names; the order of fields
 * and their texts are the wiki's, the digest is of a published test with WayForPay's published test key.
 */
const PURCHASE = [
  'test_merch_n1',
  'www.market.ua',
  'DH783023',
  '1415379863',
  '1547.36',
  'UAH',
  'Процесор Intel Core i5-4670 3.4GHz',
  "Пам'ять Kingston DDR3-1600 4096MB PC3-12800",
  '1',
  '1',
  '1000',
  '547.36',
]

describe('signatures of WayForPay', () => {
  test.each([
    ['published: AratKruglik/wayforpay-laravel, SignatureGenerator test', PURCHASE, 'ee828f71ed93441c07eb3eef67762a5c'],
    [
      'computed, python hmac: a payout, whose empty token leaves `;` at the end',
      ['test_merch_p2p', 'payout-1', '100.5', 'UAH', '4111111111111111', ''],
      '4f46d65d261ead920752ed90bfacb8bf',
    ],
    ['computed, python hmac: accept', ['order-1', 'accept', '1415379863'], '3446c8fc7b1564b917cede9191ddeb0c'],
    ['computed, python hmac: CHECK_STATUS', ['test_merch_n1', 'order-1'], 'f1e0a5eea68a21843f0de01e5ca089bf'],
  ])('%s', (_from, fields, signature) => {
    expect(signWayForPay(KEY, fields)).toBe(signature)
    expect(sign(KEY, fields), 'the emulator signs alike').toBe(signature)
    expect(isWayForPaySignature(KEY, signature, [['x'], fields])).toBe(true)
    for (const other of ['', signature.toUpperCase(), signature.slice(1), `0${signature.slice(1)}`])
      expect(isWayForPaySignature(KEY, other, [fields])).toBe(false)
    expect(isWayForPaySignature(`${KEY}x`, signature, [fields])).toBe(false)
    expect(isWayForPaySignature(KEY, signature, [])).toBe(false)
  })
})

describe('a record', () => {
  const record = (amount: string, merchantSignature: string, more = '') =>
    readWayForPayBody(
      Buffer.from(`{"merchantAccount":"test_merch_n1","orderReference":"order-1","amount":${amount},"currency":"UAH","authCode":"541963",
    "cardPan":"41****8217","transactionStatus":"Approved","reasonCode":1100${more},"merchantSignature":"${merchantSignature}"}`),
    )

  test.each([
    ['100.00', 'b5aebf5ef669d7d29afd01195aad9f49', 'as it stands in the raw JSON'],
    ['100', '176e699575a5f3b0fbf413fd6cf58025', 'as it stands in the raw JSON'],
    ['100.00', '176e699575a5f3b0fbf413fd6cf58025', 'as a float is printed anew'],
    ['"100.00"', 'b5aebf5ef669d7d29afd01195aad9f49', 'as text'],
  ])('amount %s with %s: %s', (amount, signature) => {
    expect(isSigned(KEY, record(amount, signature))).toBe(true)
  })

  test.each([
    ['100.01', 'b5aebf5ef669d7d29afd01195aad9f49'],
    ['1000', '176e699575a5f3b0fbf413fd6cf58025'],
    ['100', 'b5aebf5ef669d7d29afd01195aad9f49'],
    ['1e2', '176e699575a5f3b0fbf413fd6cf58025'],
  ])('amount %s does not match the signature of %s', (amount, signature) => {
    expect(isSigned(KEY, record(amount, signature))).toBe(false)
  })

  test("a payout's answer is signed over dates in place of the card", () => {
    const answer = readWayForPayBody(
      Buffer.from(`{"merchantAccount":"test_merch_n1","orderReference":"payout-1","amount":100,"currency":"UAH","authCode":"","createdDate":1415379863,
      "processingDate":1415379870,"transactionStatus":"Approved","reasonCode":1100,"merchantSignature":"4c944518b37d4f592349039d69fd2ad3"}`),
    )
    expect(isSigned(KEY, answer, ['payout'])).toBe(true)
    expect(isSigned(KEY, answer, ['payment'])).toBe(false)
  })

  // The body as captured in production on 2026-08-17 (tests of hide-mail.org): JSON under a form's content type, null
  // and empty fields. Its key isn't public; the signature is computed with the test key by python hmac.
  const CAPTURED = `{"merchantAccount":"hide_mail_org","orderReference":"pro-monthly-ba0b55af-3d25-41da-bb50-b68ba5379e66","amount":149,"currency":"UAH","authCode":"165894","email":null,
    "phone":null,"createdDate":1786992999,"processingDate":1786994135,"cardPan":"","cardType":null,"recToken":"","transactionStatus":"Approved","reason":"Ok","reasonCode":1100,"fee":0,
    "paymentSystem":"googlePay","merchantSignature":"fad78c419fd7c0d4f843bdc1a2ce7cb1"}`

  test('one that was captured in production', () => {
    expect(isSigned(KEY, readWayForPayBody(Buffer.from(CAPTURED)))).toBe(true)
    expect(isSigned(KEY, readWayForPayBody(Buffer.from(`${encodeURIComponent(CAPTURED)}=`)))).toBe(true)
    expect(isSigned(KEY, readWayForPayBody(Buffer.from(CAPTURED.replace('"cardPan":""', '"cardPan":"x"'))))).toBe(false)
  })
})
