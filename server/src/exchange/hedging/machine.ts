import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * States of an order on a venue.
 * - sending: the venue may have the order; the outcome of the call is unknown
 * - open: the venue has it; it has not ended, or not all of its fills are known
 * - filled, partly-filled, cancelled: it has ended, and all, some or none of it was traded
 * - rejected: the venue says that it did not accept it
 * - lapsed: the venue did not know it after its window had passed, so it can never be filled
 */
export type HedgeState = 'sending' | 'open' | 'filled' | 'partly-filled' | 'cancelled' | 'rejected' | 'lapsed'
export type HedgeEvent = 'accepted' | 'filled' | 'partly-filled' | 'cancelled' | 'rejected' | 'lapsed'
/** `release`: the rest of the reservation can be sold again. */
export type HedgeEffect = 'release'

const ends = {
  filled: to<HedgeState, HedgeEffect>('filled', 'release'),
  'partly-filled': to<HedgeState, HedgeEffect>('partly-filled', 'release'),
  cancelled: to<HedgeState, HedgeEffect>('cancelled', 'release'),
}

export const hedgeMoves: Moves<HedgeState, HedgeEvent, HedgeEffect> = {
  // No event places an order again: it is placed once, and queried until it has ended.
  sending: { accepted: to('open'), ...ends, rejected: to('rejected', 'release'), lapsed: to('lapsed', 'release') },
  open: { accepted: to('open'), ...ends },
  filled: {},
  'partly-filled': {},
  cancelled: {},
  rejected: {},
  lapsed: {},
}

export const OPEN_STATES: readonly HedgeState[] = ['sending', 'open']
