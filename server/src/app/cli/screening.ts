import { createReadStream } from 'node:fs'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { ageInDays, importList, listLists, readListFile, screenAgain } from '../../risk/screening/index.ts'
import { halt } from '../../pay-out/withdrawals/index.ts'
import { command, flag, text, UsageError, type Command } from './command.ts'
import { screeningDecisions } from './screening-decisions.ts'
import { withInstallation } from '../installation/open.ts'

/** Used when the installation screened before, but does not now. */
const STANDARD_RESCREEN_MS = 90 * 86_400_000

export const screeningCommands: readonly Command[] = [
  command({
    name: 'screening import',
    summary:
      "put a sanctions list in force: OFAC's sdn.xml or sdn_advanced.xml, or a sanctioned_addresses_ASSET.txt or .json",
    args: ['FILE'],
    options: {
      date: text('YYYY-MM-DD', 'the day on which it was published, if the file does not state it'),
      force: flag('import the list also if it is older or much shorter than the one in force'),
    },
    run: async ({ args: { FILE: path }, options: { date: said, force } }, env, out) => {
      if (said !== undefined && (!/^\d{4}-\d\d-\d\d$/.test(said) || Number.isNaN(Date.parse(said))))
        throw new UsageError('--date is YYYY-MM-DD')
      const file = await readListFile(path, createReadStream(path))
      const date = file.date ?? said
      if (date === undefined) throw new UsageError('the file states no date of publication: give --date')
      await withInstallation(env, async ({ runtime, config }) => {
        const deps = { windowMs: config.screening?.rules.rescreenMs ?? STANDARD_RESCREEN_MS, halt }
        const again = await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          const outcome = await importList(tx, { ...file, date }, force, moment)
          return outcome === 'unchanged' ? undefined : screenAgain(tx, file.source, deps, moment)
        })
        if (!again) return out.say(`${file.source} of ${date} is in force already`)
        out.say(`${file.source} of ${date} is in force: ${file.entries.length} addresses`)
        const { halted, found } = again
        if (halted + found > 0)
          out.say(
            `newly listed: destinations of ${halted} withdrawals, which wait until they are screened again; addresses of ${found} earlier deposits and withdrawals, see bursar screening list`,
          )
      })
    },
  }),
  command({
    name: 'screening lists',
    summary: 'show the versions of sanctions lists, their age and which are in force',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const { at } = momentOf(runtime)
        const lists = await listLists(runtime.db)
        const rows = lists.map((list) => ({
          list: list.source,
          published: list.published,
          ageDays: ageInDays(list, at),
          addresses: list.entries,
          inForce: list.current,
          sha256: list.sha256,
        }))
        out.list('lists', rows, { none: 'no list has been imported: bursar screening import' })
      }),
  }),
  ...screeningDecisions,
]
