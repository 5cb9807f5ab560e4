import type { Environment } from '../installation/open.ts'
import type { Output } from './output.ts'

/** An option of a command: `--NAME` or `--NAME VALUE`. */
export interface Option<Value> {
  type: 'string' | 'boolean'
  /** the value's name in the usage; absent for a flag */
  shown?: string
  about: string
  /** the command is refused without it */
  isNeeded?: true
  /** may be given more than once */
  isRepeated?: true
  /** Converts the typed text to the value; undefined when the option was not given. Throws a UsageError. */
  read(typed: string | boolean | string[] | undefined, name: string): Value
}

export type Options = Readonly<Record<string, Option<unknown>>>

/** `--NAME`: a flag. */
export const flag = (about: string): Option<boolean> => ({ type: 'boolean', about, read: (typed) => typed === true })

/** `--NAME VALUE`: an optional value. */
export const text = (shown: string, about: string): Option<string | undefined> => ({
  type: 'string',
  shown,
  about,
  read: (typed) => (typeof typed === 'string' ? typed : undefined),
})

/** `--NAME VALUE`: a value with a default. */
export const textOr = (standard: string, shown: string, about: string): Option<string> => ({
  type: 'string',
  shown,
  about: `${about}; ${standard} when left out`,
  read: (typed) => (typeof typed === 'string' ? typed : standard),
})

/** `--NAME VALUE`: a required value. */
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

/** `--NAME VALUE`: may be repeated. */
export const texts = (shown: string, about: string): Option<readonly string[]> => ({
  type: 'string',
  shown,
  about: `${about}; can be given more than once`,
  isRepeated: true,
  read: (typed) => (Array.isArray(typed) ? typed : []),
})

/**
 * An argument as written in the usage: `ID` is required, `[ID]` is optional, `REASON...` joins all remaining words by
 * spaces. Only the last argument may be of the last form, and no required one follows an optional one.
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
  /** one line of the list of commands; it begins with a verb */
  summary: string
  args?: Words
  options?: Known
  /** further help: rules about options, an example */
  more?: string
  /**
   * For a command whose effect no other command reverses: one sentence about the effect. The operator must confirm it
   * by "yes", or by `--yes`.
   */
  irreversible?: string
  /** the command is a process that writes a log; it has no output and no `--json` */
  isProcess?: true
  /** Throws an Error whose message says what to do. */
  run(given: Given<Words, Known>, env: Environment, out: Output): Promise<void>
}

/** A command of `bursar`, as it is listed and run. */
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

/** Makes a command from its definition; the types of its arguments follow from the names in it. */
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
  // The dispatcher passes exactly the arguments and options that the definition names.
  run: (given, env, out) => definition.run(given as unknown as Given<Words, Known>, env, out),
})

/** The command line is wrong: the message is shown with the usage. */
export class UsageError extends Error {
  override name = 'UsageError'
}
