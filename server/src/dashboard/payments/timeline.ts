import { amountText } from '@bursar/checkout'
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import type { Catalogue } from '../../market/assets/index.ts'
import { showText, showTime } from '../../merchants/documents/index.ts'
import type { EventDelivery } from '../../merchants/webhooks/index.ts'
import type { Scope, Words } from '../frame/index.ts'
import type { Detail } from './detail.ts'
import { amountOf } from './payment.ts'

/** One step of a payment. */
interface Step {
  /** null: it goes on now */
  at: Date | null
  text: string
  tone?: 'good' | 'bad'
  more?: Piece
}

type Shown = Pick<Scope, 'words' | 'language'> & {
  catalogue: Catalogue
  /** the page of a notification; null: the person may not see it */
  notificationUrl: (sequence: number) => string | null
}

/** The steps of a payment in the order of their times; those that go on now are the last. */
export const stepsOf = (detail: Detail, scope: Shown): readonly Step[] => {
  const steps = [
    ...invoiceSteps(detail, scope),
    ...cardSteps(detail, scope),
    ...depositSteps(detail, scope),
    ...ledgerSteps(detail, scope),
    ...detail.screenings.map(({ changedAt, state }): Step => ({ at: changedAt, text: scope.words.screenings[state] })),
    ...conversionSteps(detail, scope),
    ...refundSteps(detail, scope),
    ...detail.deliveries.map((delivery) => deliveryStep(delivery, scope)),
  ]
  const timeOf = ({ at }: Step): number => at?.getTime() ?? Number.MAX_SAFE_INTEGER
  return steps.toSorted((a, b) => timeOf(a) - timeOf(b))
}

/** The steps as a list. */
export const timeline = (steps: readonly Step[]): Markup =>
  html`<ol class="time">${steps.map(
    ({ at, text, tone, more }) =>
      html`<li${tone && html` class="${tone}"`}>${text}${at !== null && html`<br><span class="soft">${showTime(at.getTime())}</span>`}${more}</li>`,
  )}</ol>`

const invoiceSteps = ({ invoice, cardInvoice }: Detail, { words }: Shown): Step[] => {
  if (cardInvoice !== null) return cardInvoiceSteps(cardInvoice, words)
  if (invoice === null) return []
  const { state, createdAt, movedAt } = invoice
  return [
    { at: createdAt, text: words.created },
    ...(state === 'paid' ? [{ at: movedAt, text: words.invoicePaid, tone: 'good' } as const] : []),
    ...(state === 'expired' ? [{ at: movedAt, text: words.invoiceExpired, tone: 'bad' } as const] : []),
  ]
}

const cardInvoiceSteps = (
  { state, createdAt, updatedAt, errorMessage }: NonNullable<Detail['cardInvoice']>,
  words: Words,
): Step[] => [
  { at: createdAt, text: words.created },
  ...(state === 'done' ? [{ at: updatedAt, text: words.invoicePaid, tone: 'good' } as const] : []),
  ...(state === 'failed'
    ? [
        {
          at: updatedAt,
          text: words.invoiceFailed(showText(errorMessage ?? '–', LONGEST_REASON)),
          tone: 'bad',
        } as const,
      ]
    : []),
]

const LONGEST_REASON = 200

type CardState = Detail['cardPayments'][number]['state']
const CARD_STATES: Readonly<Record<CardState, keyof Words['cardStates']>> = {
  planned: 'started',
  asking: 'started',
  unsure: 'started',
  open: 'open',
  reported: 'reported',
  credited: 'credited',
  suspended: 'suspended',
  'not-taken': 'refused',
  refused: 'refused',
  expired: 'refused',
  disputed: 'reversed',
  reversed: 'reversed',
}

/** A payment has no times of its states: it is listed at its start, in the state that it has now. */
const cardSteps = ({ cardPayments }: Detail, { words }: Shown): Step[] =>
  cardPayments.map(({ createdAt, state, maskedCard }) => ({
    at: createdAt,
    text: words.cardStates[CARD_STATES[state]],
    ...(maskedCard !== null && { more: html`<br><span class="soft">${maskedCard}</span>` }),
  }))

const depositSteps = ({ deposits }: Detail, { words, language, catalogue }: Shown): Step[] =>
  deposits.flatMap((deposit): Step[] => {
    const amount = amountOf(deposit.units, deposit.asset, catalogue)
    const seen = { at: deposit.createdAt, text: words.seen(amount ? amountText(amount, language) : deposit.asset) }
    const now = currentStep(deposit, words)
    return now === undefined ? [seen] : [seen, now]
  })

const currentStep = (deposit: Detail['deposits'][number], words: Words): Step | undefined => {
  const { state, failReason, blockHeight, headHeight, creditHeight } = deposit
  if (failReason === 'LESS_THEN_MIN_AMOUNT') return { at: null, text: words.tooSmall, tone: 'bad' }
  if (state === 'failed') return { at: null, text: words.lost, tone: 'bad' }
  if (state !== 'pending' || blockHeight === null || headHeight === null) return undefined
  if (creditHeight === null) return { at: null, text: words.untilFinal }
  const needed = creditHeight - blockHeight + 1
  const count = Math.max(0, Math.min(needed, headHeight - blockHeight + 1))
  return { at: null, text: words.confirmations(count, needed) }
}

/** Money on the merchant's balance, and in quarantine. */
const ledgerSteps = ({ entries }: Detail, { words, language, catalogue }: Shown): Step[] =>
  entries.flatMap(({ at, kind, account, posted, asset, causeKind }): Step[] => {
    // Exchanges and refunds have steps of their own.
    if (kind !== 'post' || posted === 0n || causeKind === 'exchange' || causeKind === 'refund') return []
    const amount = amountOf(posted < 0n ? -posted : posted, asset, catalogue)
    const text = amount ? amountText(amount, language) : asset
    if (account === 'merchant')
      return posted > 0n
        ? [{ at, text: words.credited(text), tone: 'good' }]
        : [{ at, text: words.debited(text), tone: 'bad' }]
    return account === 'quarantine' && posted > 0n ? [{ at, text: words.quarantined(text) }] : []
  })

const conversionSteps = ({ conversions }: Detail, { words }: Shown): Step[] =>
  conversions.map(({ createdAt, ticker, targetTicker, state }) => ({
    at: createdAt,
    text: `${words.conversion(ticker, targetTicker)}: ${words.conversions[state]}`,
    ...(state === 'failed' && { tone: 'bad' as const }),
  }))

/** A refund has no times of its states: it is listed at its start, in the state that it has now. */
const refundSteps = ({ refunds }: Detail, { words, language, catalogue }: Shown): Step[] =>
  refunds.map(({ createdAt, ticker, units, state }) => {
    const amount = amountOf(units, ticker, catalogue)
    return {
      at: createdAt,
      text: `${words.refund(amount ? amountText(amount, language) : ticker)}: ${words.refundStates[state]}`,
      ...(state === 'refused' && { tone: 'bad' as const }),
    }
  })

const isAccepted = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** A notification that waits no more was accepted, or an operator has skipped it: its last attempt shows which. */
const deliveryStep = (
  { sequence, kind, status, createdAt, state, attempts }: EventDelivery,
  { words, notificationUrl }: Shown,
): Step => {
  const url = notificationUrl(sequence)
  const last = attempts.at(-1)
  const isSkipped = state === 'delivered' && last !== undefined && !isAccepted(last.status)
  const text = words.deliveries[isSkipped ? 'ended' : state]
  return {
    at: createdAt,
    text: `${words.notification(`${kind} ${status}`)}: ${text}`,
    ...(state === 'exhausted' && { tone: 'bad' as const }),
    more: [
      attempts.length > 0 &&
        html`<details><summary>${words.attempts(attempts.length)}</summary><ul>${attempts.map(
          (attempt) =>
            html`<li class="soft">${showTime(attempt.at.getTime())}: ${attempt.status ?? showText(attempt.error ?? words.noAnswer, LONGEST_REASON)}</li>`,
        )}</ul></details>`,
      url !== null && html`<div><a href="${url}">${words.openNotification}</a></div>`,
    ],
  }
}
