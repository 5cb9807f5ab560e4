/** Finds and runs the command of a command line, or shows help, or explains the error in the command line. */
import { VERSION } from '../../platform/process/version.ts'
import { createInterface } from 'node:readline/promises'
import { similarWord } from '../../platform/base/similar.ts'
import type { Environment } from '../installation/open.ts'
import { UsageError, type Command } from './command.ts'
import { asksForHelp, readCommandLine, usageOf } from './command-line.ts'
import { familyList, helpOf, overview, type Topic } from './help.ts'
import { createJsonOutput, createTextOutput } from './output.ts'
import { runRecorded } from './recording.ts'

/** Asks the operator a question; returns one line. */
export type Ask = (question: string) => Promise<string>

/** Null when the terminal is not interactive. */
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

/** Runs one command line. @returns the exit code: 0 success, 1 failed or found a problem, 2 wrong usage */
export const dispatch = async (
  topics: readonly Topic[],
  words: readonly string[],
  env: Environment,
  ask: Ask | null = terminal(),
): Promise<number> => {
  if (words[0] === '--version') return say(`bursar ${VERSION}`)
  const commands = topics.flatMap((topic) => topic.commands)
  const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const wantsHelp = asksForHelp(asked) || words.length === 0
  const found = findCommand(commands, asked)
  if (found !== undefined) {
    if (wantsHelp) return say(helpOf(found.command, membersOf(commands, found.command.name)))
    return run(commands, found, env, ask)
  }
  const named = asked.filter((word) => !word.startsWith('-'))
  const family = named[0] === undefined ? [] : membersOf(commands, named[0])
  if (wantsHelp && named.length === 0) return say(overview(topics))
  if (wantsHelp && named.length === 1 && family.length > 0) return say(familyList(family))
  return refuse(commands, named, family, asked)
}

interface Found {
  command: Command
  rest: readonly string[]
}

/** Finds the command with the longest name that the words begin with. */
const findCommand = (commands: readonly Command[], words: readonly string[]): Found | undefined => {
  const begins = ({ name }: Command): boolean => name.split(' ').every((part, at) => words[at] === part)
  const [command] = commands.filter(begins).toSorted((a, b) => b.name.split(' ').length - a.name.split(' ').length)
  return command && { command, rest: words.slice(command.name.split(' ').length) }
}

/** Returns the commands whose names begin with this one. */
const membersOf = (commands: readonly Command[], name: string): Command[] =>
  commands.filter((one) => one.name.startsWith(`${name} `))

const say = (text: string): 0 => {
  process.stdout.write(`${text}\n`)
  return 0
}

/** Handles words that name no command: suggests the likely one, or lists the existing ones. */
const refuse = (
  commands: readonly Command[],
  named: readonly string[],
  family: readonly Command[],
  typed: readonly string[],
): 2 => {
  const lines: string[] = []
  if (family.length === 0 || named.length > 1) {
    lines.push(`bursar: there is no command "${named.slice(0, 2).join(' ') || typed.join(' ')}"`)
    const meant = similarCommand(commands, named)
    if (meant !== undefined) lines.push(`Did you mean "bursar ${meant}"?`)
  }
  lines.push(family.length > 0 ? familyList(family) : '"bursar help" lists the commands.')
  process.stderr.write(`${lines.join('\n')}\n`)
  return 2
}

/** A command or group with a name similar to the typed one. */
const similarCommand = (commands: readonly Command[], named: readonly string[]): string | undefined => {
  const names = commands.map(({ name }) => name)
  const groups = names.map((name) => name.split(' ')[0]!)
  return similarWord(named.slice(0, 2).join(' '), names) ?? similarWord(named[0] ?? '', [...names, ...groups])
}

const run = async (
  commands: readonly Command[],
  { command, rest }: Found,
  env: Environment,
  ask: Ask | null,
): Promise<number> => {
  const before = process.exitCode
  try {
    // A command that succeeded but found a problem sets it. The exit code of the process comes only from this value.
    process.exitCode = 0
    const { args, options, isConfirmed, asJson } = readCommandLine(command, rest)
    if (command.irreversible !== null && !isConfirmed) await confirm(command.irreversible, ask)
    const out = asJson ? createJsonOutput() : createTextOutput()
    await runRecorded(command, { args, options }, env, out)
    out.end()
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const lines = [`bursar: ${error instanceof Error ? error.message : String(error)}`]
    if (!(error instanceof UsageError)) return fail(lines, 1)
    // For `position lmit BTC 1 1`, the found command is `position`.
    const meant = similarWord(
      `${command.name} ${rest[0] ?? ''}`,
      membersOf(commands, command.name).map(({ name }) => name),
    )
    if (meant !== undefined) lines.push(`Did you mean "bursar ${meant}"?`)
    return fail([...lines, `usage: bursar ${usageOf(command)}`], 2)
  } finally {
    process.exitCode = before
  }
}

const fail = (lines: readonly string[], code: number): number => {
  process.stderr.write(`${lines.join('\n')}\n`)
  return code
}

const confirm = async (effect: string, ask: Ask | null): Promise<void> => {
  if (ask === null) throw new UsageError(`${effect} This can't be undone: confirm it with --yes`)
  const answer = await ask(`${effect} This can't be undone. Type "yes" to go on: `)
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('nothing was done')
}
