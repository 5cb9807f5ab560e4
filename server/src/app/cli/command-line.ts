/** Parses a command line against its command's definition. No other file parses words. */
import { parseArgs } from 'node:util'
import { similarWord } from '../../platform/base/similar.ts'
import { readArgument } from './argument-kinds.ts'
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

/** Whether `--help` or the like appears before `--`. */
export const asksForHelp = (words: readonly string[]): boolean => {
  const end = words.indexOf('--')
  return words.slice(0, end === -1 ? words.length : end).some((word) => word === '--help' || word === '-h')
}

type Parsed = Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>

/** The options of a command, and those that every command has. */
const optionsOf = (command: Command): Parsed => ({
  ...Object.fromEntries(
    Object.entries(command.options).map(([name, { type, isRepeated }]) => [
      name,
      { type, multiple: isRepeated === true },
    ]),
  ),
  ...(!command.isProcess && { json: { type: 'boolean' } as const }),
  ...(command.irreversible !== null && { yes: { type: 'boolean' } as const }),
})

/** A negative amount is an argument, not an option: it is marked by a character that no word can contain. */
const MARK = '\0'
const marked = (word: string): string => (/^-[\d.]/.test(word) ? `${MARK}${word}` : word)
const unmarked = <Value>(value: Value): Value =>
  typeof value === 'string' ? (value.replace(MARK, '') as Value) : value

export interface CommandLine {
  args: Record<string, string | undefined>
  options: Record<string, unknown>
  /** `--yes` was given */
  isConfirmed: boolean
  /** `--json` was given */
  asJson: boolean
}

/**
 * Parses the words after the command's name. @throws UsageError for an unknown option, a missing or superfluous value,
 * and too few or too many arguments
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
  if (typed.length > 0)
    throw new UsageError(`there are too many arguments, "${typed.join(' ')}": ${command.name} takes ${takes(command)}`)
  for (const [name, word] of Object.entries(args)) if (word !== undefined) args[name] = readArgument(name, word)
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [name, option.read(unmarkedValue(values[name]), name)]),
  )
  return { args, options, isConfirmed: values['yes'] === true, asJson: values['json'] === true }
}

const takes = ({ args }: Command): string => (args.length === 0 ? 'no arguments' : `only ${args.join(' ')}`)

type Typed = string | boolean | string[] | undefined
const unmarkedValue = (value: Typed): Typed => (Array.isArray(value) ? value.map(unmarked) : unmarked(value))

const parseWords = (
  command: Command,
  words: readonly string[],
): { values: Record<string, Typed>; positionals: string[] } => {
  const options = optionsOf(command)
  const config = { args: words.map(marked), options, allowPositionals: true }
  refuseUnknown(parseArgs({ ...config, strict: false, tokens: true }).tokens, options)
  try {
    const { values, positionals } = parseArgs({ ...config, strict: true })
    return { values: values as Record<string, Typed>, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/** Refuses options that the command does not have, and repetitions of an option that may be given once. */
const refuseUnknown = (tokens: readonly Token[], options: Parsed): void => {
  const typed = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    if (!Object.hasOwn(options, token.name)) {
      const similar = similarWord(token.name, Object.keys(options))
      throw new UsageError(
        `there is no option ${token.rawName}${similar === undefined ? '' : `; did you mean --${similar}?`}`,
      )
    }
    if (typed.has(token.name) && options[token.name]!.multiple !== true)
      throw new UsageError(`${token.rawName} is given twice`)
    typed.add(token.name)
  }
}

/** `merchant set MERCHANT_ID SETTING VALUE`, with its options. */
export const usageOf = ({ name, args, options, irreversible, isProcess }: Command): string =>
  [
    name,
    ...args,
    ...Object.entries(options).map(([option, { shown, isNeeded }]) => {
      const text = `--${option}${shown === undefined ? '' : ` ${shown}`}`
      return isNeeded === true ? text : `[${text}]`
    }),
    ...(isProcess ? [] : ['[--json]']),
    ...(irreversible === null ? [] : ['[--yes]']),
  ].join(' ')
