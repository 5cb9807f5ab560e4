import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { mailboxes, type Mailbox } from '../accounts/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { lastSequence, selectEvents } from '../webhooks/index.ts'
import { entryOf, MAILED } from './activity.ts'
import { queueMails } from './commands.ts'

/** Least time between two digests to a merchant. */
const INTERVAL_MS = 15 * 60_000
const MOST_LINES = 20

interface Digest {
  sequence: number
  at: Date
}

/**
 * Creates the job that mails merchants digests of their deposits and withdrawals (`contract.md` 14). It reads the
 * stored notifications, so that no change waits for a mail, and a busy merchant gets at most four mails an hour.
 */
export const createActivityJob = (runtime: Runtime): Job => ({
  name: 'merchant digests',
  everyMs: 30_000,
  run: async () => {
    const { db } = runtime
    const wanting = (await mailboxes(db, null)).filter(({ settings }) => settings.activityMails)
    const digests = await readDigests(db, wanting)
    for (const mailbox of wanting) {
      const moment = momentOf(runtime)
      const last = digests.get(mailbox.merchantId)
      if (last === undefined) await start(db, mailbox.merchantId, moment)
      else if (moment.at.getTime() - last.at.getTime() >= INTERVAL_MS) await write(db, mailbox, last, moment)
    }
    return false
  },
})

/** Reads the digests of merchants that want them. Deletes the others, so that an address set later starts anew. */
const readDigests = async (db: Db, wanting: readonly Mailbox[]): Promise<Map<string, Digest>> => {
  const ids = wanting.map(({ merchantId }) => merchantId)
  await sql`delete from mail_digests where not (merchant_id = any(${ids}::uuid[]))`.execute(db)
  const { rows } = await sql<
    Digest & { merchantId: string }
  >`select merchant_id as "merchantId", sequence, at from mail_digests`.execute(db)
  return new Map(rows.map(({ merchantId, ...digest }) => [merchantId, digest]))
}

const start = async (db: Db, merchantId: string, { at }: Moment): Promise<void> => {
  const sequence = await lastSequence(db, merchantId)
  await sql`insert into mail_digests(merchant_id, sequence, at) values (${merchantId}, ${sequence}, ${at}) on conflict do nothing`.execute(
    db,
  )
}

const write = async (db: Db, mailbox: Mailbox, last: Digest, moment: Moment): Promise<void> => {
  const upTo = await lastSequence(db, mailbox.merchantId)
  if (upTo === last.sequence) return
  const { events, count } = await selectEvents(
    db,
    mailbox.merchantId,
    { after: last.sequence, upTo, among: MAILED },
    MOST_LINES,
  )
  await inTransaction(db, async (tx) => {
    if (!(await advance(tx, mailbox.merchantId, last.sequence, upTo, moment.at)) || count === 0) return
    const { merchantId, email, name, settings } = mailbox
    const data = {
      merchant: name,
      from: last.at.getTime(),
      until: moment.at.getTime(),
      entries: events.map(entryOf),
      more: count - events.length,
    }
    await queueMails(
      tx,
      [{ kind: 'activity', merchantId, about: `events to ${upTo}`, to: email, language: settings.mailLanguage, data }],
      moment,
    )
  })
}

/** Returns false when another worker was faster. */
const advance = async (tx: Tx, merchantId: string, from: number, to: number, at: Date): Promise<boolean> => {
  const { rows } = await sql`update mail_digests set sequence = ${to}, at = ${at}
    where merchant_id = ${merchantId} and sequence = ${from} returning 1`.execute(tx)
  return rows.length > 0
}
