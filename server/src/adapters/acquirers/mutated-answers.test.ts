/** Callbacks and answers of acquirers with anything changed in them, signed as the acquirer would sign them. */
import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { mutatedJson, mutatedText, type Mutation } from '../../../../test/world/mutations.ts'
import { createBank } from './bank/index.ts'
import { maskCard, withoutCards } from './card-mask.ts'
import { createFreedomPay } from './freedompay/index.ts'
import { FREEDOMPAY_LIMITS } from './freedompay/settings.ts'
import { isFreedomPaySignature, signFreedomPay, type FreedomPayFields } from './freedompay/signature.ts'
import { readFreedomPayXml } from './freedompay/xml.ts'
import { createLiqPay } from './liqpay/index.ts'
import { LIQPAY_LIMITS } from './liqpay/settings.ts'
import { signLiqPay } from './liqpay/signature.ts'
import { AcquirerUnreachable, ForgedCallback, type Acquirer, type AcquirerState } from './port.ts'
import { createWayForPay } from './wayforpay/index.ts'
import { WAYFORPAY_LIMITS } from './wayforpay/settings.ts'
import { signWayForPay } from './wayforpay/signature.ts'

const KEY = 'a key of forty characters, no more or less'
const REFERENCE = '0197aa12-0000-7000-8000-000000000001'
const CARD = '4242424242424242'
const UNITS = 100_50n

let reply = ''
const http = { ask: async () => ({ status: 200, headers: {}, body: Buffer.from(reply) }) }
const account = { url: 'https://acquirer.example', http, now: () => 0 }

const bank = createBank({
  ...account,
  name: 'bank',
  account: 'a',
  secret: KEY,
  capabilities: { payIn: {}, payout: {} },
})
const liqpay = createLiqPay({
  ...account,
  name: 'liq',
  publicKey: 'i1',
  privateKey: KEY,
  version: 3,
  ip: '',
  capabilities: LIQPAY_LIMITS,
})
const wayforpay = createWayForPay({
  ...account,
  name: 'way',
  merchantAccount: 'shop',
  secretKey: KEY,
  domain: 'shop.example',
  apiUrl: account.url,
  payUrl: account.url,
  page: 'form',
  capabilities: WAYFORPAY_LIMITS,
})
const freedompay = createFreedomPay({
  ...account,
  name: 'kz',
  merchantId: '500042',
  secretKey: KEY,
  payoutSecretKey: `${KEY}2`,
  testing: false,
  spacingMs: 0,
  capabilities: FREEDOMPAY_LIMITS,
})

/** sandbox/bank/README.md */
const BANK_PAYMENT = {
  id: '0123456789abcdef0123456789abcdef',
  reference: REFERENCE,
  status: 'succeeded',
  currency: 'UAH',
  amount: '100.50',
  paidAmount: '100.50',
  fee: '1.50',
  refundedAmount: '0.00',
  card: '424242******4242',
  code: '',
  message: '',
}
/** liqpay.ua/en/doc/api/callback */
const LIQPAY_RECORD = `{"action":"pay","payment_id":165629,"status":"success","version":3,"type":"buy","paytype":"card","public_key":"i1","acq_id":414963,"order_id":"${REFERENCE}","liqpay_order_id":"8NF7AXUI1492","description":"d","sender_card_mask2":"424242*42","sender_card_bank":"pb","ip":"127.0.0.1","amount":100.50,"currency":"UAH","sender_commission":0.00,"receiver_commission":1.50,"agent_commission":0.00,"amount_debit":100.50,"refund_amount":0.00,"create_date":1492605236421,"end_date":1492605253453,"transaction_id":165629}`
/** wiki.wayforpay.com/en/view/852102 */
const WAYFORPAY_RECORD = `{"merchantAccount":"shop","orderReference":"${REFERENCE}","merchantSignature":"","amount":100.50,"currency":"UAH","authCode":"541963","email":"a@b.example","createdDate":12345678,"processingDate":12345678,"cardPan":"42****4242","cardType":"visa","issuerBankCountry":"980","transactionStatus":"Approved","reason":"Ok","reasonCode":1100,"fee":1.50,"paymentSystem":"card"}`
/** freedompay.kz/docs-en/merchant-api/after-pay */
const FREEDOM_FIELDS = {
  pg_status: 'ok',
  pg_payment_status: 'success',
  pg_order_id: REFERENCE,
  pg_payment_id: '765432',
  pg_amount: '100.50',
  pg_currency: 'KZT',
  pg_net_amount: '99.00',
  pg_result: '1',
  pg_captured: '1',
  pg_can_reject: '1',
  pg_card_pan: '4242-42XX-XXXX-4242',
  pg_failure_code: '',
  pg_salt: 's',
}

const xmlOf = (fields: Readonly<Record<string, string>>): string =>
  `<?xml version="1.0" encoding="utf-8"?><response>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')}</response>`

const signedXml = (text: string, script: string): string => {
  const fields = readXmlOr(text)
  return fields === undefined
    ? text
    : text.replace('</response>', `<pg_sig>${signFreedomPay(script, fields, KEY)}</pg_sig></response>`)
}
const readXmlOr = (text: string): FreedomPayFields | undefined => {
  try {
    return readFreedomPayXml(text)
  } catch {
    return undefined
  }
}

/** Signs a record as WayForPay would: over the writing of its own fields, with any values. */
const signedRecord = (text: string): string => {
  const digits = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
    typeof value === 'number' ? source : value
  try {
    const record = JSON.parse(text, digits as never) as Record<string, unknown>
    const textOf = (name: string): string => (typeof record[name] === 'string' ? record[name] : '')
    const names = 'merchantAccount orderReference amount currency authCode cardPan transactionStatus reasonCode'
    return text.replace(
      '"merchantSignature":""',
      `"merchantSignature":"${signWayForPay(KEY, names.split(' ').map(textOf))}"`,
    )
  } catch {
    return text
  }
}

interface Said {
  acquirer: Acquirer
  /** changed texts of a callback's or an answer's contents */
  texts: fc.Arbitrary<Mutation>
  right: string
  callback(text: string): { headers?: Record<string, string>; url?: string; body: string }
  answer(text: string): string
}

const plain = (text: string): fc.Arbitrary<Mutation> =>
  mutatedText(text).map((changed) => ({ text: changed, isRetyped: false }))
const BANK_CALLBACK = JSON.stringify({ id: '1', event: 'payment.succeeded', object: BANK_PAYMENT })

const SAID: Readonly<Record<string, Said>> = {
  bank: {
    acquirer: bank,
    texts: mutatedJson(BANK_CALLBACK),
    right: BANK_CALLBACK,
    callback: (body) => ({
      body,
      headers: {
        'x-bank-account': 'a',
        'x-bank-timestamp': '1',
        'x-bank-signature': createHmac('sha256', KEY).update(`callback\n1\n${body}`).digest('hex'),
      },
    }),
    answer: (text) => {
      try {
        return JSON.stringify((JSON.parse(text) as { object?: unknown }).object) ?? ''
      } catch {
        return text
      }
    },
  },
  liqpay: {
    acquirer: liqpay,
    texts: mutatedJson(LIQPAY_RECORD),
    right: LIQPAY_RECORD,
    callback: (text) => {
      const data = Buffer.from(text).toString('base64')
      return { body: new URLSearchParams({ data, signature: signLiqPay(3, KEY, data) }).toString() }
    },
    answer: (text) => text,
  },
  wayforpay: {
    acquirer: wayforpay,
    texts: mutatedJson(WAYFORPAY_RECORD),
    right: WAYFORPAY_RECORD,
    callback: (text) => ({ body: signedRecord(text) }),
    answer: signedRecord,
  },
  'freedompay, XML': {
    acquirer: freedompay,
    texts: plain(xmlOf(FREEDOM_FIELDS)),
    right: xmlOf(FREEDOM_FIELDS),
    callback: (text) => ({
      url: '/acquirers/kz/callback',
      body: new URLSearchParams({ pg_xml: signedXml(text, 'callback') }).toString(),
    }),
    answer: (text) => signedXml(text, 'get_status3.php'),
  },
}

const TICKERS = ['UAH', 'KZT']
/** As many digits as an amount of the contract may have. */
const MOST = 10n ** 32n

const checkState = (state: AcquirerState): void => {
  const texts: (string | undefined)[] = [JSON.stringify(state, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v))]
  for (const text of texts) expect(text).not.toContain(CARD)
  switch (state.kind) {
    case 'waiting':
    case 'unknown':
      return
    case 'refused':
      expect([typeof state.code, typeof state.message]).toEqual(['string', 'string'])
      expect(state.code.length + state.message.length).toBeLessThan(1_000)
      return
    case 'succeeded':
    case 'reversed':
      expect(TICKERS).toContain(state.ticker)
      for (const units of [state.units, state.feeUnits ?? 0n, state.backUnits ?? 0n]) {
        expect(typeof units).toBe('bigint')
        expect(units >= 0n && units < MOST).toBe(true)
      }
      expect(state.acquirerReference).not.toBe('')
      if (state.maskedCard !== undefined) expect(state.maskedCard).toMatch(/^[\d*]{6}\*{6}[\d*]{4}$/)
  }
}

describe.each(Object.entries(SAID))('%s', (_name, { acquirer, texts, right, callback, answer }) => {
  const callbackOf = (text: string) => {
    const { headers = {}, url = '/', body } = callback(text)
    return acquirer.readCallback({ headers, url, body: Buffer.from(body) })
  }

  test('a callback with anything changed in it is read exactly, or is forged', () => {
    expect(callbackOf(right)).toMatchObject({ reference: REFERENCE, state: { kind: 'succeeded', units: UNITS } })
    fc.assert(
      fc.property(texts, ({ text, isRetyped }) => {
        try {
          const { reference, state } = callbackOf(text)
          expect(typeof reference).toBe('string')
          checkState(state)
          if (isRetyped && state.kind === 'succeeded') expect(state.units).toBe(UNITS)
        } catch (error) {
          if (!(error instanceof ForgedCallback)) throw error
        }
      }),
      { numRuns: cases(100) },
    )
  })

  test('an answer about a payment with anything changed in it is a state, or unusable', async () => {
    reply = answer(right)
    expect(await acquirer.paymentState(REFERENCE)).toMatchObject({ kind: 'succeeded', units: UNITS })
    await fc.assert(
      fc.asyncProperty(texts, async ({ text, isRetyped }) => {
        reply = answer(text)
        try {
          const state = await acquirer.paymentState(REFERENCE)
          checkState(state)
          if (isRetyped && state.kind === 'succeeded') expect(state.units).toBe(UNITS)
        } catch (error) {
          if (!(error instanceof AcquirerUnreachable)) throw error
        }
      }),
      { numRuns: cases(100) },
    )
  })
})

describe('work grows no faster than the text', () => {
  test('fields of one name in XML are read up to a number that a callback without a signature may have', () => {
    const fields = readFreedomPayXml(`<response>${'<a/>'.repeat(9_999)}</response>`)
    expect(fields['a']).toHaveLength(9_999)
    expect(isFreedomPaySignature('x', fields, KEY)).toBe(false)
    expect(() => readFreedomPayXml(`<response>${'<a/>'.repeat(10_000)}</response>`)).toThrow('more than 10000 elements')
  })

  test('a text for a card, and one with digits in it', () => {
    const digits = '1'.repeat(3_000_000)
    expect(maskCard(`${digits}*`)).toBeUndefined()
    expect(maskCard(`${digits}x`)).toBeUndefined()
    expect(withoutCards(`${digits} x`)).toHaveLength(300)
    expect(withoutCards(`1 ${'1-'.repeat(1_000_000)}`).length).toBeLessThanOrEqual(300)
  })
})
