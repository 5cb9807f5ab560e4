import { withoutCardNumbers } from '../api/card-numbers.ts'

const SECRET = /key|secret|password|passphrase|token|seed/i
/** Names that match SECRET but contain no secret: they only identify one. */
const NAMES_ONLY = /^(KEY_ID|keyId|purpose)$/
const LONGEST = 500
/** The record can not be changed, so an address in it could never be erased. */
const EMAIL = /[^\s@"'<>(),;]{1,64}@[^\s@"'<>(),;]{1,190}\.[^\s@"'<>(),;.]{2,63}/g

/**
 * Arguments and options of a command in the form in which they are stored: without secrets, card numbers, e-mail
 * addresses, long texts and options that were not given.
 */
export const redactArguments = (given: {
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
      .map(([name, value]) => [name, SECRET.test(name) && !NAMES_ONLY.test(name) ? '***' : redactValue(name, value)]),
  )

/** An address that no mail server takes is none for EMAIL, and may be erased all the same. */
const redactValue = (name: string, value: unknown): unknown =>
  name === 'EMAIL' ? '[e-mail address]' : redactText(value)

const redactText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(redactText)
  return typeof value === 'string'
    ? withoutCardNumbers(value).replaceAll(EMAIL, '[e-mail address]').slice(0, LONGEST)
    : value
}
