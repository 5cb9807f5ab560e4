/** A bitcoind that runs on this machine. */
import { spawnSync } from 'node:child_process'

export interface BitcoindProgram {
  readonly file: string
  /** Come before bitcoind's own arguments: a program with its own libraries is run through its own loader. */
  readonly leadingArguments: readonly string[]
  /** bitcoind's first line of `-version`. */
  readonly version: string
  /** Bitcoin Knots has policies of its own, and an option to use Bitcoin Core's. */
  readonly isKnots: boolean
  /** Where it was found, for messages. */
  readonly source: string
}

/** Asks the program for its version. Returns why it does not run, as a string, when it doesn't. */
export function tryProgram(
  file: string,
  leadingArguments: readonly string[],
  source: string,
): BitcoindProgram | string {
  const run = spawnSync(file, [...leadingArguments, '-version'], { encoding: 'utf8', timeout: 20_000 })
  const version = run.stdout?.split('\n')[0]?.trim() ?? ''
  if (run.status === 0 && /^Bitcoin .*version/.test(version)) {
    return { file, leadingArguments, version, isKnots: /knots/i.test(version), source }
  }
  const why = run.error?.message ?? (run.stderr.trim().split('\n')[0] || `it is not bitcoind: ${version}`)
  return `${source} does not run: ${why}`
}
