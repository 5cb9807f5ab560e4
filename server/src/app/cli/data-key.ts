import { inTransaction } from '../../platform/db/index.ts'
import { countSealedKeys, resealAdditionalKeys, resealKeys } from '../../merchants/accounts/index.ts'
import { countSealedEndpoints, resealEndpoints } from '../../merchants/webhooks/index.ts'
import { countSealedSeeds, resealSeeds } from '../../people/access/index.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { command, type Command } from './command.ts'
import type { Output } from './output.ts'
import { withInstallation, type Opened } from '../installation/open.ts'

const PAGE = 500
/** The name of a key in the prefix of the values that it seals. */
export const nameIn = (prefix: string): string => prefix.slice(3, -1)

/** Less than every id. */
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Counts the secrets of merchants and of one-time codes that each key seals, by the prefix of its values. */
export const countSealed = async (db: Opened['runtime']['db']): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for (const { prefix, count } of [
    ...(await countSealedKeys(db)),
    ...(await countSealedSeeds(db)),
    ...(await countSealedEndpoints(db)),
  ])
    counts.set(prefix, (counts.get(prefix) ?? 0) + count)
  return counts
}

/** @returns the number of values sealed with an older key or with a missing one */
const printKeys = async ({ config, runtime }: Opened, out: Output): Promise<{ older: number; lost: number }> => {
  const prefixes = config.dataKeys.map((key) => createSecretRing([key]).newest)
  const sealed = await countSealed(runtime.db)
  const countOf = (prefix: string): number => sealed.get(prefix) ?? 0
  prefixes.forEach((prefix, at) =>
    out.add(
      'keys',
      { key: nameIn(prefix), isNewest: at === 0, isInFile: true, encrypts: countOf(prefix) },
      `data key ${nameIn(prefix)}${at === 0 ? ', the newest' : ''}: encrypts ${countOf(prefix)} secret(s)`,
    ),
  )
  const missing = [...sealed].filter(([prefix]) => !prefixes.includes(prefix))
  for (const [prefix, count] of missing)
    out.add(
      'keys',
      { key: nameIn(prefix), isNewest: false, isInFile: false, encrypts: count },
      `data key ${nameIn(prefix)} is missing from the file: ${count} secret(s) can't be read`,
    )
  return {
    older: prefixes.slice(1).reduce((sum, prefix) => sum + countOf(prefix), 0),
    lost: missing.reduce((sum, [, count]) => sum + count, 0),
  }
}

export const dataKeyCommands: readonly Command[] = [
  command({
    name: 'data-key',
    summary: 'list the data keys of the file, and the number of values that each encrypts',
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const { older, lost } = await printKeys(opened, out)
        if (older > 0) out.say('`bursar data-key reseal` encrypts the values of older keys with the newest key')
        if (lost > 0) process.exitCode = 1
      }),
  }),
  command({
    name: 'data-key reseal',
    summary: 'encrypt everything that an older data key encrypts with the newest key',
    more: "First give the new file to every process: a process without the newest key can't read values encrypted with it. See docs/operating/data-key.md.",
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const ring = createSecretRing(opened.config.dataKeys)
        let resealed = 0
        for (const reseal of [resealKeys, resealAdditionalKeys, resealEndpoints, resealSeeds])
          for (let after: string | undefined = FIRST; after !== undefined;) {
            const from: string = after
            const page = await inTransaction(opened.runtime.db, (tx) => reseal(tx, ring, from, PAGE))
            resealed += page.resealed
            after = page.last
          }
        out.say(`encrypted ${resealed} secret(s) with the newest data key`)
        const { lost } = await printKeys(opened, out)
        if (lost > 0) process.exitCode = 1
      }),
  }),
]
