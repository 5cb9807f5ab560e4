import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * `sending`: a worker has it; when that worker dies the next takes it over, so that a mail may arrive twice but is
 * never lost.
 */
export type MailState = 'queued' | 'sending' | 'sent' | 'failed'
/**
 * `taken` by a worker, also from one that died; `accepted` by the mail server; `refused` by it for good; `put-off`: not
 * taken this time, or it is not known; `outlived`: still not taken when it has become too old; `unwritable`: its letter
 * can't be made.
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
