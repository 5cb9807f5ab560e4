import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { showText, showTime } from '../../merchants/documents/index.ts'
import type { AttemptRow, DeliveryState } from '../../merchants/webhooks/index.ts'
import { table, toneTag } from '../frame/index.ts'
import type { WebhookWords } from './words/index.ts'

const TONES = { delivered: 'good', due: 'calm', failing: 'warn', exhausted: 'bad' } as const

/** The state of a delivery in words. */
export const stateTag = (state: DeliveryState, { states }: WebhookWords): Markup => toneTag(TONES[state], states[state])

const LONGEST_ANSWER = 200

/** The answer to an attempt in words, with the beginning of one that does not accept. */
export const answerOf = (texts: WebhookWords, { status, error }: Pick<AttemptRow, 'status' | 'error'>): Markup =>
  html`${status ?? texts.noAnswer}${
    error === null || error === ''
      ? status !== null && status < 300 && html`: ${texts.accepted}`
      : html`<br><span class="soft">${foreign(showText(error, LONGEST_ANSWER))}</span>`
  }`

/** Attempts at one notification, in the given order. @param title of the table, for screen readers */
export const attemptTable = (texts: WebhookWords, title: string, attempts: readonly AttemptRow[]): Markup => {
  const rows = attempts.map((one): Piece[] => [
    showTime(one.at.getTime()),
    answerOf(texts, one),
    texts.milliseconds(one.durationMs),
    String(one.attempt),
  ])
  const columns = [
    { title: texts.sent },
    { title: texts.answer },
    { title: texts.duration, isNumber: true },
    { title: texts.attempt, isNumber: true, isFar: true },
  ]
  return table(title, columns, rows)
}
