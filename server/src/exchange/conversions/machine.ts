import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * Received money that is to become something else.
 * - waiting: credited, and to be exchanged as soon as there is a price
 * - done: all of it that could be was exchanged, and what was to be sent is on its way
 * - failed: it stays on the balance as it is; the merchant is notified
 */
export type ConversionState = 'waiting' | 'done' | 'failed'
export type ConversionEvent = 'converted' | 'refused'
export type ConversionEffect = 'notifyFailed'

export const conversionMoves: Moves<ConversionState, ConversionEvent, ConversionEffect> = {
  waiting: { converted: to('done'), refused: to('failed', 'notifyFailed') },
  done: {},
  failed: {},
}
