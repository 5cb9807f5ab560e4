import { withoutCardNumbers } from '../api/card-numbers.ts'

const SECRET = /key|secret|password|passphrase|token|seed/i
/** Names that only look like a secret's: they say which one. */
const NAMES_ONLY = /^(KEY_ID|keyId|purpose)$/
const LONGEST = 500

/**
 * What a person typed, as it may be kept: no secrets, no numbers of cards, nothing long. What was left out is not
 * there.
 */
export const keepable = (given: {
  args: Readonly<Record<string, string | undefined>>
  options: Readonly<Record<string, unknown>>
}): Record<string, unknown> =>
  Object.fromEntries(
    [
      ...Object.entries(given.args),
      ...Object.entries(given.options).map(([name, value]) => [`--${name}`, value] as const),
    ]
      .filter(
        ([, value]) =>
          value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
      )
      .map(([name, value]) => [name, SECRET.test(name) && !NAMES_ONLY.test(name) ? '***' : keepableValue(value)]),
  )

const keepableValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(keepableValue)
  return typeof value === 'string' ? withoutCardNumbers(value).slice(0, LONGEST) : value
}
