import type { Language } from '../../platform/base/language.ts'
import { showAmount, showNetwork, showText, showTime } from '../documents/index.ts'
import { facts, type LetterParts, type Row } from './blocks.ts'
import type { ActivityEntry, MailTemplates } from './letter.ts'
import type { Texts } from './texts/texts.ts'

export const exhaustedLetter = (data: MailTemplates['webhooks-exhausted'], t: Texts): LetterParts => {
  const merchant = showText(data.merchant, 255)
  return {
    subject: t.exhausted.subject(merchant),
    sender: merchant,
    title: t.exhausted.title,
    tone: 'warning',
    amount: null,
    blocks: [
      { kind: 'paragraph', text: t.exhausted.body(merchant, showTime(data.since)) },
      facts(
        data.url !== null && { name: t.names.receiver, value: showText(data.url, 255), code: true },
        { name: t.names.object, value: data.objectId, code: true },
        data.error !== null && data.error !== '' && { name: t.names.error, value: showText(data.error, 255) },
      ),
      { kind: 'paragraph', text: t.exhausted.waits },
      { kind: 'paragraph', text: t.exhausted.next },
    ],
    footer: t.merchantFooter,
  }
}

export const activityLetter = (data: MailTemplates['activity'], t: Texts, language: Language): LetterParts => {
  const merchant = showText(data.merchant, 255)
  const counted = [...Map.groupBy(data.entries, ({ kind }) => kind)].map(([kind, { length }]) =>
    t.activity.counted[kind](length),
  )
  const counts = [...counted, ...(data.more > 0 ? [`+${data.more}`] : [])].join(', ')
  return {
    subject: t.activity.subject(merchant, counts),
    sender: merchant,
    title: t.activity.title,
    tone: 'neutral',
    amount: null,
    blocks: [
      { kind: 'paragraph', text: t.activity.period(showTime(data.from), showTime(data.until)) },
      { kind: 'rows', rows: data.entries.map((entry) => rowOf(entry, t, language)) },
      ...(data.more > 0 ? [{ kind: 'paragraph' as const, text: t.activity.more(data.more) }] : []),
    ],
    footer: t.merchantFooter,
  }
}

export const monthLetter = (
  { merchant: name, month: given, balances, pageUrl }: MailTemplates['month-ended'],
  t: Texts,
  language: Language,
): LetterParts => {
  const [merchant, month] = [showText(name, 255), showText(given, 7)]
  const rows = balances.map(({ ticker, opening, closing }) => ({
    title: showText(ticker, 32),
    amount: showAmount(closing, ticker, language),
    detail: t.month.opening(showAmount(opening, ticker, language)),
    good: true,
  }))
  return {
    subject: t.month.subject(merchant, month),
    sender: merchant,
    title: t.month.title(month),
    tone: 'neutral',
    amount: null,
    blocks: [
      rows.length > 0 ? { kind: 'rows', rows } : { kind: 'paragraph', text: t.month.none },
      { kind: 'button', label: t.month.button, url: pageUrl },
    ],
    footer: t.merchantFooter,
  }
}

const rowOf = (
  { kind, status, amount, ticker, blockchain, name, at }: ActivityEntry,
  t: Texts,
  language: Language,
): Row => {
  const good = status === 'done'
  const sign = kind === 'withdrawal' || kind === 'card-payout' ? '−' : '+'
  return {
    title: good ? t.activity.one[kind] : `${t.activity.one[kind]}: ${t.activity.failed}`,
    amount: good ? `${sign}${showAmount(amount, ticker, language)}` : showAmount(amount, ticker, language),
    detail: [
      name === null ? null : showText(name, 80),
      blockchain === null ? null : showNetwork(blockchain),
      showTime(at),
    ]
      .filter((part) => part !== null)
      .join(' · '),
    good,
  }
}
