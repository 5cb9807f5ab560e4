import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/**
 * Formats variables for an environment file. systemd, a shell and Node read it alike: each value is in single quotes.
 * @throws RangeError for a value with a quote or a line break
 */
export const environmentFile = (variables: Readonly<Record<string, string | undefined>>): string => {
  const lines = Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (/['\n\r]/.test(value)) throw new RangeError(`the value of ${name} has a quote or a line break`)
    return [`${name}='${value}'\n`]
  })
  return lines.join('')
}

/** Reads an environment file. */
export const readEnvironmentFile = (path: string): Record<string, string | undefined> =>
  parseEnv(readFileSync(path, 'utf8'))
