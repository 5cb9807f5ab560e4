/** Commands of `bursar` in this process, as an operator types them, with the time of the simulation. */
import { claimCommands } from '../../../server/src/app/cli/claims.ts'
import { coldCommands } from '../../../server/src/app/cli/cold.ts'
import type { Command } from '../../../server/src/app/cli/command.ts'
import { readCommandLine } from '../../../server/src/app/cli/command-line.ts'
import { hedgingCommands } from '../../../server/src/app/cli/hedging.ts'
import { moneyCommands } from '../../../server/src/app/cli/money.ts'
import { createJsonOutput } from '../../../server/src/app/cli/output.ts'
import { screeningCommands } from '../../../server/src/app/cli/screening.ts'

/** What a command printed with `--json`, or why it failed. */
export type Printed = { printed: Readonly<Record<string, unknown>> } | { failure: string }

/**
 * Types a command.
 * @param words its arguments and options
 */
export type Operate = (name: string, ...words: string[]) => Promise<Printed>

const COMMANDS: readonly Command[] = [
  ...claimCommands,
  ...coldCommands,
  ...hedgingCommands,
  ...moneyCommands,
  ...screeningCommands,
]

/** @param env as of the roles */
export const createOperator =
  (env: Record<string, string>): Operate =>
  async (name, ...words) => {
    const command = COMMANDS.find((one) => one.name === name)
    if (command === undefined) throw new RangeError(`there is no command ${name} here`)
    const { args, options } = readCommandLine(command, words)
    let written = ''
    const out = createJsonOutput((text) => {
      written += text
    })
    try {
      await command.run({ args, options }, env, out)
    } catch (error) {
      return { failure: (error as Error).message }
    }
    out.end()
    return { printed: JSON.parse(written) as Readonly<Record<string, unknown>> }
  }
