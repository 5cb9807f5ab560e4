import type { Environment } from './open.ts'

/** One command of `bursar`. Throws an Error whose message says what to do. */
export interface Command {
  /** as typed, such as `merchant create` */
  name: string
  usage: string
  summary: string
  run(args: readonly string[], env: Environment): Promise<void>
}

/** A command was typed wrongly: the message is shown with the usage. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export const print = (value: unknown): void => {
  process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`)
}
