import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * States of a conversion.
 * - waiting: credited, and exchanged as soon as there is a price
 * - done: everything that can be exchanged was exchanged, and its proceeds are on their way to the target's address
 * - failed: the money stays on the balance unconverted; the merchant is notified
 */
export type ConversionState = 'waiting' | 'done' | 'failed'
export type ConversionEvent = 'converted' | 'refused'
export type ConversionEffect = 'notifyFailed'

export const conversionMoves: Moves<ConversionState, ConversionEvent, ConversionEffect> = {
  waiting: { converted: to('done'), refused: to('failed', 'notifyFailed') },
  done: {},
  failed: {},
}
