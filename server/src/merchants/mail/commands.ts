import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { audienceOf } from '../mail-templates/index.ts'
import { mailAddress, mailboxOf } from '../../platform/base/mail-address.ts'
import { LIMITS } from './limits.ts'
import type { Mail, Queued } from './mail.ts'
import { countRequests, insertMail, readCounts } from './store.ts'

/**
 * Queues mails in the transaction of the change that they report. It never fails the caller: for each mail, in the
 * order given, it returns `queued` or the reason why not. Limits are counted without locks, so that concurrent requests
 * may exceed them by their number.
 */
export const queueMails = async (tx: Tx, mails: readonly Mail[], moment: Moment): Promise<Queued[]> => {
  const outcomes: Queued[] = []
  for (const mail of mails) outcomes.push(await queueMail(tx, mail, moment))
  return outcomes
}

const queueMail = async (tx: Tx, given: Mail, { at, newId }: Moment): Promise<Queued> => {
  const to = mailAddress(given.to)
  if (to === undefined) return 'unusable'
  const audience = audienceOf(given)
  const mail = { ...given, to, audience, mailbox: mailboxOf(to), id: newId(), at }
  const counts = await readCounts(tx, mail)
  if (!counts.sends) return 'off'
  if (counts.repeated) return 'repeated'
  if (counts.lately >= LIMITS.perMailboxAndHour[audience]) return 'limited'
  if (mail.kind === 'payment-request') {
    const { inHour, inDay, toMailboxInDay } = LIMITS.requests
    const lately = await countRequests(tx, mail)
    if (lately.inHour >= inHour || lately.inDay >= inDay || lately.toMailboxInDay >= toMailboxInDay) return 'limited'
  } else if (audience === 'payer' && counts.aboutIt >= LIMITS.perThing) return 'limited'
  return (await insertMail(tx, mail)) ? 'queued' : 'repeated'
}

/** Stores for every process whether mail is sent. A worker calls it when it starts, according to its settings. */
export const announceSending = async (db: Db | Tx, sends: boolean, at: Date): Promise<void> => {
  await sql`insert into mail_service(sends, at) values (${sends}, ${at})
    on conflict (singleton) do update set sends = excluded.sends, at = excluded.at`.execute(db)
}
