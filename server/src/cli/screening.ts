import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { isUuid } from '../base/id.ts'
import { inTransaction } from '../db/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { ageInDays, decide, findScreeningById, importList, listLists, listOpen, readListFile } from '../screening/index.ts'
import { print, UsageError, type Command } from './command.ts'
import { needed, withInstallation } from './merchant.ts'
import { printTable } from './table.ts'

const MOST_LISTED = 1_000

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
      await withInstallation(env, async ({ runtime }) => {
        const outcome = await inTransaction(runtime.db, (tx) => importList(tx, { ...file, date }, values.force, momentOf(runtime)))
        print(outcome === 'unchanged' ? `${file.source} of ${date} is in force already` : `${file.source} of ${date} is in force: ${file.entries.length} addresses`)
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
  {
    name: 'screening list',
    usage: 'screening list',
    summary: 'show deposits and withdrawals that were found risky and await a decision, or that nobody has judged for too long',
    run: async (_args, env) =>
      withInstallation(env, async ({ runtime }) => {
        const open = await listOpen(runtime.db, MOST_LISTED)
        print(open.map(({ id, merchantId, kind, subjectId, state, subject, report, problem, createdAt }) => ({
          id, merchantId, kind, subjectId, state, ...subject, riskScore: report?.riskScore ?? null, flags: report?.flags ?? [], problem, since: createdAt.toISOString(),
        })))
      }),
  },
  {
    name: 'screening release',
    usage: 'screening release ID',
    summary: 'note that a risky one, as screening list shows it, has been looked at and may be',
    run: async ([given], env) => {
      const id = needed(given, 'ID').toLowerCase()
      if (!isUuid(id)) throw new UsageError('ID is a UUID: bursar screening list shows it')
      await withInstallation(env, async ({ runtime }) => {
        const decided = await inTransaction(runtime.db, async (tx) => {
          const screening = await findScreeningById(tx, id)
          return screening && decide(tx, screening, 'released', momentOf(runtime))
        })
        if (!decided) throw new Error('it is not risky, or somebody has decided: bursar screening list')
        print('released')
      })
    },
  },
]
