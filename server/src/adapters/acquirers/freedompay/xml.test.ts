import { describe, expect, test } from 'vitest'
import { writeXml } from '../../../../../sandbox/acquirers/freedompay/xml.ts'
import { readFreedomPayXml, writeFreedomPayXml } from './xml.ts'

/** freedompay.kz/docs-en/merchant-api/after-pay, its answer of get_status3.php. */
const DOCUMENTED = `<?xml version="1.0" encoding="utf-8"?>
<response>
    <pg_status>ok</pg_status>
    <pg_payment_id>123456789</pg_payment_id>
    <pg_amount>10</pg_amount>
    <pg_card_pan>5483-18XX-XXXX-0293</pg_card_pan>
    <pg_refund_payments>
        <pg_refund_payment>
            <pg_amount>-10</pg_amount>
            <pg_payment_date>2023-05-31 16:26:36</pg_payment_date>
        </pg_refund_payment>
    </pg_refund_payments>
    <pg_refund_amount>-10</pg_refund_amount>
    <pg_salt>some random string</pg_salt>
</response>`

describe('XML of Freedom Pay', () => {
  test('is read as text, fields within fields among them', () => {
    expect(readFreedomPayXml(DOCUMENTED)).toEqual({
      pg_status: 'ok',
      pg_payment_id: '123456789',
      pg_amount: '10',
      pg_card_pan: '5483-18XX-XXXX-0293',
      pg_refund_payments: { pg_refund_payment: { pg_amount: '-10', pg_payment_date: '2023-05-31 16:26:36' } },
      pg_refund_amount: '-10',
      pg_salt: 'some random string',
    })
  })

  test.each([
    ['<a>100.00</a>', '100.00'],
    ['<a>007</a>', '007'],
    ['<a>1e5</a>', '1e5'],
    ['<a>0x1F</a>', '0x1F'],
    ['<a>true</a>', 'true'],
    ['<a> x </a>', ' x '],
    ['<a></a>', ''],
    ['<a/>', ''],
    ['<a>&lt;b&gt; &amp;amp; &quot;&apos;</a>', '<b> &amp; "\''],
    ['<a>&#1030;&#x491;</a>', 'Іґ'],
    ['<a><![CDATA[x & y]]></a>', 'x & y'],
    ['<a b="1">x<!-- y --></a>', 'x'],
  ])('%s is %j', (tag, value) => {
    expect(readFreedomPayXml(`<response>${tag}</response>`)).toEqual({ a: value })
  })

  test('of one name several times is a list', () => {
    expect(readFreedomPayXml('<response><a>1</a><a>2</a></response>')).toEqual({ a: ['1', '2'] })
  })

  test.each([
    '',
    'ok',
    '<html/>',
    '<response>',
    '<response></response>',
    '{"a":1}',
    '<response><a></response>',
    '<response>text</response>',
    '<response><a>1</a></response><response><a>2</a></response>',
    '<response><a>&unknown;</a></response>',
    '<response><a>x & y</a></response>',
    '<response><a b="1" b="2">x</a></response>',
    '<!DOCTYPE x [<!ENTITY e "boom">]><response><a>&e;</a></response>',
    '<!doctype x SYSTEM "file:///etc/passwd"><response><a>1</a></response>',
  ])('%j is refused', (text) => {
    expect(() => readFreedomPayXml(text)).toThrow()
  })

  test("nested without end, or with a prototype's name, does no harm", () => {
    expect(() => readFreedomPayXml(`<response>${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}</response>`)).toThrow()
    expect(() => readFreedomPayXml(`<response>${'<a>'.repeat(20_000)}`)).toThrow()
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      try {
        readFreedomPayXml(`<response><${name}>x</${name}><a>1</a></response>`)
      } catch {}
      expect(({} as Record<string, unknown>)['x']).toBeUndefined()
      expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    }
  })

  test('that we write is read back, by us and as the emulator writes it', () => {
    const fields = { pg_status: 'ok', pg_description: '<b> & "x" \'y\' &amp; ї', pg_empty: '' }
    expect(readFreedomPayXml(writeFreedomPayXml(fields))).toEqual(fields)
    expect(readFreedomPayXml(writeXml(fields))).toEqual(fields)
  })
})
