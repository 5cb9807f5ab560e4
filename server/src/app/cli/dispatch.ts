/** Finds the command of a command line, and runs it, or shows its help, or says how it was typed wrongly. */
import { createInterface } from 'node:readline/promises'
import { ConfigError } from '../../platform/config/config.ts'
import { UsageError, type Command } from './command.ts'
import { asksForHelp, readCommandLine, usageOf } from './command-line.ts'
import { helpOf, overview } from './help.ts'
import type { Environment } from '../installation/open.ts'
import { runRecorded } from './recording.ts'

/** Asks a person, who answers in a line. */
export type Ask = (question: string) => Promise<string>

/** Null when no person sits at the terminal. */
const terminal = (): Ask | null => {
  if (!process.stdin.isTTY) return null
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    try {
      return await lines.question(question)
    } finally {
      lines.close()
    }
  }
}

/**
 * Runs one command line. @returns the exit code: 0 done, 1 it failed or found something wrong, 2 it was typed wrongly
 */
export const dispatch = async (
  commands: readonly Command[],
  words: readonly string[],
  env: Environment,
  ask: Ask | null = terminal(),
): Promise<number> => {
  const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const wantsHelp = asksForHelp(asked) || words.length === 0
  const found = findCommand(commands, asked)
  if (found === undefined) return unknown(commands, asked, wantsHelp)
  if (wantsHelp) return say(helpOf(found.command))
  return run(found.command, found.rest, env, ask)
}

/** The command with the longest name that the words begin with. */
const findCommand = (
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: readonly string[] } | undefined => {
  const begins = ({ name }: Command): boolean => name.split(' ').every((part, at) => words[at] === part)
  const [command] = commands.filter(begins).toSorted((a, b) => b.name.split(' ').length - a.name.split(' ').length)
  return command && { command, rest: words.slice(command.name.split(' ').length) }
}

const say = (text: string): 0 => {
  process.stdout.write(`${text}\n`)
  return 0
}

/** Lists the family that was named, or everything; whichever party asked for help has not typed anything wrongly. */
const unknown = (commands: readonly Command[], words: readonly string[], wantsHelp: boolean): number => {
  const [first] = words.filter((word) => !word.startsWith('-'))
  const family = commands.filter(({ name }) => name.split(' ')[0] === first)
  const list = overview(family.length > 0 ? family : commands)
  if (wantsHelp && (first === undefined || family.length > 0)) return say(list)
  const typed = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ')
  process.stderr.write(
    `${family.length > 0 && typed === first ? '' : `bursar: there is no command "${typed || words.join(' ')}"\n`}${list}\n`,
  )
  return 2
}

const run = async (command: Command, words: readonly string[], env: Environment, ask: Ask | null): Promise<number> => {
  const before = process.exitCode
  try {
    // A command that did its work and found something wrong sets it: the caller takes the exit code from here alone.
    process.exitCode = 0
    const { args, options, isConfirmed } = readCommandLine(command, words)
    if (command.irreversible !== null && !isConfirmed) await confirm(command.irreversible, ask)
    await runRecorded(command, { args, options }, env)
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const usage = error instanceof UsageError
    const text = error instanceof ConfigError || error instanceof Error ? error.message : String(error)
    process.stderr.write(`bursar: ${text}\n${usage ? `usage: bursar ${usageOf(command)}\n` : ''}`)
    return usage ? 2 : 1
  } finally {
    process.exitCode = before
  }
}

const confirm = async (effect: string, ask: Ask | null): Promise<void> => {
  if (ask === null) throw new UsageError(`${effect} This can't be undone: confirm it with --yes`)
  const answer = await ask(`${effect} This can't be undone. Type "yes" to go on: `)
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('nothing was done')
}
