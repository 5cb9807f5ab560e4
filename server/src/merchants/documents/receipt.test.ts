import { describe, expect, test } from 'vitest'
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { amountText } from '@bursar/checkout/amounts'
import { LANGUAGES, type Language } from '../../platform/base/language.ts'
import { cryptoReceipt, fiatReceipt } from '../../../../test/world/letters.ts'
import { readPdf } from '../../../../test/world/pdf.ts'
import { RECEIPT_TEXTS } from './receipt-texts.ts'
import { receiptPdf } from './receipt-pdf.ts'
import type { Receipt } from './receipt.ts'

const textOf = async (receipt: Receipt, language: Language = 'en'): Promise<string> =>
  (await readPdf(await receiptPdf(receipt, language))).sheets.join(' ')
const without = (text: string): string => text.replaceAll(' ', '')

describe('a receipt', () => {
  test.each(
    LANGUAGES.flatMap(
      (language) =>
        [
          [language, cryptoReceipt],
          [language, fiatReceipt],
        ] as const,
    ),
  )('in %s says everything in that language, to be found and copied (%#)', async (language, receipt) => {
    const { sheets, info, fonts } = await readPdf(await receiptPdf(receipt, language))
    const t = RECEIPT_TEXTS[language]
    const text = sheets.join(' ')
    const fiat = (value: string): string => amountText({ value, ticker: 'KZT' }, language).replaceAll(/\s/g, ' ')
    const wanted =
      receipt.kind === 'crypto'
        ? [
            t.network,
            'TRON',
            receipt.address,
            t.payments,
            '800 USDT',
            '500 USDT',
            '2026-11-21 13:55 UTC',
            t.price,
            amountText({ value: '52000', ticker: 'UAH' }, language).replaceAll('\u00a0', ' '),
            '1 300 USDT',
            '1 250.5 USDT',
          ]
        : [t.card, '444433******1111', t.fee, fiat('250.5'), t.reference, 'FP-88412', fiat('25000')]
    for (const one of [
      ...wanted,
      t.title,
      t.paid,
      t.order,
      receipt.name!,
      t.description,
      t.invoice,
      receipt.id,
      'Кав’ярня «Зерно» Ltd',
      'https://zerno.example',
      receipt.description!,
      '2026-11-21 14:05 UTC',
      '1 / 1',
    ]) {
      expect(text).toContain(one)
    }
    if (receipt.kind === 'crypto') for (const { hash } of receipt.payments) expect(without(text)).toContain(hash!)
    expect(without(text)).toContain(without(t.foot('Кав’ярня «Зерно» Ltd')))
    expect(info).toMatchObject({
      Title: `${t.title} ${receipt.id}`,
      Author: 'Кав’ярня «Зерно» Ltd',
      CreationDate: 'D:20261121140500Z',
      Language: language,
    })
    expect(fonts).toBe(2)
  })

  test('is tagged: a screen reader finds its heading, its table of facts with their names, and its payments', async () => {
    const task = getDocument({
      data: new Uint8Array(await receiptPdf(cryptoReceipt, 'uk')),
      verbosity: VerbosityLevel.ERRORS,
      useSystemFonts: false,
    })
    const pdf = await task.promise
    expect(await pdf.getMarkInfo()).toEqual(
      new Map([
        ['Marked', true],
        ['UserProperties', false],
        ['Suspects', false],
      ]),
    )
    const tree = await (await pdf.getPage(1)).getStructTree()
    await task.destroy()
    const rolesOf = (node: unknown): unknown => {
      const { role, children = [] } = node as { role?: string; children?: unknown[] }
      const below = children.map(rolesOf).filter((one) => one !== undefined)
      return role === undefined ? undefined : below.length === 0 ? role : { [role]: below }
    }
    const facts = { TR: ['TH', 'TD'] }
    const payment = { TR: ['TD', 'TD', 'TD'] }
    const roles = rolesOf(tree) as { Root: [{ Document: unknown[] }] }
    const [company, title, paid, amount, about, heading, payments] = roles.Root[0].Document
    expect([company, title, paid, amount, heading]).toEqual(['P', 'H1', 'P', 'P', 'H2'])
    const rows = (about as { Table: unknown[] }).Table
    expect(rows).toEqual(rows.map(() => facts))
    expect(rows.length).toBeGreaterThan(6)
    expect(payments).toEqual({
      Table: [{ TR: ['TH', 'TH', 'TH'] }, ...cryptoReceipt.payments.map(() => payment)],
    })
  })

  test('is the same bytes for the same values, and small', async () => {
    const [one, two] = await Promise.all([
      receiptPdf(cryptoReceipt, 'uk'),
      receiptPdf(structuredClone(cryptoReceipt), 'uk'),
    ])
    expect(one!.equals(two!)).toBe(true)
    expect(one!.length).toBeLessThan(40_000)
    expect((await receiptPdf({ ...cryptoReceipt, paidAmount: '1300.1' }, 'uk')).equals(one!)).toBe(false)
  })

  test('goes on on further sheets, each with its foot, and no payment is torn', async () => {
    const payments = Array.from({ length: 90 }, (_, i) => ({
      hash: String(i).padStart(64, 'f'),
      amount: `${i}.5`,
      at: cryptoReceipt.paidAt,
    }))
    const { sheets } = await readPdf(await receiptPdf({ ...cryptoReceipt, payments }, 'en'))
    expect(sheets.length).toBeGreaterThan(2)
    for (const [i, sheet] of sheets.entries()) expect(sheet).toContain(`${i + 1} / ${sheets.length}`)
    for (const { hash, amount } of payments)
      expect(sheets.filter((sheet) => without(sheet).includes(hash) && sheet.includes(`${amount} USDT`)).length).toBe(1)
  })

  test('holds the longest texts there can be, and those without a space', async () => {
    const long = {
      ...cryptoReceipt,
      description: 'ї'.repeat(1_024),
      company: { name: 'Ж'.repeat(255), url: null },
      amount: '9'.repeat(30) + '.' + '1'.repeat(18),
    }
    const text = await textOf(long, 'ru')
    expect(without(text)).toContain('ї'.repeat(1_024))
    expect(text.match(/9/g)!.length).toBeGreaterThanOrEqual(30)
  })

  test('keeps text of third parties in one line and in its order; a character missing in the font is shown as missing', async () => {
    const text = await textOf({ ...fiatReceipt, description: 'a\r\nb\u202eevil\u0000 日本 😀 <b>fi ffi</b> )( \\' })
    expect(text).toContain('a bevil \ufffd\ufffd \ufffd <b>fi ffi</b> )( \\')
  })

  test('omits lines without a value', async () => {
    const text = await textOf({
      ...fiatReceipt,
      fee: null,
      card: null,
      reference: null,
      description: null,
      company: { name: 'Shop', url: null },
    })
    for (const name of ['Fee', 'Card', 'Payment number', 'null', 'undefined']) expect(text).not.toContain(name)
    expect(await textOf({ ...cryptoReceipt, price: null, payments: [{ hash: null, amount: '1', at: 0 }] })).toContain(
      'within the payment service',
    )
  })
})
