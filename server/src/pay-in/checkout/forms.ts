import type { PageRequest } from '../../platform/api/page.ts'
import type { SentForm } from './source.ts'

const VERBS: readonly SentForm['verb'][] = ['proceed', 'requote', 'retry', 'payRest', 'refund']
/** Longer than any valid value. */
const LONGEST = 300

/**
 * Reads a submitted form; undefined if it is not one of ours, such as the form with which an acquirer returns a payer.
 */
export const readForm = ({ headers, body }: Pick<PageRequest, 'headers' | 'body'>): SentForm | undefined => {
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) return undefined
  const fields = new URLSearchParams(body.toString('utf8'))
  const verb = VERBS.find((one) => one === fields.get('do'))
  if (verb === undefined) return undefined
  const text = (name: string): string | undefined => {
    const value = fields.get(name)?.trim()
    return value === undefined || value === '' || value.includes('\0') ? undefined : value.slice(0, LONGEST)
  }
  return { verb, email: text('email'), value: text('value'), choice: text('choice'), address: text('address') }
}
