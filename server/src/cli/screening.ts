import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { inTransaction } from '../db/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { ageInDays, importList, listLists, readListFile, screenAgain } from '../screening/index.ts'
import { halt } from '../withdrawals/index.ts'
import { print, UsageError, type Command } from './command.ts'
import { needed, withInstallation } from './merchant.ts'
import { screeningDecisions } from './screening-decisions.ts'
import { printTable } from './table.ts'

/** Where the installation screens nothing now, but did. */
const STANDARD_RESCREEN_MS = 90 * 86_400_000

export const screeningCommands: readonly Command[] = [
  {
    name: 'screening import',
    usage: 'screening import [--date YYYY-MM-DD] [--force] FILE',
    summary: "put a sanctions list in force: OFAC's sdn.xml or sdn_advanced.xml, or a sanctioned_addresses_ASSET.txt or .json",
    run: async (args, env) => {
      const { values, positionals } = parseArgs({ args: [...args], options: { date: { type: 'string' }, force: { type: 'boolean', default: false } }, allowPositionals: true })
      const path = needed(positionals[0], 'FILE')
      const { date: said } = values
      if (said !== undefined && (!/^\d{4}-\d\d-\d\d$/.test(said) || Number.isNaN(Date.parse(said)))) throw new UsageError('--date is YYYY-MM-DD')
      const file = await readListFile(path, createReadStream(path))
      const date = file.date ?? said
      if (date === undefined) throw new UsageError('the file does not say when it was published: give --date')
      await withInstallation(env, async ({ runtime, config }) => {
        const deps = { windowMs: config.screening?.rules.rescreenMs ?? STANDARD_RESCREEN_MS, halt }
        const again = await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          const outcome = await importList(tx, { ...file, date }, values.force, moment)
          return outcome === 'unchanged' ? undefined : screenAgain(tx, file.source, deps, moment)
        })
        if (!again) return print(`${file.source} of ${date} is in force already`)
        print(`${file.source} of ${date} is in force: ${file.entries.length} addresses`)
        const { halted, found } = again
        if (halted + found > 0) print(`new on it: destinations of ${halted} withdrawals, which stopped to be judged again; ${found} deposits and withdrawals of before: bursar screening list`)
      })
    },
  },
  {
    name: 'screening lists',
    usage: 'screening lists',
    summary: 'show the versions of sanctions lists, their age and which are in force',
    run: async (_args, env) =>
      withInstallation(env, async ({ runtime }) => {
        const { at } = momentOf(runtime)
        const lists = await listLists(runtime.db)
        if (lists.length === 0) print('no list has been imported: bursar screening import')
        else printTable(['list', 'published', 'age days', 'addresses', 'in force', 'sha256'], lists.map((list) => [list.source, list.published, String(ageInDays(list, at)), String(list.entries), list.current ? 'yes' : 'no', list.sha256.slice(0, 16)]))
      }),
  },
  ...screeningDecisions,
]
