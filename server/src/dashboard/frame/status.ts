import { html, type Markup } from '@bursar/checkout/html'

/**
 * The status of a payment of any kind.
 * - waiting: nothing was paid yet
 * - processing: seen, not confirmed yet; checking: confirmed, and in quarantine until it is screened
 * - paid: credited
 * - ended: expired, failed or refused without the money; underpaid: expired with a part of the money
 */
export type Status = 'waiting' | 'processing' | 'checking' | 'paid' | 'ended' | 'underpaid'

export type Tone = 'calm' | 'good' | 'warn' | 'bad'

const TONES: Readonly<Record<Status, Tone>> = {
  waiting: 'calm',
  processing: 'warn',
  checking: 'warn',
  paid: 'good',
  ended: 'bad',
  underpaid: 'bad',
}

/** A status in words, so that nothing depends on its colour. */
export const statusTag = (status: Status, texts: Readonly<Record<Status, string>>): Markup =>
  toneTag(TONES[status], texts[status])

/** A state of another kind in words. */
export const toneTag = (tone: Tone, text: string): Markup => html`<span class="tag ${tone}">${text}</span>`
