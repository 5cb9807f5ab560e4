import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * `sending`: claimed by a worker. When that worker dies, another claims the mail, so that it may arrive twice but is
 * never lost.
 */
export type MailState = 'queued' | 'sending' | 'sent' | 'failed'
/**
 * - taken: claimed by a worker, or from a worker that died
 * - accepted: by the mail server
 * - refused: by the mail server, permanently
 * - put-off: not accepted this time, or the result is unknown
 * - outlived: still not accepted when too old
 * - unwritable: its letter can't be made
 */
export type MailEvent = 'taken' | 'accepted' | 'refused' | 'put-off' | 'outlived' | 'unwritable'

export const mailMoves: Moves<MailState, MailEvent, never> = {
  queued: { taken: to('sending') },
  sending: {
    taken: to('sending'),
    accepted: to('sent'),
    refused: to('failed'),
    'put-off': to('queued'),
    outlived: to('failed'),
    unwritable: to('failed'),
  },
  sent: {},
  failed: {},
}
