import type { Environment } from '../installation/open.ts'
import type { Output } from './output.ts'

/** An option of a command, as `--NAME` or `--NAME VALUE`. */
export interface Option<Value> {
  type: 'string' | 'boolean'
  /** how the value is called in the usage; absent on a flag */
  shown?: string
  about: string
  /** the command is refused without it */
  isNeeded?: true
  /** may be given more than once */
  isRepeated?: true
  /** Turns what was typed into the value, undefined when the option was not given. Throws a UsageError. */
  read(typed: string | boolean | string[] | undefined, name: string): Value
}

export type Options = Readonly<Record<string, Option<unknown>>>

/** `--NAME`: given or not. */
export const flag = (about: string): Option<boolean> => ({ type: 'boolean', about, read: (typed) => typed === true })

/** `--NAME VALUE`, which may be left out. */
export const text = (shown: string, about: string): Option<string | undefined> => ({
  type: 'string',
  shown,
  about,
  read: (typed) => (typeof typed === 'string' ? typed : undefined),
})

/** `--NAME VALUE`, with the value that is taken when it is left out. */
export const textOr = (standard: string, shown: string, about: string): Option<string> => ({
  type: 'string',
  shown,
  about: `${about}; ${standard} when left out`,
  read: (typed) => (typeof typed === 'string' ? typed : standard),
})

/** `--NAME VALUE`, without which the command is refused. */
export const neededText = (shown: string, about: string): Option<string> => ({
  type: 'string',
  shown,
  about,
  isNeeded: true,
  read: (typed, name) => {
    if (typeof typed !== 'string' || typed === '') throw new UsageError(`--${name} ${shown} is missing`)
    return typed
  },
})

/** `--NAME VALUE`, as often as wanted. */
export const texts = (shown: string, about: string): Option<readonly string[]> => ({
  type: 'string',
  shown,
  about: `${about}; can be given more than once`,
  isRepeated: true,
  read: (typed) => (Array.isArray(typed) ? typed : []),
})

/**
 * An argument as its name stands in the usage: `ID` is needed, `[ID]` may be left out, `REASON...` takes all words that
 * are left and joins them by spaces. Only the last may be of the last kind, and no needed one follows one that may be
 * left out.
 */
export type Argument = string

type NameOf<Word extends string> = Word extends `[${infer Name}...]` | `[${infer Name}]` | `${infer Name}...`
  ? Name extends `${infer Bare}...`
    ? Bare
    : Name
  : Word
type GivenArguments<Words extends readonly Argument[]> = {
  readonly [Word in Words[number] as NameOf<Word>]: Word extends `[${string}]` ? string | undefined : string
}
type GivenOptions<Known extends Options> = {
  readonly [Name in keyof Known]: Known[Name] extends Option<infer Value> ? Value : never
}

export interface Given<Words extends readonly Argument[], Known extends Options> {
  args: GivenArguments<Words>
  options: GivenOptions<Known>
}

interface Definition<Words extends readonly Argument[], Known extends Options> {
  /** as typed, such as `merchant create` */
  name: string
  /** one line of the list of commands, which begins with a verb */
  summary: string
  args?: Words
  options?: Known
  /** what else its help says: rules about options, an example */
  more?: string
  /**
   * Of a command whose effect no other command takes back: one sentence about the effect. It is asked for a "yes", or
   * `--yes`.
   */
  irreversible?: string
  /** It is a process that logs, and shows nothing: it takes no `--json` */
  isProcess?: true
  /** Throws an Error whose message says what to do. */
  run(given: Given<Words, Known>, env: Environment, out: Output): Promise<void>
}

/** One command of `bursar`, ready to be listed and run. */
export interface Command extends Required<
  Pick<Definition<readonly Argument[], Options>, 'name' | 'summary' | 'args' | 'options'>
> {
  more: string | null
  irreversible: string | null
  isProcess: boolean
  run(
    given: { args: Readonly<Record<string, string | undefined>>; options: Readonly<Record<string, unknown>> },
    env: Environment,
    out: Output,
  ): Promise<void>
}

/** Makes a command of its table row; what it takes is typed by what the row names. */
export const command = <
  const Words extends readonly Argument[] = readonly [],
  Known extends Options = Record<string, never>,
>(
  definition: Definition<Words, Known>,
): Command => ({
  name: definition.name,
  summary: definition.summary,
  args: definition.args ?? [],
  options: definition.options ?? {},
  more: definition.more ?? null,
  irreversible: definition.irreversible ?? null,
  isProcess: definition.isProcess ?? false,
  // The dispatcher hands over exactly what `args` and `options` name.
  run: (given, env, out) => definition.run(given as unknown as Given<Words, Known>, env, out),
})

/** A command was typed wrongly: the message is shown with the usage. */
export class UsageError extends Error {
  override name = 'UsageError'
}
