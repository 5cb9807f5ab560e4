import type { Language } from '../../platform/base/language.ts'
import type { LetterParts } from './blocks.ts'
import { htmlOf } from './html.ts'
import type { LetterContent } from './letter.ts'
import { plainOf } from './plain.ts'
import { en } from './texts/en.ts'
import { kk } from './texts/kk.ts'
import { ru } from './texts/ru.ts'
import type { Texts } from './texts/texts.ts'
import { uk } from './texts/uk.ts'
import { activityLetter, exhaustedLetter, monthLetter } from './to-merchant.ts'
import { changedLetter, invitationLetter, noticeLetter } from './to-person.ts'
import { cardRefundLetter, claimLetter, receiptLetter, requestLetter, underpaidLetter } from './to-payer.ts'

const TEXTS: Record<Language, Texts> = { uk, kk, ru, en }

export interface WrittenLetter {
  subject: string
  text: string
  html: string
}

/** Writes a letter in a language. Throws when a link is not an http(s) URL, or a field is missing. */
export const writeLetter = (content: LetterContent, language: Language): WrittenLetter => {
  const parts = partsOf(content, language)
  return { subject: parts.subject.replaceAll('\u00a0', ' '), text: plainOf(parts), html: htmlOf(parts, language) }
}

const partsOf = (content: LetterContent, language: Language): LetterParts => {
  const t = TEXTS[language]
  switch (content.kind) {
    case 'receipt':
      return receiptLetter(content.data, t, language)
    case 'underpaid':
      return underpaidLetter(content.data, t, language)
    case 'claim-answered':
      return claimLetter(content.data, t, language)
    case 'card-refunded':
      return cardRefundLetter(content.data, t, language)
    case 'payment-request':
      return requestLetter(content.data, t, language)
    case 'webhooks-exhausted':
      return exhaustedLetter(content.data, t)
    case 'activity':
      return activityLetter(content.data, t, language)
    case 'month-ended':
      return monthLetter(content.data, t, language)
    case 'dashboard-invitation':
      return invitationLetter(content.data, t)
    case 'dashboard-notice':
      return noticeLetter(content.data, t)
    case 'merchant-changed':
      return changedLetter(content.data, t)
  }
}
