import { showText, showTime } from '../documents/index.ts'
import { facts, type LetterParts } from './blocks.ts'
import type { MailTemplates } from './letter.ts'
import type { Texts } from './texts/texts.ts'

const SENDER = 'Bursar'

export const invitationLetter = (
  { merchant: name, joinUrl: url, until, isReset }: MailTemplates['dashboard-invitation'],
  t: Texts,
): LetterParts => {
  const merchant = showText(name, 255)
  const kind = isReset ? 'reset' : 'join'
  return {
    subject: t.invitation.subject[kind](merchant),
    sender: merchant,
    title: t.invitation.title[kind],
    tone: 'neutral',
    amount: null,
    blocks: [
      { kind: 'paragraph', text: t.invitation.body[kind](merchant) },
      { kind: 'button', label: t.invitation.button, url },
      { kind: 'paragraph', text: t.invitation.valid(showTime(until)) },
      { kind: 'note', text: t.invitation.unwanted },
    ],
    footer: t.personFooter,
  }
}

export const noticeLetter = ({ event, detail, at }: MailTemplates['dashboard-notice'], t: Texts): LetterParts => ({
  subject: t.dashboard.subject(t.dashboard.title[event]),
  sender: SENDER,
  title: t.dashboard.title[event],
  tone: 'warning',
  amount: null,
  blocks: [
    facts(
      { name: t.names.time, value: showTime(at) },
      detail !== '' && { name: t.names.detail, value: showText(detail, 300) },
    ),
    { kind: 'paragraph', text: t.dashboard.unknown },
  ],
  footer: t.personFooter,
})

export const changedLetter = (
  { merchant, event, detail, by, at }: MailTemplates['merchant-changed'],
  t: Texts,
): LetterParts => {
  const name = showText(merchant, 255)
  const title = t.changed.title[event]
  return {
    subject: t.changed.subject(name, title),
    sender: name,
    title,
    tone: 'warning',
    amount: null,
    blocks: [
      facts(
        { name: t.names.time, value: showTime(at) },
        by !== null && { name: t.names.member, value: showText(by, 255) },
        detail !== '' && { name: t.names.detail, value: showText(detail, 300) },
      ),
      { kind: 'paragraph', text: t.changed.unknown[event] },
    ],
    footer: t.personFooter,
  }
}
