import { ConfigError } from '../platform/config.ts'
import { acquirerCommands } from './acquirers.ts'
import { booksCommands } from './books.ts'
import { cardPayoutCommands } from './card-payouts.ts'
import { claimCommands } from './claims.ts'
import { coldCommands } from './cold.ts'
import { costCommands } from './costs.ts'
import { UsageError, type Command } from './command.ts'
import { doctorCommand } from './doctor.ts'
import { eventCommands } from './events.ts'
import { merchantCommands } from './merchant.ts'
import { exchangeCommands } from './exchange.ts'
import { hedgingCommands } from './hedging.ts'
import { moneyCommands } from './money.ts'
import { reserveCommands } from './reserves.ts'
import { runCommands } from './run.ts'
import { screeningCommands } from './screening.ts'
import { treasuryCommand } from './treasury.ts'
import { tronCommands } from './tron.ts'
import type { Environment } from './open.ts'

const commands: readonly Command[] = [
  ...runCommands, ...merchantCommands, ...booksCommands, ...acquirerCommands, ...costCommands, ...coldCommands, treasuryCommand, ...tronCommands, ...reserveCommands, ...moneyCommands, ...claimCommands, ...cardPayoutCommands, ...eventCommands, ...exchangeCommands, ...hedgingCommands, ...screeningCommands, doctorCommand,
]

const overview = (): string => {
  const width = Math.max(...commands.map((command) => command.usage.length))
  return ['usage: bursar COMMAND', '', ...commands.map((c) => `  ${c.usage.padEnd(width)}  ${c.summary}`)].join('\n')
}

/** Runs one command line. @returns the exit code: 0 done, 1 it failed or found something wrong, 2 it was typed wrongly */
export const runCommand = async (args: readonly string[], env: Environment): Promise<number> => {
  const command = commands.find(({ name }) => args.slice(0, name.split(' ').length).join(' ') === name)
  if (!command) {
    process.stderr.write(`${overview()}\n`)
    return args.length === 0 || args[0] === 'help' || args[0] === '--help' ? 0 : 2
  }
  const before = process.exitCode
  try {
    // A command that did its work and found something wrong sets it: whoever runs us takes the exit code from here alone.
    process.exitCode = 0
    await command.run(args.slice(command.name.split(' ').length), env)
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const usage = error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
    const text = error instanceof ConfigError || error instanceof Error ? error.message : String(error)
    process.stderr.write(`bursar: ${text}\n${usage ? `usage: bursar ${command.usage}\n` : ''}`)
    return usage ? 2 : 1
  } finally {
    process.exitCode = before
  }
}
