import { amountText } from '@bursar/checkout/amounts'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../platform/base/language.ts'
import { showAmount, showText } from '../documents/index.ts'
import type { LetterContent, LetterKind } from './letter.ts'
import { cryptoReceipt, fiatReceipt, LETTERS } from '../../../../test/world/letters.ts'
import { en } from './texts/en.ts'
import { kk } from './texts/kk.ts'
import { ru } from './texts/ru.ts'
import { uk } from './texts/uk.ts'
import { writeLetter } from './write.ts'

const KINDS = Object.keys(LETTERS) as LetterKind[]
const everyLetter = KINDS.flatMap((kind) => LANGUAGES.map((language) => [kind, language] as const))
const WORDS = /(?:href|src|action|background)\s*=\s*["']([^"']*)/gi

/** The text that a reader of the HTML sees. */
const seen = (html: string): string =>
  html
    .replace(/^.*<body/s, '<body')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/[\s\u00a0]+/g, ' ')

describe('every letter in every language', () => {
  test.each(everyLetter)('%s in %s: text and HTML say the same', (kind, language) => {
    const { subject, text, html } = writeLetter(LETTERS[kind], language)
    expect(subject).not.toMatch(/[\p{Cc}\u00a0]|undefined|null|object/u)
    const body = seen(html)
    for (const line of text
      .split('\n')
      .map((one) => one.trim())
      .filter((one) => one !== '' && one !== '--' && !one.startsWith('http'))) {
      for (const part of line.split(/: | {2,}/))
        expect(body, part).toContain(part.replaceAll(/\s+/g, ' ').replace(/:$/, ''))
    }
    expect(text).not.toMatch(/undefined|\bnull\b|\[object|NaN/)
    expect(html).toContain(`<html lang="${language}">`)
    for (const [, url] of html.matchAll(WORDS)) expect(url).toMatch(/^https:\/\/pay\.example\//)
    expect(html).not.toMatch(/<(script|img|link|iframe|form|object)\b/i)
  })

  test.each(['receipt', 'underpaid', 'claim-answered', 'card-refunded'] as const)(
    '%s names the order of the payer',
    (kind) => {
      const order = kind === 'card-refunded' ? 'Тапсырыс № 77' : 'Order 1042'
      const { text, html } = writeLetter(LETTERS[kind], 'en')
      expect(text).toMatch(new RegExp(`Order: +${order}`))
      expect(seen(html)).toContain(`Order ${order}`)
    },
  )

  test('receipt that an earlier build has queued has no name of an order, and is written without it', () => {
    const { name: _, ...receipt } = cryptoReceipt
    const letter = { kind: 'receipt', data: { ...LETTERS.receipt.data, receipt } } as const
    expect(writeLetter(letter, 'en').text).not.toMatch(/Order:|undefined/)
  })

  test('receipt of another amount than the invoice states both', () => {
    const { text } = writeLetter(LETTERS.receipt, 'en')
    expect(text).toMatch(/1.250\.5.USDT/)
    expect(text).toMatch(/Received: +1.300.USDT/)
  })

  test('has its own words: nothing is left in another language', () => {
    const flat = (texts: unknown): string[] =>
      typeof texts === 'object'
        ? Object.values(texts!).flatMap(flat)
        : [typeof texts === 'function' ? String((texts as (...all: string[]) => string)('A', 'B')) : String(texts)]
    const all = [uk, kk, ru, en].map(flat)
    expect(new Set(all.map((one) => one.length)).size).toBe(1)
    for (const [i, text] of flat(en).entries()) {
      if (!/[a-z]{4}/i.test(text)) continue
      for (const other of all.slice(0, 3)) expect(other[i]).not.toBe(text)
    }
    expect(flat(kk).join()).toMatch(/[әғқңөұүһі]/)
    expect(flat(uk).join()).not.toMatch(/[ыэъё]/i)
    expect(flat(ru).join()).not.toMatch(/[іїєґ]/i)
  })
})

describe('the content of a letter', () => {
  test('a receipt: the requested amount beside the paid amount, and the card only masked', () => {
    const crypto = writeLetter(
      { kind: 'receipt', data: { receipt: cryptoReceipt, pageUrl: 'https://pay.example/x' } },
      'en',
    )
    expect(crypto.subject).toBe('Receipt: 1 300 USDT paid to Кав’ярня «Зерно» Ltd')
    expect(crypto.text).toContain(
      'Amount: 1 250.5 USDT\nReceived: 1 300 USDT\nNetwork: TRON\nPaid: 2026-11-21 14:05 UTC',
    )
    const fiat = writeLetter(
      { kind: 'receipt', data: { receipt: fiatReceipt, pageUrl: 'https://pay.example/x' } },
      'kk',
    )
    expect(fiat.text).toContain('Комиссия: 250,50 ₸\nКарта: 444433******1111')
  })

  test('a claim that is declined names no address to send to', () => {
    const { data } = LETTERS['claim-answered']
    const declined = writeLetter({ kind: 'claim-answered', data: { ...data, answer: 'declined', hash: null } }, 'en')
    expect(declined.text).toContain('declined to send the money back')
    expect(declined.text).not.toContain(data.refundAddress)
  })

  test('an amount keeps every digit', () => {
    expect(
      ['0', '999', '1000', '1234567.000000000000000001', '100000000'].map((amount) =>
        showAmount(amount, 'ETH', 'uk').replaceAll('\u00a0', ' '),
      ),
    ).toEqual(['0 ETH', '999 ETH', '1 000 ETH', '1 234 567.000000000000000001 ETH', '100 000 000 ETH'])
  })

  test.each(LANGUAGES)('an amount of a currency is written in %s as the payment page writes it', (language) => {
    for (const [value, ticker] of [
      ['500', 'UAH'],
      ['1234567.5', 'KZT'],
      ['12345678901234567890.12', 'USD'],
    ] as const)
      expect(showAmount(value, ticker, language)).toBe(amountText({ value, ticker }, language))
    const { data } = LETTERS['card-refunded']
    const { text } = writeLetter(
      { kind: 'card-refunded', data: { ...data, refund: '1000.5', ticker: 'UAH' } },
      language,
    )
    expect(text).toContain(amountText({ value: '1000.5', ticker: 'UAH' }, language).replaceAll('\u00a0', ' '))
    expect(text).not.toContain('UAH')
  })
})

const EVIL = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</td></tr></table><h1>x',
  '&lt;b&gt;',
  '{{7*7}}',
  '<!--',
  ']]>',
  '<a href="https://evil.example">pay here</a>',
  'a\r\nBcc: victim@example.com',
  'a\u0000b',
  '\u202Eevil',
  'a\u2028b',
  '\ud800',
  '<style>*{display:none}</style>',
]

describe('text of third parties', () => {
  const filled = (content: LetterContent, evil: string): LetterContent => {
    const fill = (value: unknown, name: string): unknown => {
      if (Array.isArray(value)) return value.map((one) => fill(one, name))
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, key)]))
      return typeof value === 'string' && !/^(kind|status|answer|event|.*Url)$/.test(name) ? evil : value
    }
    return fill(content, '') as LetterContent
  }
  test.each(KINDS.flatMap((kind) => EVIL.map((evil) => [kind, evil] as const)))(
    'stays text in %s: %j',
    (kind, evil) => {
      const content = LETTERS[kind]
      const { subject, html } = writeLetter(filled(content, evil), 'en')
      const plain = writeLetter(filled(content, 'x'), 'en')
      expect(subject).not.toMatch(/[\p{Cc}\p{Cs}\u2028]/u)
      // The same markup, for any texts.
      expect(html.replaceAll(/[^<>]+(?=<)/g, '').match(/<[a-z/!][^>]*>/gi)).toEqual(
        plain.html.replaceAll(/[^<>]+(?=<)/g, '').match(/<[a-z/!][^>]*>/gi),
      )
      expect(seen(html)).toContain(showText(evil).replaceAll(/[\s\u00a0]+/g, ' '))
      expect(html).not.toMatch(/[\p{Cs}\u202e]/u)
    },
  )

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a"onclick=x',
    'https://a b',
    '//evil.example',
    'https:\\evil',
  ])('no link leads to %j', (url) => {
    const { data } = LETTERS.underpaid
    expect(() => writeLetter({ kind: 'underpaid', data: { ...data, claimUrl: url } }, 'en')).toThrow(
      'links to a web page',
    )
  })
})
