import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createDb, createPool, monthStart, requireMigrated, whoAmI } from '../../platform/db/index.ts'
import { readClockOffset } from '../../platform/runtime/business-clock.ts'
import { archiveEvents, listArchives } from '../../merchants/webhooks/index.ts'
import { command, neededText, UsageError, type Command } from './command.ts'
import { loadConfig, withInstallation } from '../installation/open.ts'

/**
 * The longest use of a notification: a deposit that is screened again after a year looks up the notifications that its
 * merchant was notified of.
 */
const FEWEST_MONTHS = 12

const monthsOf = (typed: string): number => {
  const months = /^\d{1,4}$/.test(typed) ? Number(typed) : 0
  if (months < FEWEST_MONTHS)
    throw new UsageError(`--keep-months is a number of whole months, ${FEWEST_MONTHS} at least`)
  return months
}

export const archiveCommands: readonly Command[] = [
  command({
    name: 'archive events',
    summary:
      'archive the notifications of old months to files, verify the files, and drop the months; run it as the owner of the database',
    options: {
      'keep-months': neededText('N', 'number of whole months, besides the present one, that stay in the database'),
      to: neededText('FOLDER', 'folder of the files: back it up like the database'),
    },
    irreversible: 'Merchants can no longer list the notifications of these months, nor can they be sent again.',
    run: async ({ options }, env, out) => {
      const months = monthsOf(options['keep-months'])
      const folder = resolve(options.to)
      const { databaseUrl } = loadConfig(env, 'cli')
      await requireMigrated(databaseUrl)
      const pool = createPool({ url: databaseUrl, max: 2, applicationName: 'bursar archive', statementMs: 3_600_000 })
      try {
        const { user, ownsTables } = await whoAmI(pool)
        if (!ownsTables)
          throw new Error(
            `DATABASE_URL logs in as ${user}: only the owner of the tables, such as bursar_owner, can drop a month`,
          )
        const db = createDb(pool)
        const at = new Date(Date.now() + (await readClockOffset(db)))
        await mkdir(folder, { recursive: true, mode: 0o700 })
        let count = 0
        await archiveEvents(db, {
          before: monthStart(at, -months),
          folder,
          at,
          report: ({ name, events, file, sha256 }) => {
            count += 1
            out.add(
              'archived',
              { name, events, file, sha256 },
              `${name}: ${events} notifications are in ${file}, sha256 ${sha256}`,
            )
          },
        })
        if (count === 0) out.say(`nothing is older than ${months} months`)
      } finally {
        await pool.end()
      }
    },
  }),
  command({
    name: 'archive list',
    summary: 'list archived months and their files',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const archives = (await listArchives(runtime.db)).map((archive) => ({ ...archive }))
        out.list('archives', archives, { none: 'no month was archived' })
      }),
  }),
]
