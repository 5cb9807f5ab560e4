import type { Language } from '../../platform/base/language.ts'
import { showAmount, showNetwork, showText, showTime } from '../documents/index.ts'
import { facts, type LetterParts } from './blocks.ts'
import type { InvoiceMoney, MailTemplates } from './letter.ts'
import type { Texts } from './texts/texts.ts'

const headOf = (t: Texts, { company }: Pick<InvoiceMoney, 'company'>): { sender: string; footer: string } => {
  const name = showText(company.name, 255)
  return { sender: name, footer: t.payerFooter(name) }
}

/** The row with the merchant's name of the invoice. */
const orderOf = ({ name }: { name?: string }, { names }: Texts): { name: string; value: string }[] =>
  name === undefined ? [] : [{ name: names.order, value: showText(name, 255) }]

export const receiptLetter = (
  { receipt, pageUrl }: MailTemplates['receipt'],
  t: Texts,
  language: Language,
): LetterParts => {
  const { names } = t
  const head = headOf(t, receipt)
  const paid = showAmount(receipt.paidAmount, receipt.ticker, language)
  const asked = showAmount(receipt.amount, receipt.ticker, language)
  return {
    ...head,
    subject: t.receipt.subject(head.sender, paid),
    title: t.receipt.title,
    tone: 'good',
    amount: paid,
    blocks: [
      { kind: 'paragraph', text: t.receipt.body(head.sender) },
      facts(
        ...orderOf(receipt, t),
        receipt.description !== null && { name: names.description, value: showText(receipt.description) },
        asked !== paid && { name: names.amount, value: asked },
        asked !== paid && { name: names.received, value: paid },
        receipt.kind === 'fiat' &&
          receipt.fee !== null && { name: names.fee, value: showAmount(receipt.fee, receipt.ticker, language) },
        receipt.kind === 'fiat' && receipt.card !== null && { name: names.card, value: showText(receipt.card, 32) },
        receipt.kind === 'crypto' && { name: names.network, value: showNetwork(receipt.blockchain) },
        { name: names.paidAt, value: showTime(receipt.paidAt) },
        { name: names.invoice, value: receipt.id, code: true },
      ),
      { kind: 'button', label: t.receipt.open, url: pageUrl },
    ],
  }
}

export const underpaidLetter = (data: MailTemplates['underpaid'], t: Texts, language: Language): LetterParts => {
  const head = headOf(t, data)
  const { names } = t
  const [paid, amount, missing] = [data.paidAmount, data.amount, data.missing].map((one) =>
    showAmount(one, data.ticker, language),
  ) as [string, string, string]
  return {
    ...head,
    subject: t.underpaid.subject(head.sender),
    title: t.underpaid.title,
    tone: 'warning',
    amount: null,
    blocks: [
      { kind: 'paragraph', text: t.underpaid.body(paid, amount) },
      { kind: 'paragraph', text: t.underpaid.choice(missing) },
      { kind: 'button', label: t.underpaid.button, url: data.claimUrl },
      facts(
        ...orderOf(data, t),
        data.description !== null && { name: names.description, value: showText(data.description) },
        { name: names.amount, value: amount },
        { name: names.received, value: paid },
        { name: names.missing, value: missing },
        { name: names.network, value: showNetwork(data.blockchain) },
        { name: names.invoice, value: data.invoiceId, code: true },
      ),
      { kind: 'note', text: t.underpaid.secret },
    ],
  }
}

export const claimLetter = (data: MailTemplates['claim-answered'], t: Texts, language: Language): LetterParts => {
  const head = headOf(t, data)
  const { answer } = data
  const { names } = t
  const refund = showAmount(data.refund, data.ticker, language)
  return {
    ...head,
    subject: t.claim.subject[answer](head.sender),
    title: t.claim.title[answer],
    tone: answer === 'declined' ? 'warning' : 'good',
    amount: answer === 'declined' ? null : refund,
    blocks: [
      { kind: 'paragraph', text: t.claim.body[answer](head.sender, refund) },
      facts(
        ...orderOf(data, t),
        data.note !== null && { name: names.note, value: showText(data.note) },
        answer !== 'declined' && { name: names.refundTo, value: showText(data.refundAddress, 128), code: true },
        { name: names.network, value: showNetwork(data.blockchain) },
        data.hash !== null && { name: names.transaction, value: showText(data.hash, 128), code: true },
        { name: names.invoice, value: data.invoiceId, code: true },
      ),
      { kind: 'button', label: t.receipt.open, url: data.pageUrl },
    ],
  }
}

export const cardRefundLetter = (data: MailTemplates['card-refunded'], t: Texts, language: Language): LetterParts => {
  const head = headOf(t, data)
  const { names } = t
  const refund = showAmount(data.refund, data.ticker, language)
  return {
    ...head,
    subject: t.claim.subject.sent(head.sender),
    title: t.claim.title.sent,
    tone: 'good',
    amount: refund,
    blocks: [
      { kind: 'paragraph', text: t.cardRefund(head.sender, refund) },
      facts(
        ...orderOf(data, t),
        data.description !== null && { name: names.description, value: showText(data.description) },
        data.card !== null && { name: names.card, value: showText(data.card, 32) },
        { name: names.received, value: showAmount(data.amount, data.ticker, language) },
        { name: names.invoice, value: data.invoiceId, code: true },
      ),
      { kind: 'button', label: t.receipt.open, url: data.pageUrl },
    ],
  }
}

const NAME_LENGTH = 80

/** Breaks each part that a mail program would show as a link: a member or a program of the merchant wrote the text. */
const withoutLinks = (text: string): string => text.replaceAll('://', ': //').replaceAll(/(\S)\.(?=\S)/g, '$1. ')

export const requestLetter = (
  { company, name, amount, pageUrl }: MailTemplates['payment-request'],
  t: Texts,
  language: Language,
): LetterParts => {
  const sender = showText(company.name, 255)
  const asked = amount && showAmount(amount.value, amount.ticker, language)
  return {
    sender,
    footer: t.request.footer(sender),
    subject: t.request.subject(sender),
    title: t.request.title,
    tone: 'neutral',
    amount: asked,
    blocks: [
      { kind: 'paragraph', text: t.request.body(sender) },
      facts(
        { name: t.names.order, value: withoutLinks(showText(name, NAME_LENGTH)) },
        asked !== null && { name: t.names.amount, value: asked },
      ),
      { kind: 'button', label: t.request.button, url: pageUrl },
      { kind: 'note', text: t.request.careful },
    ],
  }
}
