import type { Telling } from '../acquirers/faults.ts'

/** The bank's refusal reasons of a card, as in its API. */
export const reasons = {
  refused: { code: 'card_refused', message: 'refused by the bank that issued the card' },
  'insufficient-funds': { code: 'insufficient_funds', message: 'the card has too little money' },
  'expired-card': { code: 'expired_card', message: 'the card has expired' },
  '3ds-cancelled': { code: '3ds_cancelled', message: 'the payer did not confirm' },
  '3ds-failed': { code: '3ds_failed', message: 'the payer could not be identified' },
} as const

/** Reported as it should be. */
export const plainTelling: Telling = { delayMs: 0, duplicate: 0, reorder: false, drop: false, badSignature: false }
