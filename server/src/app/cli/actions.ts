import { findBrokenAction, headOfActions, listActions } from '../../platform/operators/index.ts'
import { command, text, textOr, UsageError, type Command } from './command.ts'
import type { Fields } from './output.ts'
import { withInstallation } from '../installation/open.ts'

/** ` MERCHANT_ID=ID --overlap-hours=0`; a value with spaces in quotes. */
const argumentsText = (given: Fields): string =>
  Object.entries(given)
    .map(([name, value]) => {
      const text = Array.isArray(value)
        ? value.join(',')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value)
      return ` ${name}=${/\s/.test(text) ? JSON.stringify(text) : text}`
    })
    .join('')

export const actionCommands: readonly Command[] = [
  command({
    name: 'actions',
    summary: "list operators' commands with login, machine, time and outcome",
    options: {
      command: text('COMMAND', 'only of this command, or of those that begin with this word'),
      most: textOr('100', 'N', 'rows'),
    },
    more: 'One row is written before a command begins, and one when it ends. Each row contains the hash of the row before it. The last line of the output shows the result of the check of all hashes.',
    run: async ({ options }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        if (!/^[1-9]\d{0,5}$/.test(options.most)) throw new UsageError('--most is a whole number from 1')
        for (const {
          at,
          login,
          host,
          databaseUser,
          command: name,
          arguments: given,
          outcome,
          message,
        } of await listActions(runtime.db, { most: Number(options.most), command: options.command ?? null })) {
          out.add(
            'actions',
            { at, login, host, databaseUser, command: name, arguments: given as Fields, outcome, message },
            `${at.toISOString()} ${login}@${host} (${databaseUser}) ${name}${argumentsText(given as Fields)}: ${outcome}${message === null ? '' : `: ${message}`}`,
          )
        }
        const [broken, head] = [await findBrokenAction(runtime.db), await headOfActions(runtime.db)]
        out.show({ head: head === null ? null : { ...head }, brokenRow: broken }, [])
        if (broken === null)
          return out.say(
            head === null
              ? 'nothing is recorded'
              : `${head.number} row(s), each with the hash of the row before it; head ${head.hash}`,
          )
        out.say(`row ${broken} was changed or removed, or does not have the hash of the row before it`)
        process.exitCode = 1
      }),
  }),
]
