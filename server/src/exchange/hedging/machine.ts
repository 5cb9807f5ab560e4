import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * An order on a venue.
 * - sending: the venue may have the order; it is not known yet
 * - open: the venue has it, and it has not ended, or not all of its fills are known
 * - filled, partly-filled, cancelled: it has ended, and all, some or none of it has traded
 * - rejected: the venue says that it has not taken it
 * - lapsed: the venue did not know it when its window had passed, so that it never can
 */
export type HedgeState = 'sending' | 'open' | 'filled' | 'partly-filled' | 'cancelled' | 'rejected' | 'lapsed'
export type HedgeEvent = 'accepted' | 'filled' | 'partly-filled' | 'cancelled' | 'rejected' | 'lapsed'
/** `release`: what is left of the reservation is for sale again. */
export type HedgeEffect = 'release'

const ends = {
  filled: to<HedgeState, HedgeEffect>('filled', 'release'),
  'partly-filled': to<HedgeState, HedgeEffect>('partly-filled', 'release'),
  cancelled: to<HedgeState, HedgeEffect>('cancelled', 'release'),
}

export const hedgeMoves: Moves<HedgeState, HedgeEvent, HedgeEffect> = {
  // Nothing leads back to being placed: an order is placed once, and asked for until it has ended.
  sending: { accepted: to('open'), ...ends, rejected: to('rejected', 'release'), lapsed: to('lapsed', 'release') },
  open: { accepted: to('open'), ...ends },
  filled: {},
  'partly-filled': {},
  cancelled: {},
  rejected: {},
  lapsed: {},
}

export const OPEN_STATES: readonly HedgeState[] = ['sending', 'open']
