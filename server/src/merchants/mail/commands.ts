import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { AUDIENCES } from '../mail-templates/index.ts'
import { mailAddress, mailboxOf } from '../../platform/base/mail-address.ts'
import { LIMITS } from './limits.ts'
import type { Mail, Queued } from './mail.ts'
import { insertMail, readStanding } from './store.ts'

/**
 * Queues mails in the transaction of what they tell. Nothing here fails the caller: what can't be sent is answered by
 * its reason, in the order given. Limits are counted without locks, so that requests at the same moment may exceed them
 * by as many.
 */
export const queueMails = async (tx: Tx, mails: readonly Mail[], moment: Moment): Promise<Queued[]> => {
  const outcomes: Queued[] = []
  for (const mail of mails) outcomes.push(await queueMail(tx, mail, moment))
  return outcomes
}

const queueMail = async (tx: Tx, given: Mail, { at, newId }: Moment): Promise<Queued> => {
  const to = mailAddress(given.to)
  if (to === undefined) return 'unusable'
  const audience = AUDIENCES[given.kind]
  const mail = { ...given, to, audience, mailbox: mailboxOf(to), id: newId(), at }
  const standing = await readStanding(tx, mail)
  if (!standing.sends) return 'off'
  if (standing.repeated) return 'repeated'
  if (standing.lately >= LIMITS.perMailboxAndHour[audience]) return 'limited'
  if (audience === 'payer' && standing.aboutIt >= LIMITS.perThing) return 'limited'
  return (await insertMail(tx, mail)) ? 'queued' : 'repeated'
}

/** Tells every process whether mail is sent. Called by a worker when it starts, with what its settings say. */
export const announceSending = async (db: Db | Tx, sends: boolean, at: Date): Promise<void> => {
  await sql`insert into mail_service(sends, at) values (${sends}, ${at})
    on conflict (singleton) do update set sends = excluded.sends, at = excluded.at`.execute(db)
}
