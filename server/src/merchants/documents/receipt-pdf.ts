import type { Language } from '../../platform/base/language.ts'
import { Paper, SOFT, type Cell } from './paper.ts'
import type { Picture } from './picture.ts'
import { RECEIPT_TEXTS, type ReceiptTexts } from './receipt-texts.ts'
import type { CryptoPayment, Receipt } from './receipt.ts'
import { showAmount, showNetwork, showText, showTime } from './showing.ts'

const NAME_WIDTH = 150
const TIME_WIDTH = 110
const AMOUNT_WIDTH = 118
const CELL = { style: { size: 9.5 } }
const CELL_HEAD = { style: { size: 8.5, color: SOFT }, names: 'Column' } as const

/** A receipt as PDF: the same bytes for the same receipt, language and logo. */
export const receiptPdf = (receipt: Receipt, language: Language, logo?: Picture): Promise<Buffer> => {
  const t = RECEIPT_TEXTS[language]
  const company = showText(receipt.company.name, 255)
  const paper = new Paper({ language, title: `${t.title} ${receipt.id}`, author: company, at: receipt.paidAt })
  if (logo) paper.picture(logo, company, 12)
  paper.write(company, { size: 11, color: SOFT }, 6)
  paper.write(t.title, { size: 26, font: 'bold' }, 18, 'H1')
  paper.write(t.paid, { size: 10, color: SOFT })
  paper.write(showAmount(receipt.paidAmount, receipt.ticker, language), { size: 22, font: 'bold' }, 14)
  paper.rule()
  for (const [name, value] of factsOf(receipt, language)) {
    paper.row([
      { text: name, width: NAME_WIDTH, style: { size: 10, color: SOFT }, names: 'Row' },
      { text: value, width: paper.width - NAME_WIDTH, style: { size: 10 } },
    ])
  }
  if (receipt.kind === 'crypto') writePayments(paper, receipt.payments, receipt.ticker, language)
  return paper.end((sheet, of) => ({ left: t.foot(company), right: `${sheet} / ${of}` }))
}

const factsOf = (receipt: Receipt, language: Language): [string, string][] => {
  const t = RECEIPT_TEXTS[language]
  const amount = (value: string, ticker: string): string => showAmount(value, ticker, language)
  const facts: [string, string | null][] = [
    [
      t.company,
      [receipt.company.name, receipt.company.url]
        .filter((one) => one !== null && one !== '')
        .map((one) => showText(one!, 255))
        .join(', '),
    ],
    [t.order, receipt.name ?? null],
    [t.description, receipt.description],
    [t.amount, amount(receipt.amount, receipt.ticker)],
    [t.received, amount(receipt.paidAmount, receipt.ticker)],
    ...(receipt.kind === 'crypto' ? cryptoFacts(receipt, t, amount) : fiatFacts(receipt, t, amount)),
    [t.created, showTime(receipt.createdAt)],
    [t.paidAt, showTime(receipt.paidAt)],
    [t.invoice, receipt.id],
  ]
  return facts.flatMap(([name, value]): [string, string][] =>
    value === null || value === '' ? [] : [[name, showText(value)]],
  )
}

type AmountFormat = (value: string, ticker: string) => string

const cryptoFacts = (
  { price, blockchain, address }: Extract<Receipt, { kind: 'crypto' }>,
  t: ReceiptTexts,
  amount: AmountFormat,
): [string, string | null][] => [
  [t.price, price && amount(price.amount, price.ticker)],
  [t.network, showNetwork(blockchain)],
  [t.address, address],
]

const fiatFacts = (
  { fee, ticker, card, reference }: Extract<Receipt, { kind: 'fiat' }>,
  t: ReceiptTexts,
  amount: AmountFormat,
): [string, string | null][] => [
  [t.fee, fee && amount(fee, ticker)],
  [t.card, card],
  [t.reference, reference],
]

const writePayments = (paper: Paper, payments: readonly CryptoPayment[], ticker: string, language: Language): void => {
  const t = RECEIPT_TEXTS[language]
  const hashWidth = paper.width - TIME_WIDTH - AMOUNT_WIDTH
  paper.gap(22)
  paper.write(t.payments, { size: 14, font: 'bold' }, 6, 'H2')
  const row = (time: string, hash: string, amount: string, like: Pick<Cell, 'style' | 'names'>): void =>
    paper.row([
      { text: time, width: TIME_WIDTH, ...like },
      { text: hash, width: hashWidth, ...like },
      { text: amount, width: AMOUNT_WIDTH, ...like, align: 'right' },
    ])
  row(t.time, t.transaction, t.received, CELL_HEAD)
  for (const { at, hash, amount } of payments)
    row(showTime(at), hash === null ? t.internal : showText(hash, 128), showAmount(amount, ticker, language), CELL)
}
