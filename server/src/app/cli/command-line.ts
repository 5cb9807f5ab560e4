/** Reads a command line against the table row of its command: the only place that parses words. */
import { parseArgs } from 'node:util'
import { UsageError, type Argument, type Command } from './command.ts'

interface Place {
  name: string
  isNeeded: boolean
  takesRest: boolean
}

export const placeOf = (argument: Argument): Place => {
  const inner = argument.replace(/^\[(.*)\]$/, '$1')
  return { name: inner.replace(/\.\.\.$/, ''), isNeeded: inner === argument, takesRest: inner.endsWith('...') }
}

/** Whether help is asked for: anywhere before `--`. */
export const asksForHelp = (words: readonly string[]): boolean => {
  const end = words.indexOf('--')
  return words.slice(0, end === -1 ? words.length : end).some((word) => word === '--help' || word === '-h')
}

/** What takes `--yes` has it in its usage, too. */
const optionsOf = (command: Command): Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> => ({
  ...Object.fromEntries(
    Object.entries(command.options).map(([name, { type, isRepeated }]) => [
      name,
      { type, multiple: isRepeated === true },
    ]),
  ),
  ...(command.irreversible !== null && { yes: { type: 'boolean' } as const }),
})

/** An amount below zero is an argument, not an option: it is marked by a character that no word can hold. */
const MARK = '\0'
const marked = (word: string): string => (/^-[\d.]/.test(word) ? `${MARK}${word}` : word)
const unmarked = <Value>(value: Value): Value =>
  typeof value === 'string' ? (value.replace(MARK, '') as Value) : value

export interface CommandLine {
  args: Record<string, string | undefined>
  options: Record<string, unknown>
  /** `--yes` was given */
  isConfirmed: boolean
}

/**
 * @throws UsageError for an unknown option, a value that is missing or one too many, and an argument too few or too
 * many
 */
export const readCommandLine = (command: Command, words: readonly string[]): CommandLine => {
  const { values, positionals } = parseWords(command, words)
  const typed = positionals.map(unmarked)
  const args: Record<string, string | undefined> = {}
  for (const argument of command.args) {
    const { name, isNeeded, takesRest } = placeOf(argument)
    const word = takesRest ? typed.splice(0).join(' ') : typed.shift()
    if (isNeeded && (word === undefined || word === '')) throw new UsageError(`${name} is missing`)
    args[name] = word === '' ? undefined : word
  }
  if (typed.length > 0) throw new UsageError(`nothing is expected where "${typed.join(' ')}" stands`)
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [name, option.read(unmarkedValue(values[name]), name)]),
  )
  return { args, options, isConfirmed: values['yes'] === true }
}

type Typed = string | boolean | string[] | undefined
const unmarkedValue = (value: Typed): Typed => (Array.isArray(value) ? value.map(unmarked) : unmarked(value))

const parseWords = (
  command: Command,
  words: readonly string[],
): { values: Record<string, Typed>; positionals: string[] } => {
  try {
    const { values, positionals } = parseArgs({
      args: words.map(marked),
      options: optionsOf(command),
      allowPositionals: true,
      strict: true,
    })
    return { values: values as Record<string, Typed>, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

/** `merchant set MERCHANT_ID SETTING VALUE`, with its options. */
export const usageOf = ({ name, args, options, irreversible }: Command): string =>
  [
    name,
    ...args,
    ...Object.entries(options).map(([option, { shown }]) => `[--${option}${shown === undefined ? '' : ` ${shown}`}]`),
    ...(irreversible === null ? [] : ['[--yes]']),
  ].join(' ')
