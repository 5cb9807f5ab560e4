import { inTransaction } from '../../platform/db/index.ts'
import { countSealedKeys, resealKeys } from '../../merchants/accounts/index.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { command, print, type Command } from './command.ts'
import { withInstallation, type Opened } from '../installation/open.ts'

const PAGE = 500
/** Before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000'

/** @returns how many values are sealed with an older key or one that is missing */
const printKeys = async ({ config, runtime }: Opened): Promise<{ older: number; lost: number }> => {
  const prefixes = config.dataKeys.map((key) => createSecretRing([key]).newest)
  const sealed = await countSealedKeys(runtime.db)
  const countOf = (prefix: string): number => sealed.find((one) => one.prefix === prefix)?.count ?? 0
  prefixes.forEach((prefix, at) =>
    print(
      `data key ${prefix.slice(3, -1)}${at === 0 ? ', the newest' : ''}: seals ${countOf(prefix)} key(s) of merchants`,
    ),
  )
  const missing = sealed.filter(({ prefix }) => !prefixes.includes(prefix))
  for (const { prefix, count } of missing)
    print(`data key ${prefix.slice(3, -1)} is missing from the file: ${count} key(s) of merchants can't be read`)
  return {
    older: prefixes.slice(1).reduce((sum, prefix) => sum + countOf(prefix), 0),
    lost: missing.reduce((sum, { count }) => sum + count, 0),
  }
}

export const dataKeyCommands: readonly Command[] = [
  command({
    name: 'data-key',
    summary: 'list the data keys of the file, and how much each still encrypts',
    run: async (_given, env) =>
      withInstallation(env, async (opened) => {
        const { older, lost } = await printKeys(opened)
        if (older > 0) print('`bursar data-key reseal` seals it with the newest')
        if (lost > 0) process.exitCode = 1
      }),
  }),
  command({
    name: 'data-key reseal',
    summary: 'encrypt everything that an older data key encrypts with the newest key',
    more: 'Every process has the new file by then: one that lacks the newest key could not read what is sealed with it. See docs/operating/data-key.md.',
    run: async (_given, env) =>
      withInstallation(env, async (opened) => {
        const ring = createSecretRing(opened.config.dataKeys)
        let resealed = 0
        for (let after: string | undefined = FIRST; after !== undefined;) {
          const from: string = after
          const page = await inTransaction(opened.runtime.db, (tx) => resealKeys(tx, ring, from, PAGE))
          resealed += page.resealed
          after = page.last
        }
        print(`sealed ${resealed} key(s) of merchants anew`)
        const { lost } = await printKeys(opened)
        if (lost > 0) process.exitCode = 1
      }),
  }),
]
