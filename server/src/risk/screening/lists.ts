import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import type { ListFile } from './list-file.ts'
import { listLists, type ListVersion } from './queries.ts'
import { spellingOf } from './spelling.ts'

const DAY_MS = 86_400_000
/** A list of this age may lack newer entries (`ecosystem.md` 4.3). */
const OLD_AFTER_DAYS = 7
const ALERT = 'screening-list-old'

/**
 * Makes a list the current one of its source; earlier versions stay stored. Without `force`, throws an Error if the
 * list is older than the current one, or less than half as long: entries are removed from lists, but hardly half of
 * them at once.
 */
export const importList = async (
  tx: Tx,
  file: ListFile & { date: string },
  force: boolean,
  { at, newId }: Moment,
): Promise<'imported' | 'unchanged'> => {
  await sql`select pg_advisory_xact_lock(hashtext('screening lists'))`.execute(tx)
  const current = (await listLists(tx)).find(({ source, current }) => current && source === file.source)
  if (current?.sha256 === file.sha256 && current.published === file.date) return 'unchanged'
  if (current && !force) refuseWorse(current, file)
  const entries = [
    ...new Map(
      file.entries
        .map((entry) => ({ ...entry, address: spellingOf(entry.address) }))
        .map((entry) => [`${entry.address} ${entry.asset}`, entry]),
    ).values(),
  ]
  const id = newId()
  await sql`update screening_lists set current = false where source = ${file.source} and current`.execute(tx)
  await sql`insert into screening_lists(id, source, published, sha256, entries, current, imported_at)
    values (${id}, ${file.source}, ${file.date}, ${file.sha256}, ${entries.length}, true, ${at})`.execute(tx)
  await sql`insert into screening_list_entries(list_id, address, asset, name)
    select ${id}, r.address, r.asset, r.name from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) r(address text, asset text, name text)`.execute(
    tx,
  )
  return 'imported'
}

const refuseWorse = (current: ListVersion, file: ListFile & { date: string }): void => {
  if (file.date < current.published)
    throw new Error(
      `the list in force is of ${current.published}, this one of ${file.date}: --force takes it all the same`,
    )
  if (file.entries.length * 2 < current.entries) {
    throw new Error(
      `the list in force has ${current.entries} addresses, this one ${file.entries.length}: --force takes it all the same`,
    )
  }
}

/** Whole days since the publication of a list. */
export const ageInDays = ({ published }: Pick<ListVersion, 'published'>, at: Date): number =>
  Math.floor((at.getTime() - Date.parse(published)) / DAY_MS)

/** Raises an alert for each current list that is too old, and resolves those of the others. */
export const watchAges = async (db: Db, moment: Moment): Promise<void> => {
  for (const list of (await listLists(db)).filter(({ current }) => current)) {
    const days = ageInDays(list, moment.at)
    if (days <= OLD_AFTER_DAYS) {
      await resolveAlert(db, ALERT, list.source, moment.at)
      continue
    }
    const text = `The sanctions list ${list.source} was published ${days} days ago: download the new list, and run \`bursar screening import FILE\``
    await raiseOrRenewAlert(db, { kind: ALERT, subject: list.source, text }, moment)
  }
}
